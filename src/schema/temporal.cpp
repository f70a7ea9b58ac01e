#include "schema/temporal.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lanner::schema {

namespace {

constexpr std::int64_t kDaysMax = 999'999'999;
constexpr std::int64_t kEpochSecondsMax = 20'000'000'000;  // beyond it milliseconds are meant
constexpr const char* kValueTooLarge = "a numeric value in the duration is too large";
constexpr const char* kYearZero = "year 0 is out of range";
constexpr const char* kTooShort = "input is too short";
constexpr const char* kExtra = "unexpected extra characters at the end of the input";

bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Two digits at text[at]; -1 = not two digits. REQUIRES: at + 2 <= size.
int two(std::string_view text, std::size_t at) noexcept {
  if (!digit(text[at]) || !digit(text[at + 1])) return -1;
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

int month_days(int year, int month) noexcept {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

// The first ten bytes; the year may be 0, which is said last.
const char* date_part(std::string_view text, Date* date) noexcept {
  if (text.size() < 10) return kTooShort;
  const int high = two(text, 0);
  const int low = two(text, 2);
  if (high < 0 || low < 0) return "invalid character in year";
  if (text[4] != '-' || text[7] != '-') {
    if (text[4] != '-') return "invalid date separator, expected `-`";
  }
  const int month = two(text, 5);
  if (month < 0) return "invalid character in month";
  if (text[7] != '-') return "invalid date separator, expected `-`";
  const int day = two(text, 8);
  if (day < 0) return "invalid character in day";
  const int year = high * 100 + low;
  if (month < 1 || month > 12) return "month value is outside expected range of 1-12";
  if (day < 1 || day > month_days(year, month)) return "day value is outside expected range";
  *date = {year, month, day};
  return nullptr;
}

// ".123456789" at *at; digits after the sixth are cut off.
const char* fraction(std::string_view text, std::size_t* at, int* microsecond) noexcept {
  std::size_t i = *at + 1;
  int value = 0;
  int digits = 0;
  for (; i < text.size() && digit(text[i]); ++i, ++digits) {
    if (digits < 6) value = value * 10 + (text[i] - '0');
  }
  if (digits == 0) return "second fraction digits missing after `.`";
  for (int n = digits; n < 6; ++n) value *= 10;
  *microsecond = value;
  *at = i;
  return nullptr;
}

const char* offset_part(std::string_view text, std::size_t* at, Time* time) noexcept {
  const char sign = text[*at];
  if (sign == 'Z' || sign == 'z') {
    time->has_offset = true;
    ++*at;
    return nullptr;
  }
  if (sign != '+' && sign != '-') return "invalid timezone sign";
  std::size_t i = *at + 1;
  if (i + 2 > text.size()) return "invalid timezone hour";
  const int hour = two(text, i);
  if (hour < 0) return "invalid timezone hour";
  i += 2;
  if (i < text.size() && text[i] == ':') ++i;
  if (i + 2 > text.size()) return "invalid timezone minute";
  const int minute = two(text, i);
  if (minute < 0) return "invalid timezone minute";
  if (minute > 59) return "timezone minute value is outside expected range of 0-59";
  const int offset = hour * 3600 + minute * 60;
  if (offset >= 86400) return "timezone offset must be less than 24 hours";
  time->has_offset = true;
  time->offset_s = sign == '-' ? -offset : offset;
  *at = i + 2;
  return nullptr;
}

// From text[at] to the end: hh:mm[:ss[.fraction]][offset].
const char* time_part(std::string_view text, std::size_t at, Time* time) noexcept {
  if (text.size() < at + 5) return kTooShort;
  const int hour = two(text, at);
  if (hour < 0) return "invalid character in hour";
  if (text[at + 2] != ':') return "invalid time separator, expected `:`";
  const int minute = two(text, at + 3);
  if (minute < 0) return "invalid character in minute";
  if (hour > 23) return "hour value is outside expected range of 0-23";
  if (minute > 59) return "minute value is outside expected range of 0-59";
  *time = {hour, minute, 0, 0, false, 0};
  at += 5;
  if (at < text.size() && text[at] == ':') {
    const int second = at + 3 <= text.size() ? two(text, at + 1) : -1;
    if (second < 0) return "invalid character in second";
    if (second > 59) return "second value is outside expected range of 0-59";
    time->second = second;
    at += 3;
    if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
      if (const char* why = fraction(text, &at, &time->microsecond)) return why;
    }
  }
  if (at < text.size()) {
    if (const char* why = offset_part(text, &at, time)) return why;
  }
  return at == text.size() ? nullptr : kExtra;
}

// A duration while it is read: whole seconds and microseconds, before the sign.
struct Sum {
  std::int64_t days = 0;
  std::int64_t seconds = 0;
  std::int64_t microseconds = 0;
};

const char* normalize(Sum sum, bool negative, Duration* out) noexcept {
  sum.seconds += sum.microseconds / 1'000'000;
  sum.microseconds %= 1'000'000;
  sum.days += sum.seconds / 86400;
  sum.seconds %= 86400;
  if (sum.days > kDaysMax) return "durations may not exceed 999,999,999 days";
  if (negative) {
    sum.days = -sum.days;
    sum.seconds = -sum.seconds;
    if (sum.microseconds) {
      sum.microseconds = 1'000'000 - sum.microseconds;
      --sum.seconds;
    }
    if (sum.seconds < 0) {
      sum.seconds += 86400;
      --sum.days;
    }
    if (sum.days < -kDaysMax) return "durations may not exceed 999,999,999 days";
  }
  *out = {sum.days, static_cast<int>(sum.seconds), static_cast<int>(sum.microseconds)};
  return nullptr;
}

// Digits at *at. The wording here, and what is too large, are speedate's, which pydantic reads
// with.
const char* whole_number(std::string_view text, std::size_t* at, std::int64_t* value) noexcept {
  const std::size_t begin = *at;
  *value = 0;
  for (; *at < text.size() && digit(text[*at]); ++*at) {
    *value = *value * 10 + (text[*at] - '0');
    if (*value > UINT32_MAX) return kValueTooLarge;
  }
  return *at == begin ? "invalid digit in duration" : nullptr;
}

// ".5" or ",5" at *at, perhaps without a digit; false: there is none.
bool quantity_fraction(std::string_view text, std::size_t* at, double* value) noexcept {
  *value = 0;
  if (*at == text.size() || (text[*at] != '.' && text[*at] != ',')) return false;
  double decimal = 0;
  double denominator = 1;
  for (++*at; *at < text.size() && digit(text[*at]); ++*at) {
    decimal = decimal * 10 + (text[*at] - '0');
    denominator *= 10;
  }
  *value = std::isfinite(denominator) && std::isfinite(decimal) ? decimal / denominator : 0;
  return true;
}

// The unit in seconds; 0 = not a unit of this part.
std::int64_t unit_seconds(char unit, bool in_time) noexcept {
  if (in_time) return unit == 'H' ? 3600 : unit == 'M' ? 60 : unit == 'S' ? 1 : 0;
  return unit == 'Y'   ? 365 * 86400
         : unit == 'M' ? 30 * 86400
         : unit == 'W' ? 7 * 86400
         : unit == 'D' ? 86400
                       : 0;
}

// A fraction of a unit: whole days first, then seconds, the rest rounded.
void add_fraction(double fraction, std::int64_t unit, bool in_time, Sum* sum) noexcept {
  double seconds = fraction * static_cast<double>(unit);
  if (!in_time) {
    const double days = fraction * static_cast<double>(unit / 86400);
    sum->days += static_cast<std::int64_t>(days);
    seconds = (days - std::trunc(days)) * 86400;
  }
  sum->seconds += static_cast<std::int64_t>(seconds);
  sum->microseconds += std::llround((seconds - std::trunc(seconds)) * 1e6);
}

// "P1DT2H", from behind the P.
const char* iso_duration(std::string_view text, std::size_t at, Sum* sum) noexcept {
  const std::size_t begin = at;
  bool in_time = false;
  bool had_fraction = false;
  for (; at < text.size(); ++at) {
    if (text[at] == 'T') {
      if (in_time) return "`t` character repeated in duration";
      in_time = true;
      continue;
    }
    std::int64_t whole = 0;
    double part = 0;
    if (const char* why = whole_number(text, &at, &whole)) return why;
    const bool has_fraction = quantity_fraction(text, &at, &part);
    if (had_fraction) return "quantity fraction invalid in duration";
    had_fraction = has_fraction;
    const std::int64_t unit = at < text.size() ? unit_seconds(text[at], in_time) : 0;
    if (!unit) {
      return in_time ? "quantity invalid in time part of duration"
                     : "quantity invalid in date part of duration";
    }
    std::int64_t& count = in_time ? sum->seconds : sum->days;
    count += whole * (in_time ? unit : unit / 86400);
    add_fraction(part, unit, in_time, sum);
    if (count > UINT32_MAX) return kValueTooLarge;
  }
  return text.size() - begin < 2 ? kTooShort : nullptr;  // "P", "PT"
}

constexpr std::size_t kClockBytesMin = 5;  // "12:34"
constexpr std::size_t kAfterHourMax = 12;  // "34:56.123456": what follows is cut off
constexpr std::int64_t kHoursMax = 2'400'000'000;
constexpr const char* kTooManyHours = "durations may not exceed 999,999,999 hours";

// "01:02:03.5", from text[at] to the end.
const char* clock_duration(std::string_view text, std::size_t at, Sum* sum) noexcept {
  if (text.size() - at < kClockBytesMin) return kTooShort;
  const std::size_t colon = text.find(':', at);
  if (colon == std::string_view::npos) return "invalid character in hour";
  if (colon - at > 10) return kTooManyHours;
  std::int64_t hours = 0;
  for (; at < colon; ++at) {
    if (!digit(text[at])) return "invalid character in hour";
    hours = hours * 10 + (text[at] - '0');
  }
  if (hours > kHoursMax) return kTooManyHours;
  text = text.substr(0, at + 1 + kAfterHourMax);
  if (at + 3 > text.size()) return kTooShort;
  const int minute = two(text, at + 1);
  if (minute < 0) return "invalid character in minute";
  if (minute > 59) return "minute value is outside expected range of 0-59";
  at += 3;
  int second = 0;
  int microsecond = 0;
  if (at < text.size() && text[at] == ':') {
    second = at + 3 <= text.size() ? two(text, at + 1) : -1;
    if (second < 0) return "invalid character in second";
    if (second > 59) return "second value is outside expected range of 0-59";
    at += 3;
    if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
      if (const char* why = fraction(text, &at, &microsecond)) return why;
    }
  }
  if (at != text.size()) return kExtra;
  sum->seconds += hours * 3600 + minute * 60 + second;
  sum->microseconds += microsecond;
  return nullptr;
}

// "ay" or "ays" at text[at], in one case; how many bytes, 0 = none of it, -1 = begun, not ended.
int rest_of_day(std::string_view text, std::size_t at) noexcept {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("ays") || rest.starts_with("AYS")) return 3;
  if (rest.starts_with("ay") || rest.starts_with("AY")) return 2;
  return rest.starts_with('a') || rest.starts_with('A') ? -1 : 0;
}

// "3 days, 01:00:00" or "3d", from the digits at text[at].
const char* days_duration(std::string_view text, std::size_t at, Sum* sum) noexcept {
  static constexpr const char* kBadDays = "\"day\" identifier in duration not correctly formatted";
  if (const char* why = whole_number(text, &at, &sum->days)) return why;
  if (at < text.size() && text[at] == ' ') ++at;
  if (at == text.size() || (text[at] != 'd' && text[at] != 'D')) return kBadDays;
  const int rest = rest_of_day(text, ++at);
  if (rest < 0) return kBadDays;
  at += static_cast<std::size_t>(rest);
  if (at < text.size() && text[at] == ',') ++at;
  if (at < text.size() && text[at] == ' ') ++at;
  if (at == text.size()) return nullptr;
  if (const char* why = clock_duration(text, at, sum)) return why;
  return sum->seconds >= 86400 ? kTooManyHours : nullptr;
}

}  // namespace

const char* parse_date(std::string_view text, Date* date) noexcept {
  if (const char* why = date_part(text, date)) return why;
  if (text.size() != 10) return kExtra;
  return date->year == 0 ? kYearZero : nullptr;
}

const char* parse_time(std::string_view text, Time* time) noexcept {
  return time_part(text, 0, time);
}

const char* parse_datetime(std::string_view text, DateTime* value) noexcept {
  if (const char* why = date_part(text, &value->date)) return why;
  const char separator = text.size() > 10 ? text[10] : '\0';
  if (separator != 'T' && separator != 't' && separator != '_' && separator != ' ') {
    return "invalid datetime separator, expected `T`, `t`, `_` or space";
  }
  if (const char* why = time_part(text, 11, &value->time)) return why;
  return value->date.year == 0 ? kYearZero : nullptr;
}

const char* parse_duration(std::string_view text, Duration* value) noexcept {
  std::size_t at = 0;
  if (text.empty()) return kTooShort;
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') ++at;
  if (at == text.size()) return kTooShort;
  Sum sum;
  const char* why = nullptr;
  if (text[at] == 'P') {
    why = iso_duration(text, at + 1, &sum);
  } else {
    const bool names_days = text.find_first_of("dD") != std::string_view::npos;
    const bool clock = !names_days && text.size() - at >= kClockBytesMin;
    if (!clock && !digit(text[at])) return "invalid digit in duration";
    why = clock ? clock_duration(text, at, &sum) : days_duration(text, at, &sum);
  }
  return why ? why : normalize(sum, negative, value);
}

std::int64_t days_from_civil(const Date& date) noexcept {
  // Howard Hinnant's days_from_civil: years begin in March.
  const std::int64_t y = date.year - (date.month <= 2);
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t yoe = y - era * 400;
  const std::int64_t doy = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

const char* datetime_from_epoch(std::int64_t value, int microsecond, DateTime* out) noexcept {
  std::int64_t seconds = value;
  if (value > kEpochSecondsMax || value < -kEpochSecondsMax) {
    seconds = value / 1000;
    std::int64_t ms = value % 1000;
    if (ms < 0) {
      ms += 1000;
      --seconds;
    }
    microsecond = static_cast<int>(ms) * 1000;
  }
  std::int64_t days = seconds / 86400;
  std::int64_t rest = seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  if (days < -719162) return "dates before 0000 are not supported as unix timestamps";
  if (days > 2932896) return "dates after 9999 are not supported as unix timestamps";
  // Howard Hinnant's civil_from_days.
  const std::int64_t z = days + 719468;
  const std::int64_t era = z / 146097;
  const std::int64_t doe = z - era * 146097;
  const std::int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153;
  const int month = static_cast<int>(mp < 10 ? mp + 3 : mp - 9);
  out->date = {static_cast<int>(yoe + era * 400 + (month <= 2)), month,
               static_cast<int>(doy - (153 * mp + 2) / 5 + 1)};
  out->time = {static_cast<int>(rest / 3600),
               static_cast<int>(rest / 60 % 60),
               static_cast<int>(rest % 60),
               microsecond,
               true,
               0};
  return nullptr;
}

namespace {

constexpr double kDay = 86400.0;
constexpr double kBeyond = 9e15;  // seconds: far outside all that can be said

// Whole seconds, rounded down, and microseconds. False: it is NaN.
bool split_seconds(double seconds, std::int64_t* whole, int* microsecond) noexcept {
  if (std::isnan(seconds)) return false;
  const double down = std::floor(std::clamp(seconds, -kBeyond, kBeyond));
  *whole = static_cast<std::int64_t>(down);
  *microsecond = 0;
  if (std::fabs(seconds) < kBeyond)
    *microsecond = static_cast<int>(std::lround((seconds - down) * 1e6));
  if (*microsecond == 1000000) {
    *microsecond = 0;
    ++*whole;
  }
  return true;
}

}  // namespace

const char* datetime_from_seconds(double seconds, DateTime* out) noexcept {
  std::int64_t whole = 0;
  int microsecond = 0;
  if (!split_seconds(seconds, &whole, &microsecond)) return "NaN values not permitted";
  return datetime_from_epoch(whole, microsecond, out);
}

const char* duration_from_seconds(double seconds, Duration* out) noexcept {
  std::int64_t whole = 0;
  if (!split_seconds(seconds, &whole, &out->microseconds)) return "NaN values not permitted";
  out->days = static_cast<std::int64_t>(std::floor(static_cast<double>(whole) / kDay));
  out->seconds = static_cast<int>(whole - out->days * 86400);
  if (out->days > 999999999 || out->days < -999999999)
    return "durations may not exceed 999,999,999 days";
  return nullptr;
}

const char* time_from_seconds(double seconds, Time* out) noexcept {
  std::int64_t whole = 0;
  if (!split_seconds(seconds, &whole, &out->microsecond)) return "NaN values not permitted";
  if (seconds < 0) return "time in seconds should be positive";
  if (whole >= 86400) return "numeric times may not exceed 86,399 seconds";
  const int second = static_cast<int>(whole);
  out->hour = second / 3600;
  out->minute = second / 60 % 60;
  out->second = second % 60;
  out->has_offset = true;
  return nullptr;
}

}  // namespace lanner::schema
