#include "process/board.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lanner::process {
namespace {

// The supervisor's side: the memfd, read as Python reads it.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : fd_(::memfd_create("board", MFD_CLOEXEC)) {
    EXPECT_GE(fd_, 0);
    EXPECT_EQ(::ftruncate(fd_, static_cast<off_t>(bytes)), 0);
  }
  ~Memory() { ::close(fd_); }
  int fd() const { return fd_; }
  template <class T>
  T read(std::size_t offset) const {
    T value{};
    EXPECT_EQ(::pread(fd_, &value, sizeof value, static_cast<off_t>(offset)),
              static_cast<ssize_t>(sizeof value));
    return value;
  }
  void zero_slot(unsigned slot) {
    const std::array<char, Board::kSlotBytes> zero{};
    EXPECT_EQ(::pwrite(fd_, zero.data(), zero.size(), static_cast<off_t>(slot * zero.size())),
              static_cast<ssize_t>(zero.size()));
  }

 private:
  int fd_;
};

// Some workers on one board, all waiting.
class Workers {
 public:
  explicit Workers(unsigned count, int wake_fd = -1) : memory_(count * Board::kSlotBytes) {
    for (unsigned i = 0; i < count; ++i) {
      Result<Board> board = Board::open(memory_.fd(), i, wake_fd);
      EXPECT_TRUE(board);
      boards_.push_back(std::move(*board));
      boards_[i].set_waiting();
    }
    connections_.resize(count);
  }
  Board& operator[](unsigned i) { return boards_[i]; }
  Memory& memory() { return memory_; }
  void set(unsigned i, std::uint32_t count) {
    connections_[i] = count;
    boards_[i].set_connections(count);
  }
  void add(unsigned i) { set(i, connections_[i] + 1); }
  void remove(unsigned i) { set(i, connections_[i] - 1); }
  const std::vector<std::uint32_t>& connections() const { return connections_; }
  std::uint32_t sum() const {
    return std::accumulate(connections_.begin(), connections_.end(), std::uint32_t{0});
  }
  std::uint32_t most() const { return *std::max_element(connections_.begin(), connections_.end()); }

 private:
  Memory memory_;
  std::vector<Board> boards_;
  std::vector<std::uint32_t> connections_;
};

TEST(Board, RefusesWrongSizes) {
  const Memory odd(100);
  const Memory empty(0);
  const Memory two(128);
  const Memory huge((Board::kSlotsMax + 1) * Board::kSlotBytes);
  EXPECT_EQ(Board::open(odd.fd(), 0).error(), os_error(EINVAL));
  EXPECT_EQ(Board::open(empty.fd(), 0).error(), os_error(EINVAL));
  EXPECT_EQ(Board::open(two.fd(), 2).error(), os_error(EINVAL));
  EXPECT_EQ(Board::open(huge.fd(), 0).error(), os_error(EINVAL));
  EXPECT_EQ(Board::open(-1, 0).error(), os_error(EBADF));
  EXPECT_TRUE(Board::open(two.fd(), 1));
}

TEST(Board, DoesNothingWithoutAMapping) {
  Board board;
  board.set_connections(5);
  board.set_waiting();
  board.set_working(1);
  board.wake_others();
  EXPECT_TRUE(board.may_accept(1));
  EXPECT_FALSE(board.present());
  board.leave();
}

TEST(Board, PublishesTheLayoutThatTheSupervisorReads) {
  const Memory memory(128);
  Result<Board> board = Board::open(memory.fd(), 1);
  ASSERT_TRUE(board);
  EXPECT_EQ(memory.read<std::uint64_t>(64), 0u);
  board->set_connections(7);
  board->set_waiting();
  EXPECT_EQ(memory.read<std::uint64_t>(64), 1u);
  EXPECT_EQ(memory.read<std::uint32_t>(72), 7u);
  EXPECT_EQ(memory.read<std::uint64_t>(80), 1u);
  board->set_working(123'456'789'012);
  EXPECT_EQ(memory.read<std::uint64_t>(64) & 3, 2u);
  EXPECT_EQ(memory.read<std::uint64_t>(64) >> 2, 123'456'789'012u);
  board->set_waiting();
  EXPECT_EQ(memory.read<std::uint64_t>(80), 2u);
  for (std::size_t i = 0; i < 64; i += 8) EXPECT_EQ(memory.read<std::uint64_t>(i), 0u);
}

TEST(Board, IsAbsentOnceItHasLeft) {
  const Memory memory(64);
  {
    Result<Board> board = Board::open(memory.fd(), 0);
    ASSERT_TRUE(board);
    board->set_connections(3);
    board->set_waiting();
    board->leave();
    EXPECT_EQ(memory.read<std::uint64_t>(0), 0u);
    EXPECT_EQ(memory.read<std::uint32_t>(8), 0u);
    board->set_working(5);
    board->set_waiting();  // it drains
    EXPECT_EQ(memory.read<std::uint64_t>(0), 0u);
  }
  EXPECT_EQ(memory.read<std::uint32_t>(8), 0u);
}

TEST(Board, WritesNothingToItsSlotOnceItHasLeft) {
  const Memory memory(64);
  Result<Board> board = Board::open(memory.fd(), 0);
  ASSERT_TRUE(board);
  board->set_waiting();
  board->leave();
  Result<Board> successor = Board::open(memory.fd(), 0);
  ASSERT_TRUE(successor);
  successor->set_connections(4);
  successor->set_waiting();
  board->set_connections(9);
  board->set_taking(false);
  board->set_working(7);
  board->set_waiting();
  board->leave();
  *board = Board();
  EXPECT_EQ(memory.read<std::uint64_t>(0), 1u);
  EXPECT_EQ(memory.read<std::uint32_t>(8), 4u);
  EXPECT_EQ(memory.read<std::uint64_t>(16), 1u);
}

TEST(Board, IsNotCountedOnWhileItTakesNoConnections) {
  const Memory memory(128);
  Result<Board> full = Board::open(memory.fd(), 0);
  Result<Board> other = Board::open(memory.fd(), 1);
  ASSERT_TRUE(full && other);
  full->set_waiting();
  other->set_waiting();
  other->set_connections(10);
  EXPECT_FALSE(other->may_accept(1));
  full->set_taking(false);
  EXPECT_TRUE(other->may_accept(1)) << "at once, not with its next turn";
  EXPECT_FALSE(other->alone()) << "it drains no backlog of others";
  full->set_working(1);
  EXPECT_TRUE(other->may_accept(1));
  full->set_waiting();
  EXPECT_TRUE(other->may_accept(1));
  full->set_taking(true);
  full->set_waiting();
  EXPECT_FALSE(other->may_accept(1));
}

TEST(Board, StartsItsSlotAnew) {
  const Memory memory(64);
  {
    Result<Board> first = Board::open(memory.fd(), 0);
    first->set_connections(9);
    first->set_waiting();
    Result<Board> second = Board::open(memory.fd(), 0);  // the first was killed
    EXPECT_EQ(memory.read<std::uint64_t>(0), 0u);
    EXPECT_EQ(memory.read<std::uint32_t>(8), 0u);
  }
}

TEST(Board, MovesItsMapping) {
  const Memory memory(64);
  Result<Board> opened = Board::open(memory.fd(), 0);
  Board board;
  board = std::move(*opened);
  EXPECT_FALSE(opened->present());
  board.set_connections(2);
  EXPECT_EQ(memory.read<std::uint32_t>(8), 2u);
  board = Board();
  EXPECT_EQ(memory.read<std::uint32_t>(8), 0u);
}

TEST(Board, AcceptsAlone) {
  Workers workers(4);
  for (unsigned i = 1; i < 4; ++i) workers[i].leave();
  workers.set(0, 5000);
  EXPECT_TRUE(workers[0].may_accept(1));
}

TEST(Board, StaysAwayWhenClearlyAboveTheMean) {
  Workers workers(2);
  workers.set(0, 100);
  workers.set(1, 60);  // mean 80, limit 90
  EXPECT_FALSE(workers[0].may_accept(1));
  EXPECT_TRUE(workers[1].may_accept(1));
  workers.set(1, 80);  // mean 90, limit 101
  EXPECT_TRUE(workers[0].may_accept(1));
}

TEST(Board, LeavesRoomForFewConnections) {
  Workers workers(2);
  workers.set(0, 2);
  EXPECT_TRUE(workers[0].may_accept(1));  // 2 and 0
  workers.set(0, 3);
  EXPECT_FALSE(workers[0].may_accept(1));  // 3 and 0
}

TEST(Board, CountsNobodyWhoIsStuck) {
  Workers workers(2);
  workers.set(0, 100);
  workers[1].set_working(1000);
  EXPECT_FALSE(workers[0].may_accept(1000));
  EXPECT_FALSE(workers[0].may_accept(1099));
  EXPECT_TRUE(workers[0].may_accept(1100));
  EXPECT_FALSE(workers[0].may_accept(900));  // our time was read before theirs
  workers[1].set_waiting();
  EXPECT_FALSE(workers[0].may_accept(5000));
}

TEST(Board, CountsItselfEvenWhenItWorks) {
  Workers workers(2);
  workers[0].set_working(0);
  workers.set(0, 100);
  EXPECT_FALSE(workers[0].may_accept(10'000));
}

TEST(Board, CountsNobodyWhoIsAbsent) {
  Workers workers(3);
  workers.set(0, 100);
  workers.set(1, 100);
  EXPECT_FALSE(workers[0].may_accept(1));  // limit 66.7 + 8.3
  workers.memory().zero_slot(2);           // died; the supervisor has reaped it
  EXPECT_TRUE(workers[0].may_accept(1));
  EXPECT_TRUE(workers[1].may_accept(1));
}

TEST(Board, WakesTheOthers) {
  const int wake = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  {
    Workers workers(2, wake);
    EXPECT_EQ(workers[0].wake_descriptor(), wake);
    workers[0].wake_others();
    std::uint64_t count = 0;
    ASSERT_EQ(::read(wake, &count, sizeof count), static_cast<ssize_t>(sizeof count));
    workers[1].leave();
    ASSERT_EQ(::read(wake, &count, sizeof count), static_cast<ssize_t>(sizeof count));
  }
  ::close(wake);
}

// What the kernel and the servers do, without them: the backlog goes to the first listening worker
// in `order`; who is told no pauses and wakes the others, who then ask again.
class Simulation {
 public:
  explicit Simulation(unsigned count) : workers_(count), listening_(count, true), count_(count) {}

  Workers& workers() { return workers_; }
  // False: nobody took it. Tries from `first` on.
  bool arrive(unsigned first) {
    for (unsigned tries = 0; tries < 2 * count_; ++tries) {
      const unsigned i = (first + tries) % count_;
      if (!listening_[i]) continue;
      if (workers_[i].may_accept(1)) {
        workers_.add(i);
        return true;
      }
      listening_[i] = false;
      for (unsigned j = 0; j < count_; ++j) {
        if (j != i && !listening_[j]) listening_[j] = workers_[j].may_accept(1);
      }
    }
    return false;
  }
  bool depart(unsigned i) {
    if (workers_.connections()[i] == 0) return false;
    workers_.remove(i);
    if (!listening_[i]) listening_[i] = workers_[i].may_accept(1);
    return true;
  }
  bool somebody_may_accept() {
    for (unsigned i = 0; i < count_; ++i) {
      if (workers_[i].may_accept(1)) return true;
    }
    return false;
  }
  double most_by_mean() const { return workers_.most() * double{1} * count_ / workers_.sum(); }

 private:
  Workers workers_;
  std::vector<bool> listening_;
  unsigned count_;
};

// Good enough, and the same everywhere.
class Dice {
 public:
  unsigned below(unsigned n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state_ >> 33) % n;
  }

 private:
  std::uint64_t state_ = 1;
};

constexpr std::array<unsigned, 8> kCounts = {1, 2, 3, 4, 7, 16, 33, 64};

TEST(BoardPolicy, KeepsEveryWorkerNearTheMeanWhenTheKernelPrefersOne) {
  // EPOLLEXCLUSIVE wakes the first idle waiter of the queue: always the same one.
  for (const unsigned count : kCounts) {
    Simulation simulation(count);
    for (unsigned n = 1; n <= count * 300; ++n) {
      ASSERT_TRUE(simulation.arrive(0)) << count << " workers, connection " << n;
      if (n >= 8 * count) {
        ASSERT_LE(simulation.most_by_mean(), 1.3) << count << ", " << n;
      }
    }
  }
}

TEST(BoardPolicy, KeepsEveryWorkerNearTheMeanInAnyOrder) {
  Dice dice;
  for (const unsigned count : kCounts) {
    Simulation simulation(count);
    for (unsigned n = 1; n <= count * 300; ++n) {
      ASSERT_TRUE(simulation.arrive(dice.below(count)));
      if (n >= 8 * count) {
        ASSERT_LE(simulation.most_by_mean(), 1.3) << count << ", " << n;
      }
    }
  }
}

TEST(BoardPolicy, AlwaysLeavesOneWhoAccepts) {
  Dice dice;
  for (const unsigned count : kCounts) {
    Simulation simulation(count);
    for (unsigned n = 0; n < 20'000; ++n) {
      if (dice.below(5) < 3) {
        ASSERT_TRUE(simulation.arrive(dice.below(count)));
      } else {
        simulation.depart(dice.below(count));
      }
      ASSERT_TRUE(simulation.somebody_may_accept());
    }
  }
}

TEST(BoardPolicy, RecoversWhenOneWorkerLosesItsClients) {
  for (const unsigned count : kCounts) {
    Simulation simulation(count);
    for (unsigned n = 0; n < count * 100; ++n) ASSERT_TRUE(simulation.arrive(0));
    while (simulation.depart(count - 1)) continue;
    while (simulation.depart(count / 2)) continue;
    for (unsigned n = 0; n < count * 100; ++n) ASSERT_TRUE(simulation.arrive(0));
    EXPECT_LE(simulation.most_by_mean(), 1.3) << count;
  }
}

}  // namespace
}  // namespace lanner::process
