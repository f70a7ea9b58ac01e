// schema/temporal.h: dates, times and durations from text: RFC 3339 and ISO 8601, as pydantic 2
// reads them.
//
// Errors are static texts with the wording of pydantic's `error`.

#pragma once

#include <cstdint>
#include <string_view>

namespace lanner::schema {

struct Date {
  int year = 1, month = 1, day = 1;
};
struct Time {
  int hour = 0, minute = 0, second = 0, microsecond = 0;
  bool has_offset = false;
  int offset_s = 0;  // east of UTC
};
struct DateTime {
  Date date;
  Time time;
};
// As Python's timedelta: 0 <= seconds < 86400, 0 <= microseconds < 1000000.
struct Duration {
  std::int64_t days = 0;
  int seconds = 0, microseconds = 0;
};

// Each returns nullptr on success, otherwise the error.
const char* parse_date(std::string_view text, Date* date) noexcept;
const char* parse_time(std::string_view text, Time* time) noexcept;
// "T", "t", "_" or a space between; "Z", "z" or +hh:mm, +hhmm; more than 6 digits of a fraction are
// cut off.
const char* parse_datetime(std::string_view text, DateTime* value) noexcept;
// "P1DT2H3M4.5S", "3 days, 01:00:00", "01:00:00", each with a sign; a year is 365 days, a month 30.
const char* parse_duration(std::string_view text, Duration* value) noexcept;

// Seconds (or, beyond 2e10, milliseconds) since 1970, in UTC: what pydantic's lax mode takes for a
// datetime.
const char* datetime_from_epoch(std::int64_t value, int microsecond, DateTime* out) noexcept;
// The same for a float, rounded to microseconds: of any size, NaN and infinities too.
const char* datetime_from_seconds(double seconds, DateTime* out) noexcept;
const char* duration_from_seconds(double seconds, Duration* out) noexcept;
// Of a day, in UTC.
const char* time_from_seconds(double seconds, Time* out) noexcept;
// Days since 1970-01-01.
std::int64_t days_from_civil(const Date& date) noexcept;

}  // namespace lanner::schema
