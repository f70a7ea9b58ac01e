// python/answer/held_bytes.h: a bytes object that waits to be sent: kept alive without the GIL until then.

#pragma once

#include "http/exchange.h"
#include "python/answer/released.h"
#include "python/object/ref.h"

namespace lanner::python {

// REQUIRES: a bytes object. Small ones are copied by the server anyway. When it is released, `list` (which outlives the answer) takes it. Drops
// what the list has.
http::Payload hold_bytes(PyObject* bytes, Released* list) noexcept;

}  // namespace lanner::python
