// fuzz/fuzz_encode.cpp: lanner.json and Schema.encode() in a Python of their own: what fuzz/encode.py claims of each
// input. The extension is a module as ever, but with coverage counters: this program exports what they call.

#include <Python.h>

#include <cstddef>
#include <cstdint>

#include "fuzz/check.h"

namespace {

PyObject* check = nullptr;  // encode.check

// True, or the report of an exception and its end.
bool holds(bool claim) {
  if (!claim) PyErr_Print();
  return claim;
}

void start_python() {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;  // they are libFuzzer's
  // The interpreter of .venv: its packages are found by its name.
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, LANNER_FUZZ_PYTHON);
  if (PyStatus_Exception(status) == 0) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  LANNER_FUZZ_CHECK(PyStatus_Exception(status) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  start_python();
  PyObject* const module = PyImport_ImportModule("encode");
  LANNER_FUZZ_CHECK(holds(module != nullptr));
  check = PyObject_GetAttrString(module, "check");
  LANNER_FUZZ_CHECK(holds(check != nullptr));
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // SAFETY: bytes.
  const char* const bytes = reinterpret_cast<const char*>(data);
  PyObject* const input = PyBytes_FromStringAndSize(bytes, static_cast<Py_ssize_t>(size));
  LANNER_FUZZ_CHECK(holds(input != nullptr));
  PyObject* const done = PyObject_CallOneArg(check, input);
  Py_DECREF(input);
  LANNER_FUZZ_CHECK(holds(done != nullptr));
  Py_DECREF(done);
  return 0;
}
