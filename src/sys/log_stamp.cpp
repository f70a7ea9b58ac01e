#include "sys/log_stamp.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <ctime>

#include "sys/clock.h"
#include "sys/process.h"

namespace lanner::sys {

namespace {

constexpr std::int64_t kLastSecond = 253'402'300'799;  // 9999-12-31T23:59:59

// The last offset that was looked up, for signal handlers.
std::atomic<std::int32_t> last_offset_s{0};
static_assert(std::atomic<std::int32_t>::is_always_lock_free);

std::int32_t zone_offset_s(std::uint64_t unix_us) noexcept {
  const auto when = static_cast<std::time_t>(unix_us / 1'000'000);
  std::tm local{};
  if (!::localtime_r(&when, &local)) return 0;
  return static_cast<std::int32_t>(local.tm_gmtoff);
}

char* put_digits(char* to, std::uint32_t number, int digits) noexcept {
  for (int i = digits; i-- > 0; number /= 10) to[i] = static_cast<char>('0' + number % 10);
  return to + digits;
}

char* put_pair(char* to, std::uint32_t number, char after) noexcept {
  to = put_digits(to, number, 2);
  *to++ = after;
  return to;
}

char* put_date(char* to, std::int64_t days_since_1970) noexcept {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days_since_1970}}};
  to = put_digits(to, static_cast<std::uint32_t>(static_cast<int>(date.year())), 4);
  *to++ = '-';
  to = put_pair(to, static_cast<unsigned>(date.month()), '-');
  return put_pair(to, static_cast<unsigned>(date.day()), 'T');
}

}  // namespace

void read_zone() noexcept {
  last_offset_s.store(zone_offset_s(unix_us()), std::memory_order_relaxed);
}

std::size_t put_log_stamp(char* to) noexcept {
  const std::uint64_t now_us = unix_us();
  const std::int32_t offset_s = zone_offset_s(now_us);
  last_offset_s.store(offset_s, std::memory_order_relaxed);
  return format_log_stamp(to, now_us, offset_s, process_id());
}

std::size_t put_log_stamp_in_signal(char* to) noexcept {
  return format_log_stamp(to, unix_us(), last_offset_s.load(std::memory_order_relaxed),
                          process_id());
}

std::size_t format_log_stamp(char* to, std::uint64_t unix_us, std::int32_t offset_s,
                             std::uint32_t pid) noexcept {
  char* const start = to;
  const auto utc = static_cast<std::int64_t>(unix_us / 1'000'000);
  const std::int64_t local = std::clamp<std::int64_t>(utc + offset_s, 0, kLastSecond);
  to = put_date(to, local / 86'400);
  const auto of_day = static_cast<std::uint32_t>(local % 86'400);
  to = put_pair(to, of_day / 3'600, ':');
  to = put_pair(to, of_day / 60 % 60, ':');
  to = put_pair(to, of_day % 60, '.');
  to = put_digits(to, static_cast<std::uint32_t>(unix_us / 1'000 % 1'000), 3);
  *to++ = offset_s < 0 ? '-' : '+';
  const auto east_min = static_cast<std::uint32_t>(offset_s < 0 ? -offset_s : offset_s) / 60;
  to = put_pair(to, east_min / 60, ':');
  to = put_pair(to, east_min % 60, ' ');
  *to++ = '[';
  to = std::to_chars(to, to + 10, pid).ptr;
  *to++ = ']';
  *to++ = ' ';
  return static_cast<std::size_t>(to - start);
}

}  // namespace lanner::sys
