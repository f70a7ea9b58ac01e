// json/utf8_avx2.h: decodes five three-byte characters at once, the most common ones in Chinese,
// Japanese and Korean text.

#pragma once

#include "base/cpu.h"
#include "json/utf8_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace lanner::json::detail {

// Bytes behind `at` that must be there: 15, and three more code points, for the store of eight.
inline constexpr std::ptrdiff_t kFiveReach = 15 + 12;

// False: other text, or too close to the end; nothing was done. REQUIRES: 16 bytes at *at.
LANNER_AVX2_TARGET inline bool decode_five(const char** at, const char* end,
                                           std::uint16_t** to) noexcept {
  if (end - *at < kFiveReach) return false;
  // SAFETY: an unaligned load of 16 bytes, which are there.
  const __m128i bytes = _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(*at)));
  // Leads 0xE0 to 0xEF at 0, 3, 6, 9, 12; in valid text the bytes between them are tails.
  const __m128i heads = _mm_and_si128(bytes, _mm_set1_epi8(static_cast<char>(0xF0)));
  const auto leads = static_cast<unsigned>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(heads, _mm_set1_epi8(static_cast<char>(0xE0)))));
  if ((leads & 0x1249) != 0x1249) return false;
  const __m128i tails = _mm_and_si128(
      _mm_shuffle_epi8(bytes,
                       _mm_setr_epi8(2, 1, 5, 4, 8, 7, 11, 10, 14, 13, -1, -1, -1, -1, -1, -1)),
      _mm_set1_epi8(0x3F));
  // Third byte + 64 * second byte.
  const __m128i low = _mm_maddubs_epi16(tails, _mm_set1_epi16(0x4001));
  const __m128i lead = _mm_shuffle_epi8(
      bytes, _mm_setr_epi8(0, -1, 3, -1, 6, -1, 9, -1, 12, -1, -1, -1, -1, -1, -1, -1));
  const __m128i codes = _mm_or_si128(low, _mm_slli_epi16(lead, 12));
  // SAFETY: kFiveReach: eight elements belong to what is left.
  _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(*to)), codes);
  *at += 15;
  *to += 5;
  return true;
}

}  // namespace lanner::json::detail

#endif
