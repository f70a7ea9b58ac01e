#include "json/scan.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::json {
namespace {

std::vector<SimdLevel> levels() {
  std::vector<SimdLevel> all;
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level)
    all.push_back(static_cast<SimdLevel>(level));
  return all;
}

// What a kernel should say, written once more and differently.
std::size_t expected_stop(const std::string& text, bool* high) {
  *high = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const unsigned char byte = static_cast<unsigned char>(text[at]);
    if (byte == 0x22 || byte == 0x5C || byte <= 0x1F) break;
    if (byte > 0x7F) *high = true;
  }
  return at;
}

void expect_scan(SimdLevel level, const std::string& text) {
  // Its own block: ASan sees a byte read outside.
  const std::vector<char> tight(text.begin(), text.end());
  const char* const begin = tight.data();
  const StringScan found = scan_kernels_of(level).string(begin, begin + tight.size());
  bool high = false;
  ASSERT_EQ(static_cast<std::size_t>(found.stop - begin), expected_stop(text, &high))
      << text.size();
  ASSERT_EQ(found.high, high);
}

TEST(Scan, StopsAtEachByteAtEachPlace) {
  for (const SimdLevel level : levels()) {
    for (int value = 0; value < 256; ++value) {
      for (std::size_t at = 0; at < 140; at += 1 + at / 8) {
        std::string text(150, 'a');
        text[at] = static_cast<char>(value);
        ASSERT_NO_FATAL_FAILURE(expect_scan(level, text));
        text.resize(at + 1);
        ASSERT_NO_FATAL_FAILURE(expect_scan(level, text));
      }
    }
  }
}

TEST(Scan, RandomTextsOfEveryLength) {
  for (const SimdLevel level : levels()) {
    std::mt19937 random(4);
    for (int round = 0; round < 3000; ++round) {
      std::string text(random() % 300, 'x');
      const auto rarity = 1 + random() % 300;
      for (char& byte : text) {
        if (random() % rarity == 0) byte = static_cast<char>(random());
      }
      ASSERT_NO_FATAL_FAILURE(expect_scan(level, text));
    }
  }
}

TEST(Scan, TheChosenKernelsAreOfThisMachine) {
  EXPECT_EQ(&scan_kernels(), &scan_kernels_of(simd_level()));
}

}  // namespace
}  // namespace lanner::json
