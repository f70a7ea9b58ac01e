// json/decimal.h: integers and doubles as decimal digits.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lanner::json {

inline constexpr std::size_t kIntegerRoom = 24;  // bytes that write_int64, write_uint64 may touch
inline constexpr std::size_t kDoubleRoom = 48;   // bytes that write_double may touch

// Each returns the end.
char* write_uint64(char* to, std::uint64_t value) noexcept;
char* write_int64(char* to, std::int64_t value) noexcept;

// The shortest digits that read back as the same double, the nearest of those: as Python's repr()
// has them (a fraction always: 1.0; an exponent below 1e-4 and from 1e16 on, spelled 1e16, 1e-7).
// REQUIRES: value is finite.
char* write_double(char* to, double value) noexcept;
// The same for a float: the shortest digits among floats. REQUIRES: value is finite.
char* write_float(char* to, float value) noexcept;

}  // namespace lanner::json
