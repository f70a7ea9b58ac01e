// python/schema/validation_error.h: ValidationError: the errors of a value, rendered on demand.

#pragma once

#include <Python.h>

#include "python/schema/state.h"
#include "schema/errors.h"

namespace lanner::python {

// Sets a ValidationError with `errors`, which are taken over. owner: whose plan the errors point
// into; it lives as long as the exception. title: the beginning of str(); borrowed.
void raise_validation_error(SchemaState* state, schema::ErrorList&& errors, PyObject* owner,
                            PyObject* title) noexcept;

}  // namespace lanner::python
