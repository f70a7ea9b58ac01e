// json/kernels_avx512.cpp: AVX-512 kernels: 64 bytes a step, the last one masked: a masked byte is
// not read, so it cannot fault. Wide text goes out by compression (VBMI2).

#include "base/cpu.h"
#include "json/escape_inl.h"
#include "json/scan.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace lanner::json::detail {

namespace {

// A bit for each byte that ends a string literal or needs an escape. The maskz_ forms with all bits
// set are the plain instructions: GCC 12 warns of the plain intrinsics.
LANNER_AVX512_TARGET inline std::uint64_t specials(__m512i bytes) noexcept {
  return _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20)) |
         _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"')) |
         _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'));
}

LANNER_AVX512_TARGET StringScan scan_string(const char* at, const char* end) noexcept {
  std::uint64_t high = 0;
  for (; end - at >= 64; at += 64) {
    const __m512i bytes = _mm512_loadu_si512(at);
    const std::uint64_t stop = specials(bytes);
    const std::uint64_t above = _mm512_movepi8_mask(bytes);
    if (stop != 0) return {at + _tzcnt_u64(stop), (high | (above & (_blsi_u64(stop) - 1))) != 0};
    high |= above;
  }
  const std::uint64_t valid = _bzhi_u64(UINT64_MAX, static_cast<unsigned>(end - at));
  const __m512i bytes = _mm512_maskz_loadu_epi8(valid, at);
  const std::uint64_t stop = specials(bytes) & valid;
  const std::uint64_t above = _mm512_movepi8_mask(bytes);
  if (stop == 0) return {end, (high | above) != 0};
  return {at + _tzcnt_u64(stop), (high | (above & (_blsi_u64(stop) - 1))) != 0};
}

LANNER_AVX512_TARGET char* escape_utf8(char* to, const char* text, std::size_t size) noexcept {
  for (;;) {
    const std::size_t step = size < 64 ? size : 64;
    std::uint64_t valid = _bzhi_u64(UINT64_MAX, static_cast<unsigned>(step));
    const __m512i bytes = _mm512_maskz_loadu_epi8(valid, text);
    // SAFETY: kEscapePadding bytes belong to the room, here and below.
    _mm512_storeu_si512(to, bytes);
    std::uint64_t stops = specials(bytes) & valid;
    // Each run behind an escape is stored again, where it belongs.
    std::size_t done = 0;
    while (stops != 0) {
      const auto plain = static_cast<std::size_t>(_tzcnt_u64(stops));
      to = write_escape(to + (plain - done), static_cast<unsigned char>(text[plain]));
      done = plain + 1;
      stops = _blsr_u64(stops);
      valid = _bzhi_u64(UINT64_MAX, static_cast<unsigned>(step - done));
      _mm512_storeu_si512(to, _mm512_maskz_loadu_epi8(valid, text + done));
    }
    to += step - done;
    if (step == size) return to;
    text += step;
    size -= step;
  }
}

LANNER_AVX512_TARGET inline __m512i bits_of(__m512i lanes, std::uint32_t bits) noexcept {
  return _mm512_and_si512(lanes, _mm512_set1_epi32(static_cast<int>(bits)));
}
// Bit i becomes bit 4 * i.
LANNER_AVX512_TARGET inline std::uint64_t every(std::uint32_t bits) noexcept {
  return _pdep_u64(bits, 0x1111111111111111);
}

// `count` (<= 16) code points, a bit of `valid` each, none with an escape: up to 64 bytes.
LANNER_AVX512_TARGET inline char* write_lanes(char* to, __m512i codes, __mmask16 valid) noexcept {
  constexpr __mmask16 kAll = 0xFFFF;
  const __mmask16 two = _mm512_cmpge_epu32_mask(codes, _mm512_set1_epi32(0x80));
  const __mmask16 three = _mm512_cmpge_epu32_mask(codes, _mm512_set1_epi32(0x800));
  const __mmask16 four = _mm512_cmpge_epu32_mask(codes, _mm512_set1_epi32(0x10000));
  // The bytes of a lane, the last one lowest: b3 at bit 0, then b2, b1, b0.
  const __m512i tail = bits_of(codes, 0x3F);
  const __m512i second = bits_of(_mm512_maskz_slli_epi32(kAll, codes, 2), 0x3F00);
  const __m512i third = bits_of(_mm512_maskz_slli_epi32(kAll, codes, 4), 0x3F0000);
  const __m512i fourth = bits_of(_mm512_maskz_slli_epi32(kAll, codes, 6), 0x07000000);
  __m512i lanes = _mm512_or_si512(_mm512_or_si512(tail, second), _mm512_or_si512(third, fourth));
  __m512i marks = _mm512_maskz_set1_epi32(two, 0xC080);
  marks = _mm512_mask_set1_epi32(marks, three, 0xE08080);
  marks = _mm512_mask_set1_epi32(marks, four, static_cast<int>(0xF0808080));
  lanes = _mm512_or_si512(lanes, marks);
  lanes = _mm512_mask_mov_epi32(codes, two, lanes);  // ASCII as it is
  // Highest byte first, and only those that are there.
  const __m512i reversed = _mm512_maskz_shuffle_epi8(
      UINT64_MAX, lanes, _mm512_set4_epi32(0x0C0D0E0F, 0x08090A0B, 0x04050607, 0x00010203));
  const std::uint64_t keep =
      every(valid) << 3 | every(two & valid) << 2 | every(three & valid) << 1 | every(four & valid);
  // SAFETY: kEscapePadding bytes belong to the room.
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(keep, reversed));
  return to + __builtin_popcountll(keep);
}

LANNER_AVX512_TARGET inline __mmask16 escaped_lanes(__m512i codes) noexcept {
  return static_cast<__mmask16>(_mm512_cmplt_epu32_mask(codes, _mm512_set1_epi32(0x20)) |
                                _mm512_cmpeq_epi32_mask(codes, _mm512_set1_epi32('"')) |
                                _mm512_cmpeq_epi32_mask(codes, _mm512_set1_epi32('\\')));
}

LANNER_AVX512_TARGET inline __mmask16 surrogate_lanes(__m512i codes) noexcept {
  const __m512i head = _mm512_and_si512(codes, _mm512_set1_epi32(static_cast<int>(0xFFFFF800)));
  return _mm512_cmpeq_epi32_mask(head, _mm512_set1_epi32(0xD800));
}

struct Latin1 {
  using Element = std::uint8_t;
  LANNER_AVX512_TARGET static __m512i load(const Element* text, __mmask16 valid) noexcept {
    return _mm512_maskz_cvtepu8_epi32(0xFFFF, _mm_maskz_loadu_epi8(valid, text));
  }
};
struct Ucs2 {
  using Element = std::uint16_t;
  LANNER_AVX512_TARGET static __m512i load(const Element* text, __mmask16 valid) noexcept {
    return _mm512_maskz_cvtepu16_epi32(0xFFFF, _mm256_maskz_loadu_epi16(valid, text));
  }
};
struct Ucs4 {
  using Element = std::uint32_t;
  LANNER_AVX512_TARGET static __m512i load(const Element* text, __mmask16 valid) noexcept {
    return _mm512_maskz_loadu_epi32(valid, text);
  }
};

// 16 code points a step.
template <class Width>
LANNER_AVX512_TARGET char* escape_wide(char* to, const typename Width::Element* text,
                                       std::size_t size) noexcept {
  while (size != 0) {
    const std::size_t step = size < 16 ? size : 16;
    auto valid = static_cast<__mmask16>(_bzhi_u32(0xFFFF, static_cast<unsigned>(step)));
    const __m512i codes = Width::load(text, valid);
    if ((surrogate_lanes(codes) & valid) != 0) [[unlikely]]
      return nullptr;
    const auto stops = static_cast<std::uint32_t>(escaped_lanes(codes) & valid);
    if (stops == 0) [[likely]] {
      to = write_lanes(to, codes, valid);
      text += step;
      size -= step;
      continue;
    }
    const unsigned plain = _tzcnt_u32(stops);
    valid = static_cast<__mmask16>(_bzhi_u32(0xFFFF, plain));
    to = write_escape(write_lanes(to, codes, valid), text[plain]);
    text += plain + 1;
    size -= plain + 1;
  }
  return to;
}

// Runs of ASCII 32 elements a step, all else in 16s.
LANNER_AVX512_TARGET char* escape_ucs2(char* to, const std::uint16_t* text,
                                       std::size_t size) noexcept {
  while (size != 0) {
    const std::size_t step = size < 32 ? size : 32;
    const __mmask32 valid = _bzhi_u32(UINT32_MAX, static_cast<unsigned>(step));
    const __m512i codes = _mm512_maskz_loadu_epi16(valid, text);
    const std::uint32_t odd = valid & (_mm512_cmplt_epu16_mask(codes, _mm512_set1_epi16(0x20)) |
                                       _mm512_cmpgt_epu16_mask(codes, _mm512_set1_epi16(0x7F)) |
                                       _mm512_cmpeq_epi16_mask(codes, _mm512_set1_epi16('"')) |
                                       _mm512_cmpeq_epi16_mask(codes, _mm512_set1_epi16('\\')));
    const unsigned plain = odd == 0 ? static_cast<unsigned>(step) : _tzcnt_u32(odd);
    if (plain >= 16 || plain == size) {
      // SAFETY: kEscapePadding bytes belong to the room.
      _mm256_mask_storeu_epi8(to, UINT32_MAX, _mm512_maskz_cvtepi16_epi8(UINT32_MAX, codes));
      to += plain;
      text += plain;
      size -= plain;
      continue;
    }
    const std::size_t part = size < 16 ? size : 16;
    to = escape_wide<Ucs2>(to, text, part);
    if (to == nullptr) return nullptr;
    text += part;
    size -= part;
  }
  return to;
}

}  // namespace

const ScanKernels kAvx512Scans = {scan_string, unescape_avx512, read_number_avx2};
const EscapeKernels kAvx512Escapes = {escape_utf8, escape_wide<Latin1>, escape_ucs2,
                                      escape_wide<Ucs4>};

}  // namespace lanner::json::detail

#endif
