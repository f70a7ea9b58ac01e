// python/native/state.h: the state of native applications: their types.

#pragma once

#include <Python.h>

#include "python/asgi/state.h"
#include "python/json/state.h"
#include "python/object/state.h"
#include "python/schema/state.h"

namespace lanner::python {

struct NativeState {
  NativeState(SchemaState& schemas, AsgiState& asgi_state) noexcept
      : names(schemas.names), json(schemas.json), schema(schemas), asgi(asgi_state) {}

  ObjectState& names;
  JsonState& json;
  SchemaState& schema;
  AsgiState& asgi;
  PyTypeObject* app_type = nullptr;
  PyTypeObject* done_type = nullptr;

  template <class F>
  int each(F&& f) noexcept {
    if (const int code = f(slot_of(app_type))) return code;
    return f(slot_of(done_type));
  }
};

template <>
NativeState* state_in<NativeState>(void* whole) noexcept;

// Each adds its types to the module; -1 with an exception set.
int add_native_app_type(PyObject* module, NativeState* state) noexcept;
int add_native_done_type(PyObject* module, NativeState* state) noexcept;

}  // namespace lanner::python
