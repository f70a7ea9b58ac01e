// base/test_shortage.h: memory that runs out at a chosen allocation, for tests.
//
//   shortage.begin(3, false);  // the fourth allocation from here on fails
//   ...
//   shortage.end();
//   EXPECT_GT(shortage.failed, 0);
//
// In a test program that lanner_memory_may_fail() (cmake/lanner_layer.cmake) names, the allocations
// of the code under test pass by test_shortage.cpp. Those by a plain `new`, which would end the
// process, are counted and succeed: `thrown` has to stay 0. In other programs memory runs out only
// for those who ask strikes() themselves.

#pragma once

#include <atomic>
#include <climits>

namespace lanner::test {

struct Shortage {
  std::atomic<int> until = INT_MAX;  // allocations that succeed
  std::atomic<bool> lasts = false;   // all later ones fail, too
  std::atomic<int> failed = 0;
  std::atomic<int> thrown = 0;       // by a plain `new`: the number of such calls
  std::atomic<bool> throws = false;  // a plain `new` fails as well, by std::bad_alloc
  std::atomic<int> exempt = 0;

  bool is_on() const noexcept { return until.load(std::memory_order_relaxed) != INT_MAX; }
  bool strikes() noexcept {
    if (!is_on() || exempt.load(std::memory_order_relaxed) != 0) return false;
    const int left = until.fetch_sub(1, std::memory_order_relaxed);
    const bool fails = left == 0 || (left < 0 && lasts.load(std::memory_order_relaxed));
    if (fails) failed.fetch_add(1, std::memory_order_relaxed);
    return fails;
  }
  void begin(int number, bool stays) noexcept {
    failed = thrown = 0;
    lasts = stays;
    until = number;
  }
  void end() noexcept { until = INT_MAX; }
};
inline Shortage shortage;

// While it lives there is memory: what a test itself allocates.
class Exempt final {
 public:
  Exempt() noexcept { shortage.exempt.fetch_add(1, std::memory_order_relaxed); }
  Exempt(const Exempt&) = delete;
  Exempt& operator=(const Exempt&) = delete;
  ~Exempt() { shortage.exempt.fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace lanner::test
