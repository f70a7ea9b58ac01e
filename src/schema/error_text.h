// schema/error_text.h: a list of errors as JSON, without Python: [{"type","loc","msg","input","ctx"}].

#pragma once

#include <string_view>

#include "base/buffer.h"
#include "schema/errors.h"

namespace lanner::schema {

// A JSON string, with its quotes. False: `text` is not UTF-8, or memory is out.
[[nodiscard]] bool append_json_string(std::string_view text, Buffer* out) noexcept;

// The rule's `ctx` is there as text: Rule::context_text; or there is none.
bool has_written_context(const Rule& rule) noexcept;

// As ValidationError.json() writes it. False: an error holds an object, an input that was cut, a context that is no
// text, or memory is out.
[[nodiscard]] bool write_errors(const ErrorList& errors, Buffer* out) noexcept;

}  // namespace lanner::schema
