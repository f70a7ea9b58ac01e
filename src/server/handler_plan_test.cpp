// server/handler_plan_test.cpp: what a handler plans by a look at the head: how the body comes, how large it
// may be, and its route; and that what came with the head is there when the handler is called.

#include <string>
#include <vector>

#include "server/test_rig.h"

namespace lanner::server::test {
namespace {

using http::BodyMode;
using http::Plan;

constexpr int kRoute = 7;

std::string sized(std::string_view path, std::string_view body, std::size_t length) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" +
         std::string(body);
}

std::string chunk(std::string_view bytes) {
  char size[17];
  (void)std::snprintf(size, sizeof size, "%zx", bytes.size());
  return size + ("\r\n" + std::string(bytes)) + "\r\n";
}

std::string chunked(std::string_view path, const std::vector<std::string>& pieces) {
  std::string wire =
      "POST " + std::string(path) + " HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& piece : pieces) wire += chunk(piece);
  return wire + "0\r\n\r\n";
}

std::string_view status_of(std::string_view answer) { return answer.substr(9, 3); }

TEST(Plan, IsMadeOnceForEachRequestAndHandedBack) {
  TestHandler handler;
  std::vector<std::string> planned;
  handler.planner = [&](const http::RequestHead& head) -> Plan {
    planned.emplace_back(head.target);
    return {.body_mode = head.target == "/b" ? BodyMode::stream : BodyMode::whole,
            .route = &kRoute};
  };
  handler.script = [&](http::Exchange& exchange) {
    EXPECT_EQ(handler.planned.route, &kRoute);
    (void)answer(exchange, exchange.head().target);
  };
  Rig rig(handler, Rig::plain_options());
  EXPECT_EQ(rig.exchange("GET /a HTTP/1.1\r\nHost: t\r\n\r\n" + sized("/b", "xy", 2) +
                         chunked("/c", {"abc"})),
            ok_answer("/a") + ok_answer("/b") + ok_answer("/c"));
  EXPECT_EQ(planned, (std::vector<std::string>{"/a", "/b", "/c"}));
}

// Each route has a limit of its own; the others have the server's.
class PlannedLimits : public ::testing::TestWithParam<BodyMode> {
 protected:
  PlannedLimits() {
    handler.planner = [](const http::RequestHead& head) -> Plan {
      const std::uint64_t most = head.path == "/small"     ? 3
                                 : head.path == "/large"   ? 100
                                 : head.path == "/endless" ? Plan::kUnlimited
                                                           : 0;
      return {.body_mode = GetParam(), .body_bytes_max = most};
    };
    handler.script = [this](http::Exchange& exchange) {
      if (exchange.body_complete()) return (void)answer(exchange, "ok");
      handler.hold(exchange, observer);
    };
    observer.then_end = [this](Errc why) {
      if (why == Errc::ok) {
        (void)answer(*handler.held, "ok");
      } else {
        handler.held->abort();
      }
    };
  }
  static Options options() {
    Options five = Rig::plain_options();
    five.limits.body_bytes = 5;
    return five;
  }
  TestHandler handler;
  TestObserver observer;
};
INSTANTIATE_TEST_SUITE_P(Modes, PlannedLimits, ::testing::Values(BodyMode::whole, BodyMode::stream),
                         [](const auto& instance) {
                           return instance.param == BodyMode::whole ? "Whole" : "Stream";
                         });

TEST_P(PlannedLimits, DecideAtTheHeadWhereTheLengthIsKnown) {
  Rig rig(handler, options());
  for (const auto& [path, most] :
       {std::pair{"/small", 3u}, std::pair{"/large", 100u}, std::pair{"/else", 5u}}) {
    EXPECT_EQ(status_of(rig.exchange(sized(path, std::string(most, 'x'), most))), "200") << path;
    EXPECT_EQ(status_of(rig.exchange(sized(path, "", most + 1))), "413")
        << path << ": before a byte of the body has come";
  }
  EXPECT_EQ(status_of(rig.exchange(sized("/endless", std::string(9000, 'x'), 9000))), "200");
  EXPECT_EQ(handler.handled, 4) << "not called for what is refused";
}

TEST_P(PlannedLimits, EndAChunkedBodyThatGrowsBeyondThem) {
  Rig rig(handler, options());
  for (const auto& [path, most] :
       {std::pair{"/small", 3u}, std::pair{"/large", 100u}, std::pair{"/else", 5u}}) {
    const std::string fits(most, 'x');
    EXPECT_EQ(status_of(rig.exchange(chunked(path, {fits}))), "200") << path;
    const int handled = handler.handled;
    EXPECT_EQ(status_of(rig.exchange(chunked(path, {fits, "x"}))), "413") << path;
    EXPECT_EQ(handler.handled, handled) << "not called for what is refused";
  }
  EXPECT_EQ(status_of(rig.exchange(chunked("/endless", {std::string(9000, 'x'), "x"}))), "200");
}

TEST_P(PlannedLimits, AreToldAHandlerThatHasBegun) {
  Rig rig(handler, options());
  Client& client = rig.connect();
  client.send("POST /small HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n" +
              chunk("ab"));
  rig.settle();
  client.send(chunk("cd"));
  rig.settle();
  EXPECT_EQ(status_of(client.received()), "413");
  const bool stream = GetParam() == BodyMode::stream;
  EXPECT_EQ(handler.handled, stream ? 1 : 0);
  EXPECT_EQ(observer.ends, stream ? 1 : 0);
  EXPECT_EQ(observer.end, stream ? Errc::body_too_large : Errc::ok);
  client.send_end();
  rig.settle();
}

// ---- BodyMode::stream: what came with the head

struct FirstLook {
  std::string early;
  bool complete = false;
};

// What the handler sees of `wire` when only the first `cut` bytes have come.
FirstLook look(std::string_view wire, std::size_t cut) {
  FirstLook seen;
  TestHandler handler;
  TestObserver observer;
  handler.mode = BodyMode::stream;
  handler.script = [&](http::Exchange& exchange) {
    seen.early = exchange.body().view();
    seen.complete = exchange.body_complete();
    handler.hold(exchange, observer);
  };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send(wire.substr(0, cut));
  rig.settle();
  const int handled = handler.handled;
  client.send(wire.substr(cut));
  rig.settle();
  EXPECT_EQ(handler.handled, 1);
  EXPECT_EQ(observer.ends, 1) << "whenever it came";
  if (handled == 0) seen = {};  // the head was not whole
  if (observer.ends == 1) (void)answer(*handler.held, observer.body);
  rig.settle();
  EXPECT_TRUE(client.received().ends_with("\r\n\r\n" + observer.body));
  rig.cut();
  return seen;
}

TEST(EarlyBody, OfASizedBodyIsThereAtTheFirstLook) {
  const std::string body = "0123456789";
  const std::string wire = sized("/", body, body.size());
  const std::size_t head = wire.size() - body.size();
  for (std::size_t cut = head; cut <= wire.size(); ++cut) {
    const FirstLook seen = look(wire, cut);
    EXPECT_EQ(seen.early, body.substr(0, cut - head));
    EXPECT_EQ(seen.complete, cut == wire.size());
  }
}

TEST(EarlyBody, OfAChunkedBodyIsThereAtTheFirstLook) {
  const std::string wire = chunked("/", {"abc", "defg", "h"});
  const std::size_t head = wire.find("\r\n\r\n") + 4;
  std::string before;
  for (std::size_t cut = head; cut <= wire.size(); ++cut) {
    const FirstLook seen = look(wire, cut);
    EXPECT_TRUE(std::string_view("abcdefgh").starts_with(seen.early));
    EXPECT_GE(seen.early.size(), before.size());
    EXPECT_EQ(seen.complete, cut == wire.size()) << cut;
    before = seen.early;
  }
  EXPECT_EQ(before, "abcdefgh");
}

// 1 MB: the first 128 KiB that were read with the head, and no copy of them.
TEST(EarlyBody, OfALargeBodyIsWhatWasReadWithTheHead) {
  const std::string body(1'000'000, 'x');
  const std::string wire = sized("/", body, body.size());
  const FirstLook seen = look(wire, wire.size());
  EXPECT_GT(seen.early.size(), 100'000u);
  EXPECT_LT(seen.early.size(), body.size());
  EXPECT_FALSE(seen.complete);
}

TEST(EarlyBody, IsNotWaitedForWhereTheClientWaits) {
  TestHandler handler;
  TestObserver observer;
  handler.mode = BodyMode::stream;
  handler.script = [&](http::Exchange& exchange) {
    EXPECT_EQ(exchange.body().view(), "");
    EXPECT_FALSE(exchange.body_complete());
    handler.hold(exchange, observer);
    exchange.want_body();
  };
  Rig rig(handler, Rig::plain_options());
  Client& client = rig.connect();
  client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  rig.settle();
  EXPECT_EQ(client.take(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ab");
  rig.settle();
  EXPECT_EQ(observer.body, "ab");
  (void)answer(*handler.held, "ok");
  rig.cut();
}

// A handler that never looks at it: it is dropped with the exchange.
TEST(EarlyBody, NeedNotBeRead) {
  TestHandler handler;
  handler.mode = BodyMode::stream;
  Rig rig(handler, Rig::plain_options());
  const std::string get = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";
  const std::string two = ok_answer("ok") + ok_answer("ok");
  EXPECT_EQ(rig.exchange(chunked("/", {"abc", "d"}) + get), two);
  const std::string wire = sized("/", "0123456789", 10) + get;
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    Client& client = rig.connect();
    client.send(wire.substr(0, cut));
    rig.settle();
    client.send(wire.substr(cut));
    rig.settle();
    ASSERT_EQ(client.take(), two) << "cut at " << cut;
    client.send_reset();
    rig.settle();
  }
}

}  // namespace
}  // namespace lanner::server::test
