// json/unescape_avx512.cpp: escapes by AVX-512: all of 64 bytes at once: letters replaced
// out of a table, backslashes taken out by compression.

#include "base/cpu.h"
#include "json/unescape.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace lanner::json::detail {

LANNER_AVX512_TARGET Unescaped unescape_avx512(const char* at, const char* last,
                                               const char* /*end*/, char* to) noexcept {
  constexpr std::size_t kBlock = 64;
  const __m512i first_letters = _mm512_loadu_si512(kShortEscapes.data());
  const __m512i letters = _mm512_loadu_si512(kShortEscapes.data() + kBlock);
  std::uint64_t high = 0;
  while (at != last) {
    const auto left = static_cast<std::size_t>(last - at);
    const auto size = static_cast<unsigned>(left < kBlock ? left : kBlock);
    const std::uint64_t valid = _bzhi_u64(UINT64_MAX, size);
    const __m512i bytes = _mm512_maskz_loadu_epi8(valid, at);
    const Escapes<std::uint64_t> escapes =
        escapes_of<std::uint64_t>(_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\')));
    // By the lower seven bits; what is above is no letter.
    const __m512i meant = _mm512_permutex2var_epi8(first_letters, bytes, letters);
    const std::uint64_t above = _mm512_movepi8_mask(bytes);
    const std::uint64_t unknown =
        escapes.escaped & (above | _mm512_testn_epi8_mask(meant, meant)) & valid;
    const std::uint64_t stops =
        valid & ((_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"')) & ~escapes.escaped) |
                 _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20)) | unknown >> 1);
    // An escape that is cut is the next block's, or `last` cuts it.
    const std::uint64_t cut = escapes.begin & (std::uint64_t{1} << (size - 1));
    const std::uint64_t ends = stops | cut;
    const std::uint64_t keep = (ends - 1) & ~ends & valid;  // those before the first
    const std::uint64_t kept = keep & ~escapes.begin;
    // SAFETY: kUnescapePadding bytes belong to the room.
    _mm512_storeu_si512(
        to, _mm512_maskz_compress_epi8(kept, _mm512_mask_mov_epi8(bytes, escapes.escaped, meant)));
    high |= above & keep;
    at += _mm_popcnt_u64(keep);
    to += _mm_popcnt_u64(kept);
    if (stops != 0 || (cut != 0 && at + 1 == last)) break;
  }
  return {at, to, high != 0};
}

}  // namespace lanner::json::detail

#endif
