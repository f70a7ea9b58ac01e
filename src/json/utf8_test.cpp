#include "json/utf8.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/utf8_kernels.h"

namespace lanner::json {
namespace {

std::vector<const Utf8Kernels*> all_kernels() {
  std::vector<const Utf8Kernels*> all;
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level)
    all.push_back(&utf8_kernels_of(static_cast<SimdLevel>(level)));
  return all;
}

// RFC 3629, section 3, written once more and differently.
std::string encoded(std::uint32_t code) {
  std::string text;
  int tails = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned kLeads[] = {0x00, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLeads[tails] | code >> (6 * tails));
  while (tails-- > 0) text += static_cast<char>(0x80 | ((code >> (6 * tails)) & 0x3F));
  return text;
}

bool surrogate(std::uint32_t code) { return code >= 0xD800 && code <= 0xDFFF; }

std::uint32_t max_of(std::uint32_t code) {
  return code < 0x80 ? 0x7F : code < 0x100 ? 0xFF : code < 0x10000 ? 0xFFFF : 0x10FFFF;
}

TEST(Utf8, EveryCodePointIsValidAndComesBack) {
  for (std::uint32_t code = 0; code <= 0x10FFFF; ++code) {
    const std::string text = encoded(code);
    if (surrogate(code)) {
      ASSERT_EQ(invalid_utf8_at(text), 0u) << code;
      ASSERT_FALSE(is_utf8(text));
      continue;
    }
    ASSERT_EQ(invalid_utf8_at(text), text.size()) << code;
    const Utf8Shape shape = shape_of(text);
    ASSERT_EQ(shape.code_points, 1u);
    ASSERT_EQ(shape.max, max_of(code));
    std::uint32_t back = 0;
    decode_utf8(text, &back);
    ASSERT_EQ(back, code);
  }
}

TEST(Utf8, ALongTextIsMeasured) {
  for (const std::uint32_t code : {0x61U, 0xE9U, 0x4E2DU, 0x1F600U}) {
    std::string text(40'000, 'a');
    for (int i = 0; i < 30'000; ++i) text += encoded(code);
    for (const Utf8Kernels* kernels : all_kernels()) {
      const Utf8Shape shape = kernels->shape(text);
      ASSERT_EQ(shape.code_points, 70'000u);
      ASSERT_EQ(shape.max, max_of(code));
    }
  }
}

TEST(Utf8, MalformedSequencesAreFoundAtTheirFirstByte) {
  for (const std::string bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xE2\x82",
        "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF0\x9F\x98",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF", "\xC2\x41", "\xE2\x82\x41"}) {
    for (const std::size_t before : {0, 1, 15, 16, 31, 33, 64, 100}) {
      const std::string text = std::string(before, 'a') + bad + "zz";
      EXPECT_EQ(invalid_utf8_at(text), before);
      EXPECT_FALSE(is_utf8(text));
    }
  }
}

// In blocks of the exact size: ASan sees what is read or written outside.
template <class Element>
void expect_decoded(void (*kernel)(std::string_view, Element*) noexcept,
                    const std::vector<std::uint32_t>& codes, const std::string& text) {
  const std::vector<char> tight(text.begin(), text.end());
  std::vector<Element> found(codes.size());
  kernel({tight.data(), tight.size()}, found.data());
  for (std::size_t i = 0; i < codes.size(); ++i) ASSERT_EQ(found[i], codes[i]) << i;
}

TEST(Utf8, MixedTextOfEveryLengthIsDecoded) {
  std::mt19937 engine(3);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  constexpr std::uint32_t kLimits[] = {0x80, 0x100, 0x800, 0x10000, 0x110000};
  for (int round = 0; round < 3000; ++round) {
    const std::uint32_t limit = kLimits[random() % 5];
    const std::uint32_t bias = random() % 4;
    std::vector<std::uint32_t> codes(random() % 150);
    std::string text;
    std::uint32_t largest = 0;
    for (std::uint32_t& code : codes) {
      code = bias != 0 && random() % (bias * 8) != 0 ? 0x20 + random() % 0x5F : random() % limit;
      if (bias == 3 && limit > 0x800) code = 0x4E00 + random() % 0x5000;
      if (surrogate(code)) code = 0xE000;
      largest = std::max(largest, code);
      text += encoded(code);
    }
    ASSERT_TRUE(is_utf8(text));
    ASSERT_EQ(invalid_utf8_at(text), text.size());
    for (const Utf8Kernels* kernels : all_kernels()) {
      const Utf8Shape shape = kernels->shape(text);
      ASSERT_EQ(shape.code_points, codes.size());
      ASSERT_EQ(shape.max, max_of(largest));
      if (largest < 0x100) expect_decoded(kernels->decode8, codes, text);
      if (largest < 0x10000) expect_decoded(kernels->decode16, codes, text);
      expect_decoded(kernels->decode32, codes, text);
    }
  }
}

}  // namespace
}  // namespace lanner::json
