#include "http/date.h"

#include <cstring>

#include "http/ascii.h"

namespace lanner::http {

namespace {

constexpr std::string_view kDays = "ThuFriSatSunMonTueWed";  // 1970-01-01 was a Thursday
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

struct CivilDate {
  std::int64_t year;
  unsigned int month;  // 0..11
  unsigned int day;    // 1..31
};

// Howard Hinnant's civil_from_days: years begin in March, so that leap days come last.
CivilDate civil_from_days(std::int64_t days) noexcept {
  const std::int64_t shifted = days + 719'468;  // days since 0000-03-01
  const std::int64_t era = shifted / 146'097;   // 400 years
  const std::int64_t day_of_era = shifted % 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;  // 0 = March
  const std::int64_t day = day_of_year - (153 * march_month + 2) / 5 + 1;
  const std::int64_t month = march_month < 10 ? march_month + 2 : march_month - 10;
  const std::int64_t year = year_of_era + era * 400 + (month < 2 ? 1 : 0);
  return {year, static_cast<unsigned int>(month), static_cast<unsigned int>(day)};
}

std::int64_t days_from_civil(std::int64_t year, std::int64_t month, std::int64_t day) noexcept {
  const std::int64_t march_year = month < 2 ? year - 1 : year;
  const std::int64_t era = march_year / 400;
  const std::int64_t year_of_era = march_year % 400;
  const std::int64_t march_month = month < 2 ? month + 10 : month - 2;
  const std::int64_t day_of_year = (153 * march_month + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719'468;
}

// What is left of the text of a date; the first mistake makes all later steps fail.
class DateText final {
 public:
  explicit DateText(std::string_view text) noexcept : rest_(text) {}

  bool good() const noexcept { return good_ && rest_.empty(); }
  void expect(std::string_view text) noexcept {
    if (!rest_.starts_with(text)) return fail();
    rest_.remove_prefix(text.size());
  }
  // Exactly so many digits; asctime's day of the month has a space for the first.
  std::int64_t number(std::size_t digits, bool space_first = false) noexcept {
    std::int64_t value = 0;
    if (rest_.size() < digits) fail();
    for (std::size_t i = 0; good_ && i < digits; ++i) {
      const char byte = rest_[i];
      if (space_first && i == 0 && byte == ' ') continue;
      if (!is_digit(byte)) fail();
      value = value * 10 + (byte - '0');
    }
    if (good_) rest_.remove_prefix(digits);
    return value;
  }
  // The number of the three letters in `names`.
  std::int64_t name(std::string_view names) noexcept {
    const std::string_view three = rest_.substr(0, 3);
    for (std::size_t i = 0; three.size() == 3 && i < names.size(); i += 3) {
      if (names.substr(i, 3) != three) continue;
      rest_.remove_prefix(3);
      return static_cast<std::int64_t>(i / 3);
    }
    fail();
    return 0;
  }
  std::int64_t time_of_day() noexcept {
    const std::int64_t hour = number(2);
    expect(":");
    const std::int64_t minute = number(2);
    expect(":");
    const std::int64_t second = number(2);
    if (hour > 23 || minute > 59 || second > 60) fail();  // 60: a leap second
    return hour * 3600 + minute * 60 + second;
  }
  void fail() noexcept { good_ = false; }
  bool starts_with(std::string_view text) const noexcept { return rest_.starts_with(text); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

bool is_real(std::int64_t year, std::int64_t month, std::int64_t day) noexcept {
  constexpr std::string_view kLengths = "\37\34\37\36\37\36\37\37\36\37\36\37";
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const std::int64_t length = kLengths[static_cast<std::size_t>(month)] + (month == 1 && leap);
  return year >= 1970 && day >= 1 && day <= length;
}

// The year of two digits that is at most 50 years ahead.
std::int64_t full_year(std::int64_t two_digits, std::int64_t now) noexcept {
  const std::int64_t this_year = civil_from_days(now < 0 ? 0 : now / 86'400).year;
  std::int64_t year = this_year - this_year % 100 + two_digits;
  if (year > this_year + 50) year -= 100;
  return year;
}

void write_two_digits(char* to, std::int64_t number) noexcept {
  to[0] = static_cast<char>('0' + number / 10);
  to[1] = static_cast<char>('0' + number % 10);
}

}  // namespace

void write_date(char* to, std::int64_t unix_seconds) noexcept {
  constexpr std::int64_t kDaySeconds = 86'400;

  const std::int64_t days = unix_seconds / kDaySeconds;
  const std::int64_t second = unix_seconds % kDaySeconds;
  const CivilDate date = civil_from_days(days);

  std::memcpy(to, "Thu, 01 Jan 1970 00:00:00 GMT", kDateBytes);
  std::memcpy(to, kDays.data() + 3 * (days % 7), 3);
  write_two_digits(to + 5, date.day);
  std::memcpy(to + 8, kMonths.data() + 3 * date.month, 3);
  write_two_digits(to + 12, date.year / 100);
  write_two_digits(to + 14, date.year % 100);
  write_two_digits(to + 17, second / 3600);
  write_two_digits(to + 20, second / 60 % 60);
  write_two_digits(to + 23, second % 60);
}

bool parse_date(std::string_view text, std::int64_t now_unix_seconds,
                std::int64_t* unix_seconds) noexcept {
  DateText rest(text);
  std::int64_t year = 0;
  std::int64_t month = 0;
  std::int64_t day = 0;
  std::int64_t second = 0;
  const std::int64_t weekday = rest.name(kDays);
  if (rest.starts_with(", ")) {  // IMF-fixdate
    rest.expect(", ");
    day = rest.number(2);
    rest.expect(" ");
    month = rest.name(kMonths);
    rest.expect(" ");
    year = rest.number(4);
    rest.expect(" ");
    second = rest.time_of_day();
    rest.expect(" GMT");
  } else if (rest.starts_with(" ")) {  // asctime-date
    rest.expect(" ");
    month = rest.name(kMonths);
    rest.expect(" ");
    day = rest.number(2, true);
    rest.expect(" ");
    second = rest.time_of_day();
    rest.expect(" ");
    year = rest.number(4);
  } else {  // rfc850-date
    constexpr std::string_view kEnds[] = {"rsday", "day", "urday", "day", "day", "sday", "nesday"};
    rest.expect(kEnds[weekday]);
    rest.expect(", ");
    day = rest.number(2);
    rest.expect("-");
    month = rest.name(kMonths);
    rest.expect("-");
    year = full_year(rest.number(2), now_unix_seconds);
    rest.expect(" ");
    second = rest.time_of_day();
    rest.expect(" GMT");
  }
  if (!rest.good() || !is_real(year, month, day)) return false;
  *unix_seconds = days_from_civil(year, month, day) * 86'400 + second;
  return true;
}

}  // namespace lanner::http
