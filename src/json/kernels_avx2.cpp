// json/kernels_avx2.cpp: AVX2 kernels: 32 bytes a step. Tails, and text of wide characters, by vectors
// of 128 bits.

#include "base/cpu.h"
#include "json/escape_inl.h"
#include "json/scan.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace lanner::json::detail {

namespace {

LANNER_AVX2_TARGET inline __m256i load(const void* at) noexcept {
  // SAFETY: an unaligned load of 32 bytes; callers have checked that they are in the text.
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

LANNER_AVX2_TARGET inline std::uint32_t mask_of(__m256i bytes) noexcept {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

// A bit for each byte that ends a string literal or needs an escape.
LANNER_AVX2_TARGET inline std::uint32_t specials(__m256i bytes) noexcept {
  const __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1F)), bytes);
  const __m256i quote = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"'));
  const __m256i slash = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'));
  return mask_of(_mm256_or_si256(low, _mm256_or_si256(quote, slash)));
}

LANNER_AVX2_TARGET StringScan scan_string(const char* at, const char* end) noexcept {
  std::uint32_t high = 0;
  for (; end - at >= 32; at += 32) {
    const __m256i bytes = load(at);
    const std::uint32_t stop = specials(bytes);
    const std::uint32_t above = mask_of(bytes);
    if (stop != 0) return {at + _tzcnt_u32(stop), (high | (above & (_blsi_u32(stop) - 1))) != 0};
    high |= above;
  }
  const StringScan rest = kBaselineScans.string(at, end);
  return {rest.stop, rest.high || high != 0};
}

LANNER_AVX2_TARGET char* escape_utf8(char* to, const char* text, std::size_t size) noexcept {
  while (size >= 32) {
    const __m256i bytes = load(text);
    // SAFETY: kEscapePadding bytes belong to the room.
    _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), bytes);
    const std::uint32_t stops = specials(bytes);
    const std::uint32_t plain = stops == 0 ? 32 : _tzcnt_u32(stops);
    to += plain;
    text += plain;
    size -= plain;
    if (stops == 0) continue;
    to = write_escape(to, static_cast<unsigned char>(*text));
    ++text;
    --size;
  }
  return kBaselineEscapes.utf8(to, text, size);
}

LANNER_AVX2_TARGET char* escape_latin1(char* to, const std::uint8_t* text,
                                       std::size_t size) noexcept {
  while (size >= 32) {
    const __m256i bytes = load(text);
    // SAFETY: as above.
    _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), bytes);
    const std::uint32_t stops = specials(bytes) | mask_of(bytes);
    const std::uint32_t plain = stops == 0 ? 32 : _tzcnt_u32(stops);
    to += plain;
    text += plain;
    size -= plain;
    if (stops == 0) continue;
    to = write_one(to, *text);
    ++text;
    --size;
  }
  return kBaselineEscapes.latin1(to, text, size);
}

}  // namespace

const ScanKernels kAvx2Scans = {scan_string, unescape_avx2, read_number_avx2};
const EscapeKernels kAvx2Escapes = {escape_utf8, escape_latin1, escape_ucs2_baseline,
                                    escape_ucs4_baseline};

}  // namespace lanner::json::detail

#endif
