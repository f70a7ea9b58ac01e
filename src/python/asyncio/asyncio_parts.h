// python/asyncio/asyncio_parts.h: the parts of asyncio that the loop in C++ uses, looked up once, when the
// first loop is made.
//
// asyncio is not imported before that, so that a WSGI server runs without it.

#pragma once

#include <Python.h>

#include <cstddef>

namespace lanner::python {

struct AsyncioState;

// Where asyncio.Handle and TimerHandle keep their fields (__slots__); our types derive from them.
struct HandleSlots {
  Py_ssize_t callback = 0;
  Py_ssize_t args = 0;
  Py_ssize_t cancelled = 0;
  Py_ssize_t loop = 0;
  Py_ssize_t source_traceback = 0;
  Py_ssize_t repr = 0;
  Py_ssize_t context = 0;
  Py_ssize_t scheduled = 0;  // of TimerHandle
  Py_ssize_t when = 0;
};

// Owned references.
struct AsyncioParts {
  HandleSlots slots;
  PyTypeObject* handle_base = nullptr;  // asyncio.Handle
  PyTypeObject* handle_type = nullptr;  // ours
  PyTypeObject* timer_type = nullptr;
  PyObject* future_type = nullptr;
  PyObject* extract_stack = nullptr;
  PyObject* callback_failed = nullptr;  // of lanner.loop.callbacks
  PyObject* callback_slow = nullptr;

  bool loaded() const noexcept { return callback_slow != nullptr; }
  // -1 with an exception set. REQUIRES: asyncio has been imported
  int load(PyObject* module) noexcept;
  int traverse(visitproc visit, void* arg) noexcept;
  void clear() noexcept;
};

// The offset of a field that a class keeps by __slots__; -1 with an exception set.
Py_ssize_t slot_offset(PyObject* type, const char* name) noexcept;

}  // namespace lanner::python
