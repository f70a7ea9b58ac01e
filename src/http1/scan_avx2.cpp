// http1/scan_avx2.cpp: AVX2 kernels: 32 bytes a step; what is left over ends in one step that
// overlaps the one before. Less than 32 bytes are left to the vectors of 128 bits.

#include "http1/scan.h"

#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

#include "http1/nibble_table.h"
#include "http1/scan_inl.h"

namespace lanner::http1::detail {

namespace {

constexpr std::ptrdiff_t kStep = 32;

LANNER_AVX2_TARGET inline __m256i load(const char* at) noexcept {
  // SAFETY: an unaligned load of kStep bytes; callers have checked that they are in the input.
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

LANNER_AVX2_TARGET inline __m256i load_table(const NibbleTable& table) noexcept {
  // SAFETY: an unaligned load of the 16 bytes of the table.
  return _mm256_broadcastsi128_si256(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data())));
}

LANNER_AVX2_TARGET inline std::uint32_t mask_of(__m256i bytes) noexcept {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

// Each finder answers with a bit for every byte that is outside the class.
struct WideToken {
  using Narrow = Token;
  LANNER_AVX2_TARGET static std::uint32_t outside(__m256i bytes) noexcept {
    // The shuffle gives 0 for bytes above 0x7F: they are outside.
    const __m256i rows = _mm256_shuffle_epi8(load_table(kTokenLowNibbles), bytes);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0F));
    const __m256i bits = _mm256_shuffle_epi8(load_table(kHighNibbleBits), high);
    return mask_of(_mm256_cmpeq_epi8(_mm256_and_si256(rows, bits), _mm256_setzero_si256()));
  }
};

struct WideValue {
  using Narrow = Value;
  LANNER_AVX2_TARGET static std::uint32_t outside(__m256i bytes) noexcept {
    const __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1F)), bytes);
    const __m256i tab = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\t'));
    const __m256i del = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(0x7F));
    return mask_of(_mm256_or_si256(_mm256_andnot_si256(tab, low), del));
  }
};

struct WideTarget {
  using Narrow = Target;
  LANNER_AVX2_TARGET static std::uint32_t outside(__m256i bytes) noexcept {
    // Signed: 0x21..0x7F are greater than SP, bytes above 0x7F are not.
    const __m256i visible = _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(' '));
    const __m256i del = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(0x7F));
    const __m256i hash = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('#'));
    return mask_of(_mm256_andnot_si256(_mm256_or_si256(del, hash), visible)) ^ 0xFFFFFFFFu;
  }
};

template <class Finder>
LANNER_AVX2_TARGET const char* scan_wide(const char* at, const char* end) noexcept {
  if (end - at < kStep) return scan<typename Finder::Narrow>(at, end);
  for (; end - at >= kStep; at += kStep) {
    const std::uint32_t outside = Finder::outside(load(at));
    if (outside != 0) return at + _tzcnt_u32(outside);
  }
  if (at == end) return end;
  // SAFETY: at least kStep bytes precede `end`; those before `at` are in the class, so they add no
  // bit.
  const char* const last = end - kStep;
  const std::uint32_t outside = Finder::outside(load(last));
  return outside != 0 ? last + _tzcnt_u32(outside) : end;
}

}  // namespace

const ScanKernels kAvx2Kernels = {scan_wide<WideToken>, scan_wide<WideValue>,
                                  scan_wide<WideTarget>};

}  // namespace lanner::http1::detail

#endif
