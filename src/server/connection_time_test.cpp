// server/connection_time_test.cpp: the deadlines of a connection, on a clock that the test steps.

#include <string>

#include <gtest/gtest.h>

#include "base/timer_wheel.h"
#include "server/connection.h"
#include "server/test_rig.h"

namespace lanner::server {
namespace {

using test::answer;
using test::Client;
using test::ok_answer;
using test::Rig;
using test::TestHandler;
using test::TestObserver;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";
constexpr std::string_view kPost = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n\r\n";
constexpr std::uint64_t kTick = TimerWheel::kTickMs;  // timers are that late at most

class ConnectionTime : public ::testing::Test {
 protected:
  static Options options() {
    Options plain = Rig::plain_options();
    plain.limits.first_byte_ms = 10'000;
    plain.limits.head_ms = 20'000;
    plain.limits.keep_alive_ms = 65'000;
    plain.limits.body_idle_ms = 30'000;
    plain.limits.body_rate = 0;
    plain.limits.write_stall_ms = 30'000;
    plain.limits.write_rate = 0;
    plain.limits.linger_ms = 10'000;
    return plain;
  }
  Rig& make(const Options& with) {
    rig_.reset();
    rig_ = std::make_unique<Rig>(handler, with);
    return *rig_;
  }
  Rig& make() { return make(options()); }
  // Nothing happens to `client` before `ms`, and something does then.
  void expect_end(Client& client, std::uint64_t ms) {
    const std::string before = client.received();
    rig_->pass(ms - 1);
    EXPECT_TRUE(client.open());
    EXPECT_EQ(client.received(), before);
    rig_->pass(1 + kTick);
    EXPECT_FALSE(client.open());
  }
  void hold_all() {
    handler.script = [this](http::Exchange& exchange) { handler.hold(exchange, observer); };
  }
  void TearDown() override {
    if (rig_) rig_->cut();
    rig_.reset();
  }

  TestHandler handler;
  TestObserver observer;
  std::unique_ptr<Rig> rig_;
};

TEST_F(ConnectionTime, ASilentClientIsClosedWithoutAWord) {
  Client& client = make().connect();
  expect_end(client, 10'000);
  EXPECT_EQ(client.received(), "");
  EXPECT_TRUE(client.wire.closed);
}

TEST_F(ConnectionTime, AnIdleKeepAliveConnectionIsClosedWithoutAWord) {
  Rig& rig = make();
  Client& client = rig.connect();
  rig.pass(9'000);
  client.send(kGet);
  rig.settle();
  EXPECT_EQ(client.take(), ok_answer("ok"));
  expect_end(client, 65'000);
  EXPECT_EQ(client.received(), "");
}

TEST_F(ConnectionTime, EveryRequestRenewsKeepAlive) {
  Rig& rig = make();
  Client& client = rig.connect();
  for (int i = 0; i < 4; ++i) {
    client.send(kGet);
    rig.pass(60'000);
  }
  EXPECT_TRUE(client.open());
  EXPECT_EQ(handler.handled, 4);
}

// The timer is not moved with every answer (Connection::rearm_later()).
TEST_F(ConnectionTime, RequestsInARowLeaveDeadlinesWhereTheyAre) {
  for (const std::uint64_t keep_alive_ms : {65'000u, 700u, 200u}) {
    Options short_options = options();
    short_options.limits.keep_alive_ms = keep_alive_ms;
    Rig& rig = make(short_options);
    Client& client = rig.connect();
    for (int i = 0; i < 20; ++i) {
      client.send(kGet);
      rig.pass(70);
      EXPECT_EQ(client.take(), ok_answer("ok"));
    }
    expect_end(client, keep_alive_ms - 70);
  }
}

// Absolute: a byte now and then buys nothing (Slowloris).
TEST_F(ConnectionTime, ADrippingHeadGets408) {
  Rig& rig = make();
  Client& client = rig.connect();
  rig.pass(9'000);
  client.send("GET /");
  rig.settle();
  for (int i = 0; i < 19; ++i) {
    client.send("x");
    rig.pass(1'000);
  }
  EXPECT_EQ(client.received(), "");
  client.send("x");
  rig.pass(1'000 + kTick);
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 408 ");
  EXPECT_TRUE(client.wire.write_shut);
  EXPECT_EQ(handler.handled, 0);
}

TEST_F(ConnectionTime, TheSecondHeadHasItsOwnTime) {
  Rig& rig = make();
  Client& client = rig.connect();
  client.send(std::string(kGet) + "GET /second");
  rig.settle();
  EXPECT_EQ(client.take(), ok_answer("ok"));
  rig.pass(19'999);
  EXPECT_EQ(client.received(), "");
  rig.pass(1 + kTick);
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 408 ");
}

TEST_F(ConnectionTime, AStalledBodyGets408) {
  Rig& rig = make();
  Client& client = rig.connect();
  client.send(kPost);
  for (int i = 0; i < 5; ++i) {
    client.send("x");
    rig.pass(29'000);
  }
  EXPECT_EQ(client.received(), "");
  rig.pass(1'000 + kTick);
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 408 ");
  EXPECT_EQ(handler.handled, 0);
}

TEST_F(ConnectionTime, ASlowBodyGets408) {
  Options with = options();
  with.limits.body_rate = 100;
  Rig& rig = make(with);
  Client& client = rig.connect();
  client.send(kPost);
  rig.settle();
  for (int second = 0; second < 15; ++second) {
    client.send(std::string(110, 'x'));
    rig.pass(1'000);
  }
  EXPECT_EQ(client.received(), "") << "fast enough";
  rig.pass(1'000);
  EXPECT_EQ(client.received(), "") << "what it was faster before counts";
  rig.pass(1'000);
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 408 ");
}

TEST_F(ConnectionTime, RatesHaveTheirGrace) {
  Options with = options();
  with.limits.body_rate = 1'000'000;
  Rig& rig = make(with);
  Client& client = rig.connect();
  client.send(kPost);
  rig.settle();
  rig.pass(http::kBodyRateGraceMs - 1);
  EXPECT_EQ(client.received(), "");
  rig.pass(1 + kTick);
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 408 ");
}

TEST_F(ConnectionTime, AStreamingHandlerHearsOfTheTimeoutOnce) {
  handler.mode = http::BodyMode::stream;
  hold_all();
  Rig& rig = make();
  Client& client = rig.connect();
  client.send(std::string(kPost) + "abc");
  rig.settle();
  client.wire.write_room = 0;  // the 408 cannot leave
  rig.pass(30'000 + kTick);
  EXPECT_EQ(observer.ends, 1);
  EXPECT_EQ(observer.end, Errc::body_timeout);
  for (int i = 0; i < 20; ++i) rig.pass(1'000);
  EXPECT_EQ(observer.ends, 1);
  EXPECT_EQ(observer.disconnects, 0);
  client.wire.write_room = net::FakeTransport::kUnlimited;
  rig.settle();
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 408 ");
  EXPECT_EQ(client.received().find("HTTP/1.1", 1), std::string::npos) << "one answer";
  EXPECT_EQ(answer(*handler.held, "late").code(), Errc::disconnected);
  rig.settle();
  client.send_end();
  rig.settle();
  EXPECT_EQ(client.connection, nullptr);
  EXPECT_EQ(observer.ends, 1);
}

TEST_F(ConnectionTime, ATimeoutAfterTheStartCutsTheAnswer) {
  handler.mode = http::BodyMode::stream;
  hold_all();
  Rig& rig = make();
  Client& client = rig.connect();
  client.send(kPost);
  rig.settle();
  ASSERT_TRUE(handler.held->start(test::make_head(200), std::nullopt));
  EXPECT_EQ(handler.held->write({"abc", nullptr, nullptr}), http::WriteState::ok);
  rig.pass(30'000 + kTick);
  EXPECT_EQ(client.received(), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
      << "no last chunk";
  EXPECT_TRUE(client.wire.write_shut);
  handler.held->abort();
  rig.settle();
}

TEST_F(ConnectionTime, APausedBodyIsNotTheClientsFault) {
  handler.mode = http::BodyMode::stream;
  hold_all();
  Options with = options();
  with.limits.body_rate = 100;
  Rig& rig = make(with);
  Client& client = rig.connect();
  client.send(std::string(kPost) + "abc");
  rig.settle();
  handler.held->pause_body();
  rig.pass(1'000'000);
  EXPECT_EQ(observer.ends, 0);
  handler.held->resume_body();
  rig.pass(9'000);
  EXPECT_EQ(observer.ends, 0) << "the pause does not count";
  client.send(std::string(2'000, 'x'));
  rig.pass(10'000);
  EXPECT_EQ(observer.ends, 0);
  rig.pass(2'000);
  EXPECT_EQ(observer.ends, 1);
  handler.held->abort();
  rig.settle();
}

TEST_F(ConnectionTime, AHandlerMayTakeItsTime) {
  hold_all();
  Rig& rig = make();
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  rig.pass(100'000'000);
  ASSERT_TRUE(client.open());
  (void)answer(*handler.held, "late");
  rig.settle();
  EXPECT_EQ(client.received(), ok_answer("late"));
  handler.script = [](http::Exchange& exchange) { (void)answer(exchange, "ok"); };
}

// ---- writing

TEST_F(ConnectionTime, AStalledReaderIsReset) {
  Rig& rig = make();
  Client& client = rig.connect();
  client.wire.write_room = 10;
  client.send(kGet);
  rig.settle();
  for (int i = 0; i < 5; ++i) {
    client.wire.write_room = 1;
    rig.pass(29'000);
  }
  EXPECT_FALSE(client.wire.closed) << "each byte buys time";
  // When it was taken is known only from one look to the next.
  rig.pass(30'000 + kTick);
  rig.pass(30'000 + kTick);
  EXPECT_TRUE(client.wire.was_reset);
  EXPECT_EQ(client.connection, nullptr);
}

// The kernel's buffer is full, and what counts is that the client takes something out of it.
TEST_F(ConnectionTime, AReaderOfWhatTheKernelHoldsIsNotStalled) {
  Rig& rig = make();
  Client& client = rig.connect();
  client.wire.write_room = 20;
  client.unacknowledged = 20;
  client.send(kGet);
  rig.settle();
  for (int i = 0; i < 10; ++i) {
    rig.pass(29'000);
    --client.unacknowledged;
  }
  EXPECT_FALSE(client.wire.closed);
  for (int i = 0; i < 3; ++i) rig.pass(30'000 + kTick);
  EXPECT_TRUE(client.wire.was_reset);
}

// The kernel goes on delivering for a moment after it took the last bytes from us: that buys the
// client this moment, not a second timeout.
TEST_F(ConnectionTime, AStallBeginsWithTheLastByteTaken) {
  handler.script = [](http::Exchange& exchange) {
    (void)answer(exchange, std::string(100'000, 'x'));
  };
  Rig& rig = make();
  Client& client = rig.connect();
  client.unacknowledged = 5'000;
  client.wire.write_room = 5'000;
  client.send(kGet);
  rig.pass(500);
  client.unacknowledged = 0;
  for (int second = 0; second < 30; ++second) rig.pass(1'000);
  EXPECT_FALSE(client.wire.closed);
  rig.pass(1'000);
  EXPECT_TRUE(client.wire.was_reset);
}

// A small answer is in the kernel's buffer at once, and the client may never take it from there.
TEST_F(ConnectionTime, AnAnswerThatStaysInTheKernelIsAStall) {
  Rig& rig = make();
  Client& client = rig.connect();
  client.unacknowledged = 40;
  client.send(kGet);
  rig.pass(500);
  for (int second = 0; second < 29; ++second) rig.pass(1'000);
  EXPECT_FALSE(client.wire.closed);
  rig.pass(1'000);
  EXPECT_TRUE(client.wire.was_reset);
}

TEST_F(ConnectionTime, AnAnswerThatLeavesTheKernelInTheEndIsNone) {
  Rig& rig = make();
  Client& client = rig.connect();
  client.unacknowledged = 40;
  client.send(kGet);
  for (int second = 0; second < 29; ++second) rig.pass(1'000);
  client.unacknowledged = 0;
  for (int second = 0; second < 35; ++second) rig.pass(1'000);
  EXPECT_TRUE(client.open());
  rig.pass(1'000 + kTick);
  EXPECT_TRUE(client.wire.closed) << "idle";
  EXPECT_FALSE(client.wire.was_reset);
}

// A byte now and then out of what the kernel holds is no stall, but too slow.
TEST_F(ConnectionTime, ASlowReaderOfWhatTheKernelHoldsIsReset) {
  handler.script = [](http::Exchange& exchange) {
    (void)answer(exchange, std::string(9'000, 'x'));
  };
  Options with = options();
  with.limits.write_rate = 100;
  Rig& rig = make(with);
  Client& client = rig.connect();
  client.unacknowledged = 9'000;
  client.send(kGet);
  rig.settle();
  for (int second = 0; second < 50; ++second) {
    rig.pass(1'000);
    client.unacknowledged -= 110;
  }
  EXPECT_FALSE(client.wire.closed) << "fast enough";
  for (int second = 0; second < 3; ++second) rig.pass(1'000);
  EXPECT_FALSE(client.wire.closed) << "what it was faster before counts";
  for (int second = 0; second < 4; ++second) rig.pass(1'000);
  EXPECT_TRUE(client.wire.was_reset);
}

// As slow as the application, and always something on the way: not the client's doing.
TEST_F(ConnectionTime, ASlowApplicationIsNotASlowReader) {
  hold_all();
  Options with = options();
  with.limits.write_rate = 100;
  Rig& rig = make(with);
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  client.unacknowledged = 1;
  ASSERT_TRUE(handler.held->start(test::make_head(200), std::nullopt));
  for (int second = 0; second < 300; ++second) {
    (void)handler.held->write({"x", nullptr, nullptr});
    rig.pass(1'000);
  }
  EXPECT_TRUE(client.open());
  (void)handler.held->finish();
  rig.settle();
}

// Refusing what it sends next does not lengthen that.
TEST_F(ConnectionTime, AStalledReaderThatIsRefusedIsStillStalled) {
  Rig& rig = make();
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  for (int second = 0; second < 29; ++second) {
    client.unacknowledged = client.received().size();
    if (second >= 3) client.send("G");
    rig.pass(1'000);
  }
  EXPECT_FALSE(client.wire.closed);
  EXPECT_TRUE(client.wire.write_shut) << "a 408, then it lingers";
  rig.pass(1'000 + kTick);
  EXPECT_TRUE(client.wire.was_reset);
}

// Keep-alive counts from the last byte of the answer, not from when the handler was done with it.
TEST_F(ConnectionTime, AClientThatTakesItsAnswerIsNotIdle) {
  handler.script = [](http::Exchange& exchange) {
    (void)answer(exchange, std::string(1'000, 'x'));
  };
  Rig& rig = make();
  Client& client = rig.connect();
  client.wire.write_room = 0;
  client.send(kGet);
  for (int i = 0; i < 10; ++i) {
    client.wire.write_room = 10;
    rig.pass(29'000);
  }
  ASSERT_TRUE(client.open());
  client.wire.write_room = net::FakeTransport::kUnlimited;
  rig.settle();
  EXPECT_EQ(client.received(), ok_answer(std::string(1'000, 'x')));
  expect_end(client, 65'000);
}

// A request that waits because of our own high mark is not late, and half of one begins when it is
// looked at.
TEST_F(ConnectionTime, ARequestThatWaitsForItsTurnIsNotLate) {
  handler.script = [](http::Exchange& exchange) {
    (void)answer(exchange, std::string(1'000, 'x'));
  };
  for (const std::size_t part : {kGet.size(), kGet.size() - 5}) {
    Options with = options();
    with.limits.out_high_bytes = 600;
    with.limits.out_low_bytes = 100;
    Rig& rig = make(with);
    Client& client = rig.connect();
    client.wire.write_room = 0;
    client.send(std::string(kGet) + std::string(kGet.substr(0, part)));
    for (int i = 0; i < 10; ++i) {
      client.wire.write_room = 70;
      rig.pass(29'000);
    }
    client.wire.write_room = net::FakeTransport::kUnlimited;
    rig.settle();
    rig.pass(19'000);
    client.send(kGet.substr(part));
    rig.settle();
    const std::string one = ok_answer(std::string(1'000, 'x'));
    EXPECT_EQ(client.received(), one + one);
    rig.cut();
  }
}

TEST_F(ConnectionTime, ASlowReaderIsReset) {
  handler.script = [](http::Exchange& exchange) {
    (void)answer(exchange, std::string(100'000, 'x'));
  };
  Options with = options();
  with.limits.write_rate = 100;
  Rig& rig = make(with);
  Client& client = rig.connect();
  client.wire.write_room = 0;
  client.send(kGet);
  rig.settle();
  for (int second = 0; second < 60; ++second) {
    client.wire.write_room = 110;
    rig.pass(1'000);
  }
  EXPECT_FALSE(client.wire.closed);
  for (int second = 0; second < 7; ++second) rig.pass(1'000);
  EXPECT_TRUE(client.wire.was_reset);
}

TEST_F(ConnectionTime, AHandlerHearsOfAStalledReader) {
  hold_all();
  Rig& rig = make();
  Client& client = rig.connect();
  client.wire.write_room = 0;
  client.send(kGet);
  rig.settle();
  ASSERT_TRUE(handler.held->start(test::make_head(200), std::nullopt));
  (void)handler.held->write({"abc", nullptr, nullptr});
  rig.pass(29'999);
  EXPECT_EQ(observer.disconnects, 0);
  rig.pass(1 + kTick);
  EXPECT_EQ(observer.disconnects, 1);
  handler.held->abort();
  rig.settle();
  EXPECT_EQ(client.connection, nullptr);
}

// ---- the whole request

class RequestTime : public ConnectionTime {
 protected:
  Rig& make_timed() {
    Options with = options();
    with.limits.request_ms = 50'000;
    return make(with);
  }
};

TEST_F(RequestTime, ABodyThatIsNeverSlowGets408InTheEnd) {
  Rig& rig = make_timed();
  Client& client = rig.connect();
  client.send(kPost);
  for (int i = 0; i < 5; ++i) {
    client.send(std::string(1'000, 'x'));
    rig.pass(9'999);
  }
  EXPECT_EQ(client.received(), "");
  rig.pass(5 + kTick);
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 408 ");
  EXPECT_EQ(handler.handled, 0);
}

TEST_F(RequestTime, BeginsWithTheFirstByteOfTheHead) {
  Rig& rig = make_timed();
  Client& client = rig.connect();
  client.send("P");
  rig.pass(19'000);
  client.send(kPost.substr(1));
  rig.pass(29'000);
  client.send("x");
  expect_end(client, 2'000);
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 408 ");
}

TEST_F(RequestTime, AHandlerThatIsLateMeans503) {
  hold_all();
  Rig& rig = make_timed();
  Client& client = rig.connect();
  client.send(kGet);
  expect_end(client, 50'000);
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 503 ");
  rig.pass(http::kLingerReadMs + kTick);
  EXPECT_EQ(observer.disconnects, 1);
  EXPECT_EQ(answer(*handler.held, "late").code(), Errc::disconnected);
  rig.settle();
  EXPECT_EQ(client.connection, nullptr);
}

TEST_F(RequestTime, AnAnswerThatNeverEndsIsCut) {
  hold_all();
  Rig& rig = make_timed();
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  ASSERT_TRUE(handler.held->start(test::make_head(200), std::nullopt));
  for (int i = 0; i < 5; ++i) {
    (void)handler.held->write({"abc", nullptr, nullptr});
    rig.pass(9'999);
  }
  EXPECT_FALSE(client.wire.closed);
  rig.pass(5 + kTick);
  EXPECT_TRUE(client.wire.was_reset);
  EXPECT_EQ(observer.disconnects, 1);
  handler.held->abort();
  rig.settle();
}

TEST_F(RequestTime, TheAnswerMustBeTakenToo) {
  handler.script = [](http::Exchange& exchange) {
    (void)answer(exchange, std::string(100'000, 'x'));
  };
  Rig& rig = make_timed();
  Client& client = rig.connect();
  client.wire.write_room = 0;
  client.send(kGet);
  for (int i = 0; i < 5; ++i) {
    client.wire.write_room = 1'000;
    rig.pass(9'999);
  }
  EXPECT_FALSE(client.wire.closed);
  rig.pass(5 + kTick);
  EXPECT_TRUE(client.wire.was_reset);
}

TEST_F(RequestTime, EachRequestHasItsOwn) {
  Rig& rig = make_timed();
  Client& client = rig.connect();
  for (int i = 0; i < 4; ++i) {
    client.send(kGet);
    rig.pass(45'000);
    EXPECT_EQ(client.take(), ok_answer("ok"));
  }
  EXPECT_TRUE(client.open());
  expect_end(client, 20'000);
  EXPECT_EQ(client.received(), "") << "idle, as any other";
}

// ---- closing

TEST_F(ConnectionTime, LingeringEndsAfterSilence) {
  Rig& rig = make();
  Client& client = rig.connect();
  client.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  rig.settle();
  ASSERT_TRUE(client.wire.write_shut);
  rig.pass(http::kLingerReadMs - 1);
  EXPECT_FALSE(client.wire.closed);
  rig.pass(1 + kTick);
  EXPECT_TRUE(client.wire.closed);
  EXPECT_FALSE(client.wire.was_reset);
}

TEST_F(ConnectionTime, LingeringEndsWhateverTheClientSends) {
  Rig& rig = make();
  Client& client = rig.connect();
  client.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  rig.settle();
  for (int second = 0; second < 9; ++second) {
    client.send("x");
    rig.pass(1'000);
  }
  EXPECT_FALSE(client.wire.closed);
  client.send("x");
  rig.pass(1'000 + kTick);
  EXPECT_TRUE(client.wire.closed);
}

// The answer is out already: a 408 would be taken for the answer to the next request.
TEST_F(ConnectionTime, AnAbandonedBodyAfterTheAnswerIsNotAnsweredAgain) {
  handler.mode = http::BodyMode::stream;
  Rig& rig = make();
  Client& client = rig.connect();
  client.send(std::string(kPost) + "abc");
  rig.settle();
  EXPECT_EQ(client.take(), ok_answer("ok"));
  expect_end(client, 30'000);
  EXPECT_EQ(client.received(), "");
  EXPECT_FALSE(client.wire.was_reset);
}

TEST_F(ConnectionTime, DiscardingHasItsOwnTimeAfterALongPause) {
  handler.mode = http::BodyMode::stream;
  hold_all();
  Rig& rig = make();
  Client& client = rig.connect();
  client.send(std::string(kPost) + "abc");
  rig.settle();
  handler.held->pause_body();
  rig.pass(100'000);
  (void)answer(*handler.held, "ok");
  rig.settle();
  EXPECT_EQ(client.take(), ok_answer("ok"));
  rig.pass(10'000);
  client.send(std::string(100'000 - 3, 'x') + std::string(kGet));
  handler.script = [](http::Exchange& exchange) { (void)answer(exchange, "next"); };
  rig.settle();
  EXPECT_EQ(client.received(), ok_answer("next"));
}

TEST_F(ConnectionTime, DrainGivesAFreshConnectionAMoment) {
  Rig& rig = make();
  Client& silent = rig.connect();
  Client& quick = rig.connect();
  rig.pass(5'000);
  rig.server().begin_drain();
  rig.pass(900);
  EXPECT_TRUE(silent.open());
  quick.send(kGet);
  rig.settle();
  EXPECT_EQ(quick.received(),
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
  rig.pass(100 + kTick);
  EXPECT_TRUE(silent.wire.closed);
  EXPECT_EQ(silent.received(), "");
}

// ---- after an answer that came before the end of its request

// A body that nobody reads is read to its end for the next request's sake only if it is short.
TEST_F(ConnectionTime, OneMegabyteIsDiscardedAtMost) {
  handler.mode = http::BodyMode::stream;
  Rig& rig = make();
  const auto ask = [&](std::uint64_t bytes) {
    Client& client = rig.connect();
    client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(bytes) +
                "\r\n\r\n");
    rig.settle();
    const bool closes = client.received().find("Connection: close\r\n") != std::string::npos;
    client.send_reset();
    rig.settle();
    return closes;
  };
  EXPECT_FALSE(ask(http::kDiscardBytesMax));
  EXPECT_TRUE(ask(http::kDiscardBytesMax + 1));
}

// What clients still send is read for 30 s, or until they are silent for 5 s: a body of 100 MB at 4
// MB/s does not cost them the answer.
TEST_F(ConnectionTime, ALongBodyIsReadOnAfterItsAnswer) {
  handler.mode = http::BodyMode::stream;
  Options with = options();
  with.limits.linger_ms = http::Limits().linger_ms;
  Rig& rig = make(with);
  Client& client = rig.connect();
  client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000000\r\n\r\n");
  rig.settle();
  EXPECT_TRUE(client.received().starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(client.wire.write_shut);
  for (int second = 0; second < 28; second += 4) {
    client.send(std::string(16'000'000, 'x'));
    rig.settle();
    EXPECT_TRUE(client.wire.incoming.empty());
    ASSERT_FALSE(client.wire.closed) << "after " << second << " s";
    rig.pass(4'000);
  }
  client.send("x");
  rig.pass(2'000 + kTick);
  EXPECT_TRUE(client.wire.closed) << "30 s are over";
  EXPECT_FALSE(client.wire.was_reset);
}

TEST_F(ConnectionTime, ADrainShortensTheReadingAfterAnAnswer) {
  Options with = options();
  with.limits.linger_ms = http::Limits().linger_ms;
  Rig& rig = make(with);
  Client& client = rig.connect();
  client.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  rig.settle();
  rig.server().begin_drain();
  for (int tenth = 0; tenth < 18; ++tenth) {
    client.send("x");
    rig.pass(100);
  }
  EXPECT_FALSE(client.wire.closed);
  client.send("x");
  rig.pass(300 + kTick);
  EXPECT_TRUE(client.wire.closed);
}

}  // namespace
}  // namespace lanner::server
