// sys/signals_test.cpp: the first signal asks, the handlers come back.

#include "sys/signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanner::sys {
namespace {

class Counter final : public StopTarget {
 public:
  void on_stop_signal() noexcept override { ++count; }
  int count = 0;
};

TEST(StopSignals, FirstSignalAsksTheTarget) {
  Counter counter;
  StopSignals signals(counter, 60'000);
  ASSERT_TRUE(signals.installed());
  ::raise(SIGTERM);
  EXPECT_EQ(counter.count, 1);
}

TEST(StopSignals, SecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        Counter counter;
        StopSignals signals(counter, 60'000, 0);
        ::raise(SIGINT);
        ::raise(SIGINT);
      },
      ::testing::ExitedWithCode(128 + SIGINT), "second_signal");
}

TEST(StopSignals, TwoAtOnceAreOne) {
  Counter counter;
  StopSignals signals(counter, 60'000, 60'000);
  ::raise(SIGTERM);
  ::raise(SIGTERM);
  EXPECT_EQ(counter.count, 1);
}

TEST(StopSignals, RestoresTheHandlersBefore) {
  struct sigaction before {};
  ::sigaction(SIGINT, nullptr, &before);
  {
    Counter counter;
    StopSignals signals(counter, 1000);
  }
  struct sigaction after {};
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(StopSignals, IgnoresThemAfterwardsIfAskedTo) {
  struct sigaction before {};
  ::sigaction(SIGTERM, nullptr, &before);
  {
    Counter counter;
    StopSignals signals(counter, 0, 60'000, true);
  }
  struct sigaction after {};
  ::sigaction(SIGTERM, &before, &after);
  EXPECT_EQ(after.sa_handler, SIG_IGN);
  ::sigaction(SIGINT, &before, nullptr);
}

TEST(StopSignals, AForkedChildGetsSignalsAsBefore) {
  Counter counter;
  StopSignals signals(counter, 60'000);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[1]);
    char byte = 0;
    (void)!::read(ends[0], &byte, 1);  // until the signal, or until the parent is gone
    ::_exit(counter.count);
  }
  ::kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  ::raise(SIGTERM);
  EXPECT_EQ(counter.count, 1) << "the parent's are as they were";
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(StopSignals, OnlyOneAtATime) {
  Counter counter;
  StopSignals first(counter, 1000);
  StopSignals second(counter, 1000);
  EXPECT_TRUE(first.installed());
  EXPECT_FALSE(second.installed());
}

TEST(StopSignals, ThisIsTheMainThread) { EXPECT_TRUE(is_main_thread()); }

}  // namespace
}  // namespace lanner::sys
