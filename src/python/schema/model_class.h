// python/schema/model_class.h: lanner._core.ModelMeta: the metaclass of lanner.Model, whose classes store
// their fields for C++.

#pragma once

#include <Python.h>

#include "python/schema/state.h"

namespace lanner::python {

struct ModelField {
  PyObject* name;           // interned str; owned
  PyObject* wire_name;      // in JSON; owned
  PyObject* default_value;  // owned; null = none
  PyObject* factory;        // called for each value; owned; null = none
  Py_ssize_t offset;        // of its slot, in the object
};

// An instance of ModelMeta: a class. Its fields do not change once it is made.
struct ModelClass {
  PyHeapTypeObject base;
  ModelField* fields;  // owned; the bases' first
  Py_ssize_t count;
  bool frozen;
  bool post_init;  // has __post_init__
  bool more;       // its objects hold more than its fields: slots of other bases, a dict
  bool named;      // wire_name is what a schema writes: with the aliases of annotations
};

// REQUIRES: the type is an instance of ModelMeta, as that of every object of ModelBase is.
inline ModelClass* as_model_class(PyTypeObject* type) noexcept {
  return reinterpret_cast<ModelClass*>(type);  // SAFETY: see above
}

inline PyObject** model_slot(PyObject* object, const ModelField& field) noexcept {
  // SAFETY: the offset is that of a T_OBJECT_EX member of the object's class.
  return reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + field.offset);
}

// model_object.cpp: the methods of the classes.
PyObject* model_vectorcall(PyObject* type, PyObject* const* args, size_t nargsf,
                           PyObject* names) noexcept;
// An object without values, for pickle and copy, and for classes with a __new__ or __init__.
PyObject* model_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) noexcept;
void model_dealloc(PyObject* object) noexcept;
PyObject* make_model_base(PyObject* module) noexcept;
// The values of an object by their names in JSON: a new dict; null with an exception set.
PyObject* model_to_dict(PyObject* object) noexcept;

}  // namespace lanner::python
