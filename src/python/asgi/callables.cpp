// python/asgi/callables.cpp: receive and send of an ASGI request, and the done callback of its
// task, as Python callables.

#include <Python.h>

#include "python/asgi/call.h"
#include "python/asgi/handler.h"
#include "python/asyncio/awaitable.h"
#include "python/object/callable_type.h"

namespace lanner::python {

namespace {

struct Callable {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  AsgiCall* call;        // null: the request is over
  AsgiHandler* handler;  // done callbacks only
};

Callable* as_callable(PyObject* object) noexcept {
  return reinterpret_cast<Callable*>(object);  // SAFETY: only called for objects of our types
}

bool takes(PyObject* names, Py_ssize_t given, Py_ssize_t wanted, const char* what) noexcept {
  if (!names && given == wanted) return true;
  PyErr_Format(PyExc_TypeError, "%s takes %zd arguments by position (%zd given)", what, wanted,
               given);
  return false;
}

PyObject* over(const char* what) noexcept {
  PyErr_Format(PyExc_RuntimeError, "%s was called after its request had ended", what);
  return nullptr;
}

// A step of what receive() or send() gave, on a thread whose loop is not the request's: what it
// touches belongs to that loop, which may be at work on it without the GIL.
PyObject* elsewhere(const char* what) noexcept {
  PyErr_Format(PyExc_RuntimeError,
               "%s was awaited off the thread of its request's event loop: use "
               "asyncio.run_coroutine_threadsafe(%s, loop)",
               what, what);
  return nullptr;
}

// Off the loop's thread nothing happens before the await, which may be on it.
PyObject* call_receive(PyObject* object, PyObject* const*, size_t flags, PyObject* names) noexcept {
  if (!takes(names, PyVectorcall_NARGS(flags), 0, "receive()")) return nullptr;
  AsgiCall* call = as_callable(object)->call;
  if (!call) return over("receive()");
  return call->on_own_thread() ? call->receiving() : new_receiving(&call->state()->asyncio, object);
}

PyObject* call_send(PyObject* object, PyObject* const* args, size_t flags,
                    PyObject* names) noexcept {
  if (!takes(names, PyVectorcall_NARGS(flags), 1, "send(message)")) return nullptr;
  AsgiCall* call = as_callable(object)->call;
  if (!call) return over("send()");
  return call->on_own_thread() ? call->send(args[0])
                               : new_sending(&call->state()->asyncio, object, args[0]);
}

// asyncio calls it with the task, from its ready queue.
PyObject* call_task_done(PyObject* object, PyObject* const*, size_t, PyObject*) noexcept {
  AsgiCall* call = as_callable(object)->call;
  as_callable(object)->call = nullptr;
  if (call && call->on_task_done()) as_callable(object)->handler->call_ended(call);
  return none();
}

PyObject* make(PyTypeObject* type, vectorcallfunc function) noexcept {
  PyObject* object = type->tp_alloc(type, 0);
  if (object) as_callable(object)->vectorcall = function;
  return object;
}

void dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

}  // namespace

PyObject* take_message(PyObject* receive, PyObject** future) noexcept {
  AsgiCall* call = as_callable(receive)->call;
  if (!call) return over("receive()");
  return call->on_own_thread() ? call->take_message(future) : elsewhere("receive()");
}

PyObject* send_message(PyObject* send, PyObject* message) noexcept {
  AsgiCall* call = as_callable(send)->call;
  if (!call) return over("send()");
  return call->on_own_thread() ? call->send(message) : elsewhere("send(message)");
}

void bind_asgi_callable(PyObject* callable, AsgiCall* call) noexcept {
  as_callable(callable)->call = call;
}
PyObject* new_receive(AsgiState* state) noexcept { return make(state->receive_type, call_receive); }
PyObject* new_send(AsgiState* state) noexcept { return make(state->send_type, call_send); }

PyObject* AsgiHandler::watch_task(AsgiCall* call, PyObject* task) noexcept {
  Ref callback = Ref::steal(make(app_.state()->task_done_type, call_task_done));
  if (!callback) return nullptr;
  as_callable(callback.get())->call = call;
  as_callable(callback.get())->handler = this;
  Ref added = Ref::steal(
      PyObject_CallMethodOneArg(task, app_.state()->names.add_done_callback, callback.get()));
  return added ? callback.release() : nullptr;
}

int add_asgi_call_types(PyObject* module, AsgiState* state) noexcept {
  state->receive_type = make_callable_type<Callable>(module, "lanner._core.Receive",
                                                     "receive() of an ASGI request.", dealloc);
  if (!state->receive_type) return -1;
  state->send_type = make_callable_type<Callable>(module, "lanner._core.Send",
                                                  "send(message) of an ASGI request.", dealloc);
  if (!state->send_type) return -1;
  state->task_done_type = make_callable_type<Callable>(
      module, "lanner._core.TaskDone", "Tells the engine that a request's task is done.", dealloc);
  return state->task_done_type ? 0 : -1;
}

}  // namespace lanner::python
