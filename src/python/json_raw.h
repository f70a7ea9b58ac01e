// python/json_raw.h: lanner.json.Raw: JSON text that is written as it is.

#pragma once

#include <string_view>

#include "python/module_state.h"

namespace lanner::python {

// REQUIRES: raw is a Raw. Lives as long as it.
std::string_view raw_text(PyObject* raw) noexcept;
// Nobody checked it: it may be no JSON, no UTF-8, or empty. REQUIRES: the same.
bool raw_is_unchecked(PyObject* raw) noexcept;

}  // namespace lanner::python
