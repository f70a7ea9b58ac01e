// schema/json_row_avx512.h: the fast reader of records for AVX-512: it compares a key, or finds the
// ends of texts in 64 bytes, in one step.

#pragma once

#include <cstdint>
#include <cstring>

#include "json/plain_avx512.h"
#include "schema/json_row.h"
#include "schema/plan.h"

#if defined(__x86_64__)

namespace lanner::schema::row_avx512 {

class RowKernel final {
 public:
  LANNER_AVX512_TARGET RowKernel() noexcept
      : space_(_mm512_set1_epi8(0x20)),
        specials_(_mm512_maskz_broadcast_i32x4(
            UINT16_MAX, _mm_setr_epi8(0, 0, '"', 0, 0, 0, 0, 0, 0, 0, 0, 0, '\\', 0, 0, 0))) {
    // Opaque to the compiler, or it makes them anew for every text.
    asm("" : "+v"(space_), "+v"(specials_));
  }

  [[gnu::always_inline]] LANNER_AVX512_TARGET std::uint64_t stops(const char* at,
                                                                  const char* end) const noexcept {
    const __m512i bytes = load(at, end);
    // By the low half of a byte, the quote or backslash that it can only be. Signed, what is not
    // ASCII is below the space, too.
    const __m512i special = _mm512_maskz_shuffle_epi8(UINT64_MAX, specials_, bytes);
    return _mm512_cmplt_epi8_mask(bytes, space_) | _mm512_cmpeq_epi8_mask(bytes, special);
  }

  [[gnu::always_inline]] LANNER_AVX512_TARGET static bool is_key(const ReadField& field,
                                                                 const char* at,
                                                                 const char* end) noexcept {
    if (end - at < field.key_size) return false;
    const __m512i key = _mm512_load_si512(field.key);
    const __m512i here = _mm512_maskz_loadu_epi8(field.key_mask, at);
    return _mm512_mask_cmpneq_epu8_mask(field.key_mask, here, key) == 0;
  }

  [[gnu::always_inline]] LANNER_AVX512_TARGET static void copy(char* to, const char* text,
                                                               std::size_t size) noexcept {
    const std::uint64_t valid = _bzhi_u64(UINT64_MAX, static_cast<unsigned>(size));
    _mm512_mask_storeu_epi8(to, valid, _mm512_maskz_loadu_epi8(valid, text));
  }

 private:
  // What is behind the document is not read, and is zero.
  [[gnu::always_inline]] LANNER_AVX512_TARGET static __m512i load(const char* at,
                                                                  const char* end) noexcept {
    const std::ptrdiff_t left = end - at;
    if (left >= 64) [[likely]]
      return _mm512_loadu_si512(at);
    return _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, static_cast<unsigned>(left)), at);
  }

  __m512i space_;
  __m512i specials_;
};

#define LANNER_ROW_TARGET LANNER_AVX512_TARGET
#include "schema/json_row_inl.h"
#undef LANNER_ROW_TARGET

}  // namespace lanner::schema::row_avx512

#endif
