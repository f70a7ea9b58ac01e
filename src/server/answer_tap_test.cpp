// server/answer_tap_test.cpp: what a tap is told of an answer, of every shape and however it ends.

#include "http/answer_tap.h"

#include <string>

#include "server/test_relay_rig.h"
#include "server/test_rig.h"
#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::server::test {
namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";

http::Payload text(std::string_view bytes) { return {bytes, nullptr, nullptr}; }

// Writes down what it is told: "200 x:y length=5 [bytes][bytes] end", "broken".
struct Recorder final : http::AnswerTap {
  void on_start(const http::ResponseHead& head,
                std::optional<std::uint64_t> body_bytes) noexcept override {
    EXPECT_EQ(log, "") << "once, first";
    log = std::to_string(head.status());
    for (std::size_t i = 0; i < head.field_count(); ++i) {
      log += ' ';
      log += head.field(i).name;
      log += ':';
      log += head.field(i).value;
    }
    if (body_bytes) log += " length=" + std::to_string(*body_bytes);
    log += ' ';
  }
  void on_body(std::string_view piece) noexcept override {
    EXPECT_FALSE(piece.empty());
    if (piece.size() > 100) {
      log += "[" + std::to_string(piece.size()) + " bytes]";
    } else {
      log += "[" + std::string(piece) + "]";
    }
  }
  void on_file(http::FilePart part) noexcept override {
    std::string bytes(part.count, ' ');
    EXPECT_TRUE(sys::read_at(part.fd, bytes.data(), bytes.size(), part.offset));
    log += "[file " + bytes + "]";
  }
  void on_end(bool complete) noexcept override {
    ++ends;
    log += complete ? "end" : "broken";
  }
  std::string log;
  int ends = 0;
};

class AnswerTap : public ::testing::Test {
 protected:
  // What the tap is told when `script` answers `request`; `received`: what the client got.
  std::string told(std::function<void(http::Exchange&)> script, std::string_view request = kGet) {
    Recorder tap;
    TestHandler handler;
    handler.script = [&](http::Exchange& exchange) {
      exchange.tap(tap);
      script(exchange);
    };
    Rig rig(handler, Rig::plain_options());
    received = rig.exchange(request);
    rig.cut();
    EXPECT_EQ(tap.ends, 1);
    return tap.log;
  }
  std::string received;
};

TEST_F(AnswerTap, IsToldOfAWholeAnswer) {
  EXPECT_EQ(told([](http::Exchange& exchange) {
              (void)answer(exchange, "hello", 404, {{"Cache-Control", "max-age=5"}, {"Vary", "*"}});
            }),
            "404 Cache-Control:max-age=5 Vary:* length=5 [hello]end");
}

TEST_F(AnswerTap, IsToldOfPiecesNotOfFraming) {
  EXPECT_EQ(told([](http::Exchange& exchange) {
              (void)exchange.start(make_head(200), {});
              (void)exchange.write(text("ab"));
              (void)exchange.write(text(""));
              (void)exchange.write(text("cde"));
              (void)exchange.add_trailers(make_head(200, {{"X-Sum", "1"}}));
              (void)exchange.finish();
            }),
            "200 [ab][cde]end");
  EXPECT_NE(received.find("chunked"), std::string::npos);
}

TEST_F(AnswerTap, IsToldOfLargePiecesBeforeTheyAreReleased) {
  int releases = 0;
  EXPECT_EQ(told([&](http::Exchange& exchange) {
              (void)exchange.start(make_head(200), 20'000);
              (void)exchange.write(counted(std::string(20'000, 'x'), &releases));
              (void)exchange.finish();
            }),
            "200 length=20000 [20000 bytes]end");
  EXPECT_EQ(releases, 1);
}

TEST_F(AnswerTap, IsToldOfReservedBodies) {
  EXPECT_EQ(told([](http::Exchange& exchange) {
              std::memcpy(exchange.reserve_body(0, 3).data(), "abc", 3);
              (void)exchange.commit_body(make_head(200), 3);
              (void)exchange.finish();
            }),
            "200 length=3 [abc]end");
}

TEST_F(AnswerTap, IsToldOfFilesAndOfWhatGoesToTheSpool) {
  const Result<int> file = sys::make_spool_file("/tmp");
  ASSERT_TRUE(file);
  ASSERT_TRUE(sys::write_all_at(*file, "0123456789", 0));
  EXPECT_EQ(told([&](http::Exchange& exchange) {
              (void)exchange.start(make_head(200), {});
              (void)exchange.write_file({*file, 2, 5});
              (void)exchange.write_spooled("in memory");
              (void)exchange.write_spooled(std::string(300'000, 'x'));
              (void)exchange.write_spooled("in the file");
              (void)exchange.finish();
            }),
            "200 [file 23456][in memory][300000 bytes][in the file]end");
  sys::close(*file);
}

TEST_F(AnswerTap, IsToldOfNoBytesWithoutContent) {
  const auto give = [](int status) {
    return [status](http::Exchange& exchange) {
      (void)exchange.start(make_head(status, {{"ETag", "x"}}), 5);
      (void)exchange.write(text("hello"));
      (void)exchange.finish();
    };
  };
  EXPECT_EQ(told(give(304)), "304 ETag:x length=5 end");
  EXPECT_EQ(told(give(204)), "204 ETag:x end");
  EXPECT_EQ(told(give(200), "HEAD / HTTP/1.1\r\nHost: t\r\n\r\n"), "200 ETag:x length=5 end");
}

TEST_F(AnswerTap, IsNotToldOfInformationalAnswers) {
  EXPECT_EQ(told([](http::Exchange& exchange) {
              (void)exchange.inform(make_head(103, {{"Link", "</x>"}}));
              (void)answer(exchange, "ok");
            }),
            "200 length=2 [ok]end");
}

TEST_F(AnswerTap, IsToldWhenTheApplicationMiscounts) {
  EXPECT_EQ(told([](http::Exchange& exchange) {
              (void)exchange.start(make_head(200), 5);
              (void)exchange.write(text("123"));
              (void)exchange.finish();
            }),
            "200 length=5 [123]broken");
  EXPECT_EQ(told([](http::Exchange& exchange) {
              (void)exchange.start(make_head(200), 5);
              (void)exchange.write(text("1234567"));
              (void)exchange.finish();
            }),
            "200 length=5 [12345]broken");
}

// The 500 that the server gives instead is nobody's to keep.
TEST_F(AnswerTap, IsToldWhenTheHandlerGivesUp) {
  EXPECT_EQ(told([](http::Exchange& exchange) { exchange.abort(); }), "broken");
  EXPECT_EQ(received.substr(0, 13), "HTTP/1.1 500 ");
  EXPECT_EQ(told([](http::Exchange& exchange) {
              (void)exchange.start(make_head(200), {});
              (void)exchange.write(text("ab"));
              exchange.abort();
            }),
            "200 [ab]broken");
  EXPECT_EQ(told([](http::Exchange&) {}), "broken") << "neither answered nor retained";
}

TEST_F(AnswerTap, IsToldWhenTheClientLeavesAndOnlyOnce) {
  Recorder tap;
  TestHandler handler;
  TestObserver observer;
  handler.script = [&](http::Exchange& exchange) {
    exchange.tap(tap);
    handler.hold(exchange, observer);
    (void)exchange.start(make_head(200), {});
    (void)exchange.write(text("ab"));
  };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  client.send_reset();
  rig.settle();
  EXPECT_EQ(tap.log, "200 [ab]broken");
  EXPECT_EQ(handler.held->write(text("cd")), http::WriteState::closed);
  EXPECT_FALSE(handler.held->finish());
  EXPECT_EQ(tap.ends, 1);
  rig.settle();
}

TEST_F(AnswerTap, IsToldWhenTheServerAnswersInstead) {
  Recorder tap;
  TestHandler handler;
  TestObserver observer;
  handler.mode = http::BodyMode::stream;
  handler.script = [&](http::Exchange& exchange) {
    exchange.tap(tap);
    handler.hold(exchange, observer);
  };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
  rig.settle();
  client.send("zz\r\n");
  rig.settle();
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 400 ");
  EXPECT_EQ(tap.log, "broken");
  EXPECT_FALSE(answer(*handler.held, "late"));
  EXPECT_EQ(tap.ends, 1);
  rig.cut();
}

TEST_F(AnswerTap, BelongsToOneAnswer) {
  Recorder tap;
  TestHandler handler;
  handler.script = [&](http::Exchange& exchange) {
    if (handler.handled == 1) exchange.tap(tap);
    (void)answer(exchange, std::to_string(handler.handled));
  };
  Rig rig(handler, Rig::plain_options());
  EXPECT_EQ(rig.exchange(std::string(kGet) + std::string(kGet)), ok_answer("1") + ok_answer("2"));
  EXPECT_EQ(tap.log, "200 length=1 [1]end");
}

// In front of the queue: what a handler thread answers passes by on the loop's.
TEST_F(AnswerTap, IsToldOfWhatAHandlerThreadAnswers) {
  Recorder tap;
  Options options = Rig::plain_options();
  std::unique_ptr<net::Loop> loop = std::move(*net::Loop::create());
  RelayQueue queue(*loop, options.limits);
  struct Front final : http::Handler {
    Front(http::Handler& behind, http::AnswerTap& with) : next(behind), tap(with) {}
    http::Plan plan(const http::RequestHead& head) noexcept override { return next.plan(head); }
    void handle(http::Exchange& exchange, const http::Plan& plan) noexcept override {
      exchange.tap(tap);
      next.handle(exchange, plan);
    }
    http::Handler& next;
    http::AnswerTap& tap;
  } front(queue, tap);
  Rig rig(std::move(loop), front, options);
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  Relay* relay = queue.try_take();
  ASSERT_NE(relay, nullptr);
  (void)answer(*relay, "from there");
  rig.settle();
  EXPECT_EQ(client.take(), ok_answer("from there"));
  EXPECT_EQ(tap.log, "200 length=10 [from there]end");
  rig.cut();
}

}  // namespace
}  // namespace lanner::server::test
