// http1/scan_inl.h: the first 32 bytes of a scan, inline: most names and values are not longer.
//
// Every x86-64 has SSE2, so no dispatch is needed. Longer runs continue in the kernels of scan.h.

#pragma once

#include <cstddef>
#include <cstdint>

#include "http/ascii.h"
#include "http1/scan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lanner::http1 {

inline constexpr int kInlineSteps = 2;

#if defined(__x86_64__)

namespace detail {

inline constexpr std::ptrdiff_t kSse2Bytes = 16;

inline __m128i load_sse2(const char* at) noexcept {
  // SAFETY: an unaligned load of kSse2Bytes bytes; callers have checked that they are in the input.
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
inline unsigned int mask_sse2(__m128i bytes) noexcept {
  return static_cast<unsigned int>(_mm_movemask_epi8(bytes));
}
inline unsigned int outside_value_sse2(__m128i bytes) noexcept {
  const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
  const __m128i tab = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t'));
  const __m128i del = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F));
  return mask_sse2(_mm_or_si128(_mm_andnot_si128(tab, low), del));
}
inline unsigned int outside_target_sse2(__m128i bytes) noexcept {
  const __m128i visible = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(' '));
  const __m128i del = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F));
  const __m128i hash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('#'));
  return mask_sse2(_mm_andnot_si128(_mm_or_si128(del, hash), visible)) ^ 0xFFFFu;
}
inline unsigned int colons_sse2(__m128i bytes) noexcept {
  return mask_sse2(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(':')));
}

// kInlineSteps steps of `find`; nullptr = not in them, and *at is past them.
template <unsigned int (*find)(__m128i)>
inline const char* find_early(const char** at, const char* end) noexcept {
  for (int step = 0; step < kInlineSteps && end - *at >= kSse2Bytes; ++step, *at += kSse2Bytes) {
    const unsigned int found = find(load_sse2(*at));
    if (found != 0) return *at + __builtin_ctz(found);
  }
  return nullptr;
}

}  // namespace detail

inline const char* find_value_end(const char* at, const char* end,
                                  const ScanKernels& kernels) noexcept {
  const char* const found = detail::find_early<detail::outside_value_sse2>(&at, end);
  return found ? found : kernels.value(at, end);
}
inline const char* find_target_end(const char* at, const char* end,
                                   const ScanKernels& kernels) noexcept {
  const char* const found = detail::find_early<detail::outside_target_sse2>(&at, end);
  return found ? found : kernels.target(at, end);
}
// The first colon if it is among the first few bytes; otherwise nullptr, which does not mean that
// there is none.
inline const char* find_colon_early(const char* at, const char* end) noexcept {
  const char* const found = detail::find_early<detail::colons_sse2>(&at, end);
  if (found || end - at >= detail::kSse2Bytes) return found;
  while (at != end && *at != ':') ++at;
  return at == end ? nullptr : at;
}

#else

inline const char* find_value_end(const char* at, const char* end,
                                  const ScanKernels& kernels) noexcept {
  return kernels.value(at, end);
}
inline const char* find_target_end(const char* at, const char* end,
                                   const ScanKernels& kernels) noexcept {
  return kernels.target(at, end);
}
inline const char* find_colon_early(const char* at, const char* end) noexcept {
  for (int i = 0; i < 16 * kInlineSteps && at != end; ++i, ++at) {
    if (*at == ':') return at;
  }
  return nullptr;
}

#endif

}  // namespace lanner::http1
