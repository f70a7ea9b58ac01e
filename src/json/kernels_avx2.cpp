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

// Eight code units that are all three bytes in UTF-8 and no surrogates.
LANNER_AVX2_TARGET inline bool are_threes(__m128i units) noexcept {
  const __m128i head = _mm_and_si128(units, _mm_set1_epi16(static_cast<short>(0xF800)));
  const __m128i bad =
      _mm_or_si128(_mm_cmpeq_epi16(head, _mm_setzero_si128()),
                   _mm_cmpeq_epi16(head, _mm_set1_epi16(static_cast<short>(0xD800))));
  return _mm_testz_si128(bad, bad) != 0;
}

// 24 bytes of output; stores 28.
LANNER_AVX2_TARGET inline char* write_threes(char* to, __m128i units) noexcept {
  const __m256i codes = _mm256_cvtepu16_epi32(units);
  const __m256i lead = _mm256_srli_epi32(codes, 12);
  const __m256i second = _mm256_and_si256(_mm256_slli_epi32(codes, 2), _mm256_set1_epi32(0x3F00));
  const __m256i third = _mm256_slli_epi32(_mm256_and_si256(codes, _mm256_set1_epi32(0x3F)), 16);
  const __m256i lanes = _mm256_or_si256(_mm256_or_si256(lead, second),
                                        _mm256_or_si256(third, _mm256_set1_epi32(0x8080E0)));
  const __m256i packed =
      _mm256_shuffle_epi8(lanes, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                     0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1)));
  // SAFETY: kEscapePadding bytes belong to the room.
  auto* const first = static_cast<__m128i*>(static_cast<void*>(to));
  _mm_storeu_si128(first, _mm256_castsi256_si128(packed));
  auto* const last = static_cast<__m128i*>(static_cast<void*>(to + 12));
  _mm_storeu_si128(last, _mm256_extracti128_si256(packed, 1));
  return to + 24;
}

// Eights of them as far as they go. By itself, so that its constants stay in registers.
[[gnu::noinline]] LANNER_AVX2_TARGET char* write_run(char* to, const std::uint16_t** text,
                                                     std::size_t* size) noexcept {
  const std::uint16_t* at = *text;
  const std::uint16_t* const end = at + *size;
  for (; end - at >= 8; at += 8) {
    // SAFETY: an unaligned load of the eight units that are left at least.
    const __m128i units =
        _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(at)));
    if (!are_threes(units)) break;
    to = write_threes(to, units);
  }
  *text = at;
  *size = static_cast<std::size_t>(end - at);
  return to;
}

// A piece of what is not such a run by the baseline.
LANNER_AVX2_TARGET char* escape_ucs2(char* to, const std::uint16_t* text,
                                     std::size_t size) noexcept {
  constexpr std::size_t kPiece = 128;
  if (size < 8) return escape_ucs2_baseline(to, text, size);
  do {
    to = write_run(to, &text, &size);
    const std::size_t piece = size < kPiece ? size : kPiece;
    to = escape_ucs2_baseline(to, text, piece);
    text += piece;
    size -= piece;
  } while (size != 0 && to != nullptr);
  return to;
}

}  // namespace

const ScanKernels kAvx2Scans = {scan_string, unescape_avx2, read_number_avx2};
const EscapeKernels kAvx2Escapes = {escape_utf8, escape_latin1, escape_ucs2, escape_ucs4_baseline};

}  // namespace lanner::json::detail

#endif
