// json/shortest.h: the shortest decimal number that reads back as a given double, and among several
// the nearest.
//
// Raffaello Giulietti, "The Schubfach way to render doubles" (2020): the interval of numbers that
// round to the double is scaled by a power of ten so that at most one or two multiples of 10, else
// of 1, lie in it; three products of 64 x 128 bits find them.

#pragma once

#include <cstdint>

namespace lanner::json {

struct Shortest {
  std::uint64_t digits;   // below 10^17; may end in zeros
  std::int32_t exponent;  // value = digits * 10^exponent
};

// REQUIRES: finite and greater than zero.
Shortest shortest_of(double value) noexcept;

// The same number as 17 digits: with zeros behind it, and at most one zero before it.
struct Filled {
  std::uint64_t sixteen;  // the first 16 digits: 10^14 <= sixteen < 10^16
  std::uint32_t last;     // the 17th
  std::int32_t point;     // value = 0.digits * 10^point
};

// REQUIRES: finite and greater than zero. One product of 64 x 128 bits suffices for nearly all
// doubles: the midpoints to the neighbours follow from the power of ten. A value so close to a
// midpoint that the error of the product could matter is handled by shortest_of(). In
// shortest_inl.h.
inline Filled shortest_filled(double value) noexcept;

}  // namespace lanner::json
