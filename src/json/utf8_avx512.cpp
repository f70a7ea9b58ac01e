// json/utf8_avx512.cpp: AVX-512 kernels for UTF-8: measured 64 bytes a step; runs of ASCII widened
// and stored under a mask, so that the last one needs no other code.

#include "json/utf8_avx2.h"

#if defined(__x86_64__)

namespace lanner::json::detail {

namespace {

LANNER_AVX512_TARGET Utf8Shape shape(std::string_view text) noexcept {
  const char* at = text.data();
  std::size_t left = text.size();
  std::size_t code_points = 0;
  std::uint64_t wide = 0;  // over U+00FF
  std::uint64_t widest = 0;
  std::uint64_t high = 0;
  while (left != 0) {
    const std::size_t step = left < 64 ? left : 64;
    const std::uint64_t valid = _bzhi_u64(UINT64_MAX, static_cast<unsigned>(step));
    const __m512i bytes = _mm512_maskz_loadu_epi8(valid, at);
    const std::uint64_t leads =
        valid & _mm512_cmpgt_epi8_mask(bytes, _mm512_set1_epi8(-65));  // all but 0x80 to 0xBF
    code_points += static_cast<std::size_t>(__builtin_popcountll(leads));
    high |= _mm512_movepi8_mask(bytes);
    wide |= _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(static_cast<char>(0xC4)));
    widest |= _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(static_cast<char>(0xF0)));
    at += step;
    left -= step;
  }
  const char32_t narrow = high != 0 ? 0xFF : 0x7F;
  return {code_points, widest != 0 ? 0x10FFFF : wide != 0 ? 0xFFFF : narrow};
}

// Stores the bytes of `run` as elements.
LANNER_AVX512_TARGET inline void store(std::uint8_t* to, std::uint32_t run,
                                       __m256i bytes) noexcept {
  _mm256_mask_storeu_epi8(to, run, bytes);
}
LANNER_AVX512_TARGET inline void store(std::uint16_t* to, std::uint32_t run,
                                       __m256i bytes) noexcept {
  _mm512_mask_storeu_epi16(to, run, _mm512_maskz_cvtepu8_epi16(UINT32_MAX, bytes));
}
LANNER_AVX512_TARGET inline void store(std::uint32_t* to, std::uint32_t run,
                                       __m256i bytes) noexcept {
  const __m128i low = _mm256_castsi256_si128(bytes);
  const __m128i high = _mm256_extracti128_si256(bytes, 1);
  _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(run),
                           _mm512_maskz_cvtepu8_epi32(0xFFFF, low));
  _mm512_mask_storeu_epi32(to + 16, static_cast<__mmask16>(run >> 16),
                           _mm512_maskz_cvtepu8_epi32(0xFFFF, high));
}

template <class Element>
LANNER_AVX512_TARGET void decode(std::string_view text, Element* to) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const std::size_t step = end - at < 32 ? static_cast<std::size_t>(end - at) : 32;
    const std::uint32_t valid = _bzhi_u32(UINT32_MAX, static_cast<unsigned>(step));
    const __m256i bytes = _mm256_maskz_loadu_epi8(valid, at);
    const std::uint32_t high = _mm256_movepi8_mask(bytes);
    const std::uint32_t run = high != 0 ? _blsi_u32(high) - 1 : valid;
    store(to, run, bytes);
    const auto count = static_cast<unsigned>(__builtin_popcount(run));
    at += count;
    to += count;
    // Up to the next ASCII byte.
    while (at != end && static_cast<unsigned char>(*at) >= 0x80) {
      if constexpr (sizeof(Element) == 2) {
        if (decode_five(&at, end, &to)) continue;
      }
      *to++ = static_cast<Element>(decode_one(&at));
    }
  }
}

}  // namespace

const Utf8Kernels kAvx512Utf8 = {shape, decode<std::uint8_t>, decode<std::uint16_t>,
                                 decode<std::uint32_t>};

}  // namespace lanner::json::detail

#endif
