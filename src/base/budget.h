// base/budget.h: how much memory the buffers of one loop may take together, and how much they do.
//
// One loop, one budget: out buffers, pending input, bodies and pieces on their way between threads
// are charged to it, whatever the protocol. Charging never fails: who is about to grow looks at the
// level first, and each level has its rule (docs/design/0006):
//
//   0 ------------ 1/2 ------------------------ 9/10 ------ 31/32 ---- limit
//      as it comes  near: large pieces go to     full: no    spent: no  fits() says no: blocks are
//                   files, buffers stay small    new client  new        refused
//                                                            request
//
// Of the loop's thread, but for hand_over() and take_over().

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lanner {

class Budget final {
 public:
  // What an answer may have at least, also when memory is short: larger pieces are "large".
  static constexpr std::uint64_t kSmallBytes = 16384;

  Budget() noexcept { set_limit(UINT64_MAX); }
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  void set_limit(std::uint64_t bytes) noexcept {
    limit_ = bytes;
    near_ = bytes / 2;
    relieved_ = bytes - bytes / 5;
    full_ = bytes - bytes / 10;
    spent_ = bytes - bytes / 32;
  }
  std::uint64_t limit() const noexcept { return limit_; }

  void charge(std::uint64_t bytes) noexcept { used_ += bytes; }
  void release(std::uint64_t bytes) noexcept { used_ -= bytes; }
  // Any thread: bytes on their way to the loop's thread, and arrived there.
  void hand_over(std::uint64_t bytes) noexcept {
    handed_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void take_over(std::uint64_t bytes) noexcept {
    handed_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  std::uint64_t used() const noexcept { return used_ + handed_.load(std::memory_order_relaxed); }

  bool near() const noexcept { return used() > near_; }
  bool full() const noexcept { return used() > full_; }
  bool spent() const noexcept { return used() > spent_; }
  // Far enough under full() that what was stopped there goes on.
  bool relieved() const noexcept { return used() <= relieved_; }
  bool fits(std::uint64_t bytes) const noexcept {
    const std::uint64_t used_now = used();
    return used_now <= limit_ && bytes <= limit_ - used_now;
  }

 private:
  std::uint64_t used_ = 0;
  std::uint64_t limit_;
  std::uint64_t near_;
  std::uint64_t relieved_;
  std::uint64_t full_;
  std::uint64_t spent_;
  std::atomic<std::uint64_t> handed_{0};
};

// What one buffer is charged with: set() after each change of its size.
class Charge final {
 public:
  explicit Charge(Budget& budget) noexcept : budget_(budget) {}
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  ~Charge() { budget_.release(bytes_); }

  void set(std::uint64_t bytes) noexcept {
    budget_.charge(bytes - bytes_);  // unsigned: a smaller size wraps around, and back
    bytes_ = bytes;
  }
  Budget& budget() const noexcept { return budget_; }

 private:
  Budget& budget_;
  std::uint64_t bytes_ = 0;
};

}  // namespace lanner
