// python/wsgi/state.h: the state of WSGI: the types of its objects, keys of fields in the environ.

#pragma once

#include <Python.h>

#include <array>
#include <cstddef>

#include "http/token.h"
#include "python/object/state.h"

namespace lanner::python {

struct WsgiState {
  explicit WsgiState(ObjectState& object) noexcept : names(object) {}

  ObjectState& names;
  PyTypeObject* input_type = nullptr;
  PyTypeObject* start_response_type = nullptr;
  PyTypeObject* write_type = nullptr;
  PyTypeObject* early_hints_type = nullptr;
  PyTypeObject* file_wrapper_type = nullptr;
  std::array<PyObject*, static_cast<std::size_t>(http::Token::count)>
      http_keys{};  // "HTTP_ACCEPT" ... by Token

  int init() noexcept;  // -1 with an exception set
  template <class F>
  int each(F&& f) noexcept {
    PyObject** types[] = {slot_of(input_type), slot_of(start_response_type), slot_of(write_type),
                          slot_of(early_hints_type), slot_of(file_wrapper_type)};
    for (PyObject** type : types) {
      if (const int code = f(type)) return code;
    }
    for (PyObject*& key : http_keys) {
      if (const int code = f(&key)) return code;
    }
    return 0;
  }
};

template <>
WsgiState* state_in<WsgiState>(void* whole) noexcept;

// Each adds its types to the module; -1 with an exception set.
int add_input_type(PyObject* module, WsgiState* state) noexcept;
int add_start_response_types(PyObject* module, WsgiState* state) noexcept;
int add_file_wrapper_type(PyObject* module, WsgiState* state) noexcept;

}  // namespace lanner::python
