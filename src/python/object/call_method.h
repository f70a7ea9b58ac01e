// python/object/call_method.h: attributes, methods and items by their names in C.
//
// PyObject_CallMethod() and PyObject_GetAttrString() make a new str of the name each time, and
// CPython's type attribute cache keeps it, so that the cache fills up with names that are never
// looked up again. An interned name is always the same object.

#pragma once

#include <Python.h>

#include "python/object/ref.h"

namespace lanner::python {

// object.name: a new reference, or null with an exception set.
inline PyObject* get_attribute(PyObject* object, const char* name) noexcept {
  const Ref text = Ref::steal(PyUnicode_InternFromString(name));
  return text ? PyObject_GetAttr(object, text.get()) : nullptr;
}

// dict[name]: borrowed. Null: there is none, or an exception is set (PyDict_GetItemString() takes
// one for the other).
inline PyObject* get_item(PyObject* dict, const char* name) noexcept {
  const Ref text = Ref::steal(PyUnicode_InternFromString(name));
  return text ? PyDict_GetItemWithError(dict, text.get()) : nullptr;
}

// object.name(): a new reference, or null with an exception set.
inline PyObject* call_method(PyObject* object, const char* name) noexcept {
  const Ref text = Ref::steal(PyUnicode_InternFromString(name));
  return text ? PyObject_CallMethodNoArgs(object, text.get()) : nullptr;
}

// object.name(argument)
inline PyObject* call_method(PyObject* object, const char* name, PyObject* argument) noexcept {
  const Ref text = Ref::steal(PyUnicode_InternFromString(name));
  return text ? PyObject_CallMethodOneArg(object, text.get(), argument) : nullptr;
}

}  // namespace lanner::python
