// python/module/module_state.h: what one instance of the module owns: the state of each room.

#pragma once

#include <Python.h>

#include "python/asgi/state.h"
#include "python/asyncio/state.h"
#include "python/json/state.h"
#include "python/native/state.h"
#include "python/object/state.h"
#include "python/schema/state.h"
#include "python/wsgi/state.h"

namespace lanner::python {

struct ModuleState {
  ObjectState object;
  JsonState json{object};
  SchemaState schema{json};
  AsyncioState asyncio{object};
  WsgiState wsgi{object};
  AsgiState asgi{asyncio};
  NativeState native{schema, asgi};
  PyTypeObject* server_type = nullptr;

  int init() noexcept;  // -1 with an exception set
  int traverse(visitproc visit, void* arg) noexcept;
  void clear() noexcept;
};

template <>
ModuleState* state_in<ModuleState>(void* whole) noexcept;

// Adds the type to the module; -1 with an exception set.
int add_server_type(PyObject* module, ModuleState* state) noexcept;

}  // namespace lanner::python
