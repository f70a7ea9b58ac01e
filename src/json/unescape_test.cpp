#include "json/unescape.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/scan.h"

namespace lanner::json {
namespace {

std::vector<UnescapeFunction> all_kernels() {
  std::vector<UnescapeFunction> all;
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level)
    all.push_back(scan_kernels_of(static_cast<SimdLevel>(level)).unescape);
  return all;
}

struct Outcome {
  std::size_t passed = 0;
  std::string text;
  bool high = false;
  bool operator==(const Outcome&) const = default;
};

// What a kernel should say, written once more and differently.
Outcome expected(const std::string& text, std::size_t last) {
  const std::string letters = "\"\\/bfnrt";
  const std::string meant = "\"\\/\b\f\n\r\t";
  Outcome outcome;
  std::size_t& at = outcome.passed;
  while (at < last) {
    const char byte = text[at];
    const bool control = static_cast<unsigned char>(byte) < 0x20;
    if (byte == '"' || control) break;
    if (byte == '\\') {
      const auto found = at + 1 < last ? letters.find(text[at + 1]) : std::string::npos;
      if (found == std::string::npos) break;
      outcome.text += meant[found];
      at += 2;
    } else {
      outcome.high = outcome.high || static_cast<unsigned char>(byte) >= 0x80;
      outcome.text += byte;
      ++at;
    }
  }
  return outcome;
}

Outcome unescape_by(UnescapeFunction kernel, const std::string& text, std::size_t last) {
  // Blocks of their own: ASan sees a byte read or written outside.
  const std::vector<char> tight(text.begin(), text.end());
  std::vector<char> room(last + kUnescapePadding);
  const char* const begin = tight.data();
  const Unescaped found = kernel(begin, begin + last, begin + tight.size(), room.data());
  return {static_cast<std::size_t>(found.stop - begin), std::string(room.data(), found.to),
          found.high};
}

void expect_all(const std::string& text, std::size_t last) {
  const Outcome want = expected(text, last);
  for (const UnescapeFunction kernel : all_kernels()) {
    const Outcome found = unescape_by(kernel, text, last);
    ASSERT_EQ(found.passed, want.passed) << text;
    ASSERT_EQ(found.text, want.text) << text;
    ASSERT_EQ(found.high, want.high) << text;
  }
}

TEST(Unescape, EveryEscapeAtEveryPlace) {
  for (std::size_t at = 0; at < 140; ++at) {
    for (const char* escape :
         {"\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\x", "\\\x01", "\\\xE9"}) {
      std::string text(160, 'a');
      text.replace(at, std::string(escape).size(), escape);
      text[155] = '"';
      for (const std::size_t size : {text.size(), at + 1, at + 2}) {
        ASSERT_NO_FATAL_FAILURE(expect_all(text, size));
        ASSERT_NO_FATAL_FAILURE(expect_all(text.substr(0, size), size));
      }
    }
  }
}

TEST(Unescape, RunsOfBackslashesOfEveryLengthAtEveryPlace) {
  for (std::size_t at = 0; at < 70; ++at) {
    for (std::size_t run = 1; run < 140; run += 1 + run / 16) {
      const std::string text =
          std::string(at, 'x') + std::string(run, '\\') + "\"nn\\\"" + std::string(80, 'y');
      ASSERT_NO_FATAL_FAILURE(expect_all(text, text.size()));
      ASSERT_NO_FATAL_FAILURE(expect_all(text, at + run));
    }
  }
}

TEST(Unescape, StopsAtEachByteAtEachPlace) {
  for (int value = 0; value < 256; ++value) {
    for (std::size_t at = 0; at < 140; at += 1 + at / 8) {
      std::string text(150, 'a');
      text[at] = static_cast<char>(value);
      ASSERT_NO_FATAL_FAILURE(expect_all(text, text.size()));
      text[at / 2] = '\\';
      text[at / 2 + 1] = 't';
      ASSERT_NO_FATAL_FAILURE(expect_all(text, text.size()));
    }
  }
}

TEST(Unescape, RandomTextsOfEveryLength) {
  std::mt19937 random(8);
  const std::string likely = "\\\\\\\\nt/\"u\x1F\xC3\xA9";
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 300, 'x');
    const auto rarity = 1 + random() % 60;
    const auto letters = rarity < 20 ? 8 + random() % 5 : likely.size();
    for (char& byte : text) {
      if (random() % rarity == 0) byte = likely[random() % letters];
    }
    ASSERT_NO_FATAL_FAILURE(expect_all(text, text.size()));
    ASSERT_NO_FATAL_FAILURE(expect_all(text, random() % (text.size() + 1)));
  }
}

}  // namespace
}  // namespace lanner::json
