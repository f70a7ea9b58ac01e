#include "base/cpu.h"

#include <algorithm>
#include <array>
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
    return SimdLevel::baseline;
  }
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
  return avx512 ? SimdLevel::avx512 : SimdLevel::avx2;
#else
  return SimdLevel::baseline;
#endif
}

constexpr std::array<std::string_view, 3> kNames = {"baseline", "avx2", "avx512"};

// The place of the level in kNames; their number: there is no such level.
std::size_t allowed() noexcept {
  const char* given = std::getenv("LANNER_SIMD");
  const std::string_view name = given != nullptr && *given != '\0' ? given : kNames.back();
  return static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
}

}  // namespace

SimdLevel simd_level() noexcept {
  static const SimdLevel level = std::min(detect(), static_cast<SimdLevel>(allowed()));
  return level;
}

bool simd_setting_is_valid() noexcept { return allowed() != kNames.size(); }

}  // namespace lanner
