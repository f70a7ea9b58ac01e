// python/asyncio/task_registry.cpp: asyncio's set of all tasks, with its add() in C.

#include "python/asyncio/task_registry.h"

#include <cstddef>

#include <structmember.h>

#include "python/object/slots.h"

namespace lanner::python {

namespace {

// Both callables: add(task), and the removal of a dead entry. They share the parts of the WeakSet,
// which are never replaced during its life (weakrefset.py).
struct Registry {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  PyObject* owner;      // the WeakSet
  PyObject* data;       // set of weak references
  PyObject* iterating;  // set: not empty while somebody iterates
  PyObject* pending;    // list of dead references to be removed afterwards
  PyObject* remover;    // of add() only
};

Registry* as_registry(PyObject* object) noexcept {
  return reinterpret_cast<Registry*>(object);  // SAFETY: only called for objects of our type
}

PyObject* remove_entry(PyObject* object, PyObject* const* args, size_t flags, PyObject*) noexcept {
  Registry* self = as_registry(object);
  if (PyVectorcall_NARGS(flags) != 1) return nullptr;
  if (PySet_GET_SIZE(self->iterating) > 0) {
    if (PyList_Append(self->pending, args[0]) < 0) return nullptr;
  } else if (PySet_Discard(self->data, args[0]) < 0) {
    return nullptr;
  }
  return none();
}

PyObject* add_entry(PyObject* object, PyObject* const* args, size_t flags,
                    PyObject* names) noexcept {
  Registry* self = as_registry(object);
  if (PyVectorcall_NARGS(flags) != 1 || names) {
    PyErr_SetString(PyExc_TypeError, "add() takes one argument");
    return nullptr;
  }
  if (PyList_GET_SIZE(self->pending) > 0) {
    Ref done = Ref::steal(PyObject_CallMethod(self->owner, "_commit_removals", nullptr));
    if (!done) return nullptr;
  }
  Ref entry = Ref::steal(PyWeakref_NewRef(args[0], self->remover));
  if (!entry || PySet_Add(self->data, entry.get()) < 0) return nullptr;
  return none();
}

int registry_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Registry* self = as_registry(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->owner);
  Py_VISIT(self->data);
  Py_VISIT(self->iterating);
  Py_VISIT(self->pending);
  Py_VISIT(self->remover);
  return 0;
}

int registry_clear(PyObject* object) noexcept {
  Registry* self = as_registry(object);
  Py_CLEAR(self->owner);
  Py_CLEAR(self->data);
  Py_CLEAR(self->iterating);
  Py_CLEAR(self->pending);
  Py_CLEAR(self->remover);
  return 0;
}

void registry_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  (void)registry_clear(object);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

PyObject* make(AsyncioState* state, PyObject* owner, vectorcallfunc function,
               PyObject* remover) noexcept {
  PyObject* object = state->registry_type->tp_alloc(state->registry_type, 0);
  if (!object) return nullptr;
  Registry* self = as_registry(object);
  self->vectorcall = function;
  self->owner = share(owner);
  self->data = PyObject_GetAttrString(owner, "data");
  self->iterating = PyObject_GetAttrString(owner, "_iterating");
  self->pending = PyObject_GetAttrString(owner, "_pending_removals");
  self->remover = remover ? share(remover) : nullptr;
  const bool expected = self->data && PySet_CheckExact(self->data) && self->iterating &&
                        PySet_CheckExact(self->iterating) && self->pending &&
                        PyList_CheckExact(self->pending);
  if (expected) return object;
  drop(object);
  PyErr_Clear();
  return nullptr;
}

}  // namespace

int speed_up_task_registry(AsyncioState* state) noexcept {
  Ref tasks = Ref::steal(PyImport_ImportModule("asyncio.tasks"));
  if (!tasks) return -1;
  Ref owner = Ref::steal(PyObject_GetAttrString(tasks.get(), "_all_tasks"));
  if (!owner) {
    PyErr_Clear();
    return 0;
  }
  Ref remover = Ref::steal(make(state, owner.get(), remove_entry, nullptr));
  Ref add = Ref::steal(remover ? make(state, owner.get(), add_entry, remover.get()) : nullptr);
  if (!add) return PyErr_Occurred() ? -1 : 0;
  if (PyObject_SetAttrString(owner.get(), "add", add.get()) < 0) PyErr_Clear();
  return 0;
}

int add_task_registry_type(PyObject* module, AsyncioState* state) noexcept {
  PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(Registry, vectorcall), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_dealloc, slot(registry_dealloc)},
                         {Py_tp_traverse, slot(registry_traverse)},
                         {Py_tp_clear, slot(registry_clear)},
                         {Py_tp_call, slot(PyVectorcall_Call)},
                         {Py_tp_members, members},
                         {Py_tp_doc, const_cast<char*>("add() of asyncio's set of all tasks.")},
                         {0, nullptr}};
  PyType_Spec spec = {"lanner._core.TaskRegistry", sizeof(Registry), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                          Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                      slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->registry_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type, or null
  return type ? 0 : -1;
}

}  // namespace lanner::python
