#include "json/escape.h"

#include <cstdio>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/plain.h"
#include "json/plain_avx2.h"
#include "json/plain_avx512.h"

namespace lanner::json {
namespace {

std::vector<const EscapeKernels*> all_kernels() {
  std::vector<const EscapeKernels*> all;
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level)
    all.push_back(&escape_kernels_of(static_cast<SimdLevel>(level)));
  return all;
}

// RFC 8259, section 7, written once more and differently.
std::string expected_of(std::uint32_t code) {
  static const std::string kShort = "\"\\\b\f\n\r\t";
  static const std::string kLetters = "\"\\bfnrt";
  if (code < 0x80) {
    const auto at = kShort.find(static_cast<char>(code));
    if (at != std::string::npos) return std::string("\\") + kLetters[at];
    if (code >= 0x20) return {static_cast<char>(code)};
    char text[8];
    std::snprintf(text, sizeof text, "\\u%04x", code);
    return text;
  }
  std::string text;
  int tails = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned kLeads[] = {0x00, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLeads[tails] | code >> (6 * tails));
  while (tails-- > 0) text += static_cast<char>(0x80 | ((code >> (6 * tails)) & 0x3F));
  return text;
}

template <class Element>
std::string expected(const std::vector<Element>& text) {
  std::string all;
  for (const Element each : text) all += expected_of(static_cast<std::uint32_t>(each));
  return all;
}

// Exactly the memory that is promised: ASan sees one byte more.
template <class Element>
std::string escaped(char* (*kernel)(char*, const Element*, std::size_t) noexcept,
                    const std::vector<Element>& text) {
  std::vector<char> room(escaped_room(text.size()));
  std::vector<Element> tight(text.begin(), text.end());
  tight.shrink_to_fit();
  char* end = kernel(room.data(), tight.data(), tight.size());
  return end != nullptr ? std::string(room.data(), end) : std::string("(surrogate)");
}

template <class Element>
void each_position(char* (*kernel)(char*, const Element*, std::size_t) noexcept,
                   const std::vector<std::uint32_t>& codes) {
  for (const std::size_t size :
       {1u, 2u, 7u, 8u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 130u}) {
    for (const std::uint32_t code : codes) {
      for (std::size_t at = 0; at<size; at += size> 40 ? 3 : 1) {
        std::vector<Element> text(size, Element{'a'});
        text[at] = static_cast<Element>(code);
        ASSERT_EQ(escaped(kernel, text), expected(text)) << size << " " << code << " at " << at;
      }
    }
  }
}

std::vector<std::uint32_t> codes_below(std::uint32_t limit) {
  std::vector<std::uint32_t> codes;
  for (std::uint32_t code = 0; code < 0x30; ++code) codes.push_back(code);
  for (const std::uint32_t code :
       {0x5Bu, 0x5Cu, 0x5Du, 0x7Eu, 0x7Fu, 0x80u, 0xA9u, 0xFFu, 0x100u, 0x7FFu, 0x800u, 0x4E2Du,
        0xD7FFu, 0xE000u, 0xFFFDu, 0xFFFFu, 0x10000u, 0x1F600u, 0x10FFFFu}) {
    if (code < limit) codes.push_back(code);
  }
  return codes;
}

TEST(Escape, EveryElementAtEveryPlaceAtEveryLevel) {
  for (const EscapeKernels* kernels : all_kernels()) {
    each_position<char>(kernels->utf8, codes_below(0x80));
    each_position<std::uint8_t>(kernels->latin1, codes_below(0x100));
    each_position<std::uint16_t>(kernels->ucs2, codes_below(0x10000));
    each_position<std::uint32_t>(kernels->ucs4, codes_below(0x110000));
  }
}

template <class Element>
void random_texts(char* (*kernel)(char*, const Element*, std::size_t) noexcept,
                  std::uint32_t limit) {
  std::minstd_rand random(9);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Element> text(random() % 300);
    const auto rarity = static_cast<std::uint32_t>(1 + random() % 40);
    const std::uint32_t base = random() % 2 ? 0x4E00 % limit : 0x61;
    for (Element& each : text) {
      const auto any = static_cast<std::uint32_t>(random());
      std::uint32_t code = any % rarity == 0 ? any / 64 % limit : base + any % 20;
      if (code >= 0xD800 && code <= 0xDFFF) code = 0x22;
      each = static_cast<Element>(code);
    }
    ASSERT_EQ(escaped(kernel, text), expected(text));
  }
}

TEST(Escape, RandomTextsAtEveryLevel) {
  for (const EscapeKernels* kernels : all_kernels()) {
    random_texts<char>(kernels->utf8, 0x80);
    random_texts<std::uint8_t>(kernels->latin1, 0x100);
    random_texts<std::uint16_t>(kernels->ucs2, 0x10000);
    random_texts<std::uint32_t>(kernels->ucs4, 0x110000);
  }
}

TEST(Escape, Utf8BytesPassThrough) {
  const std::string text =
      "K\xC3\xA4se \xE4\xB8\xAD \xF0\x9F\x98\x80 \xE4\xB8\xAD\xE4\xB8\xAD\xE4\xB8\xAD\xE4\xB8\xAD";
  for (const EscapeKernels* kernels : all_kernels()) {
    const std::vector<char> bytes(text.begin(), text.end());
    EXPECT_EQ(escaped(kernels->utf8, bytes), text);
  }
}

TEST(Escape, ALoneSurrogateIsRefusedWhereverItStands) {
  for (const EscapeKernels* kernels : all_kernels()) {
    for (const std::uint32_t code : {0xD800u, 0xDBFFu, 0xDC00u, 0xDFFFu}) {
      for (std::size_t at = 0; at < 70; ++at) {
        for (const std::uint16_t filler :
             std::initializer_list<std::uint16_t>{0x61, 0xE9, 0x4E2D}) {
          std::vector<std::uint16_t> two(70, filler);
          two[at] = static_cast<std::uint16_t>(code);
          ASSERT_EQ(escaped(kernels->ucs2, two), "(surrogate)") << at;
          std::vector<std::uint32_t> four(70, filler);
          four[at] = code;
          ASSERT_EQ(escaped(kernels->ucs4, four), "(surrogate)") << at;
        }
      }
    }
  }
}

TEST(Escape, LongTextIsWrittenInPieces) {
  HeapSpace space;
  Output out(space);
  const std::string text(100'000, '\n');
  ASSERT_EQ(write_string(out, text), Written::ok);
  std::string all = "\"";
  for (int i = 0; i < 100'000; ++i) all += "\\n";
  EXPECT_EQ(std::string_view(out.data(), out.size()), all + "\"");
}

TEST(Escape, AnEmptyTextIsTwoQuotes) {
  HeapSpace space;
  Output out(space);
  ASSERT_EQ(write_string(out, std::string_view()), Written::ok);
  EXPECT_EQ(std::string_view(out.data(), out.size()), "\"\"");
}

#if defined(__x86_64__)

LANNER_AVX512_TARGET bool copy_by_avx512(char* to, const std::string& text) {
  const Avx512PlainCopy plain;
  return plain.copy(to, text.data(), text.size());
}
LANNER_AVX2_TARGET bool copy_by_avx2(char* to, const std::string& text) {
  const Avx2PlainCopy plain;
  return plain.copy(to, text.data(), text.size());
}

#endif

bool copy_at_baseline(char* to, const std::string& text) {
  return PlainCopy().copy(to, text.data(), text.size());
}

TEST(PlainCopy, FindsWhatNeedsAnEscapeAtEveryPlaceOfEveryLength) {
  std::vector<bool (*)(char*, const std::string&)> copies = {copy_at_baseline};
#if defined(__x86_64__)
  if (simd_level() >= SimdLevel::avx2) copies.push_back(copy_by_avx2);
  if (simd_level() >= SimdLevel::avx512) copies.push_back(copy_by_avx512);
#endif
  for (std::size_t size = 0; size <= 200; ++size) {
    std::string text(size, 'a');
    text.shrink_to_fit();  // a read behind it is one behind its memory
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(' ' + 2 + (i % 90) + 1);
    for (char& byte : text) byte = byte == '\\' ? '\x7f' : byte;
    if (size > 3) text[3] = static_cast<char>(0xE9);  // UTF-8 goes out as it is
    for (const auto copy : copies) {
      std::vector<char> room(size + 64);
      ASSERT_TRUE(copy(room.data(), text)) << size;
      ASSERT_EQ(std::string(room.data(), size), text);
      for (std::size_t at = 0; at < size; ++at) {
        for (const char special : {'"', '\\', '\x1f', '\0'}) {
          std::string broken = text;
          broken[at] = special;
          ASSERT_FALSE(copy(room.data(), broken)) << size << " " << at;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lanner::json
