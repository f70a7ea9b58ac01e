// python/asyncio/loop_core.cpp: one asyncio loop: what is ready, when, and in which order it runs.

#include "python/asyncio/loop_core.h"

#include <cmath>
#include <ctime>
#include <new>
#include <utility>

#include "python/asyncio/loop_base.h"
#include "python/asyncio/poller_type.h"
#include "python/asyncio/thread_pool.h"
#include "python/object/exception.h"

namespace lanner::python {

namespace {

constexpr double kWaitMaxS = 86'400.0;      // asyncio's MAXIMUM_SELECT_TIMEOUT
constexpr double kClockResolutionS = 1e-9;  // of CLOCK_MONOTONIC

}  // namespace

LoopCore* LoopCore::create(AsyncioState* state, PyObject* loop, PyObject* poller) noexcept {
  net::Loop* engine = poller_loop(state, poller);
  if (!engine) return nullptr;
  LoopCore* core = new (std::nothrow) LoopCore(state, loop, poller, *engine, poller_gil(poller));
  if (!core) (void)PyErr_NoMemory();
  return core;
}

LoopCore::LoopCore(AsyncioState* state, PyObject* loop, PyObject* poller, net::Loop& engine,
                   Gil& gil) noexcept
    : state_(state),
      loop_(loop),
      poller_(Ref::borrow(poller)),
      engine_(engine),
      gil_(gil),
      watches_(engine) {}

double LoopCore::monotonic_s() noexcept {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

bool LoopCore::look_at_clock() noexcept {
  Ref time = Ref::steal(PyObject_GetAttr(loop_, state_->names.time));
  if (!time) PyErr_Clear();  // whoever calls it hears of that
  own_clock_ = time && is_own_time(time.get());
  type_version_ = Py_TYPE(loop_)->tp_version_tag;
  return own_clock_;
}

double LoopCore::now() noexcept {
  if (own_clock()) return monotonic_s();
  Ref time = Ref::steal(PyObject_CallMethodNoArgs(loop_, state_->names.time));
  const double seconds = time ? PyFloat_AsDouble(time.get()) : -1.0;
  return seconds == -1.0 && PyErr_Occurred() ? std::nan("") : seconds;
}

PyObject* LoopCore::after(PyObject* delay) noexcept {
  if (!own_clock()) {
    Ref time = Ref::steal(PyObject_CallMethodNoArgs(loop_, state_->names.time));
    return time ? PyNumber_Add(time.get(), delay) : nullptr;
  }
  const double delay_s = PyFloat_AsDouble(delay);
  if (delay_s == -1.0 && PyErr_Occurred()) return nullptr;
  return PyFloat_FromDouble(monotonic_s() + delay_s);
}

bool LoopCore::check_thread(const char* what) const noexcept {
  if (in_own_thread()) return true;
  PyErr_Format(PyExc_RuntimeError,
               "%s was used off the thread that runs its event loop: use "
               "loop.call_soon_threadsafe()",
               what);
  return false;
}

// ---- handles

bool LoopCore::add_ready(PyObject* handle) noexcept {
  if (!ready_.push_back(handle)) {
    (void)PyErr_NoMemory();
    return false;
  }
  (void)share(handle);  // the queue's
  return true;
}

PyObject* LoopCore::call_soon(PyObject* callback, PyObject* args, PyObject* context) noexcept {
  Ref handle = Ref::steal(make_handle(state_, loop_, debugging, callback, args, context, nullptr));
  return handle && add_ready(handle.get()) ? handle.release() : nullptr;
}

bool LoopCore::soon(PyObject* callback, PyObject* argument, PyObject* context) noexcept {
  PyObject* args = argument ? PyTuple_Pack(1, argument) : PyTuple_New(0);
  return bool(Ref::steal(call_soon(callback, args, context)));
}

PyObject* LoopCore::call_at(PyObject* when, PyObject* callback, PyObject* args,
                            PyObject* context) noexcept {
  Ref owned_args = Ref::steal(args);
  const double when_s = PyFloat_AsDouble(when);
  if (when_s == -1.0 && PyErr_Occurred()) return nullptr;
  Ref timer = Ref::steal(
      make_handle(state_, loop_, debugging, callback, owned_args.release(), context, when));
  if (!timer) return nullptr;
  if (!timers_.push(timer.get(), when_s)) return PyErr_NoMemory();
  PyObject* scheduled = share(Py_True);
  std::swap(scheduled, field_of(timer.get(), state_->parts.slots.scheduled));
  drop(scheduled);
  return share(timer.release());  // one reference is the heap's
}

void LoopCore::forget_timer(PyObject* timer) noexcept {
  if (TimerPlace::of(timer) == TimerHeap::kNowhere) return;
  timers_.remove(timer);
  drop(std::exchange(field_of(timer, state_->parts.slots.scheduled), share(Py_False)));
  drop(timer);  // the heap's
}

// ---- one turn

PyObject* LoopCore::run_once() noexcept {
  Ref keep = Ref::borrow(loop_);
  const int wait = wait_ms();
  if (wait < -1) return nullptr;
  // A loop that had nothing to do also runs what the first handles queue: what comes of an event
  // (a future's result, then the task that awaits it) needs one look at descriptors, not two.
  const bool idle = ready_.empty();
  running_ = true;
  const bool fine = poller_turn(poller_.get(), wait) && deliver() && watches_.queue_ready(*this) &&
                    queue_due() && run_ready() && (!idle || stopping || run_ready());
  if (fine) {
    flush_all();
  } else {
    Raised raised;
    flush_all();
    raised.restore();
  }
  running_ = false;
  if (!fine) return nullptr;
  if (exit_) {
    raise_exception(std::move(exit_));
    return nullptr;
  }
  return none();
}

bool LoopCore::add_pool(PyObject* pool) noexcept {
  if (!pools_) pools_ = Ref::steal(PyList_New(0));
  return pools_ && PyList_Append(pools_.get(), pool) == 0;
}

// What other threads have done.
bool LoopCore::deliver() noexcept {
  for (Py_ssize_t i = 0; pools_ && i < PyList_GET_SIZE(pools_.get()); ++i) {
    if (!deliver_jobs(PyList_GET_ITEM(pools_.get(), i), *this)) return false;
  }
  return true;
}

// -1: until something happens; -2 with an exception set.
int LoopCore::wait_ms() noexcept {
  if (!ready_.empty() || stopping || !flushables_.empty() || exit_) return 0;
  if (timers_.empty()) return -1;
  const double left = timers_.least() - now();
  if (std::isnan(left)) return PyErr_Occurred() ? -2 : 0;
  if (left <= 0) return 0;
  return static_cast<int>(std::ceil((left < kWaitMaxS ? left : kWaitMaxS) * 1000.0));
}

bool LoopCore::queue_due() noexcept {
  if (timers_.empty()) return true;
  const double end = now() + kClockResolutionS;
  if (std::isnan(end)) return false;
  while (!timers_.empty() && !(timers_.least() >= end)) {
    PyObject* timer = timers_[0];
    if (!ready_.push_back(timer)) {
      (void)PyErr_NoMemory();
      return false;
    }
    (void)timers_.pop();  // the reference is the queue's now
    drop(std::exchange(field_of(timer, state_->parts.slots.scheduled), share(Py_False)));
  }
  return true;
}

// Those that are ready now; what they queue has its turn after the next look at descriptors.
bool LoopCore::run_ready() noexcept {
  for (std::size_t left = ready_.size(); left > 0 && !ready_.empty(); --left) {
    Ref handle = Ref::steal(ready_.pop_front());
    if (!(debugging ? run_timed(handle.get()) : run_handle(handle.get()))) return false;
  }
  return true;
}

bool LoopCore::run_handle(PyObject* handle) noexcept {
  const AsyncioParts& asyncio = state_->parts;
  const bool known = Py_IS_TYPE(handle, asyncio.handle_type) ||
                     Py_IS_TYPE(handle, asyncio.timer_type) ||
                     Py_IS_TYPE(handle, asyncio.handle_base);
  if (!known) return run_other(handle);
  if (field_of(handle, asyncio.slots.cancelled) == Py_True) return true;
  if (call(handle)) return true;
  if (is_exit()) return false;
  Ref error = take_exception();
  PyObject* args[] = {handle, error.get()};
  return bool(Ref::steal(PyObject_Vectorcall(asyncio.callback_failed, args, 2, nullptr)));
}

// The handle's callback in its context. False with an exception set.
bool LoopCore::call(PyObject* handle) noexcept {
  const HandleSlots& slots = state_->parts.slots;
  // The callback may cancel its own handle, which then lets go of these.
  Ref callback = Ref::borrow(field_of(handle, slots.callback));
  Ref args = Ref::borrow(field_of(handle, slots.args));
  PyObject* context = field_of(handle, slots.context);
  if (!callback || !args || !context || !PyTuple_Check(args.get())) {
    PyErr_SetString(PyExc_RuntimeError, "a handle without callback, arguments or context");
    return false;
  }
  if (PyContext_Enter(context) < 0) return false;
  PyObject* const* first = &PyTuple_GET_ITEM(args.get(), 0);
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(args.get()));
  Ref result = Ref::steal(PyObject_Vectorcall(callback.get(), first, count, nullptr));
  if (came_back(born_)) end_forked();
  const bool left = PyContext_Exit(context) == 0;
  return result && left;
}

// In debug mode: the handle is known to the loop's exception handler, and a slow one is logged.
bool LoopCore::run_timed(PyObject* handle) noexcept {
  if (PyObject_SetAttrString(loop_, "_current_handle", handle) < 0) return false;
  const double begin = now();
  bool fine = run_handle(handle);
  const double took_s = fine ? now() - begin : 0.0;
  Raised raised;
  if (PyObject_SetAttrString(loop_, "_current_handle", Py_None) < 0) PyErr_Clear();
  raised.restore();
  if (!fine || std::isnan(took_s)) return false;
  Ref limit = Ref::steal(PyObject_GetAttrString(loop_, "slow_callback_duration"));
  const double limit_s = limit ? PyFloat_AsDouble(limit.get()) : -1.0;
  if (limit_s == -1.0 && PyErr_Occurred()) return false;
  if (took_s < limit_s) return true;
  return bool(Ref::steal(PyObject_CallFunction(state_->parts.callback_slow, "Od", handle, took_s)));
}

// What somebody put into the queue that is no handle of asyncio's, but like one.
bool LoopCore::run_other(PyObject* handle) noexcept {
  Ref cancelled = Ref::steal(PyObject_GetAttrString(handle, "_cancelled"));
  const int truth = cancelled ? PyObject_IsTrue(cancelled.get()) : -1;
  if (truth != 0) return truth == 1;
  return bool(Ref::steal(PyObject_CallMethod(handle, "_run", nullptr)));
}

// ---- for watchers and transports

void LoopCore::queue_flush(Flushable& one) noexcept {
  if (!running_) return one.flush();
  if (!one.linked()) flushables_.push_back(one);
}

void LoopCore::flush_all() noexcept {
  while (Flushable* one = flushables_.pop_front()) one->flush();
}

void LoopCore::failed(const char* message, PyObject* transport, PyObject* protocol) noexcept {
  const bool exits = is_exit();
  Ref error = take_exception();
  if (!exits) {
    if (call_exception_handler(message, error.get(), transport, protocol)) return;
    error = take_exception();  // the handler ends the program, or memory is out
  }
  if (!exit_) exit_ = std::move(error);  // the first one counts
}

// False with an exception set.
bool LoopCore::call_exception_handler(const char* message, PyObject* error, PyObject* transport,
                                      PyObject* protocol) noexcept {
  Ref context = Ref::steal(Py_BuildValue("{sssO}", "message", message, "exception", error));
  if (!context) return false;
  if (transport && PyDict_SetItemString(context.get(), "transport", transport) < 0) return false;
  if (protocol && PyDict_SetItemString(context.get(), "protocol", protocol) < 0) return false;
  return bool(Ref::steal(PyObject_CallMethod(loop_, "call_exception_handler", "O", context.get())));
}

// ---- the end

void LoopCore::clear() noexcept {
  while (!ready_.empty()) drop(ready_.pop_front());
  while (!timers_.empty()) {
    PyObject* timer = timers_.pop();
    drop(std::exchange(field_of(timer, state_->parts.slots.scheduled), share(Py_False)));
    drop(timer);
  }
  watches_.clear();
  exit_.clear();
  Ref pools = std::move(pools_);
  for (Py_ssize_t i = 0; pools && i < PyList_GET_SIZE(pools.get()); ++i) {
    abandon_jobs(PyList_GET_ITEM(pools.get(), i));
  }
}

int LoopCore::traverse(visitproc visit, void* arg) noexcept {
  for (std::size_t i = 0; i < ready_.size(); ++i) Py_VISIT(ready_[i]);
  for (std::size_t i = 0; i < timers_.size(); ++i) Py_VISIT(timers_[i]);
  for (const Ref* ref : {&poller_, &pools_, &exit_}) {
    if (int code = ref->traverse(visit, arg)) return code;
  }
  return watches_.traverse(visit, arg);
}

PyObject* LoopCore::list_ready() noexcept {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(ready_.size()));
  for (std::size_t i = 0; list && i < ready_.size(); ++i) {
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), share(ready_[i]));
  }
  return list;
}

PyObject* LoopCore::list_timers() noexcept {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(timers_.size()));
  for (std::size_t i = 0; list && i < timers_.size(); ++i) {
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), share(timers_[i]));
  }
  return list;
}

}  // namespace lanner::python
