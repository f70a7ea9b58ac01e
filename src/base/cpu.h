// base/cpu.h: which vector instructions this machine may run, for kernels that exist at several
// levels.

#pragma once

#include <cstdint>

namespace lanner {

enum class SimdLevel : std::uint8_t {
  baseline,  // what every machine has
  avx2,      // AVX2 and BMI1, BMI2
  avx512,    // avx2 and AVX-512 F, BW, VL
};

// Detected at the first call and constant afterwards. An instruction set counts only if the
// operating system saves its registers. The environment variable LANNER_SIMD=baseline or
// LANNER_SIMD=avx2 lowers the level, to compare the levels with each other.
SimdLevel simd_level() noexcept;
// False: LANNER_SIMD is set, but is not the name of a level. simd_level() ignores it then.
bool simd_setting_is_valid() noexcept;

}  // namespace lanner
