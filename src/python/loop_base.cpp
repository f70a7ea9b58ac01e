// python/loop_base.cpp: lanner._core.LoopBase: the base in C of Lanner's asyncio loop.

#include "python/loop_base.h"

#include <cstddef>

#include <structmember.h>

#include "python/slots.h"

namespace lanner::python {

namespace {

struct LoopBase {
  PyObject_HEAD
  PyObject* inherited_call_soon;  // asyncio's functions, looked up at the first use
  PyObject* inherited_set_debug;
  PyObject* caught;
  bool catching;
  bool debug;
};

LoopBase* as_loop(PyObject* object) noexcept {
  return reinterpret_cast<LoopBase*>(object);  // SAFETY: only called for objects of our type
}

// A method of asyncio's BaseEventLoop, borrowed from *slot, where it is kept after the first use.
PyObject* inherited(PyObject** slot, const char* name) noexcept {
  if (*slot) return *slot;
  Ref module = Ref::steal(PyImport_ImportModule("asyncio.base_events"));
  Ref type = Ref::steal(module ? PyObject_GetAttrString(module.get(), "BaseEventLoop") : nullptr);
  *slot = type ? PyObject_GetAttrString(type.get(), name) : nullptr;
  return *slot;
}

// call_soon(callback, *args, context=None), as asyncio's.
PyObject* call_soon(PyObject* object, PyObject* const* args, Py_ssize_t count,
                    PyObject* names) noexcept {
  LoopBase* self = as_loop(object);
  if (self->catching && count == 1) {
    self->catching = false;
    self->caught = share(args[0]);
    return none();
  }
  PyObject* function = inherited(&self->inherited_call_soon, "call_soon");
  if (!function) return nullptr;
  const Py_ssize_t total = count + (names ? PyTuple_GET_SIZE(names) : 0);
  constexpr Py_ssize_t kFew = 8;
  PyObject* few[kFew + 1];
  PyObject** all = few;
  if (total > kFew) {
    all = static_cast<PyObject**>(PyMem_Malloc(static_cast<std::size_t>(total + 1) * sizeof *all));
    if (!all) return PyErr_NoMemory();
  }
  all[0] = object;
  for (Py_ssize_t i = 0; i < total; ++i) all[i + 1] = args[i];
  PyObject* result = PyObject_Vectorcall(function, all, static_cast<std::size_t>(count + 1), names);
  if (all != few) PyMem_Free(all);
  return result;
}

// asyncio's own is a Python function, and every future and task asks it.
PyObject* get_debug(PyObject* object, PyObject*) noexcept {
  return share(as_loop(object)->debug ? Py_True : Py_False);
}

PyObject* set_debug(PyObject* object, PyObject* enabled) noexcept {
  LoopBase* self = as_loop(object);
  const int truth = PyObject_IsTrue(enabled);
  PyObject* function = truth < 0 ? nullptr : inherited(&self->inherited_set_debug, "set_debug");
  if (!function) return nullptr;
  self->debug = truth == 1;
  return PyObject_CallFunctionObjArgs(function, object, enabled, nullptr);
}

int loop_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(as_loop(object)->inherited_call_soon);
  Py_VISIT(as_loop(object)->inherited_set_debug);
  Py_VISIT(as_loop(object)->caught);
  return 0;
}

int loop_clear(PyObject* object) noexcept {
  Py_CLEAR(as_loop(object)->inherited_call_soon);
  Py_CLEAR(as_loop(object)->inherited_set_debug);
  Py_CLEAR(as_loop(object)->caught);
  return 0;
}

void loop_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  (void)loop_clear(object);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

}  // namespace

bool is_loop_base(ModuleState* state, PyObject* loop) noexcept {
  return PyObject_TypeCheck(loop, state->loop_base_type);
}

void begin_catching(PyObject* loop) noexcept { as_loop(loop)->catching = true; }

PyObject* end_catching(PyObject* loop) noexcept {
  LoopBase* self = as_loop(loop);
  self->catching = false;
  PyObject* caught = self->caught;
  self->caught = nullptr;
  return caught;
}

int add_loop_base_type(PyObject* module, ModuleState* state) noexcept {
  static PyMethodDef methods[] = {
      {"call_soon", method(call_soon), METH_FASTCALL | METH_KEYWORDS,
       PyDoc_STR("call_soon(callback, *args, context=None)")},
      {"get_debug", get_debug, METH_NOARGS, PyDoc_STR("get_debug() -> bool")},
      {"set_debug", set_debug, METH_O, PyDoc_STR("set_debug(enabled)")},
      {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(loop_dealloc)},
      {Py_tp_traverse, slot(loop_traverse)},
      {Py_tp_clear, slot(loop_clear)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("The base in C of Lanner's asyncio event loop.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.LoopBase", sizeof(LoopBase), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->loop_base_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type
  return type ? PyModule_AddObjectRef(module, "LoopBase", type) : -1;
}

}  // namespace lanner::python
