#include "python/schema/foreign.h"

namespace lanner::python {

namespace {

// The attribute; null without an exception when there is none.
Ref attribute(PyObject* object, void* name) noexcept {
  Ref value = Ref::steal(PyObject_GetAttr(object, static_cast<PyObject*>(name)));
  if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return value;
}

}  // namespace

bool is_of_class(const schema::Node& node, PyObject* object) noexcept {
  auto* cls = static_cast<PyObject*>(node.object);
  if (!cls || PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object) ||
      (PyDict_Check(object) && node.kind != schema::Kind::dict)) {
    return false;
  }
  return PyObject_IsInstance(object, cls) > 0;
}

Ref as_list(PyObject* iterable) noexcept { return Ref::steal(PySequence_List(iterable)); }

Ref as_dict(PyObject* mapping) noexcept {
  Ref dict = Ref::steal(PyDict_New());
  if (dict && PyDict_Update(dict.get(), mapping) < 0) dict.clear();
  return dict;
}

bool has_attributes(PyObject* object) noexcept {
  return !PyType_Check(object) && PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE) != 0;
}

Ref attributes_of(const schema::Record& record, PyObject* object) noexcept {
  Ref found = Ref::steal(PyDict_New());
  for (const schema::Field& field : record.fields) {
    if (!found || !field.takes_input) continue;
    Ref value = attribute(object, field.key);
    if (!value && !PyErr_Occurred() && field.attribute != field.key)
      value = attribute(object, field.attribute);
    if (PyErr_Occurred() ||
        (value && PyDict_SetItem(found.get(), static_cast<PyObject*>(field.key), value.get()) < 0))
      found.clear();
  }
  return found;
}

}  // namespace lanner::python
