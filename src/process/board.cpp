#include "process/board.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::process {

namespace {

constexpr std::uint64_t kStateMask = 3;
constexpr std::uint64_t kAbsent = 0;
constexpr std::uint64_t kWaiting = 1;
constexpr std::uint64_t kWorking = 2;
constexpr std::uint64_t kFull = 3;

}  // namespace

struct alignas(Board::kSlotBytes) Board::Slot {
  std::atomic<std::uint64_t> word;
  std::atomic<std::uint32_t> connections;
  std::atomic<std::uint64_t> heartbeat;

  // Accepts soon when there is something to accept.
  bool responsive(std::uint64_t now_ms) const noexcept {
    const std::uint64_t seen = word.load(std::memory_order_acquire);
    const std::uint64_t state = seen & kStateMask;
    return state == kWaiting || (state == kWorking && now_ms < (seen >> 2) + kResponsiveMs);
  }
};

Result<Board> Board::open(int fd, unsigned slot, int wake_fd) noexcept {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  static_assert(sizeof(Slot) == kSlotBytes && std::is_standard_layout_v<Slot>);

  const Result<std::uint64_t> bytes = sys::file_size(fd);
  if (!bytes) return bytes.error();
  const std::uint64_t count = *bytes / kSlotBytes;
  if (*bytes % kSlotBytes != 0 || count > kSlotsMax || slot >= count) return os_error(EINVAL);
  void* memory = ::mmap(nullptr, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return os_error(errno);
  // SAFETY: a page is aligned for Slot; Slot is an implicit-lifetime aggregate of lock-free
  // atomics, and every bit pattern that another process may leave there is a value of it.
  return Board(static_cast<Slot*>(memory), static_cast<unsigned>(count), slot, wake_fd);
}

Board::Board(Slot* slots, unsigned slot_count, unsigned slot, int wake_fd) noexcept
    : slots_(slots), slot_count_(slot_count), slot_(slot), wake_fd_(wake_fd) {
  Slot& mine = slots_[slot_];
  mine.word.store(kAbsent, std::memory_order_release);
  mine.connections.store(0, std::memory_order_relaxed);
  mine.heartbeat.store(0, std::memory_order_relaxed);
}

Board::Board(Board&& other) noexcept { swap(other); }

Board& Board::operator=(Board&& other) noexcept {
  Board moved(std::move(other));
  swap(moved);
  return *this;
}

Board::~Board() {
  if (!slots_) return;
  leave();
  ::munmap(slots_, slot_count_ * kSlotBytes);
}

void Board::swap(Board& other) noexcept {
  std::swap(slots_, other.slots_);
  std::swap(slot_count_, other.slot_count_);
  std::swap(slot_, other.slot_);
  std::swap(wake_fd_, other.wake_fd_);
  std::swap(taking_, other.taking_);
  std::swap(left_, other.left_);
}

void Board::set_connections(std::uint32_t count) noexcept {
  if (slots_ && !left_) slots_[slot_].connections.store(count, std::memory_order_release);
}

void Board::set_waiting() noexcept {
  if (!slots_ || left_) return;
  Slot& mine = slots_[slot_];
  // One writer: no need for an atomic addition.
  mine.heartbeat.store(mine.heartbeat.load(std::memory_order_relaxed) + 1,
                       std::memory_order_relaxed);
  publish(kWaiting);
}

void Board::set_working(std::uint64_t now_ms) noexcept {
  if (slots_ && !left_) publish(now_ms << 2 | kWorking);
}

void Board::publish(std::uint64_t word) noexcept {
  slots_[slot_].word.store(taking_ ? word : kFull, std::memory_order_release);
}

void Board::set_taking(bool taking) noexcept {
  if (taking == taking_) return;
  taking_ = taking;
  if (!slots_ || left_ || taking) return;  // what it does now is said when it next waits
  publish(kFull);
  wake_others();
}

void Board::leave() noexcept {
  if (!slots_ || left_) return;
  set_connections(0);
  left_ = true;
  // Before alone() looks at the others, as theirs before they look at this one.
  slots_[slot_].word.store(kAbsent, std::memory_order_seq_cst);
  wake_others();
}

bool Board::may_accept(std::uint64_t now_ms) const noexcept {
  if (!slots_) return true;
  const std::uint64_t mine = slots_[slot_].connections.load(std::memory_order_relaxed);
  std::uint64_t sum = mine;
  std::uint64_t count = 1;
  for (unsigned i = 0; i < slot_count_; ++i) {
    if (i == slot_ || !slots_[i].responsive(now_ms)) continue;
    sum += slots_[i].connections.load(std::memory_order_relaxed);
    ++count;
  }
  // mine <= mean + max(1, mean / 8). With the accept that follows: at most 1.25 x the mean from a
  // mean of 8 on; below that two more than the mean, so that short connections cause no pauses.
  return mine * count <= sum + std::max(count, sum / 8);
}

bool Board::alone() const noexcept {
  for (unsigned i = 0; i < slot_count_; ++i) {
    if (i == slot_) continue;
    if ((slots_[i].word.load(std::memory_order_seq_cst) & kStateMask) != kAbsent) return false;
  }
  return true;
}

void Board::wake_others() const noexcept {
  if (wake_fd_ >= 0) sys::signal_eventfd(wake_fd_);
}

}  // namespace lanner::process
