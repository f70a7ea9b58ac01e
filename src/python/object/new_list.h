// python/object/new_list.h: makes a list of existing objects with one copy of their addresses.

#pragma once

#include <cstddef>
#include <cstring>

#include "python/object/layout.h"
#include "python/object/ref.h"

namespace lanner::python {

// Takes the references; null with an exception set: none was taken. PyList_New(n) would first clear
// the items, which is half of the cost of a short list.
inline PyObject* new_list(PyObject* const* values, std::size_t count) noexcept {
#if !LANNER_LAYOUTS
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
  if (!list) return nullptr;
  for (std::size_t i = 0; i < count; ++i)
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), values[i]);
  return list;
#else
  PyObject* list = PyList_New(0);
  if (!list || count == 0) return list;
  void* const memory = PyMem_Malloc(count * sizeof(PyObject*));
  if (!memory) {
    drop(list);
    return PyErr_NoMemory();
  }
  std::memcpy(memory, values, count * sizeof(PyObject*));
  // SAFETY: PyListObject is public (cpython/listobject.h); list frees ob_item by PyMem_Free().
  auto* const made = reinterpret_cast<PyListObject*>(list);
  made->ob_item = static_cast<PyObject**>(memory);
  made->allocated = static_cast<Py_ssize_t>(count);
  Py_SET_SIZE(made, static_cast<Py_ssize_t>(count));
  return list;
#endif
}

}  // namespace lanner::python
