// python/json_error.h: a document that is not JSON, as an exception.

#pragma once

#include "json/reader.h"

namespace lanner::python {

// Sets lanner.json.JSONDecodeError with offset, line and column; MemoryError when memory was out.
// REQUIRES: the reader has failed.
void raise_json_error(const json::Reader& reader) noexcept;

}  // namespace lanner::python
