// http/date.h: IMF-fixdate (RFC 9110, section 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".

#pragma once

#include <cstddef>
#include <cstdint>

namespace lanner::http {

inline constexpr std::size_t kDateBytes = 29;
// Writes exactly kDateBytes. Any second of the years 1970 to 9999.
void write_date(char* to, std::int64_t unix_seconds) noexcept;

}  // namespace lanner::http
