// python/json/types.cpp: the types of the standard library that JSON has a form for.

#include "python/json/types.h"

#include "python/object/ref.h"

namespace lanner::python {

namespace {

bool find(PyObject** slot, const char* module, const char* name) noexcept {
  Ref imported = Ref::steal(PyImport_ImportModule(module));
  if (!imported) return false;
  *slot = PyObject_GetAttrString(imported.get(), name);
  return *slot != nullptr;
}

}  // namespace

bool JsonTypes::load() noexcept {
  if (datetime) return true;
  if (!enum_type && !find(&enum_type, "enum", "EnumMeta")) return false;
  if (!uuid_type && !find(&uuid_type, "uuid", "UUID")) return false;
  if (!field_kind && !find(&field_kind, "dataclasses", "_FIELD")) return false;
  // Not PyDateTime_IMPORT: that keeps the pointer in a static variable.
  datetime = static_cast<PyDateTime_CAPI*>(PyCapsule_Import(PyDateTime_CAPSULE_NAME, 0));
  return datetime != nullptr;
}

bool JsonTypes::is_decimal(PyObject* value) noexcept {
  if (!decimal_type) {
    // Who has no such module loaded has no such value; and loading it takes milliseconds.
    const Ref name = Ref::steal(PyUnicode_FromString("decimal"));
    const Ref module = Ref::steal(name ? PyImport_GetModule(name.get()) : nullptr);
    if (!module) return false;
    decimal_type = PyObject_GetAttrString(module.get(), "Decimal");
    if (!decimal_type) PyErr_Clear();  // the module is being loaded
  }
  // SAFETY: PyType_Check() says that it is a type.
  return decimal_type && PyType_Check(decimal_type) &&
         PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(decimal_type));
}

}  // namespace lanner::python
