// server/allocation_failure_test.cpp: memory runs out at the first allocation of a request, at the
// second, and so on until none is left that could fail: the client gets its answer, or an error, or
// a connection that ends; nothing is left, and the next client is served.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_shortage.h"
#include "log/access_log.h"
#include "server/test_relay_rig.h"
#include "server/test_shapes.h"

namespace lanner::server {
namespace {

using lanner::test::shortage;
using test::Client;
using test::kShapes;
using test::Rig;
using test::ShapeRig;
using test::Way;

constexpr int kAllocationsMax = 2000;

std::string get(std::string_view shape, std::string_view version = "1.1") {
  return "GET /" + std::string(shape) + " HTTP/" + std::string(version) + "\r\nHost: t\r\n\r\n";
}

std::string post(std::string_view shape, std::string_view body, std::string_view more = "") {
  return "POST /" + std::string(shape) +
         " HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more) + "\r\n" + std::string(body);
}

// Each is a list of requests that are sent at once.
std::vector<std::vector<std::string>> streams() {
  std::vector<std::vector<std::string>> made;
  for (const std::string_view shape : kShapes) made.push_back({get(shape)});
  made.push_back({get("small"), post("chunked", "hello"), get("large"), get("small")});
  made.push_back({post("small", std::string(500, 'm'))});
  made.push_back({post("small", std::string(700, 's'))});
  made.push_back(
      {"POST /small HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
       "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n"});
  made.push_back({post("small", "hello", "Expect: 100-continue\r\n")});
  made.push_back({"HEAD /small HTTP/1.1\r\nHost: t\r\n\r\n"});
  made.push_back({get("stream", "1.0")});
  made.push_back({"GET / HTTP/1.1\r\n\r\n"});
  return made;
}

// Removes informational answers from the front: they may get lost.
std::string_view after_informational(std::string_view text) {
  while (text.starts_with("HTTP/1.1 1")) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 4);
  }
  return text;
}

// An error of the server's own at the front: its bytes, or 0. To HEAD it has no body.
std::size_t error_bytes(std::string_view text, bool to_head) {
  const std::size_t end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 5") || end == std::string_view::npos) return 0;
  if (to_head) return end + 4;
  const std::size_t field = text.find("Content-Length: ");
  if (field > end) return 0;
  const std::size_t body = std::stoul(std::string(text.substr(field + 16, 5)));
  return end + 4 + body <= text.size() ? end + 4 + body : 0;
}

// What the client got is each request's answer or an error, in order; where it breaks off the
// connection has ended, and by a reset if that could be taken for the end of an answer.
void judge(const Client& client, const std::vector<std::string>& requests,
           const std::vector<std::string>& answers) {
  const bool until_close = requests[0].find("HTTP/1.0") != std::string::npos;
  const bool to_head = requests[0].starts_with("HEAD");
  const bool ended = client.wire.closed || client.wire.write_shut;
  std::string_view left = client.received();
  for (const std::string& answer : answers) {
    left = after_informational(left);
    const std::string_view whole = after_informational(answer);
    if (left.starts_with(whole)) {
      left.remove_prefix(whole.size());
      continue;
    }
    if (const std::size_t error = error_bytes(left, to_head)) {
      left.remove_prefix(error);
      if (ended && left.empty()) return;
      continue;
    }
    EXPECT_TRUE(whole.starts_with(left)) << "what is this? " << left.substr(0, 200);
    EXPECT_TRUE(ended) << "the client waits for ever, after " << client.received().size();
    if (until_close && whole.find("\r\n\r\n") + 4 <= left.size()) {
      EXPECT_TRUE(client.wire.was_reset) << "half an answer looks whole";
    }
    return;
  }
  EXPECT_EQ(left, "") << "more than was asked for";
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

// One server, one client, and memory that is out at that allocation. False: it was never reached.
bool survives(Way way, const Options& options, const std::vector<std::string>& requests, int number,
              bool lasts) {
  ShapeRig rig(way, options);
  std::string wire;
  for (const std::string& request : requests) wire += request;
  std::vector<std::string> answers;
  for (const std::string& request : requests) answers.push_back(rig.answers(request));
  // The blocks that the server kept would answer for what is to fail.
  ShapeRig fresh(way, options);
  const std::size_t descriptors = open_descriptors();
  shortage.begin(number, lasts);
  Client* client = fresh.rig.try_connect();
  if (client) {
    client->send(wire);
    fresh.settle();
  }
  const int failed = shortage.failed;
  shortage.end();
  if (client) {
    fresh.settle();
    judge(*client, requests, answers);
    client->send_reset();
  }
  fresh.bury();
  EXPECT_EQ(fresh.answers(wire), rig.answers(wire)) << "the next client";
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_EQ(fresh.rig.loop().blocks().in_use(), 0u);
  return failed > 0;
}

class AllocationFailure : public ::testing::TestWithParam<Way> {
 protected:
  void run(const Options& options, bool lasts) {
    for (const std::vector<std::string>& requests : streams()) {
      int number = 0;
      while (number < kAllocationsMax && survives(GetParam(), options, requests, number, lasts)) {
        ASSERT_FALSE(HasFailure()) << "allocation " << number << " of " << requests[0];
        ++number;
      }
      ASSERT_FALSE(HasFailure()) << "allocation " << number << " of " << requests[0];
      EXPECT_GT(number, 0) << "nothing was allocated, so nothing was tried: " << requests[0];
      EXPECT_LT(number, kAllocationsMax) << requests[0];
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, AllocationFailure, ::testing::ValuesIn(test::kWays),
                         [](const auto& instance) {
                           return instance.param == Way::pulled      ? "Pulled"
                                  : instance.param == Way::suspended ? "Suspended"
                                                                     : "Relayed";
                         });

TEST_P(AllocationFailure, OfOneIsSurvived) { run(ShapeRig::small_buffers(), false); }

TEST_P(AllocationFailure, OfAllFromOneOnIsSurvived) { run(ShapeRig::small_buffers(), true); }

TEST_P(AllocationFailure, IsSurvivedWithAnAccessLog) {
  Result<log::AccessFormat> format = log::AccessFormat::compile("%(r)s %({X-Shape}o)s %(b)s");
  ASSERT_TRUE(format);
  Options options = ShapeRig::small_buffers();
  options.access_format = &*format;
  for (int number = 0; number < kAllocationsMax; ++number) {
    if (!survives(GetParam(), options, {get("small"), get("small")}, number, false)) break;
    ASSERT_FALSE(HasFailure()) << "allocation " << number;
  }
}

// A piece is missing: the answer must not end as if it were whole, whatever the handler does then.
TEST(AllocationFailureInARelay, IsNeverTheEndOfAWholeAnswer) {
  for (const std::string_view what : {"write", "copy", "file", "trailers"}) {
    test::Stock stock;
    test::RelayRig rig;
    Client& client = rig.send(get("x"));
    Relay* relay = rig.take();
    ASSERT_NE(relay, nullptr);
    ASSERT_TRUE(relay->start(test::make_head(200), std::nullopt));
    EXPECT_EQ(relay->write({"first", nullptr, nullptr}), http::WriteState::ok);
    const http::ResponseHead fields = test::make_head(200, {{"X-Sum", "1"}});
    shortage.begin(what == "copy" ? 1 : 0, false);
    if (what == "file") {
      EXPECT_EQ(relay->write_file({stock.file, 0, 5}), http::WriteState::closed);
    } else if (what == "trailers") {
      EXPECT_FALSE(relay->add_trailers(fields));
    } else {
      EXPECT_EQ(relay->write({"second", nullptr, nullptr}), http::WriteState::closed);
    }
    shortage.end();
    EXPECT_EQ(relay->finish().code(), Errc::no_memory) << what;
    rig.rig.settle();
    EXPECT_EQ(client.received().find("0\r\n\r\n"), std::string::npos) << what;
    EXPECT_TRUE(client.wire.write_shut || client.wire.closed) << what;
    client.send_end();
    rig.rig.settle();
  }
}

// The body was paused because it came faster than it was read.
TEST(AllocationFailureInARelay, DoesNotKeepABodyPausedForEver) {
  Options options = Rig::plain_options();
  options.limits.body_memory_bytes = 10;
  test::RelayRig rig(options);
  const std::string body(100, 'b');
  Client& client = rig.rig.connect();
  client.wire.read_max = 90;
  client.send(post("x", body));
  Relay* relay = rig.take();
  ASSERT_NE(relay, nullptr);
  std::string got(100, '\0');
  std::size_t count = 0;
  while (count < body.size()) {
    rig.rig.settle();
    shortage.begin(0, true);
    const Result<std::size_t> read = relay->read(got.data() + count, got.size() - count);
    shortage.end();
    ASSERT_TRUE(read);
    count += *read;
  }
  EXPECT_EQ(got, body);
  EXPECT_TRUE(test::answer(*relay, "ok"));
  rig.rig.settle();
  EXPECT_EQ(client.received(), test::ok_answer("ok"));
  client.send_reset();
  rig.rig.settle();
}

TEST(AllocationFailureAtStart, GivesNoServerAndLeavesNothing) {
  const std::size_t descriptors = open_descriptors();
  test::TestHandler handler;
  for (const bool lasts : {false, true}) {
    bool made = false;
    for (int number = 0; !made; ++number) {
      ASSERT_LT(number, 20);
      shortage.begin(number, lasts);
      {
        Result<std::unique_ptr<net::Loop>> loop = net::Loop::create();
        const auto server = loop ? Server::create(**loop, handler, Options()) : nullptr;
        made = server != nullptr;
        EXPECT_EQ(made, shortage.failed == 0);
      }
      shortage.end();
    }
  }
  EXPECT_EQ(open_descriptors(), descriptors);
}

}  // namespace
}  // namespace lanner::server
