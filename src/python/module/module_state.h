// python/module/module_state.h: the types and interned names that one instance of the module owns. There
// are no static objects.

#pragma once

#include <array>

#include "http/token.h"
#include "python/asyncio/asyncio_parts.h"
#include "python/json/text.h"
#include "python/json/types.h"
#include "python/asyncio/loop_handle.h"
#include "python/object/ref.h"

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
  PyTypeObject* thread_pool_type = nullptr;
  PyTypeObject* awaitable_type = nullptr;
  PyTypeObject* receive_type = nullptr;
  PyTypeObject* send_type = nullptr;
  PyTypeObject* task_done_type = nullptr;
  PyTypeObject* registry_type = nullptr;
  PyTypeObject* stream_hub_type = nullptr;
  PyTypeObject* stream_transport_type = nullptr;  // made with the first hub: it needs asyncio
  PyTypeObject* schema_type = nullptr;
  PyTypeObject* validation_error_type = nullptr;
  PyTypeObject* model_meta_type = nullptr;
  PyTypeObject* json_raw_type = nullptr;

  AsyncioParts asyncio;  // empty until the first loop
  LoopSpares loop_spares;

  // Interned, see names.def.
#define LANNER_NAME(name, text) PyObject* name = nullptr;
#include "python/object/names.def"
#undef LANNER_NAME
  PyObject* empty_bytes = nullptr;
  PyObject* empty_tuple = nullptr;
  PyObject* loop_keyword = nullptr;     // ("loop",): the keywords of a call
  std::array<PyObject*, 16> methods{};  // by http::Method
  std::array<PyObject*, static_cast<std::size_t>(http::Token::count)>
      http_keys{};  // "HTTP_ACCEPT" ... by Token
  std::array<PyObject*, static_cast<std::size_t>(http::Token::count)>
      field_names{};  // b"accept" ... by Token

  JsonKeys json_keys;
  JsonTypes json_types;
  bool dict_entries = false;   // dict_entries_known()
  std::size_t json_bytes = 0;  // of the last text written: how much the next one may need

  int make_names() noexcept;  // -1 with an exception set
  int traverse(visitproc visit, void* arg) noexcept;
  void clear() noexcept;
};

ModuleState* state_of(PyObject* module) noexcept;
// Of a type of this module, or of one that derives from it. Borrowed; null with an exception set.
PyObject* module_of(PyTypeObject* type) noexcept;
ModuleState* state_of_type(PyTypeObject* type) noexcept;  // REQUIRES: one of this module's types

// Each adds its type to the state; -1 with an exception set.
int add_server_type(PyObject* module, ModuleState* state) noexcept;
int add_input_type(PyObject* module, ModuleState* state) noexcept;
int add_start_response_types(PyObject* module, ModuleState* state) noexcept;
int add_file_wrapper_type(PyObject* module, ModuleState* state) noexcept;
int add_poller_type(PyObject* module, ModuleState* state) noexcept;
int add_loop_base_type(PyObject* module, ModuleState* state) noexcept;
int add_thread_pool_type(PyObject* module, ModuleState* state) noexcept;
int add_awaitable_type(PyObject* module, ModuleState* state) noexcept;
int add_task_registry_type(PyObject* module, ModuleState* state) noexcept;
int add_schema_type(PyObject* module, ModuleState* state) noexcept;
int add_validation_error_type(PyObject* module, ModuleState* state) noexcept;
int add_model_types(PyObject* module, ModuleState* state) noexcept;
int add_json_raw_type(PyObject* module, ModuleState* state) noexcept;
int add_json_functions(PyObject* module, ModuleState* state) noexcept;
int add_stream_hub_type(PyObject* module, ModuleState* state) noexcept;
int add_asgi_call_types(PyObject* module, ModuleState* state) noexcept;

}  // namespace lanner::python
