// router/converter.h: what a parameter of a path takes.
//
//   {id:int}     1*DIGIT, at most 4300 of them
//   {x:float}    1*DIGIT [ "." 1*DIGIT ]
//   {u:uuid}     32 hex digits, each of the four hyphens there or not
//   {s:str}      one byte or more, no '/'; also {s}
//   {rest:path}  what is left of the path, '/' included; may be empty
//
// The names and the grammar are Starlette's. There is no sign: a path with "-5" in it is another
// path, which `str` takes. All are decided on the decoded text: "%31" is a digit.

#pragma once

#include <cstdint>
#include <string_view>

namespace lanner::router {

// In order of precedence: the narrower comes first.
enum class Converter : std::uint8_t { uuid, integer, floating, str, path };

// "int" ...
std::string_view converter_name(Converter converter) noexcept;
bool converter_from_name(std::string_view name, Converter* converter) noexcept;

// Whether all of the percent-encoded text is one. `has_escapes`: there may be a '%' in it.
bool converts(Converter converter, std::string_view raw, bool has_escapes = true) noexcept;

// Where the longest one begins that ends at `end`; null: none does. REQUIRES: uuid, integer or
// floating
const char* take_back(Converter converter, const char* begin, const char* end) noexcept;

}  // namespace lanner::router
