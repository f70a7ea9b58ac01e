// sys/log_stamp.h: how every log line begins: local time (RFC 3339) and process id.
//
//   2026-11-30T09:40:20.123+01:00 [4242] warn h1.reject ...

#pragma once

#include <cstddef>
#include <cstdint>

namespace lanner::sys {

inline constexpr std::size_t kLogStampBytesMax = 48;

// Writes the stamp for now, with its trailing blank, and returns how many bytes that is.
// REQUIRES: room for kLogStampBytesMax.
std::size_t put_log_stamp(char* to) noexcept;
// The same inside a signal handler, where the rules of the zone cannot be read: with the offset that
// put_log_stamp() or read_zone() found last.
std::size_t put_log_stamp_in_signal(char* to) noexcept;
void read_zone() noexcept;

// For those two and for tests. `unix_us`: microseconds since 1970, UTC; `offset_s`: east of it.
std::size_t format_log_stamp(char* to, std::uint64_t unix_us, std::int32_t offset_s,
                             std::uint32_t pid) noexcept;

}  // namespace lanner::sys
