// python/json/error.h: sets exceptions for documents that are not JSON and for values that JSON
// cannot represent.

#pragma once

#include "json/reader.h"
#include "python/object/ref.h"

namespace lanner::python {

// Sets lanner.json.JSONDecodeError with offset, line and column; MemoryError when memory was out.
// REQUIRES: the reader has failed.
void raise_json_error(const json::Reader& reader) noexcept;
// Sets lanner.json.JSONEncodeError. `what`, UTF-8, may end within a character. `path`: a str; null
// where making it has failed: then that exception stays.
// A path of many steps is shown without its middle: how many are left out at step `i` of `depth`.
constexpr int skipped_steps(int i, int depth) noexcept {
  constexpr int kHead = 8;
  constexpr int kTail = 4;
  return i == kHead && depth > kHead + kTail + 1 ? depth - kHead - kTail : 0;
}
void raise_encode_error(std::string_view what, PyObject* path) noexcept;

}  // namespace lanner::python
