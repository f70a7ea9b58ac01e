// http/date.h: HTTP-date (RFC 9110, section 5.6.7): written as "Sun, 06 Nov 1994 08:49:37 GMT", read
// in the two obsolete forms, too.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanner::http {

inline constexpr std::size_t kDateBytes = 29;
// Writes exactly kDateBytes. Any second of the years 1970 to 9999.
void write_date(char* to, std::int64_t unix_seconds) noexcept;

// Any of the three forms, exactly as the grammar has them (case counts), of the years 1970 to 9999;
// the name of the day is not compared with the date. False for anything else. `now` decides the
// century of a year of two digits: one that seems more than 50 years away is past.
bool parse_date(std::string_view text, std::int64_t now_unix_seconds,
                std::int64_t* unix_seconds) noexcept;

}  // namespace lanner::http
