// json/utf8_avx2.cpp: AVX2 kernels for UTF-8: three-byte characters five a step; all else as at the
// baseline.

#include "json/utf8_avx2.h"

#if defined(__x86_64__)

namespace lanner::json::detail {

namespace {

// What begins before `stop`.
[[gnu::always_inline]] LANNER_AVX2_TARGET inline void decode_dense(const char** at,
                                                                   const char* stop,
                                                                   const char* end,
                                                                   std::uint16_t** to) noexcept {
  while (*at < stop) {
    if ((static_cast<unsigned char>(**at) & 0xF0) == 0xE0) {
      while (decode_five(at, end, to)) continue;  // which leaves something
    }
    *(*to)++ = static_cast<std::uint16_t>(decode_one(at));
  }
}

LANNER_AVX2_TARGET void decode16(std::string_view text, std::uint16_t* to) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (end - at >= 16) {
    // SAFETY: an unaligned load of 16 bytes.
    const __m128i bytes =
        _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(at)));
    const auto high = static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
    if (high != 0 && end - at < kDecodeReach) break;
    // SAFETY: as many code points are left.
    _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), _mm256_cvtepu8_epi16(bytes));
    const std::uint32_t plain = high != 0 ? _tzcnt_u32(high) : 16;
    at += plain;
    to += plain;
    if (high == 0) continue;
    *to++ = static_cast<std::uint16_t>(decode_one(&at));
    if (static_cast<unsigned char>(*at) < 0x80) continue;
    decode_dense(&at, end - at > kDenseBytes ? at + kDenseBytes : end, end, &to);
  }
  decode_dense(&at, end, end, &to);
}

}  // namespace

const Utf8Kernels kAvx2Utf8 = {shape_baseline, decode8_baseline, decode16, decode32_baseline};

}  // namespace lanner::json::detail

#endif
