// base/cpu.h: which vector instructions this machine may run: kernels exist at several levels.

#pragma once

#include <cstdint>

namespace lanner {

enum class SimdLevel : std::uint8_t {
  baseline,  // what every machine has: base/simd128.h
  avx2,      // AVX2, BMI1, BMI2, LZCNT, POPCNT: Haswell, Zen
  avx512,    // these and AVX-512 F, BW, VL, IFMA, VBMI, VBMI2: Ice Lake, Zen 4
};

// Detected at the first call and constant afterwards. An instruction set counts only if the
// operating system saves its registers. The environment variable LANNER_SIMD=baseline or
// LANNER_SIMD=avx2 lowers the level, to compare the levels with each other.
SimdLevel simd_level() noexcept;
// False: LANNER_SIMD is set, but is not the name of a level. simd_level() ignores it then.
bool simd_setting_is_valid() noexcept;

// For functions that use the instructions of a level, and are called where simd_level() is that one
// or a higher one only.
#if defined(__x86_64__)
#define LANNER_AVX2_TARGET __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define LANNER_AVX512_TARGET                                                    \
  __attribute__((                                                               \
      target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512ifma," \
             "avx512vbmi,avx512vbmi2")))
#endif

}  // namespace lanner
