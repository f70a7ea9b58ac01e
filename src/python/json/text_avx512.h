// python/json/text_avx512.h: makes str objects from short string literals with no call except the
// allocation: the text is stored from the register in which its end was found.

#pragma once

#include "json/plain_avx512.h"
#include "python/object/new_ascii.h"

#if defined(__x86_64__)

namespace lanner::python {

inline constexpr std::ptrdiff_t kShortText = 64;

// The string whose opening quote is at[-1], of a document that ends at `end`, if it is at most 63
// ASCII bytes without an escape and not near to the end; returns the byte behind its closing quote.
// Null: not such a string; call the general function. *out: null when memory is out.
LANNER_AVX512_TARGET inline const char* read_short_text(const char* at, const char* end,
                                                        PyObject** out) noexcept {
  if (end - at < kShortText) return nullptr;
  const __m512i bytes = _mm512_loadu_si512(at);
  const std::uint64_t stops = _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20)) |
                              _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"')) |
                              _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'));
  const auto size = static_cast<unsigned>(_tzcnt_u64(stops));  // 64: none
  const std::uint64_t text = _bzhi_u64(UINT64_MAX, size);
  if (size >= kShortText || at[size] != '"' || (_mm512_movepi8_mask(bytes) & text) != 0)
    return nullptr;
  if (size < 2) {
    *out = size == 1 ? PyUnicode_FromOrdinal(*at) : PyUnicode_New(0, 0x7F);
    return at + size + 1;
  }
  char* to = nullptr;
  *out = new_ascii(size, &to);
  // Short ones in halves: a store that crosses a cache line costs as much as two.
  if (!*out) return at;
  if (size <= 32) {
    _mm256_mask_storeu_epi8(to, static_cast<__mmask32>(text), _mm512_castsi512_si256(bytes));
  } else {
    _mm512_mask_storeu_epi8(to, text, bytes);
  }
  return at + size + 1;
}

// Whether this text, followed by a quote, is at `at`. REQUIRES: size <= kShortText.
LANNER_AVX512_TARGET inline bool is_text_at(const char* at, const char* end, const char* text,
                                            std::size_t size) noexcept {
  if (end - at <= kShortText) return false;
  const std::uint64_t valid = _bzhi_u64(UINT64_MAX, static_cast<unsigned>(size));
  const __m512i other = _mm512_maskz_loadu_epi8(valid, text);
  return _mm512_mask_cmpneq_epu8_mask(valid, _mm512_loadu_si512(at), other) == 0 && at[size] == '"';
}

}  // namespace lanner::python

#endif
