// json/text.h: the content of a string literal, and the line and column of a byte.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanner::json {

// The unescaped content of a string literal as valid UTF-8. The bytes are in the document or in the
// Reader's scratch buffer: they are valid until the Reader's next string().
struct String {
  std::string_view utf8;
  bool ascii = true;        // no byte above 0x7F
  bool in_scratch = false;  // there was an escape, so the bytes are not the document's
};

// A position as editors count it.
struct Position {
  std::size_t line = 1;    // LF ends a line
  std::size_t column = 1;  // in code points; bytes that are not UTF-8 count as one each
};

// REQUIRES: offset <= document.size()
Position position_of(std::string_view document, std::size_t offset) noexcept;

}  // namespace lanner::json
