// json/plain_avx2.h: copies ASCII text that needs no escape, in code that the caller inlines, for
// loops over many short texts; compiled for AVX2. As plain.h, which does it with the shortest.

#pragma once

#include <cstddef>

#include "base/cpu.h"
#include "json/plain.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace lanner::json {

class Avx2PlainCopy final {
 public:
  // Copies `size` bytes of ASCII, or of UTF-8. False: one of them needs an escape, and the output
  // must be discarded. Never reads outside the text. REQUIRES: room for size + 64 bytes.
  [[gnu::always_inline]] LANNER_AVX2_TARGET bool copy(char* to, const char* text,
                                                      std::size_t size) const noexcept {
    if (size < 32) return PlainCopy().copy(to, text, size);
    __m256i special = _mm256_setzero_si256();
    std::size_t at = 0;
    for (; at + 32 <= size; at += 32) special = _mm256_or_si256(special, copy_32(to, text, at));
    // The last 32 bytes, of which some were copied before.
    special = _mm256_or_si256(special, copy_32(to, text, size - 32));
    return _mm256_testz_si256(special, special) != 0;
  }

 private:
  // SAFETY: all loads and stores are unaligned, of bytes in the text and in the room.
  LANNER_AVX2_TARGET static __m256i copy_32(char* to, const char* text, std::size_t at) noexcept {
    const __m256i bytes =
        _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(text + at)));
    _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to + at)), bytes);
    const __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1F)), bytes);
    const __m256i quote = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"'));
    const __m256i slash = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'));
    return _mm256_or_si256(low, _mm256_or_si256(quote, slash));
  }
};

}  // namespace lanner::json

#endif
