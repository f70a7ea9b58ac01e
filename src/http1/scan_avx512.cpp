// http1/scan_avx512.cpp: AVX-512 kernels: 64 bytes a step, the last one masked: a masked byte is
// not read, so it cannot fault.

#include "http1/scan.h"

#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "http1/nibble_table.h"

namespace lanner::http1::detail {

namespace {

constexpr std::ptrdiff_t kStep = 64;
// The maskz_ forms with all bits set are the plain instructions: GCC 12 warns of the plain
// intrinsics (their "undefined" operand is taken for an uninitialized variable).
constexpr __mmask64 kAll = UINT64_MAX;
constexpr __mmask32 kAllWords = UINT32_MAX;

LANNER_AVX512_TARGET inline __m512i load_table(const NibbleTable& table) noexcept {
  // SAFETY: an unaligned load of the 16 bytes of the table.
  const __m128i lane = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data()));
  return _mm512_maskz_broadcast_i32x4(0xFFFF, lane);
}

// Each finder answers with a bit for every byte that is outside the class.
struct Token {
  LANNER_AVX512_TARGET static std::uint64_t outside(__m512i bytes) noexcept {
    // The shuffle gives 0 for bytes above 0x7F: they are outside.
    const __m512i rows = _mm512_maskz_shuffle_epi8(kAll, load_table(kTokenLowNibbles), bytes);
    const __m512i high =
        _mm512_and_si512(_mm512_maskz_srli_epi16(kAllWords, bytes, 4), _mm512_set1_epi8(0x0F));
    const __m512i bits = _mm512_maskz_shuffle_epi8(kAll, load_table(kHighNibbleBits), high);
    return _mm512_testn_epi8_mask(rows, bits);
  }
};

struct Value {
  LANNER_AVX512_TARGET static std::uint64_t outside(__m512i bytes) noexcept {
    const __mmask64 low = _mm512_cmple_epu8_mask(bytes, _mm512_set1_epi8(0x1F));
    const __mmask64 control = _mm512_mask_cmpneq_epu8_mask(low, bytes, _mm512_set1_epi8('\t'));
    return control | _mm512_cmpeq_epu8_mask(bytes, _mm512_set1_epi8(0x7F));
  }
};

struct Target {
  LANNER_AVX512_TARGET static std::uint64_t outside(__m512i bytes) noexcept {
    // 0x21..0x7E become 0..0x5D, all else is greater.
    const __m512i shifted = _mm512_sub_epi8(bytes, _mm512_set1_epi8(0x21));
    return _mm512_cmpgt_epu8_mask(shifted, _mm512_set1_epi8(0x5D)) |
           _mm512_cmpeq_epu8_mask(bytes, _mm512_set1_epi8('#'));
  }
};

template <class Finder>
LANNER_AVX512_TARGET const char* scan(const char* at, const char* end) noexcept {
  for (; end - at >= kStep; at += kStep) {
    const std::uint64_t outside = Finder::outside(_mm512_loadu_si512(at));
    if (outside != 0) return at + _tzcnt_u64(outside);
  }
  const auto left = static_cast<unsigned int>(end - at);
  const __mmask64 valid = _bzhi_u64(UINT64_MAX, left);
  const std::uint64_t outside = Finder::outside(_mm512_maskz_loadu_epi8(valid, at)) & valid;
  return outside != 0 ? at + _tzcnt_u64(outside) : end;
}

}  // namespace

const ScanKernels kAvx512Kernels = {scan<Token>, scan<Value>, scan<Target>};

}  // namespace lanner::http1::detail

#endif
