// python/wsgi/start_response.h: the callables of a WSGI call: start_response, write() and
// wsgi.early_hints.
//
// Each refers to its call as long as that lasts; afterwards calling it raises a RuntimeError.

#pragma once

#include "python/object/ref.h"
#include "python/wsgi/state.h"

namespace lanner::python {

class WsgiCall;

// New callables, bound to nothing; null with an exception set.
PyObject* new_start_response(WsgiState* state, PyObject* write) noexcept;
PyObject* new_write(WsgiState* state) noexcept;
PyObject* new_early_hints(WsgiState* state) noexcept;
// Null unbinds. `callable`: one of the three.
void bind_callable(PyObject* callable, WsgiCall* call) noexcept;

}  // namespace lanner::python
