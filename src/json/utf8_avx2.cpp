// json/utf8_avx2.cpp: AVX2 kernels for UTF-8: ASCII 16 bytes a step, three-byte characters five a
// step, all else one by one.

#include "json/utf8_avx2.h"

#if defined(__x86_64__)

namespace lanner::json::detail {

namespace {

LANNER_UTF8_AVX2 inline __m128i load16(const char* at) noexcept {
  // SAFETY: an unaligned load of 16 bytes; callers have checked that they are in the text.
  return _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(at)));
}

LANNER_UTF8_AVX2 Utf8Shape shape(std::string_view text) noexcept {
  const char* at = text.data();
  std::size_t left = text.size();
  std::size_t code_points = 0;
  __m128i largest = _mm_setzero_si128();
  for (; left >= 16; at += 16, left -= 16) {
    const __m128i bytes = load16(at);
    const __m128i leads = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(-65));  // all but 0x80 to 0xBF
    code_points += static_cast<std::size_t>(
        __builtin_popcount(static_cast<unsigned>(_mm_movemask_epi8(leads))));
    largest = _mm_max_epu8(largest, bytes);
  }
  const Utf8Shape rest = kScalarUtf8.shape({at, left});
  unsigned char bytes[16];
  // SAFETY: an unaligned store of 16 bytes.
  _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(bytes)), largest);
  unsigned char most = 0;
  for (const unsigned char byte : bytes) most = byte > most ? byte : most;
  const char32_t max = max_of(most);
  return {code_points + rest.code_points, max > rest.max ? max : rest.max};
}

LANNER_UTF8_AVX2 inline void store16(std::uint8_t* to, __m128i bytes) noexcept {
  // SAFETY: 16 elements of the output: as many code points lie in the text.
  _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(to)), bytes);
}
LANNER_UTF8_AVX2 inline void store16(std::uint16_t* to, __m128i bytes) noexcept {
  // SAFETY: as above.
  _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), _mm256_cvtepu8_epi16(bytes));
}
LANNER_UTF8_AVX2 inline void store16(std::uint32_t* to, __m128i bytes) noexcept {
  // SAFETY: as above.
  _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), _mm256_cvtepu8_epi32(bytes));
  _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to + 8)),
                      _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8)));
}

template <class Element>
LANNER_UTF8_AVX2 void decode(std::string_view text, Element* to) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (end - at >= 16) {
    const __m128i bytes = load16(at);
    if (_mm_movemask_epi8(bytes) == 0) {
      store16(to, bytes);
      at += 16;
      to += 16;
      continue;
    }
    if constexpr (sizeof(Element) == 2) {
      if (decode_five(&at, end, &to)) continue;
    }
    *to++ = static_cast<Element>(decode_one(&at));
  }
  while (at != end) *to++ = static_cast<Element>(decode_one(&at));
}

}  // namespace

const Utf8Kernels kAvx2Utf8 = {shape, decode<std::uint8_t>, decode<std::uint16_t>,
                               decode<std::uint32_t>};

}  // namespace lanner::json::detail

#endif
