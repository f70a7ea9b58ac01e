// python/asyncio/loop_watches.h: the descriptors watched by add_reader() and add_writer(), directly on the
// engine's poller.
//
// Level-triggered, as asyncio has it. A descriptor has at most one reader and one writer: handles,
// which are queued once for each turn in which it is ready.

#pragma once

#include <Python.h>

#include "base/buffer.h"
#include "net/loop.h"

namespace lanner::python {

class LoopCore;

class LoopWatches final {
 public:
  enum class Side : int { read = 0, write = 1 };

  explicit LoopWatches(net::Loop& engine) noexcept : engine_(engine) {}
  LoopWatches(const LoopWatches&) = delete;
  LoopWatches& operator=(const LoopWatches&) = delete;
  ~LoopWatches() { clear(); }

  // `file`: a descriptor or an object with fileno(). `handle` is borrowed and kept; the one before
  // it is cancelled. -1 with an exception set: OSError, or ValueError as the selectors module says.
  int add(PyObject* file, Side side, PyObject* handle) noexcept;
  // 1: was watched, its handle is cancelled; 0: was not; -1 with an exception set.
  int remove(PyObject* file, Side side) noexcept;
  // Queues the handles of what was ready in this turn. False with an exception set.
  bool queue_ready(LoopCore& core) noexcept;
  // A new dict: descriptor -> (file, reader or None, writer or None); null with an exception set.
  PyObject* list() const noexcept;
  // Drops all without cancelling them.
  void clear() noexcept;
  int traverse(visitproc visit, void* arg) const noexcept;

 private:
  class Watch;
  struct Ready {
    int fd;
    bool sides[2];
  };

  std::size_t table_size() const noexcept { return table_.size() / sizeof(Watch*); }
  Watch** slot(int fd) noexcept;
  Watch* find(int fd) noexcept;
  Watch** make_slot(int fd) noexcept;
  // -1: not watched; -2 with an exception set.
  int find_descriptor(PyObject* file) noexcept;
  bool apply(Watch& watch) noexcept;
  void drop_watch(Watch* watch) noexcept;

  net::Loop& engine_;
  Buffer table_;  // Watch*[], by descriptor
  Buffer ready_;  // Ready[], of the turn that runs
};

}  // namespace lanner::python
