#include "base/cpu.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

namespace lanner {
namespace {

#if defined(__x86_64__)

// The kernel's view: it lists a flag only if it also saves the registers.
bool kernel_lists(std::initializer_list<const char*> flags) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    return std::all_of(flags.begin(), flags.end(), [&line](const std::string& flag) {
      return (line + " ").find(" " + flag + " ") != line.npos;
    });
  }
  return false;
}

TEST(Cpu, AgreesWithTheKernel) {
  if (std::getenv("LANNER_SIMD") != nullptr) GTEST_SKIP() << "LANNER_SIMD is set";
  const bool avx2 = kernel_lists({"avx2", "bmi1", "bmi2", "abm", "popcnt"});
  const bool avx512 =
      kernel_lists({"avx512f", "avx512bw", "avx512vl", "avx512ifma", "avx512vbmi", "avx512_vbmi2"});
  const SimdLevel want = !avx2 ? SimdLevel::baseline : avx512 ? SimdLevel::avx512 : SimdLevel::avx2;
  EXPECT_EQ(simd_level(), want);
}

#else

TEST(Cpu, OtherMachinesHaveTheBaseline) { EXPECT_EQ(simd_level(), SimdLevel::baseline); }

#endif

TEST(Cpu, TheSettingNamesALevel) {
  const char* const given = std::getenv("LANNER_SIMD");
  const std::string saved = given != nullptr ? given : "";
  const bool was_set = given != nullptr;
  for (const char* name : {"baseline", "avx2", "avx512", ""}) {
    setenv("LANNER_SIMD", name, 1);
    EXPECT_TRUE(simd_setting_is_valid()) << name;
  }
  for (const char* name : {"scalar", "AVX2", "avx", "none"}) {
    setenv("LANNER_SIMD", name, 1);
    EXPECT_FALSE(simd_setting_is_valid()) << name;
  }
  was_set ? setenv("LANNER_SIMD", saved.c_str(), 1) : unsetenv("LANNER_SIMD");
}

TEST(Cpu, IsTheSameAtEveryCall) { EXPECT_EQ(simd_level(), simd_level()); }

}  // namespace
}  // namespace lanner
