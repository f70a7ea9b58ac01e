// python/native/blocking_look.h: names the `def` handler that blocks the loop, once each, by a look at the end of a turn.
//
//   a turn was long -> one handler ran in it:      it is named
//                   -> several did:                the next calls are timed, until one is long, which is named

#pragma once

#include <cstdint>

#include "log/log.h"
#include "python/native/operation.h"

namespace lanner::python {

// How long a turn may be before somebody is to be named; asyncio's debug mode has the same number.
inline constexpr std::uint64_t kBlockedMsMin = 100;

class BlockingLook final {
 public:
  // log: borrowed; null: nobody is named.
  explicit BlockingLook(log::Log* log) noexcept : log_(log) {}

  // For each call.
  void note(Operation& operation) noexcept {
    last_ = &operation;
    ++calls_;
  }
  // Whether each call is to be timed, and then told.
  bool timing() const noexcept { return timed_left_ > 0; }
  void timed(Operation& operation, std::uint64_t ms) noexcept;
  // began_ms: when it woke up (monotonic).
  void after_turn(std::uint64_t began_ms) noexcept {
    if (last_) look(began_ms);
  }

 private:
  static constexpr std::uint32_t kTimedCalls = 1000;  // then the turn was long for another reason

  void look(std::uint64_t began_ms) noexcept;
  void name(Operation& operation, std::uint64_t ms) noexcept;

  log::Log* log_;
  Operation* last_ = nullptr;  // called in this turn
  std::uint32_t calls_ = 0;    // of this turn
  std::uint32_t timed_left_ = 0;
};

}  // namespace lanner::python
