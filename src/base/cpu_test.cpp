#include "base/cpu.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace lanner {
namespace {

// The kernel's view: it lists a flag only if it also saves the registers.
bool kernel_lists(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) == 0) return (line + " ").find(" " + flag + " ") != line.npos;
  }
  return false;
}

TEST(Cpu, AgreesWithTheKernel) {
  if (std::getenv("LANNER_SIMD") != nullptr) GTEST_SKIP() << "LANNER_SIMD is set";
  const bool avx2 = kernel_lists("avx2") && kernel_lists("bmi1") && kernel_lists("bmi2");
  const bool avx512 =
      kernel_lists("avx512f") && kernel_lists("avx512bw") && kernel_lists("avx512vl");
  const SimdLevel want = !avx2 ? SimdLevel::scalar : avx512 ? SimdLevel::avx512 : SimdLevel::avx2;
  EXPECT_EQ(simd_level(), want);
}

TEST(Cpu, IsTheSameAtEveryCall) { EXPECT_EQ(simd_level(), simd_level()); }

}  // namespace
}  // namespace lanner
