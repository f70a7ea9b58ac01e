// python/module_state.h: what one instance of the module owns: its types and interned names. No static objects.

#pragma once

#include <array>

#include "http/token.h"
#include "python/ref.h"

namespace lanner::python {

struct ModuleState {
  PyTypeObject* server_type = nullptr;
  PyTypeObject* input_type = nullptr;
  PyTypeObject* start_response_type = nullptr;
  PyTypeObject* write_type = nullptr;
  PyTypeObject* early_hints_type = nullptr;
  PyTypeObject* file_wrapper_type = nullptr;

  // Keys and values of the WSGI environ, interned.
#define LANNER_NAMES(X)                                                                     \
  X(REQUEST_METHOD) X(SCRIPT_NAME) X(PATH_INFO) X(QUERY_STRING) X(CONTENT_TYPE)             \
  X(CONTENT_LENGTH) X(SERVER_NAME) X(SERVER_PORT) X(SERVER_PROTOCOL) X(SERVER_SOFTWARE)     \
  X(REMOTE_ADDR) X(REMOTE_PORT) X(RAW_URI) X(close) X(read) X(fileno) X(tell) X(seek)
#define LANNER_NAME(name) PyObject* name = nullptr;
  LANNER_NAMES(LANNER_NAME)
#undef LANNER_NAME
  PyObject* wsgi_version = nullptr;
  PyObject* wsgi_url_scheme = nullptr;
  PyObject* wsgi_input = nullptr;
  PyObject* wsgi_errors = nullptr;
  PyObject* wsgi_multithread = nullptr;
  PyObject* wsgi_multiprocess = nullptr;
  PyObject* wsgi_run_once = nullptr;
  PyObject* wsgi_file_wrapper = nullptr;
  PyObject* wsgi_input_terminated = nullptr;
  PyObject* wsgi_early_hints = nullptr;
  PyObject* http_1_0 = nullptr;
  PyObject* http_1_1 = nullptr;
  PyObject* empty = nullptr;
  PyObject* empty_bytes = nullptr;
  std::array<PyObject*, 16> methods{};                                       // by http::Method
  std::array<PyObject*, static_cast<std::size_t>(http::Token::count)> http_keys{};  // "HTTP_ACCEPT" ... by Token

  int make_names() noexcept;  // -1 with an exception set
  int traverse(visitproc visit, void* arg) noexcept;
  void clear() noexcept;
};

ModuleState* state_of(PyObject* module) noexcept;
ModuleState* state_of_type(PyTypeObject* type) noexcept;  // REQUIRES: one of this module's types

// Each adds its type to the state; -1 with an exception set.
int add_server_type(PyObject* module, ModuleState* state) noexcept;
int add_input_type(PyObject* module, ModuleState* state) noexcept;
int add_start_response_types(PyObject* module, ModuleState* state) noexcept;
int add_file_wrapper_type(PyObject* module, ModuleState* state) noexcept;

}  // namespace lanner::python
