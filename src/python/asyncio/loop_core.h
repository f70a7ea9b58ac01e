// python/asyncio/loop_core.h: the C++ state of one asyncio loop: ready queue, timers, descriptors, and
// pending flushes.
//
// One iteration of the loop (run_once) is one iteration of the engine: wait and dispatch (C++
// watchers run here, without the GIL until they take it), due timers, the handles that were ready,
// flushes. All of it belongs to the loop's thread, with the GIL, except where a comment says
// otherwise.

#pragma once

#include <Python.h>

#include "base/intrusive_list.h"
#include "base/ring.h"
#include "net/loop.h"
#include "python/asyncio/asyncio_parts.h"
#include "python/asyncio/loop_handle.h"
#include "python/asyncio/loop_watches.h"
#include "python/asyncio/state.h"
#include "python/object/forked.h"
#include "python/object/gil.h"
#include "python/object/ref.h"

namespace lanner::python {

struct FlushTag {};

// A transport that has bytes to write at the end of the iteration.
class Flushable : public ListNode<FlushTag> {
 public:
  // On the loop's thread, with the GIL. May queue itself or others again: they are flushed too.
  virtual void flush() noexcept = 0;

 protected:
  ~Flushable() {
    if (linked()) unlink();
  }
};

class LoopCore final {
 public:
  // Null with an exception set. loop: the asyncio loop this is of (borrowed: it owns this); poller:
  // a lanner._core.Poller (a reference is kept).
  static LoopCore* create(AsyncioState* state, PyObject* loop, PyObject* poller) noexcept;
  LoopCore(const LoopCore&) = delete;
  LoopCore& operator=(const LoopCore&) = delete;
  ~LoopCore() { clear(); }

  AsyncioState* state() noexcept { return state_; }
  PyObject* loop() noexcept { return loop_; }
  PyObject* poller() noexcept { return poller_.get(); }
  net::Loop& engine() noexcept { return engine_; }
  Gil& gil() noexcept { return gil_; }
  LoopWatches& watches() noexcept { return watches_; }

  // ---- handles. `args` is a tuple, taken over (null: an exception is set already); `context` is
  // borrowed, null: a copy of the present one.

  // A new reference to the queued handle; null with an exception set.
  PyObject* call_soon(PyObject* callback, PyObject* args, PyObject* context) noexcept;
  // The same without returning the handle, with one argument or none (null). False with an
  // exception set.
  bool soon(PyObject* callback, PyObject* argument, PyObject* context) noexcept;
  // `when`: a number, in seconds of now().
  PyObject* call_at(PyObject* when, PyObject* callback, PyObject* args, PyObject* context) noexcept;
  // Queues a handle that exists (borrowed). False with an exception set.
  bool add_ready(PyObject* handle) noexcept;
  // Removes a cancelled timer from the heap at once.
  void forget_timer(PyObject* timer) noexcept;

  // ---- for watchers and transports

  // Flushes it at the end of this iteration, or at once when the loop is not running.
  void queue_flush(Flushable& one) noexcept;
  // The exception in flight came out of a callback: SystemExit and KeyboardInterrupt are raised by
  // run_once() when the turn ends, anything else goes to the loop's exception handler, with
  // `message` and, unless null, `transport` and `protocol`.
  void failed(const char* message, PyObject* transport, PyObject* protocol) noexcept;
  // The exception in flight is SystemExit or KeyboardInterrupt.
  static bool is_exit() noexcept {
    return PyErr_ExceptionMatches(PyExc_SystemExit) ||
           PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
  }

  // The results of this ThreadPool's jobs are set in the loop's iterations. False with an exception
  // set.
  bool add_pool(PyObject* pool) noexcept;

  // The loop runs from now on in the calling thread, or no longer.
  void set_running(bool running) noexcept { runner_ = running ? PyThread_get_thread_ident() : 0; }
  bool runs() const noexcept { return runner_ != 0; }
  // Whether the calling thread may touch what belongs to the loop's: the loop runs in it, or does
  // not run.
  bool in_own_thread() const noexcept {
    return runner_ == 0 || runner_ == PyThread_get_thread_ident();
  }
  // The same, for what a turn touches without the GIL; false with an exception set.
  bool check_thread(const char* what) const noexcept;

  // Any thread, and signal handlers: the loop's wait ends.
  void wake() noexcept { engine_.wake(); }

  // ---- the loop itself

  // None; null with an exception set.
  PyObject* run_once() noexcept;
  // Seconds of the monotonic clock, or what another time() says, of a subclass or put in its place.
  // NaN with an exception set.
  double now() noexcept;
  // now() + `delay`, as time() + delay is in Python; null with an exception set.
  PyObject* after(PyObject* delay) noexcept;
  // The loop's attribute `time` was set or deleted.
  void forget_clock() noexcept { type_version_ = 0; }
  static double monotonic_s() noexcept;
  // Drops all handles.
  void clear() noexcept;
  int traverse(visitproc visit, void* arg) noexcept;
  // New lists of the queued and the scheduled handles; null with an exception set.
  PyObject* list_ready() noexcept;
  PyObject* list_timers() noexcept;

  // asyncio's attributes of a loop: its code in Python sets them.
  bool closed = false;
  bool stopping = false;
  bool debugging = false;

 private:
  // Whether time() is ours: looked up again when the loop's class has changed.
  bool own_clock() noexcept {
    return type_version_ == Py_TYPE(loop_)->tp_version_tag && type_version_ != 0 ? own_clock_
                                                                                 : look_at_clock();
  }
  bool look_at_clock() noexcept;
  LoopCore(AsyncioState* state, PyObject* loop, PyObject* poller, net::Loop& engine,
           Gil& gil) noexcept;
  int wait_ms() noexcept;
  bool queue_due() noexcept;
  bool run_ready() noexcept;
  bool run_handle(PyObject* handle) noexcept;
  bool run_timed(PyObject* handle) noexcept;
  bool run_other(PyObject* handle) noexcept;
  bool call(PyObject* handle) noexcept;
  void flush_all() noexcept;
  bool deliver() noexcept;
  bool call_exception_handler(const char* message, PyObject* error, PyObject* transport,
                              PyObject* protocol) noexcept;

  AsyncioState* state_;
  PyObject* loop_;
  Ref poller_;
  net::Loop& engine_;  // the poller's
  Gil& gil_;           // the poller's
  LoopWatches watches_;
  Ring<PyObject> ready_;  // owned references
  TimerHeap timers_;      // owned references
  IntrusiveList<Flushable, FlushTag> flushables_;
  Ref pools_;                 // a list of ThreadPools; null: none
  Ref exit_;                  // an exception that run_once() is to raise
  unsigned long runner_ = 0;  // the thread that runs the loop; 0: none
  const std::uint32_t born_ = sys::fork_count();
  unsigned type_version_ = 0;  // of the loop's class, when its time() was looked up
  bool own_clock_ = true;
  bool running_ = false;
};

// The core of a loop whose class derives from LoopBase; null with an exception set: TypeError, or
// RuntimeError when its __init__ has not run.
LoopCore* core_of(AsyncioState* state, PyObject* loop) noexcept;

}  // namespace lanner::python
