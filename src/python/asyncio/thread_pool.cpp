// python/asyncio/thread_pool.cpp: lanner._core.ThreadPool: Python threads that run what a loop hands over.

#include "python/asyncio/thread_pool.h"

#include <new>
#include <utility>

#include "net/job_queue.h"
#include "python/asyncio/poller_type.h"
#include "python/object/exception.h"
#include "python/object/forked.h"
#include "python/object/slots.h"

namespace lanner::python {

namespace {

// callable(*args) is run by a worker, then `future` gets `result`, or `error` if there is one.
struct PoolJob final : net::Job {
  Ref future;
  Ref callable;
  Ref args;
  Ref result;
  Ref error;
};

struct PoolState {
  PoolState(net::Loop& loop, std::size_t workers_max) noexcept : queue(loop, workers_max) {}
  net::JobQueue queue;
  Ref poller;  // owns the loop that the queue wakes
  Ref start;
  bool abandoned = false;
  bool closed = false;
};

struct ThreadPool {
  PyObject_HEAD
  PoolState* state;
};

PoolState* state_of_pool(PyObject* object) noexcept {
  // SAFETY: only called for objects of our type.
  return reinterpret_cast<ThreadPool*>(object)->state;
}

void drop_jobs(net::JobList& jobs) noexcept {
  while (net::Job* job = jobs.pop_front()) delete static_cast<PoolJob*>(job);
}

int pool_init(PyObject* object, PyObject* args, PyObject* names) noexcept {
  static const char* const keywords[] = {"poller", "threads_max", "start", nullptr};
  PyObject* poller = nullptr;
  PyObject* start = nullptr;
  Py_ssize_t threads_max = 0;
  if (!PyArg_ParseTupleAndKeywords(args, names, "OnO:ThreadPool", const_cast<char**>(keywords),
                                   &poller, &threads_max, &start)) {
    return -1;
  }
  if (threads_max <= 0 || !PyCallable_Check(start) || state_of_pool(object)) {
    PyErr_SetString(PyExc_ValueError, "ThreadPool(poller, threads_max > 0, start callable), once");
    return -1;
  }
  net::Loop* loop = poller_loop(state_of_type<AsyncioState>(Py_TYPE(object)), poller);
  if (!loop) return -1;
  auto* state = new (std::nothrow) PoolState(*loop, static_cast<std::size_t>(threads_max));
  if (!state) {
    (void)PyErr_NoMemory();
    return -1;
  }
  state->poller = Ref::borrow(poller);
  state->start = Ref::borrow(start);
  reinterpret_cast<ThreadPool*>(object)->state = state;  // SAFETY: allocated as such
  return 0;
}

// submit(future, callable, *args): the future gets what callable(*args) returns or raises.
PyObject* pool_submit(PyObject* object, PyObject* const* args, Py_ssize_t count) noexcept {
  PoolState* self = state_of_pool(object);
  if (count < 2) {
    return PyErr_Format(PyExc_TypeError, "submit() needs a future and something to call");
  }
  if (!self || self->closed) {
    return PyErr_Format(PyExc_RuntimeError, "cannot schedule new futures after shutdown");
  }
  PoolJob* job = new (std::nothrow) PoolJob;
  if (!job) return PyErr_NoMemory();
  job->future = Ref::borrow(args[0]);
  job->callable = Ref::borrow(args[1]);
  job->args = Ref::steal(PyTuple_New(count - 2));
  for (Py_ssize_t i = 2; job->args && i < count; ++i) {
    PyTuple_SET_ITEM(job->args.get(), i - 2, share(args[i]));
  }
  if (!job->args) {
    delete job;
    return nullptr;
  }
  if (self->queue.submit(*job) && !Ref::steal(PyObject_CallNoArgs(self->start.get()))) {
    self->queue.worker_failed();
    return nullptr;
  }
  return share(args[0]);
}

void run_job(AsyncioState* state, PoolJob* job) noexcept {
  Ref cancelled = Ref::steal(PyObject_CallMethodNoArgs(job->future.get(), state->names.cancelled));
  if (cancelled && cancelled.get() != Py_True) {
    PyObject* const* first = &PyTuple_GET_ITEM(job->args.get(), 0);
    const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(job->args.get()));
    const std::uint32_t born = sys::fork_count();
    job->result = Ref::steal(PyObject_Vectorcall(job->callable.get(), first, count, nullptr));
    if (came_back(born)) end_forked();
  }
  if (PyErr_Occurred()) job->error = take_exception();
  job->callable.clear();
  job->args.clear();
}

// The body of one thread.
PyObject* pool_run_thread(PyObject* object, PyObject*) noexcept {
  PoolState* self = state_of_pool(object);
  AsyncioState* state = state_of_type<AsyncioState>(Py_TYPE(object));
  net::JobQueue::Wait how = net::JobQueue::Wait::woken;
  while (how != net::JobQueue::Wait::closed) {
    bool woken = how == net::JobQueue::Wait::woken;
    while (auto* job = static_cast<PoolJob*>(self->queue.take(woken))) {
      woken = false;
      run_job(state, job);
      if (self->abandoned) {
        delete job;
      } else {
        self->queue.complete(*job);
      }
    }
    Py_BEGIN_ALLOW_THREADS how = self->queue.wait();
    Py_END_ALLOW_THREADS
  }
  return none();
}

PyObject* pool_close(PyObject* object, PyObject*) noexcept {
  PoolState* self = state_of_pool(object);
  self->closed = true;
  self->queue.close();
  return none();
}

int pool_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  PoolState* self = state_of_pool(object);
  if (!self) return 0;
  if (int code = self->poller.traverse(visit, arg)) return code;
  return self->start.traverse(visit, arg);
}

int pool_clear(PyObject* object) noexcept {
  PoolState* self = state_of_pool(object);
  if (self) self->start.clear();
  return 0;
}

void pool_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (PoolState* self = state_of_pool(object)) {
    abandon_jobs(object);
    while (net::Job* job = self->queue.take(false)) delete static_cast<PoolJob*>(job);
    delete self;
  }
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

// As asyncio's futures do from 3.12 on; before, they refuse a StopIteration.
void wrap(Ref& stop) noexcept {
  PyErr_SetString(
      PyExc_RuntimeError,
      "StopIteration interacts badly with generators and cannot be raised into a Future");
  Ref error = take_exception();
  if (!error) return;
  PyException_SetCause(error.get(), stop.release());
  stop = std::move(error);
}

// False with an exception set. concurrent.futures' own exceptions become asyncio's, as in
// asyncio.wrap_future().
bool settle(AsyncioState* state, PoolJob& job) noexcept {
  PyObject* future = job.future.get();
  Ref done = Ref::steal(PyObject_CallMethodNoArgs(future, state->names.done));
  if (!done || done.get() == Py_True) return bool(done);
  if (!job.error) {
    PyObject* value = job.result ? job.result.get() : Py_None;
    return bool(Ref::steal(PyObject_CallMethodOneArg(future, state->names.set_result, value)));
  }
  if (PyErr_GivenExceptionMatches(job.error.get(), PyExc_StopIteration)) wrap(job.error);
  Ref futures = Ref::steal(PyImport_ImportModule("asyncio.futures"));
  Ref error = Ref::steal(
      futures ? PyObject_CallMethod(futures.get(), "_convert_future_exc", "O", job.error.get())
              : nullptr);
  if (!error) return false;
  return bool(
      Ref::steal(PyObject_CallMethodOneArg(future, state->names.set_exception, error.get())));
}

}  // namespace

bool deliver_jobs(PyObject* pool, LoopCore& core) noexcept {
  PoolState* self = state_of_pool(pool);
  if (!self->queue.has_completed()) return true;
  net::JobList done;
  self->queue.take_completed(done);
  while (auto* job = static_cast<PoolJob*>(done.pop_front())) {
    if (!settle(core.state(), *job)) {
      core.failed("Exception in a future of run_in_executor()", nullptr, nullptr);
    }
    delete job;
  }
  return true;
}

void abandon_jobs(PyObject* pool) noexcept {
  PoolState* self = state_of_pool(pool);
  self->abandoned = true;
  net::JobList done;
  self->queue.take_completed(done);
  drop_jobs(done);
}

int add_thread_pool_type(PyObject* module, AsyncioState* state) noexcept {
  static PyMethodDef methods[] = {
      {"submit", method(pool_submit), METH_FASTCALL,
       PyDoc_STR("submit(future, callable, *args) -> future")},
      {"run_thread", pool_run_thread, METH_NOARGS,
       PyDoc_STR("run_thread()\n\nThe body of one thread: runs what is submitted until close().")},
      {"close", pool_close, METH_NOARGS,
       PyDoc_STR("close()\n\nThe threads end when all that was submitted has run.")},
      {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_new, slot(PyType_GenericNew)},
      {Py_tp_init, slot(pool_init)},
      {Py_tp_dealloc, slot(pool_dealloc)},
      {Py_tp_traverse, slot(pool_traverse)},
      {Py_tp_clear, slot(pool_clear)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("ThreadPool(poller, threads_max, start)\n\nPython threads that "
                                    "run what a loop hands over.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.ThreadPool", sizeof(ThreadPool), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->thread_pool_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type
  return type ? PyModule_AddObjectRef(module, "ThreadPool", type) : -1;
}

}  // namespace lanner::python
