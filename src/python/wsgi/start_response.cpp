// python/wsgi/start_response.cpp: the callables of a WSGI call: start_response, write() and
// wsgi.early_hints.

#include "python/wsgi/start_response.h"

#include "python/object/callable_type.h"
#include "python/wsgi/call.h"

namespace lanner::python {

namespace {

struct Callable {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  WsgiCall* call;
  PyObject*
      write;  // start_response only: what it returns; borrowed from the kit, dropped with `call`
};

Callable* as_callable(PyObject* object) noexcept {
  return reinterpret_cast<Callable*>(object);  // SAFETY: only called for objects of our types
}

WsgiCall* call_of(PyObject* object, const char* name) noexcept {
  WsgiCall* call = as_callable(object)->call;
  if (!call) {
    PyErr_Format(PyExc_RuntimeError, "%s was called after its request had ended", name);
  } else if (!call->on_own_thread()) {
    // What it touches is at work without the GIL, or paused until the loop's thread goes on.
    PyErr_Format(PyExc_RuntimeError, "%s was called off the thread that runs its request", name);
    return nullptr;
  }
  return call;
}

PyObject* call_start_response(PyObject* object, PyObject* const* args, size_t flags,
                              PyObject* names) noexcept {
  WsgiCall* call = call_of(object, "start_response()");
  if (!call) return nullptr;
  const Py_ssize_t positional = PyVectorcall_NARGS(flags);
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  if (positional < 2 || positional + named > 3) {
    PyErr_SetString(PyExc_TypeError,
                    "start_response(status, response_headers[, exc_info]) takes 2 or 3 arguments, "
                    "the first two by position (PEP 3333)");
    return nullptr;
  }
  if (named && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "exc_info") != 0) {
    PyErr_Format(PyExc_TypeError, "start_response() has no argument %R",
                 PyTuple_GET_ITEM(names, 0));
    return nullptr;
  }
  PyObject* exc_info = positional + named == 3 ? args[2] : nullptr;
  if (!call->start_response(args[0], args[1], exc_info)) return nullptr;
  return share(as_callable(object)->write);
}

PyObject* call_write(PyObject* object, PyObject* const* args, size_t flags,
                     PyObject* names) noexcept {
  WsgiCall* call = call_of(object, "write()");
  if (!call) return nullptr;
  if (PyVectorcall_NARGS(flags) != 1 || names) {
    PyErr_SetString(PyExc_TypeError, "write(body_data) takes one bytes object");
    return nullptr;
  }
  return call->write(args[0]);
}

PyObject* call_early_hints(PyObject* object, PyObject* const* args, size_t flags,
                           PyObject* names) noexcept {
  WsgiCall* call = call_of(object, "wsgi.early_hints");
  if (!call) return nullptr;
  if (PyVectorcall_NARGS(flags) != 1 || names) {
    PyErr_SetString(PyExc_TypeError, "wsgi.early_hints(headers) takes one list of (name, value)");
    return nullptr;
  }
  return call->early_hints(args[0]);
}

PyObject* make(PyTypeObject* type, vectorcallfunc function, PyObject* write) noexcept {
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  as_callable(object)->vectorcall = function;
  as_callable(object)->write = write ? share(write) : nullptr;
  return object;
}

void dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  drop(as_callable(object)->write);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

}  // namespace

PyObject* new_start_response(WsgiState* state, PyObject* write) noexcept {
  return make(state->start_response_type, call_start_response, write);
}
PyObject* new_write(WsgiState* state) noexcept {
  return make(state->write_type, call_write, nullptr);
}
PyObject* new_early_hints(WsgiState* state) noexcept {
  return make(state->early_hints_type, call_early_hints, nullptr);
}

void bind_callable(PyObject* callable, WsgiCall* call) noexcept {
  as_callable(callable)->call = call;
}

int add_start_response_types(PyObject* module, WsgiState* state) noexcept {
  state->start_response_type = make_callable_type<Callable>(module, "lanner._core.StartResponse",
                                                            "start_response of PEP 3333.", dealloc);
  if (!state->start_response_type) return -1;
  state->write_type = make_callable_type<Callable>(module, "lanner._core.Write",
                                                   "The write() callable of PEP 3333.", dealloc);
  if (!state->write_type) return -1;
  state->early_hints_type = make_callable_type<Callable>(
      module, "lanner._core.EarlyHints", "wsgi.early_hints: sends 103 (RFC 8297).", dealloc);
  return state->early_hints_type ? 0 : -1;
}

}  // namespace lanner::python
