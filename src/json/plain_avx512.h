// json/plain_avx512.h: copies ASCII text that needs no escape, in code that the caller inlines, for
// loops over many short texts; compiled for AVX-512.

#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)

#include <immintrin.h>

#include "base/cpu.h"

namespace lanner::json {

// One for each loop: it holds the constants.
class Avx512PlainCopy final {
 public:
  LANNER_AVX512_TARGET Avx512PlainCopy() noexcept
      : space_(_mm512_set1_epi8(0x20)),
        quote_(_mm512_set1_epi8('"')),
        backslash_(_mm512_set1_epi8('\\')) {
    // Opaque to the compiler, which would otherwise recompute them for every text.
    asm("" : "+v"(space_), "+v"(quote_), "+v"(backslash_));
  }

  // Copies `size` bytes of ASCII. False: one of them needs an escape, and the output must be
  // discarded. REQUIRES: room for size + 64 bytes.
  [[gnu::always_inline]] LANNER_AVX512_TARGET bool copy(char* to, const char* text,
                                                        std::size_t size) const noexcept {
    // Short texts in halves: a store that crosses a cache line costs as much as two.
    if (size <= 32) return copy_short(to, text, static_cast<unsigned>(size));
    for (; size > 64; to += 64, text += 64, size -= 64) {
      const __m512i bytes = _mm512_loadu_si512(text);
      _mm512_storeu_si512(to, bytes);
      if ((_mm512_cmplt_epu8_mask(bytes, space_) | _mm512_cmpeq_epi8_mask(bytes, quote_) |
           _mm512_cmpeq_epi8_mask(bytes, backslash_)) != 0) {
        return false;
      }
    }
    const std::uint64_t valid = _bzhi_u64(UINT64_MAX, static_cast<unsigned>(size));
    const __m512i bytes = _mm512_maskz_loadu_epi8(valid, text);
    _mm512_storeu_si512(to, bytes);
    return (_mm512_mask_cmplt_epu8_mask(valid, bytes, space_) |
            _mm512_cmpeq_epi8_mask(bytes, quote_) | _mm512_cmpeq_epi8_mask(bytes, backslash_)) == 0;
  }

 private:
  // Not the intrinsic that casts: GCC 12 warns of it.
  [[gnu::always_inline]] LANNER_AVX512_TARGET static __m256i lower_half(__m512i whole) noexcept {
    return __builtin_shufflevector(whole, whole, 0, 1, 2, 3);
  }

  [[gnu::always_inline]] LANNER_AVX512_TARGET bool copy_short(char* to, const char* text,
                                                              unsigned size) const noexcept {
    const std::uint32_t valid = _bzhi_u32(UINT32_MAX, size);
    const __m256i bytes = _mm256_maskz_loadu_epi8(valid, text);
    // SAFETY: an unaligned store of 32 bytes, for which the caller has room.
    _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), bytes);
    return (_mm256_mask_cmplt_epu8_mask(valid, bytes, lower_half(space_)) |
            _mm256_cmpeq_epi8_mask(bytes, lower_half(quote_)) |
            _mm256_cmpeq_epi8_mask(bytes, lower_half(backslash_))) == 0;
  }

  __m512i space_;
  __m512i quote_;
  __m512i backslash_;
};

}  // namespace lanner::json

#endif
