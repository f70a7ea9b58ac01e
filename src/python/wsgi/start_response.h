// python/wsgi/start_response.h: the callables of a WSGI call: start_response, write() and
// wsgi.early_hints.
//
// Each refers to its call as long as that lasts; afterwards calling it raises a RuntimeError.

#pragma once

#include "python/module/module_state.h"
#include "python/object/ref.h"

namespace lanner::python {

class WsgiCall;

// New callables, bound to nothing; null with an exception set.
PyObject* new_start_response(ModuleState* state, PyObject* write) noexcept;
PyObject* new_write(ModuleState* state) noexcept;
PyObject* new_early_hints(ModuleState* state) noexcept;
// Null unbinds. `callable`: one of the three.
void bind_callable(PyObject* callable, WsgiCall* call) noexcept;

}  // namespace lanner::python
