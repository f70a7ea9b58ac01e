// json/kernels_avx2.cpp: AVX2 kernels: 32 bytes a step; tails, and what is neither ASCII nor a run
// of three-byte characters, by scalar code.

#include "json/escape_inl.h"
#include "json/scan.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LANNER_AVX2 __attribute__((target("avx2,bmi,bmi2")))

namespace lanner::json::detail {

namespace {

LANNER_AVX2 inline __m256i load(const void* at) noexcept {
  // SAFETY: an unaligned load of 32 bytes; callers have checked that they are in the text.
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

LANNER_AVX2 inline std::uint32_t mask_of(__m256i bytes) noexcept {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

// A bit for each byte that ends a string literal or needs an escape.
LANNER_AVX2 inline std::uint32_t specials(__m256i bytes) noexcept {
  const __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1F)), bytes);
  const __m256i quote = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"'));
  const __m256i slash = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'));
  return mask_of(_mm256_or_si256(low, _mm256_or_si256(quote, slash)));
}

LANNER_AVX2 StringScan scan_string(const char* at, const char* end) noexcept {
  std::uint32_t high = 0;
  for (; end - at >= 32; at += 32) {
    const __m256i bytes = load(at);
    const std::uint32_t stop = specials(bytes);
    const std::uint32_t above = mask_of(bytes);
    if (stop != 0) return {at + _tzcnt_u32(stop), (high | (above & (_blsi_u32(stop) - 1))) != 0};
    high |= above;
  }
  const StringScan rest = kScalarScans.string(at, end);
  return {rest.stop, rest.high || high != 0};
}

LANNER_AVX2 char* escape_utf8(char* to, const char* text, std::size_t size) noexcept {
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
  return kScalarEscapes.utf8(to, text, size);
}

LANNER_AVX2 char* escape_latin1(char* to, const std::uint8_t* text, std::size_t size) noexcept {
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
  return write_each(to, text, size);
}

// 16 code units that are ASCII without an escape: a bit pair for each that is not.
LANNER_AVX2 inline std::uint32_t specials_of_units(__m256i units) noexcept {
  const __m256i plain = _mm256_and_si256(_mm256_cmpgt_epi16(units, _mm256_set1_epi16(0x1F)),
                                         _mm256_cmpgt_epi16(_mm256_set1_epi16(0x80), units));
  const __m256i quote = _mm256_cmpeq_epi16(units, _mm256_set1_epi16('"'));
  const __m256i slash = _mm256_cmpeq_epi16(units, _mm256_set1_epi16('\\'));
  return ~mask_of(_mm256_andnot_si256(_mm256_or_si256(quote, slash), plain));
}

// Eight code units that are all three bytes in UTF-8 and no surrogates.
LANNER_AVX2 inline bool are_three_bytes(__m128i units) noexcept {
  const __m128i head = _mm_and_si128(units, _mm_set1_epi16(static_cast<short>(0xF800)));
  const __m128i bad =
      _mm_or_si128(_mm_cmpeq_epi16(head, _mm_setzero_si128()),
                   _mm_cmpeq_epi16(head, _mm_set1_epi16(static_cast<short>(0xD800))));
  return _mm_testz_si128(bad, bad) != 0;
}

// 24 bytes of output; stores 28.
LANNER_AVX2 inline char* write_three_bytes(char* to, __m128i units) noexcept {
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

// What stands where a run of ASCII ended: an escape, or wide characters up to the next ASCII one.
LANNER_AVX2 char* escape_units(char* to, const std::uint16_t** text, std::size_t* size) noexcept {
  do {
    if (*size >= 8) {
      // SAFETY: an unaligned load of the eight units that are left at least.
      const __m128i units =
          _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(*text)));
      if (are_three_bytes(units)) {
        to = write_three_bytes(to, units);
        *text += 8;
        *size -= 8;
        continue;
      }
    }
    to = write_one(to, **text);
    ++*text;
    --*size;
  } while (to != nullptr && *size != 0 && **text >= 0x80);
  return to;
}

LANNER_AVX2 char* escape_ucs2(char* to, const std::uint16_t* text, std::size_t size) noexcept {
  while (size >= 16) {
    const __m256i units = load(text);
    const __m256i packed =
        _mm256_permute4x64_epi64(_mm256_packus_epi16(units, _mm256_setzero_si256()), 0x08);
    // SAFETY: kEscapePadding bytes belong to the room.
    _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(to)), _mm256_castsi256_si128(packed));
    const std::uint32_t stops = specials_of_units(units);
    const std::uint32_t plain = stops == 0 ? 16 : _tzcnt_u32(stops) / 2;
    to += plain;
    text += plain;
    size -= plain;
    if (stops == 0) continue;
    to = escape_units(to, &text, &size);
    if (to == nullptr) return nullptr;
  }
  return write_each(to, text, size);
}

LANNER_AVX2 char* escape_ucs4(char* to, const std::uint32_t* text, std::size_t size) noexcept {
  while (size >= 8) {
    const __m256i codes = load(text);
    const __m256i odd =
        _mm256_or_si256(_mm256_or_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(0x20), codes),
                                        _mm256_cmpgt_epi32(codes, _mm256_set1_epi32(0x7F))),
                        _mm256_or_si256(_mm256_cmpeq_epi32(codes, _mm256_set1_epi32('"')),
                                        _mm256_cmpeq_epi32(codes, _mm256_set1_epi32('\\'))));
    if (_mm256_testz_si256(odd, odd) == 0) {
      to = write_each(to, text, 8);
      if (to == nullptr) return nullptr;
    } else {
      const __m256i pairs = _mm256_packus_epi32(codes, _mm256_setzero_si256());
      const __m256i bytes = _mm256_packus_epi16(pairs, _mm256_setzero_si256());
      const int low = _mm256_extract_epi32(bytes, 0);
      const int high = _mm256_extract_epi32(bytes, 4);
      std::memcpy(to, &low, 4);
      std::memcpy(to + 4, &high, 4);
      to += 8;
    }
    text += 8;
    size -= 8;
  }
  return write_each(to, text, size);
}

}  // namespace

const ScanKernels kAvx2Scans = {scan_string, unescape_avx2, read_number_avx2};
const EscapeKernels kAvx2Escapes = {escape_utf8, escape_latin1, escape_ucs2, escape_ucs4};

}  // namespace lanner::json::detail

#undef LANNER_AVX2
#endif
