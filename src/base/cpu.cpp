#include "base/cpu.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

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

SimdLevel allowed() noexcept {
  const char* given = std::getenv("LANNER_SIMD");
  const std::string_view name = given != nullptr ? given : "";
  if (name == "scalar") return SimdLevel::scalar;
  return name == "avx2" ? SimdLevel::avx2 : SimdLevel::avx512;
}

}  // namespace

SimdLevel simd_level() noexcept {
  static const SimdLevel level = std::min(detect(), allowed());
  return level;
}

}  // namespace lanner
