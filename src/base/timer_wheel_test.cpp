#include "base/timer_wheel.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lanner {
namespace {

constexpr std::uint64_t kTick = TimerWheel::kTickMs;
constexpr std::uint64_t kTurn = kTick * TimerWheel::kSlots;

struct TestTimer final : Timer {
  void on_timer(std::uint64_t now_ms) noexcept override {
    ++fired;
    fired_at = now_ms;
    if (then) then();
  }
  int fired = 0;
  std::uint64_t fired_at = 0;
  std::function<void()> then;
};

TEST(TimerWheel, FiresNotBeforeItsDeadline) {
  TimerWheel wheel(1000);
  TestTimer timer;
  wheel.arm(timer, 1500);
  EXPECT_TRUE(timer.armed());
  EXPECT_EQ(wheel.advance(1499), 0u);
  EXPECT_EQ(wheel.advance(1500 + kTick), 1u);
  EXPECT_EQ(timer.fired, 1);
  EXPECT_EQ(timer.fired_at, 1500 + kTick);
  EXPECT_FALSE(timer.armed());
  EXPECT_EQ(wheel.armed_count(), 0u);
  EXPECT_EQ(wheel.advance(99999), 0u);
}

TEST(TimerWheel, IsAtMostOneTickLateForEveryDeadline) {
  for (std::uint64_t start = 5 * kTick - 2; start < 5 * kTick + 3; ++start) {
    for (std::uint64_t after = 0; after < 3 * kTick; ++after) {
      TimerWheel wheel(start);
      TestTimer timer;
      wheel.arm(timer, start + after);
      for (std::uint64_t now = start; timer.fired == 0; ++now) {
        ASSERT_LE(now, start + after + kTick);
        wheel.advance(now);
      }
      ASSERT_GE(timer.fired_at, start + after);
    }
  }
}

TEST(TimerWheel, FiresAPastDeadlineAtTheNextAdvance) {
  TimerWheel wheel(10 * kTick + 5);
  TestTimer now_exactly, long_ago;
  wheel.arm(now_exactly, 10 * kTick + 5);
  wheel.arm(long_ago, 0);
  EXPECT_EQ(wheel.wait_ms(10 * kTick + 5), 0);
  EXPECT_EQ(wheel.advance(10 * kTick + 5), 2u);
}

TEST(TimerWheel, MovesOutOfTheDueListWhenRearmedWithinItsTick) {
  TimerWheel wheel(10 * kTick + 5);
  TestTimer timer;
  wheel.arm(timer, 10 * kTick + 3);
  wheel.arm(timer, 10 * kTick + 100);
  EXPECT_EQ(wheel.advance(10 * kTick + 6), 0u);
  EXPECT_EQ(wheel.advance(11 * kTick), 1u);
}

TEST(TimerWheel, RearmedIntoThePastWithinItsTickIsDueAtOnce) {
  TimerWheel wheel(10 * kTick + 5);
  TestTimer timer;
  wheel.arm(timer, 11 * kTick);
  wheel.arm(timer, 10 * kTick + 2);
  EXPECT_EQ(wheel.wait_ms(10 * kTick + 5), 0);
  EXPECT_EQ(wheel.advance(10 * kTick + 6), 1u);
}

TEST(TimerWheel, CancelsAndRearms) {
  TimerWheel wheel(0);
  TestTimer timer;
  wheel.cancel(timer);
  wheel.arm(timer, 1000);
  wheel.cancel(timer);
  EXPECT_EQ(wheel.armed_count(), 0u);
  EXPECT_EQ(wheel.advance(2000), 0u);
  wheel.arm(timer, 3000);
  wheel.arm(timer, 3001);  // the same tick
  EXPECT_EQ(timer.deadline_ms(), 3001u);
  wheel.arm(timer, 5000);  // later
  EXPECT_EQ(wheel.advance(4000), 0u);
  wheel.arm(timer, 4200);  // earlier
  EXPECT_EQ(wheel.armed_count(), 1u);
  EXPECT_EQ(wheel.advance(4400), 1u);
}

TEST(TimerWheel, KeepsDeadlinesBeyondOneTurn) {
  TimerWheel wheel(0);
  TestTimer far, near;
  wheel.arm(far, 3 * kTurn + 300);
  wheel.arm(near, 300);
  for (std::uint64_t now = 0; now < 3 * kTurn + 300; now += kTick / 2) {
    wheel.advance(now);
    ASSERT_EQ(far.fired, 0) << now;
  }
  EXPECT_EQ(near.fired, 1);
  wheel.advance(3 * kTurn + 300 + kTick);
  EXPECT_EQ(far.fired, 1);
}

TEST(TimerWheel, SurvivesLongJumps) {
  TimerWheel wheel(0);
  std::vector<TestTimer> timers(50);
  for (std::size_t i = 0; i < timers.size(); ++i) wheel.arm(timers[i], i * kTurn / 7 + 1);
  TestTimer later;
  wheel.arm(later, 100 * kTurn);
  EXPECT_EQ(wheel.advance(40 * kTurn), timers.size());
  EXPECT_EQ(later.fired, 0);
  EXPECT_EQ(wheel.advance(101 * kTurn), 1u);
}

TEST(TimerWheel, RearmsInItsOwnCallback) {
  TimerWheel wheel(0);
  TestTimer timer;
  timer.then = [&] { wheel.arm(timer, timer.fired_at + 1000); };
  wheel.arm(timer, 1000);
  for (std::uint64_t now = 0; now <= 10000; now += 10) wheel.advance(now);
  EXPECT_EQ(timer.fired, 9);  // each up to a tick late
  EXPECT_TRUE(timer.armed());
}

TEST(TimerWheel, RearmedIntoThePastWaitsForTheNextAdvance) {
  TimerWheel wheel(0);
  TestTimer timer;
  timer.then = [&] { wheel.arm(timer, 0); };
  wheel.arm(timer, 1);
  EXPECT_EQ(wheel.advance(kTick), 1u);
  EXPECT_EQ(wheel.wait_ms(kTick), 0);
  EXPECT_EQ(wheel.advance(kTick), 1u);
  EXPECT_EQ(timer.fired, 2);
}

TEST(TimerWheel, CallbackArmsIntoTheSlotThatFires) {
  TimerWheel wheel(0);
  TestTimer first, second;
  first.then = [&] { wheel.arm(second, first.fired_at + kTurn); };
  wheel.arm(first, kTick);
  EXPECT_EQ(wheel.advance(kTick), 1u);
  EXPECT_EQ(second.fired, 0);
  EXPECT_EQ(wheel.advance(kTick + kTurn), 1u);
}

TEST(TimerWheel, CallbackMayDestroyAnyTimer) {
  TimerWheel wheel(0);
  auto self = std::make_unique<TestTimer>();
  auto same_slot = std::make_unique<TestTimer>();
  auto other_slot = std::make_unique<TestTimer>();
  TestTimer last;
  wheel.arm(*self, 10);
  wheel.arm(*same_slot, 10);
  wheel.arm(last, 10);
  wheel.arm(*other_slot, 10 + kTick);
  // Moved out first: the callback object dies with its timer.
  self->then = [&] {
    same_slot.reset();
    other_slot.reset();
    auto keep = std::move(self->then);
    self.reset();
  };
  EXPECT_EQ(wheel.advance(10 * kTick), 2u);
  EXPECT_EQ(last.fired, 1);
  EXPECT_EQ(wheel.armed_count(), 0u);
}

TEST(TimerWheel, CallbackMayPostponeATimerThatIsDueToo) {
  TimerWheel wheel(0);
  TestTimer first, second;
  wheel.arm(first, 10);
  wheel.arm(second, 10);
  first.then = [&] { wheel.arm(second, 5 * kTick); };
  EXPECT_EQ(wheel.advance(kTick), 1u);
  EXPECT_EQ(second.fired, 0);
  EXPECT_EQ(wheel.advance(5 * kTick), 1u);
}

TEST(TimerWheel, DestroyedTimerIsForgotten) {
  TimerWheel wheel(0);
  {
    TestTimer timer;
    wheel.arm(timer, 500);
    EXPECT_EQ(wheel.armed_count(), 1u);
  }
  EXPECT_EQ(wheel.armed_count(), 0u);
  EXPECT_EQ(wheel.advance(10000), 0u);
  EXPECT_EQ(wheel.wait_ms(10000), -1);
}

TEST(TimerWheel, TimersMayOutliveTheWheel) {
  TestTimer slot, due;
  {
    TimerWheel wheel(1000);
    wheel.arm(slot, 5000);
    wheel.arm(due, 1);
  }
  EXPECT_FALSE(slot.armed());
  EXPECT_FALSE(due.armed());
}

TEST(TimerWheel, WaitsUntilTheNextTickThatMatters) {
  TimerWheel wheel(0);
  EXPECT_EQ(wheel.wait_ms(0), -1);
  TestTimer near, far, never;
  wheel.arm(far, 60 * kTick);
  EXPECT_EQ(wheel.wait_ms(0), static_cast<int>(60 * kTick));
  wheel.arm(near, kTick + 1);
  EXPECT_EQ(wheel.wait_ms(5), static_cast<int>(2 * kTick - 5));
  wheel.advance(2 * kTick);
  EXPECT_EQ(wheel.wait_ms(2 * kTick), static_cast<int>(58 * kTick));
  EXPECT_EQ(wheel.wait_ms(70 * kTick), 0);
  wheel.cancel(far);
  wheel.arm(never, UINT64_MAX);
  EXPECT_GT(wheel.wait_ms(2 * kTick), 0);
}

TEST(TimerWheel, DoesNotWakeForCancelledTimers) {
  TimerWheel wheel(0);
  TestTimer first, cancelled, last;
  wheel.arm(first, 5 * kTick);
  wheel.arm(cancelled, 20 * kTick);
  wheel.arm(last, 60 * kTick);
  wheel.cancel(cancelled);
  wheel.advance(5 * kTick);
  EXPECT_EQ(wheel.wait_ms(5 * kTick), static_cast<int>(55 * kTick));
}

TEST(TimerWheel, ClockThatStepsBackIsIgnored) {
  TimerWheel wheel(1000);
  TestTimer timer;
  wheel.arm(timer, 1500);
  EXPECT_EQ(wheel.advance(500), 0u);
  EXPECT_EQ(wheel.advance(2000), 1u);
  EXPECT_EQ(wheel.advance(100), 0u);
}

// Against the obvious model: a list of deadlines. Waits as the poller would, so that a wait that is
// too long shows as a late timer.
TEST(TimerWheel, AgreesWithAListOfDeadlines) {
  std::mt19937 random(12345);
  std::uint64_t now = 777;
  TimerWheel wheel(now);
  std::vector<TestTimer> timers(64);
  for (int step = 0; step < 20000; ++step) {
    TestTimer& timer = timers[random() % timers.size()];
    switch (random() % 4) {
      case 0:
        wheel.cancel(timer);
        break;
      case 1:
        wheel.arm(timer, now + random() % 400);
        break;
      case 2:
        wheel.arm(timer, now + random() % (3 * kTurn));
        break;
      default:
        wheel.arm(timer, now - random() % 700);
        break;
    }
    const int wait = wheel.wait_ms(now);
    std::uint64_t due_in = UINT64_MAX;
    for (const TestTimer& each : timers) {
      if (!each.armed()) continue;
      due_in = std::min(due_in, each.deadline_ms() > now ? each.deadline_ms() - now : 0);
    }
    if (due_in == UINT64_MAX) {
      EXPECT_EQ(wait, -1);
    } else {
      ASSERT_GE(wait, 0);
      ASSERT_LT(static_cast<std::uint64_t>(wait), due_in + kTick);
    }
    now += random() % 3 ? random() % 200 : static_cast<std::uint64_t>(std::max(wait, 0));
    if (random() % 500 == 0) now += 2 * kTurn;
    std::size_t count = 0;
    for (TestTimer& each : timers) each.fired = 0;
    const std::size_t fired = wheel.advance(now);
    for (const TestTimer& each : timers) {
      count += static_cast<std::size_t>(each.fired);
      if (each.fired) {
        ASSERT_LE(each.deadline_ms(), now);
      }
      if (each.armed()) {
        ASSERT_GT(each.deadline_ms() + kTick, now);
      }
    }
    ASSERT_EQ(count, fired);
  }
}

}  // namespace
}  // namespace lanner
