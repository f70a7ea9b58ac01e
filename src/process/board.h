// process/board.h: state that workers share: memory with one cache line per worker slot.
//
// The supervisor creates a memfd of 64 zero bytes per slot and passes it to every worker. There are
// two slots per worker: a process that drains keeps its own while its successor has another. Only
// the worker that owns a slot writes to it, and nothing more once it has left; when that worker is
// dead and reaped, the supervisor zeroes the slot. Layout, in native byte order:
//
//   offset 0   u64  low two bits: state (0 absent or booting, 1 waiting in epoll, 2 working: from the
//                   end of a wait to the beginning of the next, 3 taking no connections now);
//                   above them: CLOCK_MONOTONIC milliseconds since when it works (state 2 only)
//   offset 8   u32  open connections
//   offset 16  u64  heartbeat: turns of the loop so far
//
// Python: word, connections, heartbeat = struct.unpack_from("=QIxxxxQ", board, slot * 64)
//
// The accept policy is based on it: may this worker accept connections from the shared listening
// socket now? A worker that may not pauses its listener, wakes the others (`wake_fd`, an eventfd
// that all workers watch edge-triggered) and asks again when it is woken, when it has lost a
// connection, and after kRecheckMs. Reasons and measurements: docs/design/0001-accept-balance.md.
// Lock-free. A reader may see an outdated slot for a moment, which only delays a decision.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace lanner::process {

// Movable owner of the mapping. Default constructed or moved from: no board, all calls do nothing
// and may_accept() is true.
class Board final {
 public:
  static constexpr std::size_t kSlotBytes = 64;
  static constexpr unsigned kSlotsMax = 2048;
  // A worker that has been busy for this long is left out of the mean.
  static constexpr std::uint64_t kResponsiveMs = 100;
  static constexpr int kRecheckMs = 50;

  // Maps `fd` (borrowed, may be closed afterwards) and takes `slot`: absent, no connections.
  // `wake_fd` (borrowed, must stay open) may be -1: then only kRecheckMs ends a pause.
  // Errors: os_error, with EINVAL for a size that is no multiple of 64 bytes or has no such slot.
  static Result<Board> open(int fd, unsigned slot, int wake_fd = -1) noexcept;

  Board() noexcept = default;
  Board(Board&& other) noexcept;
  Board& operator=(Board&& other) noexcept;
  ~Board();  // leave(), with no connections

  // All of these: the loop's thread only.
  void set_connections(std::uint32_t count) noexcept;
  // Before the loop waits.
  void set_waiting() noexcept;
  // After it has waited. `now_ms` is of CLOCK_MONOTONIC, as all times here.
  void set_working(std::uint64_t now_ms) noexcept;
  // Whether this worker takes connections at all now; not: whether it may (may_accept). One that
  // does not is not counted on by the others, who are woken when that begins.
  void set_taking(bool taking) noexcept;
  // This worker takes no more connections (drain): absent for good, the others are woken. Nothing
  // is written to its slot from here on.
  void leave() noexcept;

  // Ask before each accept(2) on a socket that is shared with other workers: false when this worker
  // has more connections than mean + max(1, mean / 8), the mean being that of the workers present
  // and responsive (itself always among them). A worker with the fewest connections may always
  // accept.
  bool may_accept(std::uint64_t now_ms) const noexcept;
  // No other worker is present: after leave(), the last one is told yes, and of two that leave at
  // the same time at least one.
  bool alone() const noexcept;
  // Makes the others ask again. Call after pausing the listener.
  void wake_others() const noexcept;

  // In a child of fork(2): the slot is the parent's, nothing is done any more.
  void forget() noexcept {
    slots_ = nullptr;
    wake_fd_ = -1;
  }

  bool present() const noexcept { return slots_ != nullptr; }
  unsigned slot_count() const noexcept { return slot_count_; }
  int wake_descriptor() const noexcept { return wake_fd_; }

 private:
  struct Slot;
  Board(Slot* slots, unsigned slot_count, unsigned slot, int wake_fd) noexcept;
  void swap(Board& other) noexcept;

  void publish(std::uint64_t word) noexcept;

  Slot* slots_ = nullptr;
  unsigned slot_count_ = 0;
  unsigned slot_ = 0;
  int wake_fd_ = -1;
  bool taking_ = true;
  bool left_ = false;
};

}  // namespace lanner::process
