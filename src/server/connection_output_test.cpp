// server/connection_output_test.cpp: what connections hold when clients do not read, and the order of what they send.

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/test_rig.h"
#include "sys/files.h"

namespace lanner::server {
namespace {

using test::Client;
using test::Rig;
using test::TestHandler;
using test::TestObserver;

constexpr std::uint64_t kLimit = 4u << 20;
constexpr std::size_t kLargeBytes = 1'000'000;
constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";
constexpr std::string_view kGetSmall = "GET /small HTTP/1.1\r\nHost: t\r\n\r\n";

std::string pattern(std::size_t bytes, unsigned seed = 0) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + (i + seed) % 23);
  return text;
}

Options small_budget() {
  Options options = Rig::plain_options();
  options.limits.buffers_bytes = kLimit;
  return options;
}

// Bytes of the body behind the head of the one answer in `text`.
std::string_view body_of(std::string_view text) {
  const std::size_t end = text.find("\r\n\r\n");
  return end == std::string_view::npos ? std::string_view() : text.substr(end + 4);
}

struct LargeAnswers : ::testing::Test {
  LargeAnswers() {
    handler.script = [this](http::Exchange& exchange) {
      if (exchange.head().target == "/small") return void(test::answer(exchange, "small"));
      ASSERT_TRUE(exchange.start(test::make_head(200), kLargeBytes));
      (void)exchange.write(test::counted(pattern(kLargeBytes), &releases));
      (void)exchange.finish();
    };
  }
  Client& ask_and_do_not_read(std::string_view request = kGet) {
    Client& client = rig.connect();
    client.wire.write_room = 0;
    client.send(request);
    rig.settle();
    return client;
  }
  Budget& budget() { return rig.server().budget(); }
  TestHandler handler;
  int releases = 0;
  Rig rig{handler, small_budget()};
};

TEST_F(LargeAnswers, OfClientsThatDoNotReadLieInAFileNearTheBudget) {
  std::vector<Client*> clients;
  for (int i = 0; i < 60; ++i) {
    clients.push_back(&ask_and_do_not_read());
    ASSERT_LE(budget().used(), kLimit / 2 + kLargeBytes + 200'000) << i;
  }
  EXPECT_GE(releases, 57) << "what is in the file is nobody's memory any more";
  EXPECT_GE(rig.server().spool_file().size(), 57 * kLargeBytes);
  EXPECT_EQ(rig.exchange(kGetSmall), test::ok_answer("small"));
  for (Client* client : clients) {
    client->wire.write_room = net::FakeTransport::kUnlimited;
    rig.settle();
    ASSERT_EQ(body_of(client->take()), pattern(kLargeBytes));
  }
  EXPECT_EQ(releases, 60);
  EXPECT_EQ(rig.server().spool_file().size(), 0u);
  for (Client* client : clients) client->send_reset();
  rig.settle();
  EXPECT_LE(budget().used(), 200'000u);
}

TEST_F(LargeAnswers, OfClientsThatReadNeedNoFileNearTheBudget) {
  budget().charge(kLimit / 2 + 1);
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  EXPECT_EQ(body_of(client.received()), pattern(kLargeBytes));
  EXPECT_EQ(releases, 1);
  EXPECT_EQ(rig.server().spool_file().size(), 0u);
  budget().release(kLimit / 2 + 1);
  client.send_reset();
}

TEST_F(LargeAnswers, TheKernelTakesLessNearTheBudgetAndAsMuchAsBeforeAfterwards) {
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  EXPECT_EQ(client.wire.unsent_max, 0u) << "the listener has said it";
  budget().charge(kLimit / 2 + 1);
  client.send(kGetSmall);
  rig.settle();
  EXPECT_EQ(client.wire.unsent_max, 0u) << "a small answer is none of its business";
  client.send(kGet);
  rig.settle();
  EXPECT_EQ(client.wire.unsent_max, net::kUnsentBytesNear);
  budget().release(kLimit / 2 + 1);
  client.send(kGet);
  rig.settle();
  EXPECT_EQ(client.wire.unsent_max, net::kUnsentBytesMax);
  client.send_reset();
}

TEST_F(LargeAnswers, WithoutAPlaceForAFileAnswersStayInMemoryUpToTheLimit) {
  Options options = small_budget();
  options.spool_directory = "/nonexistent";
  Rig other(handler, options);
  std::vector<Client*> clients;
  for (int i = 0; i < 10; ++i) {
    Client& client = other.connect();
    clients.push_back(&client);
    client.wire.write_room = 0;
    client.send(kGet);
    other.settle();
    EXPECT_LE(other.server().budget().used(), kLimit + kLargeBytes);
  }
  int whole = 0;
  int cut = 0;
  for (Client* client : clients) {
    client->wire.write_room = net::FakeTransport::kUnlimited;
    other.settle();
    whole += body_of(client->received()) == pattern(kLargeBytes);
    cut += client->wire.was_reset;
    client->send_reset();
  }
  other.settle();
  EXPECT_GE(whole, 4);
  EXPECT_EQ(whole + cut, 10) << "whole or cut, never half";
}

TEST_F(LargeAnswers, SourcesPauseEarlyNearTheBudget) {
  std::vector<http::WriteState> states;
  TestObserver observer;
  handler.script = [&](http::Exchange& exchange) {
    ASSERT_TRUE(exchange.start(test::make_head(200), std::nullopt));
    states.push_back(exchange.write({pattern(20'000), nullptr, nullptr}));
    handler.hold(exchange, observer);
  };
  Client& far = ask_and_do_not_read();
  EXPECT_EQ(states.back(), http::WriteState::ok) << "under the high mark";
  handler.held->abort();
  far.send_reset();
  rig.settle();
  budget().charge(kLimit / 2 + 1);
  Client& near = ask_and_do_not_read();
  EXPECT_EQ(states.back(), http::WriteState::full);
  EXPECT_EQ(observer.writables, 0);
  near.wire.write_room = 10'000;
  rig.settle();
  EXPECT_EQ(observer.writables, 0) << "half of it is still here";
  near.wire.write_room = net::FakeTransport::kUnlimited;
  rig.settle();
  EXPECT_EQ(observer.writables, 1);
  (void)handler.held->finish();
  rig.settle();
  EXPECT_NE(near.received().find("\r\n0\r\n\r\n"), std::string::npos);
  budget().release(kLimit / 2 + 1);
  near.send_reset();
}

// Whatever is in memory, in the spool or in a file of the application's, and however the client
// reads: the order is that of the writes.
TEST_F(LargeAnswers, OrderIsKeptAcrossMemorySpoolAndFiles) {
  std::mt19937 random(7);
  const Result<int> file = sys::make_spool_file("/tmp");
  ASSERT_TRUE(file && sys::write_all_at(*file, pattern(50'000, 5), 0));
  for (int round = 0; round < 60; ++round) {
    std::string wanted;
    TestObserver observer;
    handler.script = [&](http::Exchange& exchange) {
      ASSERT_TRUE(exchange.start(test::make_head(200, {{"Connection", "close"}}),
                                 std::uint64_t{40} * 50'000));
      handler.hold(exchange, observer);
    };
    Client& client = ask_and_do_not_read();
    std::uint64_t charged = 0;
    for (int i = 0; i < 40; ++i) {
      budget().release(charged);
      charged = std::uint64_t{random() % 3} * (kLimit / 2 - 10'000);
      budget().charge(charged);
      client.wire.write_room = random() % 3 == 0 ? random() % 100'000 : 0;
      const std::string piece = pattern(50'000, static_cast<unsigned>(random()));
      switch (random() % 4) {
        case 0:
          (void)handler.held->write_file({*file, 0, 50'000});
          wanted += pattern(50'000, 5);
          break;
        case 1:
          (void)handler.held->write_spooled(piece);
          wanted += piece;
          break;
        case 2:
          (void)handler.held->write({piece, nullptr, nullptr});
          wanted += piece;
          break;
        default:
          (void)handler.held->write(test::counted(piece, &releases));
          wanted += piece;
      }
      if (random() % 2) rig.settle();
    }
    budget().release(charged);
    EXPECT_TRUE(handler.held->finish());
    client.wire.write_room = net::FakeTransport::kUnlimited;
    rig.settle();
    ASSERT_TRUE(body_of(client.received()) == wanted) << round;
    EXPECT_TRUE(client.ended_cleanly());
    client.send_end();
    rig.settle();
  }
  ::close(*file);
}

TEST_F(LargeAnswers, AHeadNeverOvertakesWhatIsInTheSpool) {
  TestObserver observer;
  handler.script = [&](http::Exchange& exchange) {
    ASSERT_TRUE(exchange.inform(test::make_head(103)));
    ASSERT_TRUE(exchange.start(test::make_head(200), 5u));
    (void)exchange.write({"later", nullptr, nullptr});
    (void)exchange.finish();
  };
  Client& client = rig.connect();
  client.wire.write_room = 0;
  rig.settle();
  ASSERT_TRUE(client.connection->spool_text("first;"));
  client.send(kGet);
  client.connection->mark_dirty();
  client.wire.write_room = net::FakeTransport::kUnlimited;
  rig.settle();
  EXPECT_EQ(client.received().substr(0, 6), "first;");
  EXPECT_EQ(client.received().find("HTTP/1.1 103"), 6u);
  client.send_reset();
}

// ---- at the budget

TEST_F(LargeAnswers, AtTheBudgetEvenSmallAnswersThatNobodyReadsLeaveMemory) {
  budget().charge(kLimit - kLimit / 12);
  ASSERT_TRUE(budget().full());
  ASSERT_FALSE(budget().spent());
  const std::uint64_t before = budget().used();
  std::vector<Client*> clients;
  for (int i = 0; i < 40; ++i) clients.push_back(&ask_and_do_not_read(kGetSmall));
  EXPECT_LE(budget().used(),
            before + 40 * (sizeof(Connection) + sizeof(Http1Protocol) + 200) + 2 * Block::kBytes);
  for (Client* client : clients) {
    client->wire.write_room = net::FakeTransport::kUnlimited;
    rig.settle();
    ASSERT_EQ(client->received(), test::ok_answer("small"));
    client->send_reset();
  }
  rig.settle();
  budget().release(kLimit - kLimit / 12);
}

TEST_F(LargeAnswers, WhenItIsSpentNewRequestsWaitAndAreNotTimedOut) {
  Client& client = rig.connect();
  Client& halfway = rig.connect();
  halfway.send(kGetSmall.substr(0, 10));
  rig.settle();
  budget().charge(kLimit);
  client.send(kGetSmall);
  halfway.send(kGetSmall.substr(10));
  rig.settle();
  EXPECT_EQ(client.received(), "");
  EXPECT_EQ(halfway.received(), test::ok_answer("small")) << "what has begun goes on";
  rig.pass(60'000);
  EXPECT_TRUE(client.open()) << "it was we who did not read";
  budget().release(kLimit);
  rig.settle();
  EXPECT_EQ(client.received(), test::ok_answer("small"));
  client.send_reset();
  halfway.send_reset();
}

TEST_F(LargeAnswers, AWaitingClientThatLeavesIsForgotten) {
  Client& client = rig.connect();
  budget().charge(kLimit);
  client.send(kGetSmall);
  rig.settle();
  client.send_reset();
  rig.settle();
  EXPECT_EQ(client.connection, nullptr);
  budget().release(kLimit);
  rig.settle();
}

// No block is to be had any more: the file is.
TEST_F(LargeAnswers, WithoutABlockASmallAnswerGoesThroughTheFile) {
  TestObserver observer;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  ASSERT_NE(handler.held, nullptr);
  std::vector<Block*> blocks;
  budget().charge(kLimit - budget().used() - Block::kBytes);
  while (Block* block = rig.loop().blocks().take()) blocks.push_back(block);
  EXPECT_TRUE(test::answer(*handler.held, "through the file"));
  rig.settle();
  EXPECT_EQ(client.received(), test::ok_answer("through the file"));
  client.send_reset();
  rig.settle();
  for (Block* block : blocks) rig.loop().blocks().give_back(block);
  budget().release(budget().used());
}

// ---- bodies

TEST_F(LargeAnswers, BodiesGoToTheFileNearTheBudget) {
  handler.script = [](http::Exchange& exchange) {
    const std::string body = test::read_all(exchange.body());
    (void)test::answer(exchange, body == pattern(200'000) ? "whole" : "broken");
  };
  const std::string body = pattern(200'000);
  std::vector<Client*> clients;
  for (int i = 0; i < 100; ++i) {
    Client& client = rig.connect();
    clients.push_back(&client);
    client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 200000\r\n\r\n");
    for (std::size_t at = 0; at + 10'000 < body.size(); at += 10'000) {
      client.send(body.substr(at, 10'000));
      rig.settle();
    }
    ASSERT_LE(budget().used(), kLimit);
  }
  for (Client* client : clients) {
    client->send(body.substr(190'000));
    rig.settle();
    EXPECT_EQ(client->received(), test::ok_answer("whole"));
    client->send_reset();
  }
}

TEST_F(LargeAnswers, ReadsLessAtOnceNearTheBudget) {
  TestObserver observer;
  handler.mode = http::BodyMode::stream;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  observer.then_body = [&](std::string_view piece) {
    EXPECT_LE(piece.size(), 16384u);
    handler.held->pause_body();
  };
  budget().charge(kLimit / 2 + 1);
  Client& client = rig.connect();
  client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 200000\r\n\r\n");
  rig.settle();
  client.send(pattern(200'000));
  rig.settle();
  EXPECT_EQ(observer.pieces, 1);
  EXPECT_LE(budget().used(), kLimit / 2 + 40'000);
  while (observer.body.size() < 200'000) {
    handler.held->resume_body();
    rig.settle();
  }
  EXPECT_EQ(observer.body, pattern(200'000));
  EXPECT_TRUE(test::answer(*handler.held, "ok"));
  budget().release(kLimit / 2 + 1);
  client.send_reset();
}

}  // namespace
}  // namespace lanner::server
