// python/schema/context_text.h: the `ctx` of a rule as JSON, so that its error can be written without Python.

#pragma once

#include <Python.h>

#include "base/buffer.h"

namespace lanner::python {

// `context`: a dict of str to str, int and float, or null. Any other leaves *to empty. False: memory is out.
[[nodiscard]] bool write_context(PyObject* context, Buffer* to) noexcept;

}  // namespace lanner::python
