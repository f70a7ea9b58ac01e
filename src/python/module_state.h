// python/module_state.h: what one instance of the module owns: its types and interned names. No
// static objects.

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
  PyTypeObject* poller_type = nullptr;
  PyTypeObject* loop_base_type = nullptr;
  PyTypeObject* awaitable_type = nullptr;
  PyTypeObject* receive_type = nullptr;
  PyTypeObject* send_type = nullptr;
  PyTypeObject* task_done_type = nullptr;
  PyTypeObject* registry_type = nullptr;

  // Keys and values of the WSGI environ, interned.
#define LANNER_NAMES(X)                                                                 \
  X(REQUEST_METHOD)                                                                     \
  X(SCRIPT_NAME)                                                                        \
  X(PATH_INFO)                                                                          \
  X(QUERY_STRING)                                                                       \
  X(CONTENT_TYPE)                                                                       \
  X(CONTENT_LENGTH) X(SERVER_NAME) X(SERVER_PORT) X(SERVER_PROTOCOL) X(SERVER_SOFTWARE) \
      X(REMOTE_ADDR) X(REMOTE_PORT) X(RAW_URI) X(close) X(read) X(fileno) X(tell) X(seek)
#define LANNER_NAME(name) PyObject* name = nullptr;
  LANNER_NAMES(LANNER_NAME)
#undef LANNER_NAME
  // ASGI's keys and values, and asyncio's names, interned.
#define LANNER_ASGI_NAMES(X)                                                                       \
  X(type, "type")                                                                                  \
  X(asgi, "asgi")                                                                                  \
  X(http_version, "http_version")                                                                  \
  X(method, "method")                                                                              \
  X(scheme, "scheme")                                                                              \
  X(path, "path") X(raw_path, "raw_path") X(query_string, "query_string") X(                       \
      root_path, "root_path") X(headers, "headers") X(client, "client") X(server, "server")        \
      X(extensions, "extensions") X(state, "state") X(status, "status") X(body, "body") X(         \
          more_body, "more_body") X(trailers, "trailers") X(more_trailers, "more_trailers")        \
          X(file, "file") X(offset, "offset") X(count, "count") X(links, "links") X(http, "http")  \
              X(http_request, "http.request") X(http_disconnect, "http.disconnect")                \
                  X(response_start, "http.response.start") X(response_body, "http.response.body")  \
                      X(response_pathsend, "http.response.pathsend")                               \
                          X(response_zerocopysend, "http.response.zerocopysend")                   \
                              X(response_trailers, "http.response.trailers")                       \
                                  X(response_early_hint, "http.response.early_hint") X(            \
                                      response_debug, "http.response.debug") X(version_1_0, "1.0") \
                                      X(version_1_1, "1.1") X(dunder_await, "__await__")           \
                                          X(done, "done") X(exception, "exception") X(             \
                                              cancelled, "cancelled") X(set_result, "set_result")  \
                                              X(create_future, "create_future")                    \
                                                  X(add_done_callback, "add_done_callback")        \
                                                      X(context, "context")                        \
                                                          X(call_soon, "call_soon")                \
                                                              X(cancel, "cancel")
#define LANNER_NAME(name, text) PyObject* name = nullptr;
  LANNER_ASGI_NAMES(LANNER_NAME)
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
  std::array<PyObject*, 16> methods{};  // by http::Method
  std::array<PyObject*, static_cast<std::size_t>(http::Token::count)>
      http_keys{};  // "HTTP_ACCEPT" ... by Token
  std::array<PyObject*, static_cast<std::size_t>(http::Token::count)>
      field_names{};  // b"accept" ... by Token

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
int add_poller_type(PyObject* module, ModuleState* state) noexcept;
int add_loop_base_type(PyObject* module, ModuleState* state) noexcept;
int add_awaitable_type(PyObject* module, ModuleState* state) noexcept;
int add_task_registry_type(PyObject* module, ModuleState* state) noexcept;
int add_asgi_call_types(PyObject* module, ModuleState* state) noexcept;

}  // namespace lanner::python
