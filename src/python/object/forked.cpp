// python/object/forked.cpp: the end of a child of os.fork() that comes back into the engine.

#include "python/object/forked.h"

#include <unistd.h>

#include "python/object/exception.h"
#include "python/object/ref.h"

namespace lanner::python {

namespace {

Ref exception_of(PyObject* task) noexcept {
  Ref error = Ref::steal(task ? PyObject_CallMethod(task, "exception", nullptr) : nullptr);
  PyErr_Clear();  // not done, or cancelled
  return error;
}

}  // namespace

void end_forked(PyObject* task) noexcept {
  Ref error = take_exception();
  if (!error) error = exception_of(task);
  Ref module = Ref::steal(PyImport_ImportModule("lanner.process.forked"));
  PyObject* with = error ? error.get() : Py_None;
  if (module) (void)PyObject_CallMethod(module.get(), "end", "O", with);
  ::_exit(1);  // end() does not return, unless memory is out
}

}  // namespace lanner::python
