// python/asyncio/awaitable.cpp: what ASGI's receive() and send() return.

#include "python/asyncio/awaitable.h"

#include <utility>

#include "python/object/slots.h"

namespace lanner::python {

namespace {

// inner: an iterator that is driven first; null: none. Then, where `message` is not null,
// `callable` is the send that takes it; else it is what to ask for a message, or null: the value is
// None. The GIL protects all.
struct Awaitable {
  PyObject_HEAD
  PyObject* inner;
  PyObject* callable;
  PyObject* message;
};

Awaitable* as_awaitable(PyObject* object) noexcept {
  return reinterpret_cast<Awaitable*>(object);  // SAFETY: only called for objects of our type
}

PySendResult awaitable_send(PyObject* object, PyObject* sent, PyObject** result) noexcept {
  Awaitable* self = as_awaitable(object);
  for (;;) {
    if (self->inner) {
      const PySendResult how = PyIter_Send(self->inner, sent, result);
      if (how != PYGEN_RETURN) return how;
      drop(*result);
      Py_CLEAR(self->inner);
      sent = Py_None;
    }
    if (!self->callable) {
      *result = none();
      return PYGEN_RETURN;
    }
    if (self->message) {
      Ref send = Ref::steal(std::exchange(self->callable, nullptr));
      Ref message = Ref::steal(std::exchange(self->message, nullptr));
      self->inner = send_message(send.get(), message.get());
      if (!self->inner) return PYGEN_ERROR;
      continue;
    }
    PyObject* future = nullptr;
    *result = take_message(self->callable, &future);
    if (*result) {
      Py_CLEAR(self->callable);
      return PYGEN_RETURN;
    }
    if (!future) return PYGEN_ERROR;
    self->inner = PyObject_CallMethod(future, "__await__", nullptr);
    drop(future);
    if (!self->inner) return PYGEN_ERROR;
  }
}

PyObject* awaitable_next(PyObject* object) noexcept {
  PyObject* result = nullptr;
  const PySendResult how = awaitable_send(object, Py_None, &result);
  if (how == PYGEN_NEXT) return result;
  if (how == PYGEN_RETURN) {
    if (result != Py_None) {
      // A tuple or exception as the value would be taken apart: wrapped, as generators do.
      Ref stop = Ref::steal(PyObject_CallOneArg(PyExc_StopIteration, result));
      if (stop) PyErr_SetObject(PyExc_StopIteration, stop.get());
    }
    drop(result);
  }
  return nullptr;
}

// The method form always says StopIteration, also for None.
PyObject* awaitable_send_method(PyObject* object, PyObject* sent) noexcept {
  PyObject* result = nullptr;
  const PySendResult how = awaitable_send(object, sent, &result);
  if (how == PYGEN_NEXT) return result;
  if (how == PYGEN_RETURN) {
    Ref stop = Ref::steal(result == Py_None ? PyObject_CallNoArgs(PyExc_StopIteration)
                                            : PyObject_CallOneArg(PyExc_StopIteration, result));
    if (stop) PyErr_SetObject(PyExc_StopIteration, stop.get());
    drop(result);
  }
  return nullptr;
}

PyObject* awaitable_throw(PyObject* object, PyObject* args) noexcept {
  Awaitable* self = as_awaitable(object);
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  if (!PyArg_ParseTuple(args, "O|OO:throw", &type, &value, &traceback)) return nullptr;
  if (self->inner) {
    Ref method = Ref::steal(PyObject_GetAttrString(self->inner, "throw"));
    return method ? PyObject_CallObject(method.get(), args) : nullptr;
  }
  if (PyExceptionInstance_Check(type)) {
    PyErr_SetObject(PyExceptionInstance_Class(type), type);
  } else if (PyExceptionClass_Check(type)) {
    PyErr_SetObject(type, value && value != Py_None ? value : nullptr);
  } else {
    PyErr_SetString(PyExc_TypeError, "throw() takes an exception");
  }
  return nullptr;
}

PyObject* awaitable_close(PyObject* object, PyObject*) noexcept {
  Awaitable* self = as_awaitable(object);
  if (self->inner) {
    Ref method = Ref::steal(PyObject_GetAttrString(self->inner, "close"));
    if (!method) {
      PyErr_Clear();
      return none();
    }
    return PyObject_CallNoArgs(method.get());
  }
  return none();
}

int awaitable_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(as_awaitable(object)->inner);
  Py_VISIT(as_awaitable(object)->callable);
  Py_VISIT(as_awaitable(object)->message);
  return 0;
}

int awaitable_clear(PyObject* object) noexcept {
  Py_CLEAR(as_awaitable(object)->inner);
  Py_CLEAR(as_awaitable(object)->callable);
  Py_CLEAR(as_awaitable(object)->message);
  return 0;
}

void awaitable_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  (void)awaitable_clear(object);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

// Takes over both.
PyObject* make(AsyncioState* state, PyObject* inner, PyObject* callable) noexcept {
  PyObject* object = state->awaitable_type->tp_alloc(state->awaitable_type, 0);
  if (!object) {
    drop(inner);
    drop(callable);
    return nullptr;
  }
  as_awaitable(object)->inner = inner;
  as_awaitable(object)->callable = callable;
  return object;
}

}  // namespace

PyObject* new_ready(AsyncioState* state) noexcept { return make(state, nullptr, nullptr); }

PyObject* new_waiting(AsyncioState* state, PyObject* future) noexcept {
  PyObject* inner = PyObject_CallMethodNoArgs(future, state->names.dunder_await);
  return inner ? make(state, inner, nullptr) : nullptr;
}

PyObject* new_receiving(AsyncioState* state, PyObject* receive) noexcept {
  return make(state, nullptr, share(receive));
}

PyObject* new_sending(AsyncioState* state, PyObject* send, PyObject* message) noexcept {
  PyObject* object = make(state, nullptr, share(send));
  if (object) as_awaitable(object)->message = share(message);
  return object;
}

void renew_receiving(PyObject* awaitable, PyObject* receive) noexcept {
  Awaitable* self = as_awaitable(awaitable);
  Py_CLEAR(self->inner);
  PyObject* old = self->callable;
  self->callable = share(receive);
  drop(old);
}

int add_awaitable_type(PyObject* module, AsyncioState* state) noexcept {
  static PyMethodDef methods[] = {
      {"send", awaitable_send_method, METH_O, PyDoc_STR("send(value)\n\nAs of a coroutine.")},
      {"throw", awaitable_throw, METH_VARARGS, PyDoc_STR("throw(exception)\n\nAs of a coroutine.")},
      {"close", awaitable_close, METH_NOARGS, PyDoc_STR("close()\n\nAs of a coroutine.")},
      {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(awaitable_dealloc)},
      {Py_tp_traverse, slot(awaitable_traverse)},
      {Py_tp_clear, slot(awaitable_clear)},
      {Py_tp_iter, slot(PyObject_SelfIter)},
      {Py_tp_iternext, slot(awaitable_next)},
      {Py_am_await, slot(PyObject_SelfIter)},
      {Py_am_send, slot(awaitable_send)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("What ASGI's receive() and send() return: await it.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.Awaitable", sizeof(Awaitable), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->awaitable_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type
  return type ? 0 : -1;
}

}  // namespace lanner::python
