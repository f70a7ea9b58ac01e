// python/json/raw.h: lanner.json.Raw: JSON text that is written unchanged.

#pragma once

#include <string_view>

#include "python/json/state.h"

namespace lanner::python {

// REQUIRES: raw is a Raw. Lives as long as it.
std::string_view raw_text(PyObject* raw) noexcept;
// The text is unchecked: it may be malformed, invalid UTF-8, or empty. REQUIRES: the same.
bool raw_is_unchecked(PyObject* raw) noexcept;

}  // namespace lanner::python
