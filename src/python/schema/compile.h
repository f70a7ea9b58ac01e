// python/schema/compile.h: the description of a type, made in Python (lanner/schema/_compile.py),
// as a plan.

#pragma once

#include <Python.h>

#include "schema/plan.h"

namespace lanner::python {

// Fills `plan` from `nodes`, a list of dicts. The plan borrows classes, bounds and defaults from
// it: the caller keeps the list, and changes nothing in it. `root`: the number of the node to begin
// with. False with a TypeError set.
bool compile_plan(PyObject* nodes, Py_ssize_t root, schema::Plan* plan) noexcept;

}  // namespace lanner::python
