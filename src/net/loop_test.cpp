#include "net/loop.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/sockets.h"

namespace lanner::net {
namespace {

using sys::Ready;

// An eventfd that is readable from raise() until lower(), watched by a function.
struct Flag final : Watcher {
  explicit Flag(Loop& owner) : loop(owner), fd(*sys::make_eventfd()) {}
  ~Flag() {
    if (watched) unwatch();
    sys::close(fd);
  }
  void watch() {
    ASSERT_TRUE(loop.watch(fd, Ready::readable, *this));
    watched = true;
  }
  void unwatch() {
    loop.unwatch(fd, *this);
    watched = false;
  }
  void raise() { sys::signal_eventfd(fd); }
  void lower() { sys::drain_eventfd(fd); }
  void on_ready(std::uint32_t events) noexcept override {
    ++calls;
    last_events = events;
    if (then) then();
  }
  Loop& loop;
  int fd;
  bool watched = false;
  int calls = 0;
  std::uint32_t last_events = 0;
  std::function<void()> then;
};

struct Job final : Task {
  explicit Job(std::function<void()> function) : body(std::move(function)) {}
  void run() noexcept override { body(); }
  std::function<void()> body;
};

struct Alarm final : Timer {
  explicit Alarm(std::function<void()> function) : body(std::move(function)) {}
  void on_timer(std::uint64_t) noexcept override { body(); }
  std::function<void()> body;
};

struct Observer final : TurnObserver {
  void on_turn_end() noexcept override {
    ++turns;
    if (at_end) at_end();
  }
  void on_wake() noexcept override {
    if (at_wake) at_wake();
  }
  int turns = 0;
  std::function<void()> at_wake;
  std::function<void()> at_end;
};

struct Hook final : LoopHook {
  void rest() noexcept override { ++rests; }
  void settle() noexcept override { ++settles; }
  void on_interrupt() noexcept override { ++interrupts; }
  int rests = 0;
  int settles = 0;
  int interrupts = 0;
};

class LoopTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Loop>> made = Loop::create();
    ASSERT_TRUE(made);
    owner_ = std::move(*made);
  }
  Loop& loop() { return *owner_; }
  bool wake_pending() {
    std::uint64_t count = 0;
    return ::read(loop().wake_descriptor(), &count, sizeof(count)) == sizeof(count);
  }
  std::unique_ptr<Loop> owner_;
};

TEST_F(LoopTest, CallsWhoIsReady) {
  Flag ready(loop()), idle(loop());
  ready.watch();
  idle.watch();
  ready.raise();
  loop().run_once(-1);
  EXPECT_EQ(ready.calls, 1);
  EXPECT_EQ(ready.last_events, Ready::readable);
  EXPECT_EQ(idle.calls, 0);
  loop().run_once(0);
  EXPECT_EQ(ready.calls, 2) << "level-triggered";
  ready.lower();
  loop().run_once(0);
  EXPECT_EQ(ready.calls, 2);
}

TEST_F(LoopTest, ChangesAndForgetsInterest) {
  Flag flag(loop());
  flag.watch();
  flag.raise();
  ASSERT_TRUE(loop().change(flag.fd, Ready::writable, flag));
  loop().run_once(0);
  EXPECT_EQ(flag.last_events, Ready::writable);
  flag.unwatch();
  loop().run_once(0);
  EXPECT_EQ(flag.calls, 1);
  EXPECT_FALSE(loop().change(flag.fd, Ready::writable, flag));
  EXPECT_FALSE(loop().watch(-1, Ready::readable, flag));
}

TEST_F(LoopTest, SkipsStaleEventsOfDestroyedWatchers) {
  std::array<std::unique_ptr<Flag>, 8> flags;
  int calls = 0;
  for (auto& flag : flags) {
    flag = std::make_unique<Flag>(loop());
    flag->watch();
    flag->raise();
    // The first that is called destroys all others, and its own interest.
    flag->then = [&calls, &flags, self = flag.get()] {
      ++calls;
      for (auto& other : flags) {
        if (other.get() != self) other.reset();
      }
      self->unwatch();
    };
  }
  loop().run_once(-1);
  EXPECT_EQ(calls, 1);
  loop().run_once(0);
  EXPECT_EQ(calls, 1);
}

TEST_F(LoopTest, WatcherMayBeUnwatchedAndWatchedAgainInOneTurn) {
  Flag first(loop()), second(loop());
  for (Flag* flag : {&first, &second}) {
    flag->watch();
    flag->raise();
  }
  auto swap_other = [](Flag& other) {
    return [&other] {
      other.unwatch();
      other.watch();
    };
  };
  first.then = swap_other(second);
  second.then = swap_other(first);
  loop().run_once(-1);
  EXPECT_EQ(first.calls + second.calls, 1) << "the other's event was of the old interest";
  loop().run_once(0);
  EXPECT_EQ(first.calls + second.calls, 2);
}

TEST_F(LoopTest, TurnHasItsOrder) {
  std::string order;
  Flag flag(loop());
  flag.watch();
  flag.raise();
  flag.then = [&] { order += "watcher "; };
  Alarm alarm([&] { order += "timer "; });
  loop().arm(alarm, 0);
  Job deferred([&] { order += "deferred "; });
  loop().defer(deferred);
  Job posted([&] { order += "posted "; });
  loop().post(posted);
  Observer observer;
  observer.at_wake = [&] { order += "wake "; };
  observer.at_end = [&] { order += "end"; };
  loop().set_turn_observer(&observer);
  loop().run_once(-1);
  EXPECT_EQ(order, "wake watcher timer deferred posted end");
  EXPECT_EQ(observer.turns, 1);
}

TEST_F(LoopTest, DeferredRunsInTheNextTurnWithoutWaiting) {
  int runs = 0;
  Flag flag(loop());
  flag.watch();
  flag.raise();
  Job job([&] { ++runs; });
  flag.then = [&] {
    flag.lower();
    loop().defer(job);
  };
  loop().run_once(-1);
  EXPECT_EQ(runs, 0) << "not in the turn that deferred it";
  loop().run_once(-1);
  EXPECT_EQ(runs, 1);
}

TEST_F(LoopTest, DeferredTaskMayDeferItself) {
  int runs = 0;
  Job job([] {});
  job.body = [&] {
    if (++runs < 3) loop().defer(job);
  };
  loop().defer(job);
  for (int turn = 1; turn <= 3; ++turn) {
    loop().run_once(-1);
    EXPECT_EQ(runs, turn);
  }
  loop().run_once(0);
  EXPECT_EQ(runs, 3);
}

TEST_F(LoopTest, RunsPostedTasksInOrder) {
  std::string order;
  Job a([&] { order += 'a'; }), b([&] { order += 'b'; }), c([&] { order += 'c'; });
  for (Job* job : {&a, &b, &c}) loop().post(*job);
  loop().run_once(-1);
  EXPECT_EQ(order, "abc");
}

TEST_F(LoopTest, PostingToALoopThatDoesNotWaitNeedsNoWakeUp) {
  Job job([] {});
  loop().post(job);
  EXPECT_FALSE(wake_pending());
  loop().run_once(-1);
}

TEST_F(LoopTest, PostedTaskMayPostItselfOrDie) {
  int runs = 0;
  Job again([] {});
  again.body = [&] {
    if (++runs < 3) loop().post(again);
  };
  auto dies = std::make_unique<Job>([] {});
  dies->body = [&dies] { auto keep = std::move(dies); };
  loop().post(*dies);
  loop().post(again);
  while (runs < 3) loop().run_once(-1);
  EXPECT_EQ(dies, nullptr);
  EXPECT_EQ(runs, 3);
}

TEST_F(LoopTest, ThreadsPostWhileItWaits) {
  constexpr int kThreads = 4;
  constexpr int kJobs = 500;
  std::vector<std::vector<int>> seen(kThreads);
  int total = 0;
  std::vector<std::vector<std::unique_ptr<Job>>> jobs(kThreads);
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    for (int i = 0; i < kJobs; ++i) {
      jobs[thread].push_back(std::make_unique<Job>([&, thread, i] {
        seen[thread].push_back(i);
        if (++total == kThreads * kJobs) loop().stop();
      }));
    }
  }
  std::vector<std::thread> threads;
  for (auto& mine : jobs) {
    threads.emplace_back([this, &mine] {
      for (auto& job : mine) loop().post(*job);
    });
  }
  loop().run();
  for (std::thread& thread : threads) thread.join();
  for (const auto& order : seen) {
    EXPECT_EQ(order.size(), static_cast<std::size_t>(kJobs));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << "a thread's order is kept";
  }
}

// One task that two threads hand to and fro: every wake-up must arrive, or this hangs.
TEST_F(LoopTest, NoWakeUpIsLost) {
  Result<std::unique_ptr<Loop>> made = Loop::create();
  ASSERT_TRUE(made);
  Loop& other = **made;
  int rounds = 0;
  Job ping([] {}), pong([] {});
  ping.body = [&] { other.post(pong); };
  pong.body = [&] {
    if (++rounds < 5'000) return loop().post(ping);
    loop().stop();
    other.stop();
  };
  loop().post(ping);
  std::thread thread([&other] { other.run(); });
  loop().run();
  thread.join();
  EXPECT_EQ(rounds, 5'000);
}

TEST_F(LoopTest, WakingBeforeTheWaitEndsTheNextOne) {
  loop().wake();
  loop().wake();
  EXPECT_FALSE(wake_pending()) << "it does not wait: nothing to write";
  loop().run_once(-1);
}

TEST_F(LoopTest, WakingEndsTheWaitOncePerBatch) {
  constexpr int kRounds = 2'000;
  std::atomic<int> told{0};
  std::thread teller([&] {
    for (int i = 1; i <= kRounds; ++i) {
      told.store(i, std::memory_order_release);
      loop().wake();
    }
  });
  int turns = 0;
  while (told.load(std::memory_order_acquire) < kRounds) {
    loop().run_once(-1);
    ++turns;
  }
  teller.join();
  EXPECT_LE(turns, kRounds + 1);
  loop().run_once(0);
  EXPECT_GT(loop().awake_since_ms(), 0u);
}

TEST_F(LoopTest, ClosedItHoldsNoDescriptorAndWatchesNothing) {
  Flag flag(loop());
  flag.watch();
  const int poller_fd = loop().descriptor();
  const int wake_fd = loop().wake_descriptor();
  loop().close();
  loop().close();
  EXPECT_EQ(::fcntl(poller_fd, F_GETFD), -1);
  EXPECT_EQ(::fcntl(wake_fd, F_GETFD), -1);
  EXPECT_FALSE(loop().watch(flag.fd, Ready::readable, flag));
  flag.unwatch();
  loop().wake();
  loop().run_once(-1);
  EXPECT_EQ(flag.calls, 0);
}

TEST_F(LoopTest, StopBeforeRunIsNotLost) {
  loop().stop();
  EXPECT_TRUE(loop().stopped());
  loop().run();
}

TEST_F(LoopTest, StopFromAnotherThreadEndsTheWait) {
  std::thread thread([this] { loop().stop(); });
  loop().run();
  thread.join();
  EXPECT_TRUE(loop().stopped());
}

TEST_F(LoopTest, WritingToTheWakeDescriptorEndsTheWait) {
  sys::signal_eventfd(loop().wake_descriptor());
  loop().run_once(-1);
  EXPECT_FALSE(wake_pending()) << "the loop has emptied it";
}

TEST_F(LoopTest, FiresTimersAndWaitsForThem) {
  int fired = 0;
  const std::uint64_t start = loop().now_ms();
  Alarm alarm([&] { ++fired; });
  loop().arm(alarm, start + 1);
  while (fired == 0) loop().run_once(-1);
  EXPECT_GE(loop().now_ms(), start + 1);
  Alarm cancelled([&] { ++fired; });
  loop().arm(cancelled, 0);
  loop().cancel(cancelled);
  loop().run_once(0);
  EXPECT_EQ(fired, 1);
}

TEST_F(LoopTest, WaitsNoLongerThanAsked) {
  Alarm far([] {});
  loop().arm(far, loop().now_ms() + 3'600'000);
  Observer observer;
  loop().set_turn_observer(&observer);
  loop().run_once(1);
  EXPECT_EQ(observer.turns, 1);
}

TEST_F(LoopTest, KnowsTheTime) {
  loop().run_once(0);
  EXPECT_LE(loop().now_ms(), sys::monotonic_ms());
  EXPECT_LE(loop().now_unix(), sys::unix_seconds());
  EXPECT_GT(loop().now_unix(), 1'700'000'000);
}

void ignore_signal(int) {}

TEST_F(LoopTest, TimeCanBeStepped) {
  int fired = 0;
  Alarm alarm([&] { ++fired; });
  const std::uint64_t begin_ms = loop().now_ms();
  const std::int64_t begin_unix = loop().now_unix();
  loop().step_clock(0);
  loop().arm(alarm, begin_ms + 60'000);
  loop().step_clock(59'000);
  loop().run_once(0);
  EXPECT_EQ(fired, 0);
  EXPECT_EQ(loop().now_ms(), begin_ms + 59'000) << "stands still but for the steps";
  loop().step_clock(1'000 + TimerWheel::kTickMs);
  loop().run_once(0);
  EXPECT_EQ(fired, 1);
  EXPECT_GE(loop().now_unix(), begin_unix + 60);
  EXPECT_LE(loop().now_unix(), begin_unix + 61);
}

TEST_F(LoopTest, TellsOfSignals) {
  struct sigaction action {
  }, before{};
  action.sa_handler = ignore_signal;  // no SA_RESTART matters: epoll_wait is never restarted
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  Hook hook;
  loop().set_hook(&hook);
  const pthread_t here = ::pthread_self();
  std::atomic<bool> told{false};
  // Again and again: a signal that comes before the wait does not interrupt it.
  std::thread thread([&] {
    while (!told.load()) {
      ::pthread_kill(here, SIGUSR1);
      std::this_thread::yield();
    }
  });
  while (hook.interrupts == 0) loop().run_once(-1);
  told = true;
  thread.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(hook.settles, hook.interrupts) << "an interrupted turn ends like any other";
}

TEST_F(LoopTest, LendsBlocks) {
  Block* block = loop().blocks().take();
  ASSERT_NE(block, nullptr);
  loop().blocks().give_back(block);
}

// A child of fork(2) shares the epoll set: what it does must not reach the parent's.
TEST_F(LoopTest, IsStoppedInAForkedChildAndTheParentFeelsNothing) {
  Flag flag(loop());
  flag.watch();
  const pid_t child = ::fork();
  if (child == 0) {
    flag.unwatch();  // with the parent's set it would be gone from there
    flag.raise();
    loop().wake();
    loop().run_once(-1);  // does not wait
    ::_exit(loop().stopped() && flag.calls == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(loop().stopped());
  EXPECT_FALSE(wake_pending());
  loop().run_once(0);
  EXPECT_EQ(flag.calls, 1) << "it is watched here still";
}

}  // namespace
}  // namespace lanner::net
