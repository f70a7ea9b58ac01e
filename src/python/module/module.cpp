// python/module/module.cpp: the module lanner._core: multi-phase init, all state in the module, no static
// objects.

#include <Python.h>

#include <new>
#include <string>

#include "http/limits.h"
#include "python/module/engine.h"
#include "python/object/layout.h"
#include "python/module/module_state.h"
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
  std::string why;
  if (schema::Pattern::make({text, static_cast<std::size_t>(size)}, &why)) return none();
  return PyUnicode_DecodeUTF8(why.data(), static_cast<Py_ssize_t>(why.size()), "replace");
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

using AddToModule = int (*)(PyObject* module, ModuleState* state) noexcept;

constexpr AddToModule kAdders[] = {
    add_input_type,     add_start_response_types, add_file_wrapper_type,
    add_poller_type,    add_loop_base_type,       add_thread_pool_type,
    add_awaitable_type, add_asgi_call_types,      add_task_registry_type,
    add_json_functions, add_stream_hub_type,      add_validation_error_type,
    add_schema_type,    add_model_types,          add_json_raw_type,
    add_server_type,
};

int module_exec(PyObject* module) noexcept {
  ModuleState* state = ::new (PyModule_GetState(module)) ModuleState();
  if (state->make_names() < 0) return -1;
  for (const AddToModule add : kAdders) {
    if (add(module, state) < 0) return -1;
  }
  return 0;
}

int module_traverse(PyObject* module, visitproc visit, void* arg) noexcept {
  return state_of(module)->traverse(visit, arg);
}

int module_clear(PyObject* module) noexcept {
  state_of(module)->clear();
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

ModuleState* state_of(PyObject* module) noexcept {
  return static_cast<ModuleState*>(PyModule_GetState(module));
}

PyObject* module_of(PyTypeObject* type) noexcept {
  return PyType_GetModuleByDef(type, &module_definition);
}

ModuleState* state_of_type(PyTypeObject* type) noexcept {
  return static_cast<ModuleState*>(PyType_GetModuleState(type));
}

}  // namespace lanner::python

PyMODINIT_FUNC PyInit__core() { return PyModuleDef_Init(&lanner::python::module_definition); }
