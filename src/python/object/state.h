// python/object/state.h: the state that every room uses: interned names and empty values; and how a room finds its own.
//
// There are no static objects: the module's memory holds one struct for each room. Only module/module_state.cpp knows
// them all, so a room's header declares `template <> RoomState* state_in<RoomState>(void*) noexcept`, defined there.

#pragma once

#include <Python.h>

#include <array>

#include "python/object/ref.h"

namespace lanner::python {

struct ObjectState {
  // Interned, see names.def.
#define LANNER_NAME(name, text) PyObject* name = nullptr;
#include "python/object/names.def"
#undef LANNER_NAME
  PyObject* empty_bytes = nullptr;
  PyObject* empty_tuple = nullptr;
  std::array<PyObject*, 16> methods{};  // by http::Method

  int init() noexcept;  // -1 with an exception set
  // Calls f(slot) for each reference until one gives non-zero, and returns that. So in every room's state.
  template <class F>
  int each(F&& f) noexcept {
    PyObject** interned[] = {
#define LANNER_NAME(name, text) &this->name,
#include "python/object/names.def"
#undef LANNER_NAME
        &empty_bytes, &empty_tuple};
    for (PyObject** slot : interned) {
      if (const int code = f(slot)) return code;
    }
    for (PyObject*& text : methods) {
      if (const int code = f(&text)) return code;
    }
    return 0;
  }
};

// A class or function of a state, as a reference like any other.
inline PyObject** slot_of(PyTypeObject*& type) noexcept {
  // SAFETY: PyTypeObject begins with PyObject; the C API itself casts so.
  return reinterpret_cast<PyObject**>(&type);
}

// A room's state in that of the module.
template <class State>
State* state_in(void* whole) noexcept;
template <>
ObjectState* state_in<ObjectState>(void* whole) noexcept;

template <class State>
State* state_of(PyObject* module) noexcept {
  return state_in<State>(PyModule_GetState(module));
}

// REQUIRES: one of this module's types, not one that derives from it.
template <class State>
State* state_of_type(PyTypeObject* type) noexcept {
  return state_in<State>(PyType_GetModuleState(type));
}

// Of a type of this module, or of one that derives from it. Borrowed; null with an exception set.
PyObject* module_of(PyTypeObject* type) noexcept;

}  // namespace lanner::python
