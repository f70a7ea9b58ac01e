// python/schema/state.h: the state of lanner.schema: its types. Those of lanner.json are used with them.

#pragma once

#include <Python.h>

#include "python/json/state.h"
#include "python/object/state.h"

namespace lanner::python {

struct SchemaState {
  explicit SchemaState(JsonState& lower) noexcept : names(lower.names), json(lower) {}

  ObjectState& names;
  JsonState& json;
  PyTypeObject* schema_type = nullptr;
  PyTypeObject* validation_error_type = nullptr;

  template <class F>
  int each(F&& f) noexcept {
    if (const int code = f(slot_of(schema_type))) return code;
    return f(slot_of(validation_error_type));
  }
};

template <>
SchemaState* state_in<SchemaState>(void* whole) noexcept;

// Each adds its types to the module; -1 with an exception set.
int add_schema_type(PyObject* module, SchemaState* state) noexcept;
int add_validation_error_type(PyObject* module, SchemaState* state) noexcept;
int add_model_types(PyObject* module, SchemaState* state) noexcept;

}  // namespace lanner::python
