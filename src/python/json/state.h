// python/json/state.h: the state of lanner.json: its type, the cache of keys, and what was learnt of Python's types.

#pragma once

#include <Python.h>

#include <cstddef>

#include "python/json/text.h"
#include "python/json/types.h"
#include "python/object/state.h"

namespace lanner::python {

struct JsonState {
  explicit JsonState(ObjectState& object) noexcept : names(object) {}

  ObjectState& names;
  PyTypeObject* raw_type = nullptr;
  JsonKeys keys;
  JsonTypes types;
  bool dict_entries = false;       // dict_entries_known()
  std::size_t expected_bytes = 0;  // how much the next text may need, by the last one
  // lanner.Model, by the room above: the class of its classes, and the values of an object by their names in JSON (a
  // new dict; null with an exception set).
  PyTypeObject* model_meta_type = nullptr;
  PyObject* (*model_to_dict)(PyObject* object) noexcept = nullptr;

  template <class F>
  int each(F&& f) noexcept {
    PyObject** slots[] = {slot_of(raw_type), slot_of(model_meta_type), &types.enum_type,
                          &types.uuid_type,  &types.field_kind,        &types.decimal_type};
    for (PyObject** slot : slots) {
      if (const int code = f(slot)) return code;
    }
    return 0;
  }
};

template <>
JsonState* state_in<JsonState>(void* whole) noexcept;

// Each adds to the module; -1 with an exception set.
int add_json_raw_type(PyObject* module, JsonState* state) noexcept;
int add_json_functions(PyObject* module, JsonState* state) noexcept;

}  // namespace lanner::python
