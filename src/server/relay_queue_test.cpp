#include "server/relay_queue.h"

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/test_relay_rig.h"

namespace lanner::server {
namespace {

using test::answer;
using test::Client;
using test::ok_answer;
using test::RelayRig;

std::string get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: t\r\n\r\n";
}

TEST(RelayQueue, GivesExchangesInTheOrderTheyCame) {
  RelayRig all;
  for (const char* target : {"/1", "/2", "/3"}) all.send(get(target));
  EXPECT_EQ(all.queue.relay_count(), 3u);
  for (const char* target : {"/1", "/2", "/3"}) {
    Relay* relay = all.queue.try_take();
    ASSERT_NE(relay, nullptr);
    EXPECT_EQ(relay->head().path, target);
    (void)answer(*relay, target);
  }
  EXPECT_EQ(all.queue.try_take(), nullptr);
  all.rig.settle();
  EXPECT_EQ(all.queue.relay_count(), 0u);
  all.rig.cut();
}

TEST(RelayQueue, CanBeFilledAgainWhenItWasEmpty) {
  RelayRig all;
  Client& client = all.send(get("/1") + get("/2"));
  for (int i = 0; i < 2; ++i) {
    Relay* relay = all.take();
    ASSERT_NE(relay, nullptr);
    EXPECT_EQ(all.queue.try_take(), nullptr) << "one of a connection at a time";
    (void)answer(*relay, "x");
  }
  all.rig.settle();
  EXPECT_EQ(client.received(), ok_answer("x") + ok_answer("x"));
  all.rig.cut();
}

TEST(RelayQueue, TakeDoesNotWaitForWhatIsThere) {
  RelayRig all;
  all.send(get("/"));
  bool nudged = true;
  Relay* relay = all.queue.take(&nudged);
  ASSERT_NE(relay, nullptr);
  EXPECT_FALSE(nudged);
  relay->abort();
  all.rig.settle();
  all.rig.cut();
}

TEST(RelayQueue, ANudgeIsKeptForWhoComesLater) {
  RelayRig all;
  all.queue.nudge();
  all.queue.nudge();
  bool nudged = false;
  EXPECT_EQ(all.queue.take(&nudged), nullptr);
  EXPECT_TRUE(nudged);
  all.queue.close();
  EXPECT_EQ(all.queue.take(&nudged), nullptr);
  EXPECT_FALSE(nudged) << "two nudges are one";
}

TEST(RelayQueue, AnExchangeComesBeforeANudgeAndBeforeTheEnd) {
  RelayRig all;
  all.send(get("/"));
  all.queue.nudge();
  all.queue.close();
  bool nudged = true;
  Relay* relay = all.queue.take(&nudged);
  ASSERT_NE(relay, nullptr);
  EXPECT_FALSE(nudged);
  (void)answer(*relay, "ok");
  EXPECT_EQ(all.queue.take(&nudged), nullptr);
  EXPECT_TRUE(nudged);
  EXPECT_EQ(all.queue.take(&nudged), nullptr);
  EXPECT_FALSE(nudged);
  all.rig.settle();
  all.rig.cut();
}

// Threads must not make large answers faster than the loop takes them.
TEST(RelayQueue, NobodyGetsAnExchangeWhileTooMuchIsOnItsWay) {
  RelayRig all;
  all.send(get("/1"));
  all.send(get("/2"));
  Relay* relay = all.queue.try_take();
  ASSERT_NE(relay, nullptr);
  const std::string large(RelayQueue::kHandedBytesMax + 1, 'x');
  (void)answer(*relay, large);
  EXPECT_EQ(all.queue.try_take(), nullptr);
  std::atomic<bool> taken{false};
  std::thread thread([&] {
    bool nudged = false;
    Relay* next = all.queue.take(&nudged);
    ASSERT_NE(next, nullptr);
    taken = true;
    (void)answer(*next, "2");
  });
  all.rig.settle();
  for (int turns = 0; !taken && turns < 100'000; ++turns) all.rig.turn(5);
  thread.join();
  all.rig.settle();
  all.rig.cut();
}

TEST(RelayQueue, AtTheEndAllAreGivenOut) {
  RelayRig all;
  all.send(get("/1"));
  all.queue.hand_over(RelayQueue::kHandedBytesMax + 1);
  bool nudged = false;
  all.queue.close();
  Relay* relay = all.queue.take(&nudged);
  ASSERT_NE(relay, nullptr);
  relay->abort();
  all.queue.take_over(RelayQueue::kHandedBytesMax + 1);
  all.rig.settle();
  all.rig.cut();
}

TEST(RelayQueue, ANudgeIsTakenWithoutAnExchange) {
  RelayRig all;
  all.queue.nudge();
  bool nudged = false;
  EXPECT_EQ(all.queue.take(&nudged), nullptr);
  EXPECT_TRUE(nudged);
}

TEST(RelayQueue, CloseEndsEveryThreadThatWaits) {
  RelayRig all;
  std::atomic<int> ended{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      bool nudged = true;
      EXPECT_EQ(all.queue.take(&nudged), nullptr);
      EXPECT_FALSE(nudged);
      ++ended;
    });
  }
  all.queue.close();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, 4);
}

// Every exchange goes to exactly one thread, every nudge wakes one.
TEST(RelayQueue, ThreadsShareTheWork) {
  RelayRig all;
  std::atomic<int> served{0};
  std::atomic<int> nudges{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (;;) {
        bool nudged = false;
        Relay* relay = all.queue.take(&nudged);
        if (!relay && !nudged) return;
        if (nudged) ++nudges;
        if (!relay) continue;
        ++served;
        (void)answer(*relay, relay->head().path);
      }
    });
  }
  std::vector<Client*> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(&all.rig.connect());
  std::array<std::string, 20> want;
  for (int round = 0; round < 25; ++round) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      const std::string path = "/" + std::to_string(round) + "/" + std::to_string(i);
      clients[i]->send(get(path));
      want[i] += ok_answer(path);
    }
    all.rig.turn();
  }
  all.queue.nudge();
  for (int turns = 0; served < 500 && turns < 100'000; ++turns) all.rig.turn(5);
  EXPECT_EQ(served, 500);
  all.queue.close();
  for (std::thread& thread : threads) thread.join();
  all.rig.settle();
  EXPECT_EQ(nudges, 1);
  for (std::size_t i = 0; i < clients.size(); ++i) EXPECT_EQ(clients[i]->received(), want[i]);
  EXPECT_EQ(all.queue.relay_count(), 0u);
  all.rig.cut();
}

}  // namespace
}  // namespace lanner::server
