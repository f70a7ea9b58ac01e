// python/module/module.cpp: the module lanner._core: multi-phase init, all state in the module, no static
// objects.

#include <Python.h>

#include <cstdlib>
#include <new>

#include "base/cpu.h"
#include "http/limits.h"
#include "json/utf8.h"
#include "process/board.h"
#include "python/module/engine.h"
#include "python/module/module_state.h"
#include "python/object/layout.h"
#include "python/object/slots.h"
#include "schema/pattern.h"
#include "sys/sockets.h"

namespace lanner::python {

namespace {

PyObject* module_limits(PyObject*, PyObject*) noexcept {
  struct Row {
    const char* field;
    unsigned long long value;
    const char* unit;
    const char* flag;
    const char* help;
  };
  static constexpr Row kRows[] = {
#define LANNER_LIMIT(field, value, unit, flag, help, precedent) {#field, value, #unit, flag, help},
#include "http/limits.def"
#undef LANNER_LIMIT
  };
  Ref rows = Ref::steal(PyList_New(0));
  for (const Row& row : kRows) {
    if (!rows) return nullptr;
    Ref tuple =
        Ref::steal(Py_BuildValue("(sKsss)", row.field, row.value, row.unit, row.flag, row.help));
    if (!tuple || PyList_Append(rows.get(), tuple.get()) < 0) return nullptr;
  }
  return rows.release();
}

PyObject* module_check_options(PyObject*, PyObject* mapping) noexcept {
  EngineOptions options;
  return options.parse(mapping) < 0 ? nullptr : none();
}

PyObject* module_refuse_connections(PyObject*, PyObject* object) noexcept {
  const int fd = PyObject_AsFileDescriptor(object);
  if (fd < 0) return nullptr;
  sys::refuse_connections(fd);
  return none();
}

PyObject* module_version(PyObject*, PyObject*) noexcept {
  return PyUnicode_FromString(LANNER_VERSION);
}

PyObject* module_relies_on_layouts(PyObject*, PyObject*) noexcept {
  return PyBool_FromLong(LANNER_LAYOUTS);
}

// None, or what RE2 does not like about a pattern.
PyObject* module_pattern_problem(PyObject*, PyObject* source) noexcept {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(source, &size);
  if (!text) return nullptr;
  schema::Pattern::Problem why;
  if (schema::Pattern::make({text, static_cast<std::size_t>(size)}, &why)) return none();
  if (why.empty()) return PyErr_NoMemory();
  return PyUnicode_DecodeUTF8(why.view().data(), static_cast<Py_ssize_t>(why.view().size()),
                              "replace");
}

PyMethodDef module_methods[] = {
    {"pattern_problem", module_pattern_problem, METH_O,
     PyDoc_STR("pattern_problem(source) -> str | None\n\nWhy RE2 cannot match this pattern.")},
    {"check_options", module_check_options, METH_O,
     PyDoc_STR("check_options(options)\n\nRaises what Server would for them.")},
    {"limits", module_limits, METH_NOARGS,
     PyDoc_STR(
         "limits() -> list of (field, default, unit, flag, help)\n\nEvery limit of the wire.")},
    {"refuse_connections", module_refuse_connections, METH_O,
     PyDoc_STR(
         "refuse_connections(fd)\n\nA TCP listener drops new connection requests from now on.")},
    {"relies_on_layouts", module_relies_on_layouts, METH_NOARGS,
     PyDoc_STR("relies_on_layouts() -> bool\n\nFalse: built with LANNER_PORTABLE, or for a Python"
               " whose objects are laid out in a way that was not tested.")},
    {"version", module_version, METH_NOARGS, PyDoc_STR("version() -> str")},
    {nullptr, nullptr, 0, nullptr}};

// -1 with an exception set.
int add_types(PyObject* module, ModuleState* state) noexcept {
  const bool added = add_input_type(module, &state->wsgi) == 0 &&
                     add_start_response_types(module, &state->wsgi) == 0 &&
                     add_file_wrapper_type(module, &state->wsgi) == 0 &&
                     add_poller_type(module, &state->asyncio) == 0 &&
                     add_loop_base_type(module, &state->asyncio) == 0 &&
                     add_thread_pool_type(module, &state->asyncio) == 0 &&
                     add_awaitable_type(module, &state->asyncio) == 0 &&
                     add_asgi_call_types(module, &state->asgi) == 0 &&
                     add_task_registry_type(module, &state->asyncio) == 0 &&
                     add_json_functions(module, &state->json) == 0 &&
                     add_stream_hub_type(module, &state->asyncio) == 0 &&
                     add_validation_error_type(module, &state->schema) == 0 &&
                     add_schema_type(module, &state->schema) == 0 &&
                     add_model_types(module, &state->schema) == 0 &&
                     add_json_raw_type(module, &state->json) == 0 &&
                     add_native_app_type(module, &state->native) == 0 &&
                     add_native_done_type(module, &state->native) == 0 &&
                     add_server_type(module, state) == 0;
  return added ? 0 : -1;
}

// What Python code has to know of the core's numbers.
int add_numbers(PyObject* module) noexcept {
  const bool added =
      PyModule_AddIntConstant(module, "BOARD_SLOT_BYTES", process::Board::kSlotBytes) == 0 &&
      PyModule_AddIntConstant(module, "WORKERS_MAX", process::Board::kSlotsMax / 2) == 0 &&
      PyModule_AddIntConstant(module, "THREADS_MAX", EngineOptions::kThreadsMax) == 0;
  return added ? 0 : -1;
}

int module_exec(PyObject* module) noexcept {
  if (!simd_setting_is_valid()) {
    PyErr_Format(PyExc_ImportError, "LANNER_SIMD=%s: the levels are baseline, avx2 and avx512",
                 std::getenv("LANNER_SIMD"));
    return -1;
  }
  // simdjson allocates at its first use, and ends the process if it cannot: now, not for a request.
  (void)json::is_utf8("\xC3\xA9");
  ModuleState* state = ::new (PyModule_GetState(module)) ModuleState();
  return state->init() < 0 || add_numbers(module) < 0 ? -1 : add_types(module, state);
}

int module_traverse(PyObject* module, visitproc visit, void* arg) noexcept {
  return state_of<ModuleState>(module)->traverse(visit, arg);
}

int module_clear(PyObject* module) noexcept {
  state_of<ModuleState>(module)->clear();
  return 0;
}

void module_free(void* module) noexcept { (void)module_clear(static_cast<PyObject*>(module)); }

PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, slot(module_exec)},
#ifdef Py_mod_gil
    // State is protected by the GIL: a free-threaded interpreter turns it on when it imports this.
    {Py_mod_gil, Py_MOD_GIL_USED},
#endif
    {0, nullptr}};

PyModuleDef module_definition = {PyModuleDef_HEAD_INIT, "lanner._core", "The C++ engine of Lanner.",
                                 sizeof(ModuleState),   module_methods, module_slots,
                                 module_traverse,       module_clear,   module_free};

}  // namespace

PyObject* module_of(PyTypeObject* type) noexcept {
  return PyType_GetModuleByDef(type, &module_definition);
}

}  // namespace lanner::python

PyMODINIT_FUNC PyInit__core() { return PyModuleDef_Init(&lanner::python::module_definition); }
