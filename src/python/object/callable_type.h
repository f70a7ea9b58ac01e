// python/object/callable_type.h: heap types whose instances are called by vectorcall and made by the
// engine only.

#pragma once

#include <Python.h>

#include <cstddef>

#include <structmember.h>

#include "python/object/slots.h"

namespace lanner::python {

// A new type for `Object`, a struct with PyObject_HEAD and a member `vectorcallfunc vectorcall`;
// null with an exception set.
template <class Object>
PyTypeObject* make_callable_type(PyObject* module, const char* name, const char* doc,
                                 destructor dealloc) noexcept {
  PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(Object, vectorcall), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_dealloc, slot(dealloc)},
                         {Py_tp_call, slot(PyVectorcall_Call)},
                         {Py_tp_members, members},
                         {Py_tp_doc, const_cast<char*>(doc)},
                         {0, nullptr}};
  PyType_Spec spec = {name, sizeof(Object), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                          Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                      slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  return reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type, or null
}

}  // namespace lanner::python
