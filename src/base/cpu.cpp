#include "base/cpu.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lanner {
namespace {

#if defined(__x86_64__)

// The compiler's run-time library does not know it by a name. Without it, the instruction is another
// one.
bool has_lzcnt() noexcept {
  unsigned int eax = 0;
  unsigned int ebx = 0;
  unsigned int ecx = 0;
  unsigned int edx = 0;
  return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_LZCNT) != 0;
}

// The run-time library also asks XGETBV whether the system saves the registers.
SimdLevel detect() noexcept {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt") || !has_lzcnt()) {
    return SimdLevel::baseline;
  }
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512ifma") &&
                      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
  return avx512 ? SimdLevel::avx512 : SimdLevel::avx2;
}

#else

SimdLevel detect() noexcept { return SimdLevel::baseline; }

#endif

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
