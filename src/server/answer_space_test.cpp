// server/answer_space_test.cpp: bodies that are written before their size is known.

#include "server/answer_space.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "server/test_relay_rig.h"
#include "server/test_rig.h"

namespace lanner::server::test {
namespace {

using http::kReferenceBytesMin;

// As a writer does: a bit more at a time, in memory that may move.
std::size_t write(http::Exchange& exchange, std::string_view text, std::size_t step) {
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size(); at += step) {
    const std::string_view piece = text.substr(at, step);
    const std::span<char> space = exchange.reserve_body(used, piece.size());
    EXPECT_GE(space.size(), used + piece.size());
    if (space.size() < used + piece.size()) break;
    std::memcpy(space.data() + used, piece.data(), piece.size());
    used += piece.size();
  }
  return used;
}

std::string pattern(std::size_t bytes) {
  std::string text(bytes, ' ');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + i % 26);
  return text;
}

TEST(AnswerSpace, GrowsAndKeepsWhatWasWritten) {
  Budget budget;
  AnswerSpace space(budget);
  std::size_t used = 0;
  for (const std::size_t more : {1u, 20'000u, 300'000u, 7u}) {
    const std::span<char> all = space.reserve(used, more);
    ASSERT_GE(all.size(), used + more);
    for (std::size_t i = 0; i < used; ++i) ASSERT_EQ(all[i], static_cast<char>(i % 101));
    for (std::size_t i = used; i < used + more; ++i) all[i] = static_cast<char>(i % 101);
    used += more;
    EXPECT_EQ(budget.used(), space.capacity());
  }
  EXPECT_TRUE(space.reserve(used, SIZE_MAX - used).empty());
  EXPECT_GE(space.reserve(used, 1).size(), used) << "what there was is still there";
}

TEST(AnswerSpace, ALargeTextTakesItsMemoryAlong) {
  Budget budget;
  AnswerSpace space(budget);
  const char* memory = space.reserve(0, 1000).data();
  http::Payload small = space.take(1000);
  EXPECT_EQ(small.bytes.data(), memory);
  EXPECT_EQ(small.release, nullptr) << "copied, the memory stays";
  EXPECT_EQ(space.reserve(0, 1000).data(), memory);

  std::memset(space.reserve(0, kReferenceBytesMin).data(), 'x', kReferenceBytesMin);
  http::Payload large = space.take(kReferenceBytesMin);
  ASSERT_NE(large.release, nullptr);
  EXPECT_EQ(space.capacity(), 0u);
  EXPECT_EQ(budget.used(), 0u) << "charged by who has it now";
  std::memset(space.reserve(0, kReferenceBytesMin).data(), 'y', kReferenceBytesMin);
  EXPECT_EQ(large.bytes, std::string(kReferenceBytesMin, 'x'));
  large.release(large.owner);
}

TEST(AnswerSpace, KeepsNoMoreThanIsWorthIt) {
  Budget budget;
  AnswerSpace space(budget);
  (void)space.reserve(0, 100);
  space.trim();
  EXPECT_GT(space.capacity(), 0u);
  (void)space.reserve(0, 1'000'000);
  space.trim();
  EXPECT_EQ(space.capacity(), 0u);
  budget.set_limit(30'000);
  (void)space.reserve(0, 100);
  space.trim();
  EXPECT_EQ(space.capacity(), 0u) << "near the budget";
}

TEST(ReservedBody, IsAnsweredWithItsLength) {
  TestHandler handler;
  std::string text;
  std::size_t step = 1;
  handler.script = [&](http::Exchange& exchange) {
    const std::size_t used = write(exchange, text, step);
    ASSERT_TRUE(exchange.commit_body(make_head(200), used));
    EXPECT_TRUE(exchange.finish());
  };
  Rig rig(handler, Rig::plain_options());
  for (const std::size_t bytes : {0u, 1u, 1000u, 16'383u, 16'384u, 16'385u, 100'000u, 1'000'000u}) {
    text = pattern(bytes);
    for (const std::size_t part : {100u, 5000u, 1'000'000u}) {
      step = part;
      const std::string get = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";
      EXPECT_EQ(rig.exchange(get + get), ok_answer(text) + ok_answer(text)) << bytes;
    }
  }
}

TEST(ReservedBody, OfAnAnswerWithoutContentIsDropped) {
  TestHandler handler;
  handler.script = [&](http::Exchange& exchange) {
    const std::size_t used = write(exchange, pattern(20'000), 20'000);
    ASSERT_TRUE(exchange.commit_body(make_head(200), used));
    EXPECT_TRUE(exchange.finish());
  };
  Rig rig(handler, Rig::plain_options());
  EXPECT_EQ(rig.exchange("HEAD / HTTP/1.1\r\nHost: t\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n");
}

TEST(ReservedBody, NeedNotBeCommitted) {
  TestHandler handler;
  handler.script = [&](http::Exchange& exchange) {
    (void)write(exchange, pattern(20'000), 7);
    (void)answer(exchange, "another");
  };
  Rig rig(handler, Rig::plain_options());
  EXPECT_EQ(rig.exchange("GET / HTTP/1.1\r\nHost: t\r\n\r\n"), ok_answer("another"));
}

TEST(ReservedBody, SaysWhatStartSays) {
  TestHandler handler;
  handler.script = [&](http::Exchange& exchange) {
    const std::size_t used = write(exchange, pattern(20'000), 20'000);
    EXPECT_EQ(exchange.commit_body(make_head(100), used).code(), Errc::status_invalid);
    ASSERT_TRUE(exchange.commit_body(make_head(200), used));
    EXPECT_EQ(exchange.commit_body(make_head(200), 0).code(), Errc::response_started);
    EXPECT_TRUE(exchange.finish());
  };
  Rig rig(handler, Rig::plain_options());
  EXPECT_EQ(rig.exchange("GET / HTTP/1.1\r\nHost: t\r\n\r\n"), ok_answer(pattern(20'000)));
}

TEST(ReservedBody, OfAHandlerThread) {
  RelayRig all;
  for (const std::size_t bytes : {0u, 10u, 40'000u}) {
    Client& client = all.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n");
    Relay* relay = all.queue.try_take();
    ASSERT_NE(relay, nullptr);
    const std::size_t used = write(*relay, pattern(bytes), 1000);
    EXPECT_EQ(used, bytes);
    EXPECT_EQ(relay->commit_body(make_head(42), used).code(), Errc::status_invalid);
    ASSERT_TRUE(relay->commit_body(make_head(200), used));
    EXPECT_TRUE(relay->finish());
    all.rig.settle();
    EXPECT_EQ(client.take(), ok_answer(pattern(bytes)));
  }
  all.rig.cut();
}

}  // namespace
}  // namespace lanner::server::test
