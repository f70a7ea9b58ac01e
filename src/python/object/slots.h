// python/object/slots.h: converts functions to the pointer types of the C API's tables.

#pragma once

#include <Python.h>

namespace lanner::python {

// For PyType_Slot and PyModuleDef_Slot.
template <class Function>
void* slot(Function* function) noexcept {
  // SAFETY: the C API keeps functions as void* and calls them by slot.
  return reinterpret_cast<void*>(function);
}

// For PyMethodDef: METH_FASTCALL and METH_KEYWORDS functions too.
template <class Function>
PyCFunction method(Function* function) noexcept {
  // SAFETY: called as what its flags say, as CPython's own tables do.
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace lanner::python
