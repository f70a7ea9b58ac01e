// python/json_error.h: sets exceptions for documents that are not JSON and for values that JSON
// cannot represent.

#pragma once

#include "json/reader.h"
#include "python/ref.h"

namespace lanner::python {

// Sets lanner.json.JSONDecodeError with offset, line and column; MemoryError when memory was out.
// REQUIRES: the reader has failed.
void raise_json_error(const json::Reader& reader) noexcept;
// Sets lanner.json.JSONEncodeError. `what`, UTF-8, may end within a character. `path`: a str; null
// where making it has failed: then that exception stays.
void raise_encode_error(std::string_view what, PyObject* path) noexcept;

}  // namespace lanner::python
