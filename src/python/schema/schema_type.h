// python/schema/schema_type.h: the type lanner._core.Schema: a compiled type that validates, decodes and
// encodes.

#pragma once

#include <Python.h>

#include "python/schema/builder.h"
#include "schema/plan.h"

namespace lanner::python {

struct SchemaState;

struct SchemaObject {
  PyObject_HEAD
  PyObject* nodes;    // the description; the plan borrows from it
  PyObject* title;    // str: the type's name
  PyObject* classes;  // tuple that keeps `made_of` alive
  SchemaState* state;
  schema::Plan* plan;  // owned; null until it is made
  SchemaClasses made_of;
  std::size_t encoded_bytes;  // of the last text written: how much the next one may need
};

}  // namespace lanner::python
