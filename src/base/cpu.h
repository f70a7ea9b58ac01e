// base/cpu.h: which vector instructions this machine may run, for kernels that exist in several
// versions.

#pragma once

#include <cstdint>

namespace lanner {

enum class SimdLevel : std::uint8_t {
  scalar,
  avx2,    // AVX2 and BMI1, BMI2
  avx512,  // avx2 and AVX-512 F, BW, VL
};

// Found out at the first call; the same at every later one. What the processor has counts only if
// the operating system saves those registers too. LANNER_SIMD=scalar or avx2 in the environment
// allows no more than that: to compare, and to be sure that all levels say the same.
SimdLevel simd_level() noexcept;

}  // namespace lanner
