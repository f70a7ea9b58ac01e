#include "base/simd128.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::simd128 {
namespace {

using Bytes = std::array<std::uint8_t, 16>;

Bytes random_bytes(std::mt19937& random) {
  Bytes bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

TEST(Simd128, ABlockComesBackFromAnyAddress) {
  std::mt19937 random(1);
  const Bytes bytes = random_bytes(random);
  for (std::size_t offset = 0; offset < 16; ++offset) {
    std::array<std::uint8_t, 32> from{};
    std::array<std::uint8_t, 32> to{};
    std::memcpy(from.data() + offset, bytes.data(), bytes.size());
    store(to.data() + 15 - offset, load(from.data() + offset));
    EXPECT_EQ(std::memcmp(to.data() + 15 - offset, bytes.data(), bytes.size()), 0);
  }
}

TEST(Simd128, AMaskKnowsItsFirstByte) {
  for (unsigned first = 0; first < 16; ++first) {
    for (unsigned second = first; second < 16; ++second) {
      Bytes bytes{};
      bytes[first] = bytes[second] = 7;
      const Mask mask = mask_of(load(bytes.data()) == 7);
      ASSERT_TRUE(mask);
      EXPECT_EQ(mask.first(), first);
      ASSERT_TRUE(~mask);
      EXPECT_EQ((~mask).first(), first != 0 ? 0U : second > 1 || second == 0 ? 1U : 2U);
    }
  }
  EXPECT_FALSE(mask_of(U8{} == 7));
  EXPECT_FALSE(~mask_of(U8{} == 0));
}

TEST(Simd128, WhatIsBeforeTheFirstOfAnother) {
  for (unsigned one = 0; one < 16; ++one) {
    for (unsigned other = 0; other < 16; ++other) {
      Bytes bytes{};
      bytes[other] = bytes[15] = 9;
      const Mask ends = mask_of(load(bytes.data()) == 9);
      bytes[one] = 0xFF;
      EXPECT_EQ(static_cast<bool>(high_bytes(load(bytes.data())).before(ends)), one < other);
    }
  }
}

TEST(Simd128, HighBytesAreThoseAbove7F) {
  for (unsigned value = 0; value < 256; ++value) {
    EXPECT_EQ(static_cast<bool>(high_bytes(U8{} + static_cast<std::uint8_t>(value))), value > 0x7F);
  }
}

TEST(Simd128, EachByteHasItsBit) {
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    const Bytes bytes = random_bytes(random);
    std::uint32_t expected = 0;
    for (unsigned i = 0; i < 16; ++i) expected |= static_cast<std::uint32_t>(bytes[i] > 99) << i;
    const auto some = load(bytes.data()) > 99;
    EXPECT_EQ(bits_of(some), expected);
    const auto none = load(bytes.data()) < 0;
    EXPECT_EQ(bits_of(some, none, none, some), expected | std::uint64_t{expected} << 48);
    EXPECT_EQ(bits_of(none, some, ~some, none),
              std::uint64_t{expected} << 16 | std::uint64_t{~expected & 0xFFFF} << 32);
  }
}

// The way of machines that have an instruction for it, and that of those without.
TEST(Simd128, TheTopBitsOfAWordAreCollected) {
  std::mt19937 random(3);
  for (int round = 0; round < 1000; ++round) {
    const Bytes bytes = random_bytes(random);
    std::uint32_t expected = 0;
    for (unsigned i = 0; i < 16; ++i) expected |= static_cast<std::uint32_t>(bytes[i] >> 7) << i;
    const U8 lanes = load(bytes.data());
    EXPECT_EQ(detail::top_bits(lanes), expected);
    EXPECT_EQ(detail::top_bits(as<U64>(lanes)[0]), expected & 0xFF);
    EXPECT_EQ(detail::top_bits(as<U64>(lanes)[1]), expected >> 8);
  }
}

TEST(Simd128, LanesAreWidenedInTheirOrder) {
  std::mt19937 random(4);
  const Bytes bytes = random_bytes(random);
  const U8 lanes = load(bytes.data());
  const U16 words[] = {widen_low(lanes), widen_high(lanes)};
  for (unsigned i = 0; i < 16; ++i) {
    const U16 word = words[i / 8];
    const U32 wide = i % 8 < 4 ? widen_low(word) : widen_high(word);
    EXPECT_EQ(word[i % 8], bytes[i]);
    EXPECT_EQ(wide[i % 4], bytes[i]);
  }
}

TEST(Simd128, LanesAreNarrowedInTheirOrder) {
  std::mt19937 random(5);
  for (int round = 0; round < 1000; ++round) {
    std::array<std::uint32_t, 16> codes{};
    std::array<std::uint16_t, 16> units{};
    for (unsigned i = 0; i < 16; ++i) {
      codes[i] = static_cast<std::uint32_t>(random() % 2 != 0 ? random() % 0x80
                                                              : random() >> (random() % 32)) %
                 0x110000;
      units[i] = static_cast<std::uint16_t>(codes[i]);
    }
    const U8 of_units = to_ascii(load<U16>(&units[0]), load<U16>(&units[8]));
    const U16 narrowed[] = {narrow(load<U32>(&codes[0]), load<U32>(&codes[4])),
                            narrow(load<U32>(&codes[8]), load<U32>(&codes[12]))};
    const U8 of_codes = to_ascii(load<U32>(&codes[0]), load<U32>(&codes[4]), load<U32>(&codes[8]),
                                 load<U32>(&codes[12]));
    for (unsigned i = 0; i < 16; ++i) {
      const auto stands_for = [](unsigned code, unsigned byte) {
        return code < 0x80 ? byte == code : byte == 0 || byte > 0x7F;
      };
      ASSERT_TRUE(stands_for(units[i], of_units[i])) << units[i];
      ASSERT_TRUE(stands_for(codes[i], of_codes[i])) << codes[i];
      ASSERT_EQ(narrowed[i / 8][i % 8], codes[i] <= 0xFFFF ? codes[i] : 0);
    }
  }
}

TEST(Simd128, TheFrontOfAVectorIsLoadedAlone) {
  std::mt19937 random(6);
  const Bytes bytes = random_bytes(random);
  for (unsigned size = 0; size < 16; ++size) {
    const std::vector<std::uint8_t> tight(bytes.begin(), bytes.begin() + size);
    const U8 lanes = load_front(tight.data(), size);
    for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(lanes[i], i < size ? bytes[i] : 0);
  }
}

TEST(Simd128, ComparesAndAddsBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    const Bytes one = random_bytes(random);
    const Bytes other = random_bytes(random);
    const U8 lanes = load(one.data());
    const U8 larger = larger_of(lanes, load(other.data()));
    unsigned sum = 0;
    for (unsigned i = 0; i < 16; ++i) {
      sum += one[i];
      EXPECT_EQ(at_most(lanes, other[0])[i], one[i] <= other[0] ? 0xFF : 0);
      EXPECT_EQ(at_least(lanes, other[0])[i], one[i] >= other[0] ? 0xFF : 0);
      EXPECT_EQ(larger[i], std::max(one[i], other[i]));
    }
    EXPECT_EQ(sum_of(lanes), sum);
  }
}

}  // namespace
}  // namespace lanner::simd128
