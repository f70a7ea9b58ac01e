// python/json/walk_level.h: the level of vector instructions for which a walk is compiled.
//
// cmake/python.cmake compiles each walk_inl.h once for each level, whose number in SimdLevel is
// LANNER_WALK_LEVEL. LANNER_WALK_TARGET is what a function needs to use the level's instructions.

#pragma once

#include "base/cpu.h"
#include "json/number_avx512.h"
#include "json/plain.h"
#include "json/plain_avx2.h"
#include "json/plain_avx512.h"

#if LANNER_WALK_LEVEL == 2
#define LANNER_WALK_TARGET LANNER_AVX512_TARGET
#elif LANNER_WALK_LEVEL == 1
#define LANNER_WALK_TARGET LANNER_AVX2_TARGET
#else
#define LANNER_WALK_TARGET
#endif

namespace lanner::python {

inline constexpr SimdLevel kWalkLevel{LANNER_WALK_LEVEL};

// What writes text without escapes, and numbers; the latter also for a loop short of registers.
template <SimdLevel>
struct WalkLevel {
  using Plain = json::PlainCopy;
  using Numbers = json::PlainNumbers;
  using CalledNumbers = json::PlainNumbers;
};

#if defined(__x86_64__)
template <>
struct WalkLevel<SimdLevel::avx2> {
  using Plain = json::Avx2PlainCopy;
  using Numbers = json::PlainNumbers;
  using CalledNumbers = json::PlainNumbers;
};
template <>
struct WalkLevel<SimdLevel::avx512> {
  using Plain = json::Avx512PlainCopy;
  using Numbers = json::Avx512PlainNumbers;
  using CalledNumbers = json::Avx512CalledNumbers;
};
#endif

}  // namespace lanner::python
