// json/limits.h: the limits of reading and writing JSON (RFC 8259, section 9: "may set limits").

#pragma once

#include <cstddef>

namespace lanner::json {

// Arrays and objects inside each other, the outermost counts as 1.
inline constexpr int kDepthMax = 128;
// Of one integer, as CPython's own limit (sys.set_int_max_str_digits).
inline constexpr std::size_t kIntegerDigitsMax = 4300;

}  // namespace lanner::json
