#include "server/exchange_core.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "server/test_rig.h"
#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::server {
namespace {

using http::WriteState;
using test::answer;
using test::Client;
using test::counted;
using test::make_head;
using test::ok_answer;
using test::Rig;
using test::TestHandler;
using test::TestObserver;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";
constexpr std::size_t kUnlimited = net::FakeTransport::kUnlimited;

http::Payload text(std::string_view bytes) { return {bytes, nullptr, nullptr}; }

class ExchangeTest : public ::testing::Test {
 protected:
  void TearDown() override {
    if (rig_) rig_->cut();
    rig_.reset();
  }
  // One request's answer by `script`.
  std::string served(std::function<void(http::Exchange&)> script, std::string_view request = kGet) {
    handler.script = std::move(script);
    return rig().exchange(request);
  }
  // A connection whose exchange is held.
  Client& hold(std::string_view request = kGet) {
    handler.script = [this](http::Exchange& exchange) { handler.hold(exchange, observer); };
    Client& client = rig().connect();
    client.send(request);
    rig().settle();
    EXPECT_NE(handler.held, nullptr);
    handler.script = [](http::Exchange& exchange) { (void)answer(exchange, "next"); };
    return client;
  }
  void start_chunked() { ASSERT_TRUE(handler.held->start(make_head(200), std::nullopt)); }
  http::Exchange& held() { return *handler.held; }
  Rig& rig() {
    if (!rig_) rig_ = std::make_unique<Rig>(handler, options);
    return *rig_;
  }

  Options options = Rig::plain_options();
  TestHandler handler;
  TestObserver observer;
  int releases = 0;

 private:
  std::unique_ptr<Rig> rig_;
};

// ---- framing

TEST_F(ExchangeTest, WritesAnAnswerOfKnownSize) {
  EXPECT_EQ(served([](http::Exchange& exchange) {
              EXPECT_FALSE(exchange.started());
              ASSERT_TRUE(exchange.start(make_head(201, {{"X-A", "1"}}), 5));
              EXPECT_TRUE(exchange.started());
              EXPECT_EQ(exchange.write(text("he")), WriteState::ok);
              EXPECT_EQ(exchange.write(text("")), WriteState::ok);
              EXPECT_EQ(exchange.write(text("llo")), WriteState::ok);
              EXPECT_TRUE(exchange.finish());
            }),
            "HTTP/1.1 201 Created\r\nX-A: 1\r\nContent-Length: 5\r\n\r\nhello");
}

TEST_F(ExchangeTest, ChunksAnAnswerOfUnknownSize) {
  EXPECT_EQ(served([](http::Exchange& exchange) {
              ASSERT_TRUE(exchange.start(make_head(200), std::nullopt));
              (void)exchange.write(text("hello"));
              (void)exchange.write(text(""));
              (void)exchange.write(text(std::string(16, 'x')));
              EXPECT_TRUE(exchange.finish());
            }),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            "5\r\nhello\r\n10\r\nxxxxxxxxxxxxxxxx\r\n0\r\n\r\n");
}

TEST_F(ExchangeTest, TrailersFollowTheLastChunk) {
  const auto script = [](http::Exchange& exchange) {
    ASSERT_TRUE(exchange.start(make_head(200), std::nullopt));
    (void)exchange.write(text("hello"));
    EXPECT_TRUE(exchange.add_trailers(make_head(200, {{"X-A", "1"}, {"X-B", "2"}})));
    EXPECT_TRUE(exchange.add_trailers(make_head(200, {{"X-C", "3"}})));
    EXPECT_TRUE(exchange.finish());
  };
  EXPECT_EQ(served(script),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
            "0\r\nX-A: 1\r\nX-B: 2\r\nX-C: 3\r\n\r\n");
  EXPECT_EQ(served(script, "GET / HTTP/1.0\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello")
      << "no place for them";
  EXPECT_EQ(served(
                [](http::Exchange& exchange) {
                  ASSERT_TRUE(exchange.start(make_head(200), 2));
                  EXPECT_TRUE(exchange.add_trailers(make_head(200, {{"X-A", "1"}})));
                  (void)exchange.write(text("ok"));
                  EXPECT_TRUE(exchange.finish());
                },
                std::string(kGet)),
            ok_answer("ok"));
}

TEST_F(ExchangeTest, AnAnswerOfUnknownSizeTo10EndsWithTheConnection) {
  EXPECT_EQ(served(
                [](http::Exchange& exchange) {
                  ASSERT_TRUE(exchange.start(make_head(200), std::nullopt));
                  (void)exchange.write(text("hello"));
                  EXPECT_TRUE(exchange.finish());
                },
                "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello");
}

TEST_F(ExchangeTest, BodilessAnswersDropWhatIsWritten) {
  for (const int status : {200, 204, 304}) {
    const std::string_view request = status == 200 ? "HEAD / HTTP/1.1\r\nHost: t\r\n\r\n" : kGet;
    for (const bool known : {true, false}) {
      const std::string got = served(
          [&](http::Exchange& exchange) {
            ASSERT_TRUE(exchange.start(make_head(status),
                                       known ? std::optional<std::uint64_t>(5) : std::nullopt));
            EXPECT_EQ(exchange.write(text("hello")), WriteState::ok);
            EXPECT_EQ(exchange.write(counted(std::string(50'000, 'x'), &releases)), WriteState::ok);
            (void)exchange.finish();
          },
          request);
      EXPECT_EQ(got.substr(got.size() - 4), "\r\n\r\n") << got;
      EXPECT_EQ(got.find("hello"), std::string::npos);
      EXPECT_EQ(got.find("chunked"), std::string::npos);
    }
  }
  EXPECT_EQ(releases, 6);
}

TEST_F(ExchangeTest, CutsOffAndReportsWhatIsTooLong) {
  std::string got = served([&](http::Exchange& exchange) {
    ASSERT_TRUE(exchange.start(make_head(200), 3));
    EXPECT_EQ(exchange.write(text("hello")), WriteState::ok);
    EXPECT_EQ(exchange.write(counted(std::string(50'000, 'x'), &releases)), WriteState::ok);
    EXPECT_EQ(releases, 1);
    EXPECT_EQ(exchange.finish().code(), Errc::response_too_long);
  });
  EXPECT_EQ(got, ok_answer("hel"));
}

TEST_F(ExchangeTest, ReportsWhatIsTooShortAndCloses) {
  handler.script = [](http::Exchange& exchange) {
    ASSERT_TRUE(exchange.start(make_head(200), 9));
    (void)exchange.write(text("hello"));
    EXPECT_EQ(exchange.finish().code(), Errc::response_too_short);
  };
  Client& client = rig().connect();
  client.send(std::string(kGet) + std::string(kGet));
  rig().settle();
  EXPECT_EQ(client.received(), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello");
  EXPECT_TRUE(client.wire.write_shut);
  EXPECT_EQ(handler.handled, 1);
}

TEST_F(ExchangeTest, TheApplicationsContentLengthWins) {
  EXPECT_EQ(served([](http::Exchange& exchange) {
              ASSERT_TRUE(exchange.start(make_head(200, {{"Content-Length", "2"}}), 5));
              (void)exchange.write(text("hello"));
              EXPECT_EQ(exchange.finish().code(), Errc::response_too_long);
            }),
            ok_answer("he"));
}

// ---- order of calls

TEST_F(ExchangeTest, StartsOnceAndWithAFinalStatus) {
  const std::string got = served([](http::Exchange& exchange) {
    EXPECT_EQ(exchange.start(make_head(199), 0).code(), Errc::status_invalid);
    EXPECT_FALSE(exchange.started());
    EXPECT_TRUE(exchange.start(make_head(200), 2));
    EXPECT_EQ(exchange.start(make_head(500), 2).code(), Errc::response_started);
    (void)exchange.write(text("ok"));
    EXPECT_TRUE(exchange.finish());
  });
  EXPECT_EQ(got, ok_answer("ok"));
}

TEST_F(ExchangeTest, WritesBeforeTheStartGoNowhere) {
  const std::string got = served([&](http::Exchange& exchange) {
    EXPECT_EQ(exchange.write(counted("early", &releases)), WriteState::closed);
    EXPECT_EQ(exchange.write_spooled("early"), WriteState::closed);
    EXPECT_EQ(releases, 1);
    (void)answer(exchange, "ok");
  });
  EXPECT_EQ(got, ok_answer("ok"));
}

TEST_F(ExchangeTest, FinishWithoutStartIsA500) {
  const std::string got =
      served([](http::Exchange& exchange) { EXPECT_EQ(exchange.finish().code(), Errc::internal); },
             std::string(kGet) + std::string(kGet));
  EXPECT_EQ(got.substr(0, 13), "HTTP/1.1 500 ");
  EXPECT_EQ(handler.handled, 2) << "and the connection goes on";
}

TEST_F(ExchangeTest, AForgottenExchangeIsA500) {
  const std::string got = served([](http::Exchange&) {}, std::string(kGet) + std::string(kGet));
  EXPECT_EQ(got.substr(0, 13), "HTTP/1.1 500 ");
  EXPECT_EQ(handler.handled, 2);
}

TEST_F(ExchangeTest, AbortBeforeTheStartIsA500) {
  const std::string got = served([](http::Exchange& exchange) { exchange.abort(); },
                                 "HEAD / HTTP/1.1\r\nHost: t\r\n\r\n" + std::string(kGet));
  EXPECT_EQ(got.substr(0, 13), "HTTP/1.1 500 ");
  const std::size_t second = got.find("HTTP/1.1 500 ", 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_EQ(got.substr(second - 4, 4), "\r\n\r\n") << "no body to HEAD";
  EXPECT_EQ(got.substr(got.size() - 4), "ror\n") << "but to GET";
}

TEST_F(ExchangeTest, AbortAfterTheStartLeavesTheEndOut) {
  handler.script = [](http::Exchange& exchange) {
    ASSERT_TRUE(exchange.start(make_head(200), std::nullopt));
    (void)exchange.write(text("abc"));
    exchange.abort();
  };
  Client& client = rig().connect();
  client.send(std::string(kGet) + std::string(kGet));
  rig().settle();
  EXPECT_EQ(client.received(), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  EXPECT_TRUE(client.wire.write_shut);
  EXPECT_EQ(handler.handled, 1);
}

// Its end would look like the answer's (RFC 9112, section 8).
TEST_F(ExchangeTest, AbortOfACloseDelimitedAnswerIsAReset) {
  handler.script = [](http::Exchange& exchange) {
    ASSERT_TRUE(exchange.start(make_head(200), std::nullopt));
    (void)exchange.write(text("abc"));
    exchange.abort();
  };
  Client& client = rig().connect();
  client.send("GET / HTTP/1.0\r\n\r\n");
  rig().settle();
  EXPECT_TRUE(client.wire.was_reset);
  EXPECT_FALSE(client.wire.write_shut);
}

// ---- keep-alive

TEST_F(ExchangeTest, DecidesWhetherTheConnectionStays) {
  struct Case {
    std::string_view request;
    bool stays;
    std::string_view field;
  };
  const std::string_view kClose = "Connection: close\r\n";
  const std::string_view kStay = "Connection: keep-alive\r\n";
  for (const Case& one : {
           Case{"GET / HTTP/1.1\r\nHost: t\r\n\r\n", true, ""},
           Case{"GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n", false, kClose},
           Case{"GET / HTTP/1.1\r\nHost: t\r\nConnection: x, Close\r\n\r\n", false, kClose},
           Case{"GET / HTTP/1.0\r\n\r\n", false, kClose},
           Case{"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, kStay},
       }) {
    handler.script = [](http::Exchange& exchange) { (void)answer(exchange, ""); };
    Client& client = rig().connect();
    client.send(one.request);
    rig().settle();
    EXPECT_EQ(client.open(), one.stays) << one.request;
    EXPECT_EQ(client.received(),
              "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + std::string(one.field) + "\r\n");
  }
}

TEST_F(ExchangeTest, TheApplicationMayCloseTheConnection) {
  handler.script = [](http::Exchange& exchange) {
    (void)answer(exchange, "ok", 200, {{"Connection", "close"}});
  };
  Client& client = rig().connect();
  client.send(std::string(kGet) + std::string(kGet));
  rig().settle();
  EXPECT_EQ(client.received(),
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
  EXPECT_TRUE(client.ended_cleanly());
}

// ---- informational answers

TEST_F(ExchangeTest, InformsBeforeTheAnswer) {
  const auto script = [](http::Exchange& exchange) {
    EXPECT_TRUE(exchange.inform(make_head(103, {{"Link", "</a>"}})));
    EXPECT_EQ(exchange.inform(make_head(101)).code(), Errc::status_invalid);
    EXPECT_EQ(exchange.inform(make_head(200)).code(), Errc::status_invalid);
    ASSERT_TRUE(exchange.start(make_head(200), 2));
    EXPECT_EQ(exchange.inform(make_head(103)).code(), Errc::response_started);
    (void)exchange.write(text("ok"));
    EXPECT_TRUE(exchange.finish());
  };
  EXPECT_EQ(served(script), "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok_answer("ok"));
  EXPECT_EQ(served(script, "GET / HTTP/1.0\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
      << "1.0 knows no 1xx";
}

// ---- late answers

TEST_F(ExchangeTest, RetainKeepsTheRequest) {
  Client& client =
      hold("POST http://t/a/b?c=d HTTP/1.1\r\nHost: t\r\nX-Y: z\r\nContent-Length: 4\r\n\r\nbody");
  Client& other = rig().connect();
  for (int i = 0; i < 3; ++i)
    other.send("GET /" + std::string(5'000, 'x'));  // over the same buffer
  rig().settle();
  const http::RequestHead& head = held().head();
  EXPECT_EQ(head.method_text, "POST");
  EXPECT_EQ(head.target, "http://t/a/b?c=d");
  EXPECT_EQ(head.path, "/a/b");
  EXPECT_EQ(head.query, "c=d");
  EXPECT_EQ(head.authority, "t");
  ASSERT_EQ(head.fields.size(), 3u);
  EXPECT_EQ(head.fields[1].name, "X-Y");
  EXPECT_EQ(head.fields[1].value, "z");
  EXPECT_EQ(test::read_all(held().body()), "body");
  EXPECT_EQ(held().client().host, "192.0.2.7");
  EXPECT_EQ(held().client().port, 4711);
  (void)answer(held(), "late");
  rig().settle();
  EXPECT_EQ(client.received(), ok_answer("late"));
}

TEST_F(ExchangeTest, RetainKeepsAHeadWithoutPathOrFields) {
  hold("GET http://t HTTP/1.0\r\n\r\n");
  EXPECT_EQ(held().head().path, "/");
  EXPECT_EQ(held().head().authority, "t");
  EXPECT_TRUE(held().head().fields.empty());
  (void)answer(held(), "");
}

TEST_F(ExchangeTest, RetainOfAnEndedExchangeIsRefused) {
  handler.script = [this](http::Exchange& exchange) {
    ASSERT_TRUE(exchange.start(make_head(200), std::nullopt));
    (void)exchange.write(text("abc"));
    EXPECT_EQ(exchange.flush(), WriteState::closed);
    EXPECT_EQ(exchange.retain(&observer).code(), Errc::disconnected)
        << "nobody would tell the observer any more";
    exchange.abort();
  };
  Client& client = rig().connect();
  client.wire.write_error = EPIPE;
  client.send(kGet);
  rig().settle();
  EXPECT_EQ(observer.disconnects, 0);
  EXPECT_EQ(client.connection, nullptr);
}

TEST_F(ExchangeTest, FlushSendsAtOnce) {
  Client& client = hold();
  start_chunked();
  (void)held().write(text("abc"));
  EXPECT_EQ(client.received(), "") << "at the end of the turn";
  EXPECT_EQ(held().flush(), WriteState::ok);
  EXPECT_NE(client.received().find("3\r\nabc\r\n"), std::string::npos);
  (void)held().finish();
}

// ---- backpressure

TEST_F(ExchangeTest, PausesOverTheHighMarkAndGoesOnUnderTheLow) {
  options.limits.out_high_bytes = 1'000;
  options.limits.out_low_bytes = 100;
  Client& client = hold();
  client.wire.write_room = 0;
  ASSERT_TRUE(held().start(make_head(200), 10'000));
  EXPECT_EQ(held().write(text(std::string(500, 'x'))), WriteState::ok);
  EXPECT_EQ(held().write(text(std::string(500, 'x'))), WriteState::full);
  rig().settle();
  EXPECT_EQ(observer.writables, 0);
  const std::size_t buffered = client.connection->out().size();
  client.wire.write_room = buffered - 101;
  rig().settle();
  EXPECT_EQ(observer.writables, 0) << "one byte over the low mark";
  client.wire.write_room = 1;
  rig().settle();
  EXPECT_EQ(observer.writables, 1);
  client.wire.write_room = kUnlimited;
  rig().settle();
  EXPECT_EQ(observer.writables, 1) << "once for each pause";
  held().abort();
}

// A source of many pieces goes through a bounded buffer, whatever the client takes at once.
TEST_F(ExchangeTest, ALongAnswerStaysBounded) {
  options.limits.out_high_bytes = 1'000;
  options.limits.out_low_bytes = 100;
  for (const std::size_t taken : {1u, 77u, 1'000u, 100'000u}) {
    Client& client = hold();
    client.wire.write_max = taken;
    start_chunked();
    int left = 100;
    observer.then_writable = [&] {
      while (left > 0) {
        --left;
        const WriteState state = held().write(text(std::string(100, 'x')));
        EXPECT_LT(client.connection->out().size(), 1'300u);
        if (state == WriteState::full) return;
      }
      (void)held().finish();
      observer.then_writable = nullptr;
    };
    held().yield();
    rig().settle();
    EXPECT_EQ(left, 0);
    EXPECT_EQ(client.received().size(), 47u + 100 * 106 + 5) << "taken " << taken;
    EXPECT_TRUE(client.open());
  }
}

TEST_F(ExchangeTest, YieldComesBackInALaterTurn) {
  hold();
  start_chunked();
  int depth = 0;
  observer.then_writable = [&] {
    EXPECT_EQ(++depth, 1);
    if (observer.writables < 5) held().yield();
    --depth;
  };
  held().yield();
  EXPECT_EQ(observer.writables, 0) << "not within";
  for (int turn = 1; turn <= 5; ++turn) {
    rig().turn();
    EXPECT_EQ(observer.writables, turn) << "once a turn";
  }
  (void)held().finish();
}

// ---- the client is gone

// The handler's own call says so; a handler that is told inside it would lose the ground under its
// feet.
TEST_F(ExchangeTest, TheObserverIsNotCalledInsideTheHandlersOwnCalls) {
  Client& client = hold();
  client.wire.write_error = ECONNRESET;
  start_chunked();
  (void)held().write(text("abc"));
  EXPECT_EQ(held().flush(), WriteState::closed);
  EXPECT_EQ(observer.disconnects, 0);
  EXPECT_EQ(held().flush(), WriteState::closed);
  EXPECT_EQ(held().write(counted("x", &releases)), WriteState::closed);
  EXPECT_EQ(held().write_spooled("x"), WriteState::closed);
  EXPECT_EQ(held().write_file({.fd = 0, .offset = 0, .count = 1}), WriteState::closed);
  EXPECT_EQ(held().inform(make_head(103)).code(), Errc::disconnected);
  EXPECT_EQ(held().finish().code(), Errc::disconnected);
  EXPECT_EQ(releases, 1);
  EXPECT_EQ(observer.disconnects, 0);
  rig().settle();
  EXPECT_EQ(client.connection, nullptr);
  EXPECT_EQ(observer.disconnects, 0);
}

TEST_F(ExchangeTest, AFailedRequestCanStillBeFinishedOrAborted) {
  for (const bool finish : {true, false}) {
    for (const bool started : {true, false}) {
      Client& client = hold();
      if (started) start_chunked();
      client.send_reset();
      rig().settle();
      EXPECT_EQ(observer.disconnects, 1);
      observer.disconnects = 0;
      if (finish) {
        EXPECT_EQ(held().finish().code(), Errc::disconnected);
      } else {
        held().abort();
      }
      rig().settle();
      EXPECT_EQ(client.connection, nullptr);
    }
  }
}

TEST_F(ExchangeTest, AHandlerMayEndItWithinOnDisconnect) {
  Client& client = hold();
  observer.then_disconnect = [&] { held().abort(); };
  client.send_reset();
  rig().settle();
  EXPECT_EQ(observer.disconnects, 1);
  EXPECT_EQ(client.connection, nullptr);
}

// ---- large payloads: referenced, and released exactly once

TEST_F(ExchangeTest, SmallPayloadsAreCopiedAndReleasedAtOnce) {
  Client& client = hold();
  client.wire.write_room = 0;
  start_chunked();
  (void)held().write(counted(std::string(16'383, 'x'), &releases));
  EXPECT_EQ(releases, 1);
  (void)held().write(counted(std::string(16'384, 'x'), &releases));
  EXPECT_EQ(releases, 1) << "referenced";
  held().abort();
  rig().cut();
  EXPECT_EQ(releases, 2);
}

TEST_F(ExchangeTest, LargePayloadsAreReleasedWhenSent) {
  for (const bool chunked : {true, false}) {
    releases = 0;
    Client& client = hold();
    client.wire.write_room = 30'000;
    ASSERT_TRUE(held().start(make_head(200),
                             chunked ? std::nullopt : std::optional<std::uint64_t>(40'000)));
    (void)held().write(counted(std::string(20'000, 'a'), &releases));
    (void)held().write(counted(std::string(20'000, 'b'), &releases));
    EXPECT_TRUE(held().finish());
    rig().settle();
    EXPECT_EQ(releases, 1);
    client.wire.write_room = kUnlimited;
    rig().settle();
    EXPECT_EQ(releases, 2);
    EXPECT_NE(client.received().find(std::string(20'000, 'a')), std::string::npos);
    EXPECT_NE(client.received().find(std::string(20'000, 'b')), std::string::npos);
  }
}

TEST_F(ExchangeTest, LargePayloadsAreReleasedOnceWhereverTheClientGoes) {
  const std::size_t whole = 47 + 2 * (20'000 + 8) + 5;
  for (std::size_t room = 0; room < whole; room += 1'777) {
    for (const bool late : {false, true}) {
      releases = 0;
      Client& client = hold();
      client.wire.write_room = room;
      start_chunked();
      (void)held().write(counted(std::string(20'000, 'a'), &releases));
      if (!late) {
        (void)held().write(counted(std::string(20'000, 'b'), &releases));
        (void)held().finish();
      }
      rig().settle();
      client.send_reset();
      rig().settle();
      if (late) {
        EXPECT_EQ(held().write(counted(std::string(20'000, 'b'), &releases)), WriteState::closed);
        held().abort();
      }
      rig().settle();
      ASSERT_EQ(releases, 2) << "gone after " << room;
      ASSERT_EQ(client.connection, nullptr);
    }
  }
}

TEST_F(ExchangeTest, LargePayloadsAreReleasedWithTheServer) {
  {
    Rig mine(handler, options);
    handler.script = [this](http::Exchange& exchange) {
      ASSERT_TRUE(exchange.start(make_head(200), 50'000));
      (void)exchange.write(counted(std::string(50'000, 'x'), &releases));
      (void)exchange.finish();
    };
    Client& client = mine.connect();
    client.wire.write_room = 100;
    client.send(kGet);
    mine.settle();
    EXPECT_EQ(releases, 0);
  }
  EXPECT_EQ(releases, 1);
}

// ---- spooling

class SpoolTest : public ExchangeTest {
 protected:
  SpoolTest() {
    options.limits.out_high_bytes = 1'000;
    options.limits.out_low_bytes = 100;
  }
  static std::string piece(int number) { return std::string(400, static_cast<char>('a' + number)); }
  static std::string chunk(const std::string& bytes) {
    const char* size = bytes.size() == 400 ? "190" : "3";
    return std::string(size) + "\r\n" + bytes + "\r\n";
  }
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
};

TEST_F(SpoolTest, WhatDoesNotFitGoesToAFileInOrder) {
  for (const std::size_t taken : {1u, 333u, 100'000u}) {
    Client& client = hold(std::string(kGet) + std::string(kGet));
    client.wire.write_room = 0;
    start_chunked();
    std::string want = head;
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(held().write_spooled(piece(i)), WriteState::ok) << "never full";
      want += chunk(piece(i));
      if (i == 10) rig().settle();
    }
    EXPECT_LT(client.connection->out().size(), 1'500u) << "the rest is on disk";
    EXPECT_GT(client.connection->spool().size(), 5'000u);
    EXPECT_TRUE(held().finish());
    rig().settle();
    client.wire.write_room = kUnlimited;
    client.wire.write_max = taken;
    rig().settle();
    EXPECT_TRUE(client.received() == want + "0\r\n\r\n" + ok_answer("next"));
    EXPECT_TRUE(client.connection->spool().empty());
  }
}

TEST_F(SpoolTest, EveryWayOfWritingKeepsTheOrder) {
  Result<int> file = sys::make_spool_file("/tmp");
  ASSERT_TRUE(file);
  ASSERT_TRUE(sys::write_all_at(*file, "..file..", 0));
  for (int pattern = 0; pattern < 27; ++pattern) {
    Client& client = hold(std::string(kGet) + std::string(kGet));
    client.wire.write_room = 0;
    start_chunked();
    std::string want = head;
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(held().write_spooled(piece(i)), WriteState::ok);
      want += chunk(piece(i));
    }
    for (int digits = pattern, i = 0; i < 3; ++i, digits /= 3) {
      if (digits % 3 == 0) (void)held().write_spooled("spo");
      if (digits % 3 == 1) (void)held().write(text("wri"));
      if (digits % 3 == 2) (void)held().write_file({.fd = *file, .offset = 2, .count = 3});
      want += chunk(digits % 3 == 0 ? "spo" : digits % 3 == 1 ? "wri" : "fil");
    }
    EXPECT_TRUE(held().finish());
    rig().settle();
    client.wire.write_room = kUnlimited;
    rig().settle();
    EXPECT_TRUE(client.received() == want + "0\r\n\r\n" + ok_answer("next")) << pattern;
  }
  sys::close(*file);
}

TEST_F(SpoolTest, LargePayloadsBehindASpoolAreReleased) {
  Client& client = hold();
  client.wire.write_room = 0;
  ASSERT_TRUE(held().start(make_head(200), 22'000));
  (void)held().write_spooled(std::string(2'000, 'a'));
  (void)held().write_spooled("x");
  (void)held().write(counted(std::string(19'999, 'b'), &releases));
  EXPECT_TRUE(held().finish());
  client.wire.write_room = kUnlimited;
  rig().settle();
  EXPECT_EQ(releases, 1);
  EXPECT_EQ(client.received(), ok_answer(std::string(2'000, 'a') + "x" + std::string(19'999, 'b')));
}

TEST_F(SpoolTest, NoPlaceForAFileCutsTheAnswer) {
  options.spool_directory = "/nonexistent";
  Client& client = hold();
  client.wire.write_room = 0;
  start_chunked();
  EXPECT_EQ(held().write_spooled(std::string(2'000, 'x')), WriteState::ok) << "it fits one time";
  EXPECT_EQ(held().write_spooled("x"), WriteState::closed);
  EXPECT_TRUE(client.wire.was_reset);
  held().abort();
}

TEST_F(SpoolTest, AClientThatGoesTakesTheSpoolWithIt) {
  Client& client = hold();
  client.wire.write_room = 0;
  start_chunked();
  for (int i = 0; i < 20; ++i) (void)held().write_spooled(piece(i));
  client.send_reset();
  rig().settle();
  EXPECT_EQ(observer.disconnects, 1);
  EXPECT_TRUE(client.connection->spool().empty());
  held().abort();
  rig().settle();
  EXPECT_EQ(client.connection, nullptr);
}

// ---- files

TEST_F(ExchangeTest, SendsPartsOfFiles) {
  Result<int> file = sys::make_spool_file("/tmp");
  ASSERT_TRUE(file);
  ASSERT_TRUE(sys::write_all_at(*file, "0123456789", 0));
  EXPECT_EQ(served([&](http::Exchange& exchange) {
              ASSERT_TRUE(exchange.start(make_head(200), 6));
              (void)exchange.write_file({.fd = *file, .offset = 2, .count = 3});
              (void)exchange.write_file({.fd = *file, .offset = 5, .count = 0});
              (void)exchange.write_file({.fd = *file, .offset = 7, .count = 3});
              EXPECT_TRUE(exchange.finish());
            }),
            ok_answer("234789"));
  EXPECT_EQ(served([&](http::Exchange& exchange) {
              ASSERT_TRUE(exchange.start(make_head(200), 2));
              (void)exchange.write_file({.fd = *file, .offset = 0, .count = 10});
              EXPECT_EQ(exchange.finish().code(), Errc::response_too_long);
            }),
            ok_answer("01"));
  sys::close(*file);
}

TEST_F(ExchangeTest, TheCallersFileMayBeClosedAtOnce) {
  Client& client = hold();
  client.wire.write_room = 0;
  Result<int> file = sys::make_spool_file("/tmp");
  ASSERT_TRUE(file);
  ASSERT_TRUE(sys::write_all_at(*file, "0123456789", 0));
  ASSERT_TRUE(held().start(make_head(200), 10));
  (void)held().write_file({.fd = *file, .offset = 0, .count = 10});
  sys::close(*file);
  (void)held().finish();
  rig().settle();
  client.wire.write_room = kUnlimited;
  rig().settle();
  EXPECT_EQ(client.received(), ok_answer("0123456789"));
}

TEST_F(ExchangeTest, AFileThatWasCutBreaksTheConnection) {
  Result<int> file = sys::make_spool_file("/tmp");
  ASSERT_TRUE(file);
  ASSERT_TRUE(sys::write_all_at(*file, "01234", 0));
  Client& client = hold();
  ASSERT_TRUE(held().start(make_head(200), 10));
  (void)held().write_file({.fd = *file, .offset = 0, .count = 10});
  (void)held().finish();
  rig().settle();
  EXPECT_EQ(client.received(), "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234");
  EXPECT_TRUE(client.wire.closed) << "nobody may take what follows for the rest";
  sys::close(*file);
}

TEST_F(ExchangeTest, ABadDescriptorCutsTheAnswer) {
  Client& client = hold();
  start_chunked();
  EXPECT_EQ(held().write_file({.fd = -1, .offset = 0, .count = 5}), WriteState::closed);
  EXPECT_TRUE(client.wire.was_reset);
  EXPECT_EQ(observer.disconnects, 0);
  held().abort();
}

}  // namespace
}  // namespace lanner::server
