#include "server/connection.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

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

std::string get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: t\r\n\r\n";
}
std::string post(std::string_view target, std::string_view body, std::string_view more = "") {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more) + "\r\n" + std::string(body);
}

// What echo() answers, from what it was asked.
std::string echo_text(const http::RequestHead& head, std::string_view body) {
  std::string text(head.method_text);
  text.append(" ").append(head.path).append("?").append(head.query);
  for (const http::Field& field : head.fields) text.append("|").append(field.value);
  return text.append(" [").append(body).append("]");
}

// Answers with what was asked: in BodyMode::whole at once, in BodyMode::stream when the body is
// here.
struct Echo {
  explicit Echo(http::BodyMode mode) {
    handler.mode = mode;
    handler.script = [this](http::Exchange& exchange) {
      if (handler.mode == http::BodyMode::stream &&
          exchange.head().framing != http::BodyFraming::none) {
        observer.body.clear();
        observer.ends = observer.disconnects = 0;
        handler.hold(exchange, observer);
        exchange.want_body();
        return;
      }
      (void)answer(exchange, echo_text(exchange.head(), test::read_all(exchange.body())));
    };
    observer.then_end = [this](Errc error) {
      if (error == Errc::ok) {
        (void)answer(*handler.held, echo_text(handler.held->head(), observer.body));
      } else {
        handler.held->abort();
      }
    };
  }
  TestHandler handler;
  TestObserver observer;
  Rig rig{handler, Rig::plain_options()};
};

// Streams of requests, each ending in one way or another.
const std::vector<std::string>& streams() {
  static const std::vector<std::string> all = {
      get("/a?b=c"),
      get("/1") + get("/2") + get("/3"),
      post("/p", "hello") + get("/next"),
      post("/empty", "") + get("/next"),
      "POST /c HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nX-T: v\r\n\r\n" +
          get("/next"),
      "\r\nGET http://t/abs HTTP/1.1\r\nHost: t\r\nX: 1\r\n\r\n",
      "GET /old HTTP/1.0\r\n\r\n" + get("/never"),
      "GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get("/next"),
      "GET /last HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n" + get("/never"),
      "HEAD /h HTTP/1.1\r\nHost: t\r\n\r\n" + get("/next"),
      get("/good") + "GET /bad HTTP/1.1\r\n\r\n" + get("/never"),
      "POST /c HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n",
      "GET / HTTP/9.9\r\nHost: t\r\n\r\n",
      "GET /ws HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n" +
          get("/never"),
  };
  return all;
}

class ConnectionCut : public ::testing::TestWithParam<http::BodyMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, ConnectionCut,
                         ::testing::Values(http::BodyMode::whole, http::BodyMode::stream),
                         [](const auto& instance) {
                           return instance.param == http::BodyMode::whole ? "Whole" : "Stream";
                         });

TEST_P(ConnectionCut, AnswersDoNotDependOnHowTheNetworkCutsTheInput) {
  Echo echo(GetParam());
  for (const std::string& stream : streams()) {
    const std::string whole = echo.rig.exchange(stream);
    ASSERT_NE(whole, "") << stream;
    for (std::size_t cut = 1; cut < stream.size(); ++cut) {
      Client& client = echo.rig.connect();
      client.send(stream.substr(0, cut));
      echo.rig.turn();
      client.send(stream.substr(cut));
      echo.rig.settle();
      ASSERT_EQ(client.received(), whole) << "cut at " << cut << " of " << stream;
      client.send_reset();
      echo.rig.turn();
    }
    Client& client = echo.rig.connect();
    for (const char byte : stream) {
      client.send({&byte, 1});
      echo.rig.turn();
    }
    echo.rig.settle();
    ASSERT_EQ(client.received(), whole) << "byte by byte: " << stream;
    client.send_reset();
    echo.rig.settle();
  }
  EXPECT_EQ(echo.rig.server().connection_count(), 0u);
}

TEST_P(ConnectionCut, AnswersDoNotDependOnHowTheNetworkTakesTheOutput) {
  Echo echo(GetParam());
  for (const std::string& stream : streams()) {
    const std::string whole = echo.rig.exchange(stream);
    for (std::size_t room = 0; room < whole.size(); ++room) {
      Client& client = echo.rig.connect();
      client.wire.write_room = room;
      client.send(stream);
      echo.rig.settle();
      ASSERT_EQ(client.received(), whole.substr(0, room));
      client.wire.write_room = net::FakeTransport::kUnlimited;
      client.wire.write_max = 1 + room % 7;
      echo.rig.settle();
      ASSERT_EQ(client.received(), whole) << "blocked after " << room << " of " << stream;
      client.send_reset();
      echo.rig.turn();
    }
  }
}

// The wire dies after every byte of the request, and after every byte of the answer: nothing is
// left, and whoever was told of a request was told of its end.
TEST_P(ConnectionCut, NothingIsLeftOfAClientThatIsGone) {
  for (const bool reset : {true, false}) {
    Echo echo(GetParam());
    for (const std::string& stream : streams()) {
      for (std::size_t cut = 0; cut < stream.size(); ++cut) {
        Client& client = echo.rig.connect();
        client.send(stream.substr(0, cut));
        echo.rig.settle();
        if (reset) {
          client.send_reset();
        } else {
          client.send_end();
        }
        echo.rig.settle();
        ASSERT_EQ(client.connection, nullptr) << "after " << cut << " of " << stream;
      }
    }
    EXPECT_FALSE(echo.observer.after_the_end);
  }
}

TEST_P(ConnectionCut, NothingIsLeftOfAnAnswerThatNobodyTakes) {
  Echo echo(GetParam());
  for (const std::string& stream : streams()) {
    const std::string whole = echo.rig.exchange(stream);
    for (std::size_t room = 0; room < whole.size(); ++room) {
      Client& client = echo.rig.connect();
      client.wire.write_room = room;
      client.send(stream);
      echo.rig.settle();
      client.send_reset();
      echo.rig.settle();
      ASSERT_EQ(client.connection, nullptr) << "after " << room << " of the answer to " << stream;
    }
  }
}

// ---- pipelining and its bounds

TEST(Connection, AnswersPipelinedRequestsInOneWrite) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send(get("/1") + get("/2") + get("/3"));
  rig.turn();
  EXPECT_EQ(client.received(), ok_answer("ok") + ok_answer("ok") + ok_answer("ok"));
  EXPECT_EQ(client.wire.writes, 1);
  client.send_reset();
  rig.settle();
}

TEST(Connection, LetsOthersHaveTheirTurnBetweenPipelinedRequests) {
  TestHandler handler;
  Options options = Rig::plain_options();
  options.limits.requests_per_turn = 3;
  Rig rig(handler, options);
  Client& greedy = rig.connect();
  Client& modest = rig.connect();
  for (int i = 0; i < 10; ++i) greedy.send(get("/greedy"));
  modest.send(get("/modest"));
  rig.turn();
  EXPECT_EQ(handler.targets, (std::vector<std::string>{"/greedy", "/greedy", "/greedy", "/modest",
                                                       "/greedy", "/greedy", "/greedy"}))
      << "the second share comes at the end of the turn";
  rig.settle();
  EXPECT_EQ(handler.handled, 11);
  EXPECT_EQ(modest.received(), ok_answer("ok"));
  rig.cut();
}

TEST(Connection, ARetainedExchangeHoldsBackTheNextRequest) {
  TestHandler handler;
  TestObserver observer;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send(get("/1") + get("/2"));
  rig.settle();
  EXPECT_EQ(handler.handled, 1);
  client.send(get("/3"));
  rig.settle();
  EXPECT_EQ(client.wire.incoming, get("/3")) << "left to the network while an answer is owed";
  for (int number = 1; number <= 3; ++number) {
    ASSERT_EQ(handler.handled, number);
    (void)answer(*handler.held, handler.held->head().path);
    rig.settle();
  }
  EXPECT_EQ(client.received(), ok_answer("/1") + ok_answer("/2") + ok_answer("/3"));
  rig.cut();
}

TEST(Connection, DoesNotParseWhileTheAnswersPileUp) {
  TestHandler handler;
  handler.script = [](http::Exchange& exchange) { (void)answer(exchange, std::string(600, 'x')); };
  Options options = Rig::plain_options();
  options.limits.out_high_bytes = 1000;
  options.limits.out_low_bytes = 100;
  Rig rig(handler, options);
  Client& client = rig.connect();
  client.wire.write_room = 0;
  for (int i = 0; i < 5; ++i) client.send(get("/"));
  rig.settle();
  EXPECT_EQ(handler.handled, 2) << "two answers are over the high mark";
  client.send(get("/"));
  rig.settle();
  EXPECT_FALSE(client.wire.incoming.empty()) << "nor read";
  client.wire.write_room = 2 * ok_answer(std::string(600, 'x')).size() - 101;
  rig.settle();
  EXPECT_EQ(handler.handled, 2) << "still over the low mark";
  client.wire.write_room = 1;
  rig.settle();
  EXPECT_GT(handler.handled, 2);
  client.wire.write_room = net::FakeTransport::kUnlimited;
  rig.settle();
  EXPECT_EQ(handler.handled, 6);
  rig.cut();
}

// The answer goes over the high mark and out again within one turn.
TEST(Connection, ReadsOnAfterALargeAnswerThatWasTakenAtOnce) {
  for (const std::string& then : {get("/2"), std::string()}) {
    TestHandler handler;
    TestObserver observer;
    handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
    Options options = Rig::plain_options();
    options.limits.out_high_bytes = 400;
    Rig rig(handler, options);
    Client& client = rig.connect();
    client.send(get("/1"));
    rig.settle();
    client.send(then);
    if (then.empty()) client.send_end();
    rig.settle();
    const std::string large(600, 'x');
    (void)answer(*handler.held, large);
    rig.settle();
    EXPECT_EQ(client.received(), ok_answer(large));
    EXPECT_EQ(handler.handled, then.empty() ? 1 : 2);
    if (then.empty()) {
      EXPECT_EQ(client.connection, nullptr);
    } else {
      (void)answer(*handler.held, "2");
    }
    rig.cut();
  }
}

// Between the marks, with a request kept unparsed: the end of the input must not swallow it.
TEST(Connection, AnswersWhatWasPipelinedBeforeTheClientEnded) {
  for (std::size_t room = 0; room < 1400; room += 50) {
    TestHandler handler;
    handler.script = [](http::Exchange& exchange) {
      (void)answer(exchange, std::string(600, 'x'));
    };
    Options options = Rig::plain_options();
    options.limits.out_high_bytes = 400;
    options.limits.out_low_bytes = 100;
    Rig rig(handler, options);
    Client& client = rig.connect();
    client.wire.write_room = room;
    client.send(get("/1") + get("/2") + get("/3"));
    rig.turn();
    client.send_end();
    rig.settle();
    client.wire.write_room = net::FakeTransport::kUnlimited;
    rig.settle();
    ASSERT_EQ(handler.handled, 3) << "blocked after " << room;
    ASSERT_EQ(client.received().size(), 3 * ok_answer(std::string(600, 'x')).size());
    ASSERT_EQ(client.connection, nullptr);
  }
}

TEST(Connection, ABlockedAnswerDoesNotEatTheCpu) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.wire.write_room = 5;
  client.send(kGet);
  rig.settle();
  const int writes = client.wire.writes;
  for (int i = 0; i < 100; ++i) rig.turn();
  EXPECT_EQ(client.wire.writes, writes) << "waits for the poller";
  rig.cut();
}

// ---- bodies

TEST(Connection, WholeBodiesArriveInMemoryAndFromDisk) {
  TestHandler handler;
  std::string got;
  handler.script = [&](http::Exchange& exchange) {
    EXPECT_EQ(exchange.body().bytes_left(), 300'000u);
    got = test::read_all(exchange.body());
    (void)answer(exchange, "ok");
  };
  std::string body(300'000, 'a');
  for (std::size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>('b' + i % 23);
  for (std::uint64_t memory : {0u, 1000u, 1u << 20}) {
    Options options = Rig::plain_options();
    options.limits.body_memory_bytes = memory;
    Rig rig(handler, options);
    EXPECT_EQ(rig.exchange(post("/", body)), ok_answer("ok"));
    EXPECT_TRUE(got == body) << "with " << memory << " bytes of memory";
    got.clear();
  }
}

TEST(Connection, SaysWhenABodyCannotBeSpooled) {
  TestHandler handler;
  Options options = Rig::plain_options();
  options.limits.body_memory_bytes = 10;
  options.spool_directory = "/nonexistent";
  Rig rig(handler, options);
  Client& client = rig.connect();
  client.send(post("/", std::string(200'000, 'x')));
  rig.settle();
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 507 ");
  EXPECT_EQ(handler.handled, 0);
  client.send_end();
  rig.settle();
  EXPECT_EQ(client.connection, nullptr);
}

TEST(Connection, RefusesATooLargeBodyAtItsHead) {
  TestHandler handler;
  Options options = Rig::plain_options();
  options.limits.body_bytes = 4;
  Rig rig(handler, options);
  EXPECT_EQ(rig.exchange(post("/", "1234")), ok_answer("ok"));
  Client& client = rig.connect();
  client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\n");
  rig.settle();
  EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 413 ");
  EXPECT_EQ(handler.handled, 1);
  EXPECT_TRUE(client.wire.write_shut);
  rig.cut();
}

TEST(Connection, RefusesATooLargeChunkedBodyInTheMiddle) {
  for (const http::BodyMode mode : {http::BodyMode::whole, http::BodyMode::stream}) {
    Echo echo(mode);
    Options options = Rig::plain_options();
    options.limits.body_bytes = 4;
    Rig rig(echo.handler, options);
    Client& client = rig.connect();
    client.send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    rig.settle();
    client.send("2\r\nde\r\n0\r\n\r\n" + get("/never"));
    rig.settle();
    EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 413 ");
    EXPECT_EQ(echo.observer.ends, mode == http::BodyMode::stream ? 1 : 0);
    if (mode == http::BodyMode::stream) {
      EXPECT_EQ(echo.observer.end, Errc::body_too_large);
    }
    rig.cut();
    EXPECT_EQ(echo.observer.ends, mode == http::BodyMode::stream ? 1 : 0) << "the end comes once";
  }
}

TEST(Connection, StreamsTheBodyAsItComes) {
  Echo echo(http::BodyMode::stream);
  Client& client = echo.rig.connect();
  client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 6\r\n\r\n");
  echo.rig.settle();
  EXPECT_EQ(echo.handler.handled, 1) << "at the head";
  client.send("abc");
  echo.rig.settle();
  EXPECT_EQ(echo.observer.body, "abc");
  EXPECT_EQ(echo.observer.ends, 0);
  client.send("def" + get("/next"));
  echo.rig.settle();
  EXPECT_EQ(echo.observer.ends, 1);
  EXPECT_EQ(client.received(), ok_answer("POST /?|t|6 [abcdef]") + ok_answer("GET /next?|t []"));
  echo.rig.cut();
}

TEST(Connection, APausedBodyStaysWithTheNetwork) {
  TestHandler handler;
  TestObserver observer;
  handler.mode = http::BodyMode::stream;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc");
  rig.settle();
  handler.held->pause_body();
  client.send("def");
  rig.settle();
  EXPECT_EQ(observer.body, "abc");
  EXPECT_EQ(client.wire.incoming, "def");
  handler.held->resume_body();
  rig.settle();
  EXPECT_EQ(observer.body, "abcdef");
  client.send("ghi" + get("/next"));
  rig.settle();
  EXPECT_EQ(observer.body, "abcdefghi");
  EXPECT_EQ(observer.ends, 1);
  (void)answer(*handler.held, "ok");
  rig.settle();
  EXPECT_EQ(handler.handled, 2);
  rig.cut();
  handler.held->abort();
  rig.settle();
}

// Paused from within on_body(), piece by piece: what was read already waits, too.
TEST(Connection, PausingInsideABodyLosesNothing) {
  TestHandler handler;
  TestObserver observer;
  handler.mode = http::BodyMode::stream;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  observer.then_body = [&](std::string_view) { handler.held->pause_body(); };
  observer.then_end = [&](Errc) { (void)answer(*handler.held, observer.body); };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
  rig.settle();
  client.send("1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n");
  for (int piece = 1; piece <= 3; ++piece) {
    rig.settle();
    ASSERT_EQ(observer.pieces, piece);
    handler.held->resume_body();
  }
  rig.settle();
  EXPECT_EQ(client.received(), ok_answer("abc"));
  rig.cut();
}

TEST(Connection, APauseInTheLastPieceDoesNotLoseTheEnd) {
  TestHandler handler;
  TestObserver observer;
  handler.mode = http::BodyMode::stream;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  observer.then_body = [&](std::string_view) { handler.held->pause_body(); };
  observer.then_end = [&](Errc) { (void)answer(*handler.held, observer.body); };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send(post("/", "abc"));
  rig.settle();
  EXPECT_EQ(observer.body, "abc");
  handler.held->resume_body();
  rig.settle();
  EXPECT_EQ(observer.ends, 1);
  EXPECT_EQ(client.received(), ok_answer("abc"));
  rig.cut();
}

// ---- an answer before the body's end

TEST(Connection, DiscardsAnUnreadBodyAndGoesOn) {
  TestHandler handler;
  handler.mode = http::BodyMode::stream;
  Rig rig(handler, Rig::plain_options());
  const std::string stream = post("/", "0123456789") + get("/next");
  for (std::size_t cut = 0; cut < stream.size(); ++cut) {
    Client& client = rig.connect();
    client.send(stream.substr(0, cut));
    rig.settle();
    client.send(stream.substr(cut));
    rig.settle();
    ASSERT_EQ(client.received(), ok_answer("ok") + ok_answer("ok")) << "cut at " << cut;
    ASSERT_TRUE(client.open());
    client.send_reset();
    rig.settle();
  }
}

TEST(Connection, ClosesRatherThanDiscardALongBody) {
  TestHandler handler;
  handler.mode = http::BodyMode::stream;
  Options options = Rig::plain_options();
  options.limits.linger_bytes = 9;
  Rig rig(handler, options);
  for (const std::string& request :
       {std::string("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"),
        post("/", "", "Expect: 100-continue\r\n").replace(40, 1, "5")}) {
    Client& client = rig.connect();
    client.send(request);
    rig.settle();
    EXPECT_NE(client.received().find("Connection: close\r\n"), std::string::npos) << request;
    EXPECT_TRUE(client.ended_cleanly());
    client.send_end();
    rig.settle();
    EXPECT_EQ(client.connection, nullptr);
  }
}

// RFC 9112, section 9.6: a close with unread input makes a reset that destroys the answer.
TEST(Connection, LingersUntilTheClientEnds) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  rig.settle();
  EXPECT_TRUE(client.wire.write_shut);
  EXPECT_FALSE(client.wire.closed);
  client.send(get("/never"));
  rig.settle();
  EXPECT_TRUE(client.wire.incoming.empty()) << "read and dropped";
  EXPECT_EQ(handler.handled, 1);
  client.send_end();
  rig.settle();
  EXPECT_TRUE(client.wire.closed);
  EXPECT_FALSE(client.wire.was_reset);
  EXPECT_EQ(client.connection, nullptr);
}

TEST(Connection, LingersForSoManyBytesOnly) {
  TestHandler handler;
  Options options = Rig::plain_options();
  options.limits.linger_bytes = 1000;
  Rig rig(handler, options);
  Client& client = rig.connect();
  client.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  rig.settle();
  client.send(std::string(1000, 'x'));
  rig.settle();
  EXPECT_FALSE(client.wire.closed);
  client.send("x");
  rig.settle();
  EXPECT_TRUE(client.wire.closed);
  EXPECT_EQ(client.connection, nullptr);
}

// ---- refusals while the output is blocked: closing means that nothing more is served

TEST(Connection, ServesNothingAfterARefusalThatCouldNotBeWrittenYet) {
  const std::vector<std::string> refused = {
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n",
  };
  for (const http::BodyMode mode : {http::BodyMode::whole, http::BodyMode::stream}) {
    for (const std::string& request : refused) {
      Echo echo(mode);
      const std::string whole = echo.rig.exchange(request);
      const int handled = echo.handler.handled;
      Client& client = echo.rig.connect();
      client.wire.write_room = 0;
      client.send(request);
      echo.rig.settle();
      client.send(get("/never") + post("/never", "x"));
      echo.rig.settle();
      client.wire.write_room = net::FakeTransport::kUnlimited;
      echo.rig.settle();
      EXPECT_EQ(client.received(), whole) << request;
      EXPECT_EQ(echo.handler.handled, 2 * handled) << request;
      EXPECT_TRUE(client.wire.write_shut);
      client.send_end();
      echo.rig.settle();
      EXPECT_EQ(client.connection, nullptr);
    }
  }
}

TEST(Connection, AnswersARefusedHeadRequestWithoutBody) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  const std::string got = rig.exchange(
      "HEAD / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  EXPECT_EQ(got.substr(0, 13), "HTTP/1.1 400 ");
  EXPECT_EQ(got.substr(got.size() - 4), "\r\n\r\n");
}

// ---- the client ends

TEST(Connection, AHalfClosedClientGetsItsAnswer) {
  TestHandler handler;
  TestObserver observer;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send(kGet);
  client.send_end();
  rig.settle();
  ASSERT_NE(client.connection, nullptr);
  EXPECT_EQ(observer.half_closes, 1);
  EXPECT_EQ(observer.disconnects, 0);
  (void)answer(*handler.held, "late");
  rig.settle();
  EXPECT_EQ(client.received(), ok_answer("late"));
  EXPECT_EQ(client.connection, nullptr);
}

TEST(Connection, TellsOfAHalfCloseThatComesLater) {
  TestHandler handler;
  TestObserver observer;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send(get("/1") + get("/2"));
  rig.settle();
  EXPECT_EQ(observer.half_closes, 0);
  client.send_end();
  rig.settle();
  EXPECT_EQ(observer.half_closes, 1);
  (void)answer(*handler.held, "1");
  rig.settle();
  ASSERT_EQ(handler.handled, 2) << "what came before the end is served";
  (void)answer(*handler.held, "2");
  rig.settle();
  EXPECT_EQ(client.received(), ok_answer("1") + ok_answer("2"));
  EXPECT_EQ(client.connection, nullptr);
}

TEST(Connection, TellsAHandlerThatItsClientIsGone) {
  TestHandler handler;
  TestObserver observer;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  client.send_reset();
  rig.settle();
  EXPECT_EQ(observer.disconnects, 1);
  EXPECT_TRUE(client.wire.closed);
  ASSERT_NE(client.connection, nullptr) << "the exchange is still held";
  EXPECT_EQ(handler.held->head().path, "/") << "and its head can be read";
  EXPECT_EQ(answer(*handler.held, "x").code(), Errc::disconnected);
  rig.settle();
  EXPECT_EQ(client.connection, nullptr);
  EXPECT_EQ(observer.disconnects, 1);
}

TEST(Connection, TellsAStreamingHandlerOnceAndInOrder) {
  TestHandler handler;
  TestObserver observer;
  handler.mode = http::BodyMode::stream;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc");
  rig.settle();
  client.send_reset();
  rig.settle();
  EXPECT_EQ(observer.ends, 1);
  EXPECT_EQ(observer.end, Errc::disconnected);
  EXPECT_EQ(observer.disconnects, 1);
  EXPECT_FALSE(observer.after_the_end);
  handler.held->abort();
  rig.settle();
}

// The handler may be gone by then.
TEST(Connection, TellsNothingToAHandlerThatAbortedAtTheEndOfTheBody) {
  TestHandler handler;
  TestObserver observer;
  handler.mode = http::BodyMode::stream;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  observer.then_end = [&](Errc) { handler.held->abort(); };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc");
  rig.settle();
  client.send_reset();
  rig.settle();
  EXPECT_EQ(observer.ends, 1);
  EXPECT_EQ(observer.disconnects, 0);
  EXPECT_EQ(client.connection, nullptr);
}

TEST(Connection, ABodyThatEndsEarlyIsAnswered) {
  for (const http::BodyMode mode : {http::BodyMode::whole, http::BodyMode::stream}) {
    Echo echo(mode);
    Client& client = echo.rig.connect();
    client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc");
    echo.rig.settle();
    client.send_end();
    echo.rig.settle();
    EXPECT_EQ(client.received().substr(0, 13), "HTTP/1.1 400 ");
    EXPECT_EQ(client.connection, nullptr);
    if (mode == http::BodyMode::stream) {
      EXPECT_EQ(echo.observer.ends, 1);
      EXPECT_EQ(echo.observer.end, Errc::body_incomplete);
      EXPECT_FALSE(echo.observer.after_the_end);
    } else {
      EXPECT_EQ(echo.handler.handled, 0);
    }
  }
}

TEST(Connection, HalfAHeadIsNobodysRequest) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send("GET / HTT");
  client.send_end();
  rig.settle();
  EXPECT_EQ(client.received(), "");
  EXPECT_EQ(client.connection, nullptr);
  EXPECT_FALSE(client.wire.was_reset);
}

TEST(Connection, SendsContinueOnlyToWhoWaitsForIt) {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  for (const http::BodyMode mode : {http::BodyMode::whole, http::BodyMode::stream}) {
    Echo echo(mode);
    const std::string head =
        "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n";
    Client& client = echo.rig.connect();
    client.send(head);
    echo.rig.settle();
    EXPECT_EQ(client.take(), kContinue);
    client.send("abc");
    echo.rig.settle();
    EXPECT_EQ(client.take(), ok_answer("POST /?|t|3|100-continue [abc]"));
    client.send(head);
    echo.rig.settle();
    EXPECT_EQ(client.take(), kContinue) << "each time anew";
    client.send("xyz");
    echo.rig.settle();
    client.take();
    if (mode == http::BodyMode::whole) {
      client.send(head + "abc");
      echo.rig.settle();
      EXPECT_EQ(client.take(), ok_answer("POST /?|t|3|100-continue [abc]")) << "it did not wait";
    }
    echo.rig.cut();
  }
}

TEST(Connection, IdleItHoldsNoMemory) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send(post("/", std::string(100'000, 'x')) + get("/").substr(0, 10));
  rig.settle();
  client.send(get("/").substr(10));
  rig.settle();
  EXPECT_TRUE(client.connection->out().empty());
  EXPECT_TRUE(client.connection->spool().empty());
  EXPECT_FALSE(client.connection->busy());
  rig.cut();
}

}  // namespace
}  // namespace lanner::server
