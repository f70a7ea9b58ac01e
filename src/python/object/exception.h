// python/object/exception.h: the exception in flight as one object, as Python 3.12 has it.

#pragma once

#include <Python.h>

#include <utility>

#include "python/object/ref.h"

namespace lanner::python {

// Takes it out of the thread state, with its traceback; empty: none was in flight.
inline Ref take_exception() noexcept {
#if PY_VERSION_HEX >= 0x030C0000
  return Ref::steal(PyErr_GetRaisedException());
#else
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  if (!type) return Ref();
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) (void)PyException_SetTraceback(value, traceback);
  drop(type);
  drop(traceback);
  return Ref::steal(value);
#endif
}

// Puts it back: the caller returns its error value. REQUIRES: none is in flight.
inline void raise_exception(Ref exception) noexcept {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(exception.release());
#else
  PyObject* value = exception.release();
  // SAFETY: PyTypeObject begins with PyObject.
  PyErr_Restore(share(reinterpret_cast<PyObject*>(Py_TYPE(value))), value,
                PyException_GetTraceback(value));
#endif
}

// The exception in flight, taken out of the thread state while other code runs.
class Raised final {
 public:
  Raised() noexcept : exception_(take_exception()) {}
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;
  // Borrowed; null: none was in flight.
  PyObject* value() const noexcept { return exception_.get(); }
  // Puts it back in place of one that came since: the caller returns its error value.
  void restore() noexcept {
    PyErr_Clear();
    if (exception_) raise_exception(std::move(exception_));
  }

 private:
  Ref exception_;
};

}  // namespace lanner::python
