// python/validation_error.h: ValidationError: the errors of a value, rendered when someone asks for
// them.

#pragma once

#include <Python.h>

#include "python/module_state.h"
#include "schema/errors.h"

namespace lanner::python {

// Sets a ValidationError with `errors`, which are taken over. owner: whose plan the errors point
// into; it lives as long as the exception. title: what str() says first; borrowed.
void raise_validation_error(ModuleState* state, schema::ErrorList&& errors, PyObject* owner,
                            PyObject* title) noexcept;

}  // namespace lanner::python
