// python/json/types.h: the types of the standard library that can be written as JSON, looked up
// when first needed.

#pragma once

#include <Python.h>

#include <datetime.h>

namespace lanner::python {

struct JsonTypes {
  PyObject* enum_type = nullptr;     // enum.EnumType
  PyObject* uuid_type = nullptr;     // uuid.UUID
  PyObject* field_kind = nullptr;    // dataclasses._FIELD: neither ClassVar nor InitVar
  PyObject* decimal_type = nullptr;  // decimal.Decimal, once somebody has imported it
  PyDateTime_CAPI* datetime = nullptr;

  // False with an exception set.
  bool load() noexcept;
  // Whether it is a decimal.Decimal. REQUIRES: load(). False also with an exception set.
  bool is_decimal(PyObject* value) noexcept;
};

}  // namespace lanner::python
