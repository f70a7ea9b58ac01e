#include "base/cpu.h"

namespace lanner {
namespace {

SimdLevel detect() noexcept {
#if defined(__x86_64__)
  // The compiler's run-time library also asks XGETBV whether the system saves the registers.
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2")) {
    return SimdLevel::scalar;
  }
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
  return avx512 ? SimdLevel::avx512 : SimdLevel::avx2;
#else
  return SimdLevel::scalar;
#endif
}

}  // namespace

SimdLevel simd_level() noexcept {
  static const SimdLevel level = detect();
  return level;
}

}  // namespace lanner
