// python/asyncio/loop_arguments.h: the arguments of call_soon() and its kind: (..., callback, *args,
// context=None).

#pragma once

#include "python/object/ref.h"

namespace lanner::python {

// Borrowed from the call.
struct CallArguments {
  PyObject* callback = nullptr;
  PyObject* context = nullptr;  // null: none was given
  PyObject* const* first = nullptr;
  Py_ssize_t count = 0;

  // `before`: how many positional arguments come before the callback. False with TypeError set, in
  // asyncio's words.
  bool parse(const char* method, Py_ssize_t before, PyObject* const* args, Py_ssize_t given,
             PyObject* names) noexcept {
    if (given <= before) {
      const char* missing = before > 0 && given == 0 ? "delay" : "callback";
      PyErr_Format(PyExc_TypeError, "%s() missing a required positional argument: '%s'", method,
                   missing);
      return false;
    }
    for (Py_ssize_t i = 0; i < (names ? PyTuple_GET_SIZE(names) : 0); ++i) {
      PyObject* name = PyTuple_GET_ITEM(names, i);
      if (PyUnicode_CompareWithASCIIString(name, "context") != 0) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R", method, name);
        return false;
      }
      if (args[given + i] != Py_None) context = args[given + i];
    }
    callback = args[before];
    first = args + before + 1;
    count = given - before - 1;
    return true;
  }

  // What the callback is called with: a new tuple; null with an exception set.
  PyObject* rest() const noexcept {
    PyObject* tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; ++i) {
      PyTuple_SET_ITEM(tuple, i, share(first[i]));
    }
    return tuple;
  }
};

}  // namespace lanner::python
