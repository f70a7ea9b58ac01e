// python/schema/new_slots.h: makes objects of classes with slots together with their fields.

#pragma once

#include <Python.h>

#include <cstdint>

#include "python/object/ref.h"
#include "schema/plan.h"

namespace lanner::python {

// A new object of the record's class; takes the values of all fields over, null ones stay unset.
// Null with an exception set: they are dropped. REQUIRES: record.make == Make::slots.
[[gnu::always_inline]] inline PyObject* new_slots(const schema::Record& record,
                                                  PyObject** values) noexcept {
  auto* type = static_cast<PyTypeObject*>(record.type);
  // Where all is filled at once, it is not zeroed before, as tp_alloc does.
  PyObject* object = record.slots_only ? PyObject_GC_New(PyObject, type) : type->tp_alloc(type, 0);
  if (!object) [[unlikely]] {
    for (std::size_t i = 0; i < record.offsets.size(); ++i) drop(values[i]);
    return nullptr;
  }
  // SAFETY: each offset is that of a T_OBJECT_EX member of the type (schema/compile.cpp checks it).
  char* base = reinterpret_cast<char*>(object);
  for (const std::intptr_t offset : record.offsets) {
    *reinterpret_cast<PyObject**>(base + offset) = *values++;  // SAFETY: as above.
  }
  if (record.slots_only) PyObject_GC_Track(object);
  return object;
}

}  // namespace lanner::python
