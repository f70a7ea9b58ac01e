// json/escape.h: writes text of any of CPython's three widths as the content of a JSON string (RFC
// 8259, section 7), in UTF-8.
//
// The quote, the backslash and bytes below 0x20 are escaped (as \b \f \n \r \t where possible,
// otherwise as \u00XX); everything else is written unchanged, including DEL and non-ASCII.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/cpu.h"
#include "json/output.h"

namespace lanner::json {

// Kernels write up to this many bytes past the end they return; reserve space for them.
inline constexpr std::size_t kEscapePadding = 64;
// The longest form of one element: \u001F.
inline constexpr std::size_t kEscapedMax = 6;
// Room that a kernel needs for `size` elements.
constexpr std::size_t escaped_room(std::size_t size) noexcept {
  return size * kEscapedMax + kEscapePadding;
}

// Each writes `size` elements to `to` (REQUIRES: escaped_room(size) bytes there) and returns the
// end; none reads outside [text, text + size). ucs2 and ucs4 return null at a surrogate, which has
// no UTF-8 form (RFC 3629, section 3); their output must then be discarded.
struct EscapeKernels {
  char* (*utf8)(char* to, const char* text, std::size_t size) noexcept;  // ASCII, or UTF-8 already
  char* (*latin1)(char* to, const std::uint8_t* text, std::size_t size) noexcept;
  char* (*ucs2)(char* to, const std::uint16_t* text, std::size_t size) noexcept;
  char* (*ucs4)(char* to, const std::uint32_t* text, std::size_t size) noexcept;
};

// The best kernels that this machine supports, chosen at the first call.
const EscapeKernels& escape_kernels() noexcept;
// For tests. REQUIRES: level <= simd_level()
const EscapeKernels& escape_kernels_of(SimdLevel level) noexcept;

enum class Written : std::uint8_t { ok, no_memory, surrogate };

// Including the quotes; memory is reserved in pieces, so that a long text needs no more than its
// size. After a failure truncate() the output.
Written write_string(Output& out, std::string_view utf8) noexcept;
Written write_string(Output& out, const std::uint8_t* latin1, std::size_t size) noexcept;
Written write_string(Output& out, const std::uint16_t* ucs2, std::size_t size) noexcept;
Written write_string(Output& out, const std::uint32_t* ucs4, std::size_t size) noexcept;

}  // namespace lanner::json
