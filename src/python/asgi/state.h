// python/asgi/state.h: the state of ASGI: the types of its callables, names of fields as bytes.

#pragma once

#include <Python.h>

#include <array>
#include <cstddef>

#include "http/token.h"
#include "python/asyncio/state.h"
#include "python/object/state.h"

namespace lanner::python {

struct AsgiState {
  explicit AsgiState(AsyncioState& lower) noexcept : names(lower.names), asyncio(lower) {}

  ObjectState& names;
  AsyncioState& asyncio;
  PyTypeObject* receive_type = nullptr;
  PyTypeObject* send_type = nullptr;
  PyTypeObject* task_done_type = nullptr;
  std::array<PyObject*, static_cast<std::size_t>(http::Token::count)>
      field_names{};  // b"accept" ... by Token

  int init() noexcept;  // -1 with an exception set
  template <class F>
  int each(F&& f) noexcept {
    PyObject** types[] = {slot_of(receive_type), slot_of(send_type), slot_of(task_done_type)};
    for (PyObject** type : types) {
      if (const int code = f(type)) return code;
    }
    for (PyObject*& name : field_names) {
      if (const int code = f(&name)) return code;
    }
    return 0;
  }
};

template <>
AsgiState* state_in<AsgiState>(void* whole) noexcept;

// Adds the types to the module; -1 with an exception set.
int add_asgi_call_types(PyObject* module, AsgiState* state) noexcept;

}  // namespace lanner::python
