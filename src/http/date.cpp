#include "http/date.h"

#include <cstring>

namespace lanner::http {

namespace {

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

void write_two_digits(char* to, std::int64_t number) noexcept {
  to[0] = static_cast<char>('0' + number / 10);
  to[1] = static_cast<char>('0' + number % 10);
}

}  // namespace

void write_date(char* to, std::int64_t unix_seconds) noexcept {
  static constexpr char kDays[] = "ThuFriSatSunMonTueWed";  // 1970-01-01 was a Thursday
  static constexpr char kMonths[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  constexpr std::int64_t kDaySeconds = 86'400;

  const std::int64_t days = unix_seconds / kDaySeconds;
  const std::int64_t second = unix_seconds % kDaySeconds;
  const CivilDate date = civil_from_days(days);

  std::memcpy(to, "Thu, 01 Jan 1970 00:00:00 GMT", kDateBytes);
  std::memcpy(to, kDays + 3 * (days % 7), 3);
  write_two_digits(to + 5, date.day);
  std::memcpy(to + 8, kMonths + 3 * date.month, 3);
  write_two_digits(to + 12, date.year / 100);
  write_two_digits(to + 14, date.year % 100);
  write_two_digits(to + 17, second / 3600);
  write_two_digits(to + 20, second / 60 % 60);
  write_two_digits(to + 23, second % 60);
}

}  // namespace lanner::http
