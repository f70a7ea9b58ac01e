// python/schema/rules.h: the constraints of a schema, applied to Python objects.

#pragma once

#include <Python.h>

#include <cstdint>

#include "schema/plan.h"

namespace lanner::python {

// Applies node.rules in order; may replace *value (strip, lower, upper). False: an exception is
// set, *value is dropped and null. *broken: the first violated rule, null = none; *number: the
// actual length, if the rule concerns a length.
bool apply_rules(const schema::Node& node, PyObject** value, const schema::Rule** broken,
                 std::int64_t* number) noexcept;

}  // namespace lanner::python
