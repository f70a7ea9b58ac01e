// python/wsgi/input.h: wsgi.input: a request's body as a file (PEP 3333, "Input and Error
// Streams").
//
// read([size]), readline([size]), readlines([hint]), readinto(buffer), iteration. At the end: b"".
// Errors of the body (too large, too slow, malformed, client gone) are OSError or a subclass
// (ConnectionResetError, TimeoutError). After the request has ended: ValueError.

#pragma once

#include "http/exchange.h"
#include "python/object/ref.h"
#include "python/wsgi/state.h"

namespace lanner::python {

// A new, unbound input; null with an exception set.
PyObject* new_input(WsgiState* state) noexcept;
// Reads from this body until unbind_input(). `blocking`: reading may wait, so the GIL is released.
void bind_input(PyObject* input, http::Body* body, bool blocking) noexcept;
void unbind_input(PyObject* input) noexcept;
// A read has failed since bind_input(): an exception of the application may be a consequence of
// that.
bool input_failed(PyObject* input) noexcept;

}  // namespace lanner::python
