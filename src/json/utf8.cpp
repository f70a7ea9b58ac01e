#include "json/utf8.h"

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "base/simd128.h"
#include "json/utf8_kernels.h"

namespace lanner::json {

namespace {

bool continues(std::string_view text, std::size_t at) noexcept {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// Bytes of the sequence at `at`, whose first byte is above 0x7F; 0 if it is malformed (RFC 3629,
// section 4).
std::size_t sequence_bytes(std::string_view text, std::size_t at) noexcept {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0xC2 || lead > 0xF4 || !continues(text, at + 1)) return 0;
  if (lead < 0xE0) return 2;
  const auto second = static_cast<unsigned char>(text[at + 1]);
  if (!continues(text, at + 2)) return 0;
  if (lead < 0xF0) {
    if (lead == 0xE0 && second < 0xA0) return 0;  // overlong
    if (lead == 0xED && second > 0x9F) return 0;  // a surrogate
    return 3;
  }
  if (!continues(text, at + 3)) return 0;
  if (lead == 0xF0 && second < 0x90) return 0;  // overlong
  if (lead == 0xF4 && second > 0x8F) return 0;  // over U+10FFFF
  return 4;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  return simdjson::validate_utf8(text.data(), text.size());
}

std::size_t invalid_utf8_at(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes =
        static_cast<unsigned char>(text[at]) < 0x80 ? 1 : sequence_bytes(text, at);
    if (bytes == 0) return at;
    at += bytes;
  }
  return text.size();
}

namespace detail {
namespace {

using simd128::kBytes;
using simd128::U16;
using simd128::U8;

// All but 0x80 to 0xBF begin a code point; a lane that does is -1.
U8 leads_of(U8 bytes) noexcept { return simd128::as<U8>(simd128::as<simd128::I8>(bytes) > -65); }

}  // namespace

Utf8Shape shape_baseline(std::string_view text) noexcept {
  constexpr std::size_t kStep = kBytes;
  constexpr std::size_t kStepsMax = 255;  // that a sum in a byte can hold
  const char* at = text.data();
  std::size_t left = text.size();
  std::size_t code_points = 0;
  U8 largest{};
  while (left >= kStep) {
    const std::size_t steps = left / kStep < kStepsMax ? left / kStep : kStepsMax;
    U8 leads{};
    for (const char* const end = at + steps * kStep; at != end; at += kStep) {
      const U8 bytes = simd128::load(at);
      leads -= leads_of(bytes);
      largest = simd128::larger_of(largest, bytes);
    }
    code_points += simd128::sum_of(leads);
    left -= steps * kStep;
  }
  const U8 rest = simd128::load_front(at, left);
  code_points += simd128::sum_of(0 - leads_of(rest)) - (kStep - left);  // without the zeros behind
  largest = simd128::larger_of(largest, rest);
  const auto reaches = [largest](std::uint8_t byte) {
    return bool(simd128::mask_of(simd128::at_least(largest, byte)));
  };
  if (reaches(0xF0)) return {code_points, 0x10FFFF};
  if (reaches(0xC4)) return {code_points, 0xFFFF};
  return {code_points, reaches(0x80) ? U'\xFF' : U'\x7F'};
}

namespace {

void store_wide(std::uint16_t* to, U16 units) noexcept { simd128::store(to, units); }
void store_wide(std::uint32_t* to, U16 units) noexcept {
  simd128::store(to, simd128::widen_low(units));
  simd128::store(to + 4, simd128::widen_high(units));
}
void store_wide(std::uint8_t* to, U8 bytes) noexcept { simd128::store(to, bytes); }
template <class Element>
void store_wide(Element* to, U8 bytes) noexcept {
  store_wide(to, simd128::widen_low(bytes));
  store_wide(to + 8, simd128::widen_high(bytes));
}

template <class Element>
void decode(std::string_view text, Element* to) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (end - at >= kBytes) {
    const U8 bytes = simd128::load(at);
    const simd128::Mask high = simd128::high_bytes(bytes);
    if (high && end - at < kDecodeReach) break;
    store_wide(to, bytes);
    const std::ptrdiff_t plain = high ? high.first() : kBytes;
    at += plain;
    to += plain;
    if (!high) continue;
    *to++ = static_cast<Element>(decode_one(&at));
    if (static_cast<unsigned char>(*at) < 0x80) continue;
    // Not alone: what follows for a while, with the blanks that are between words.
    const char* const stop = end - at > kDenseBytes ? at + kDenseBytes : end;
    while (at < stop) *to++ = static_cast<Element>(decode_one(&at));
  }
  while (at != end) *to++ = static_cast<Element>(decode_one(&at));
}

}  // namespace

void decode8_baseline(std::string_view text, std::uint8_t* to) noexcept { decode(text, to); }
void decode32_baseline(std::string_view text, std::uint32_t* to) noexcept { decode(text, to); }

const Utf8Kernels kBaselineUtf8 = {shape_baseline, decode8_baseline, decode<std::uint16_t>,
                                   decode32_baseline};

}  // namespace detail

const Utf8Kernels& utf8_kernels_of(SimdLevel level) noexcept {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return detail::kAvx512Utf8;
  if (level == SimdLevel::avx2) return detail::kAvx2Utf8;
#endif
  static_cast<void>(level);
  return detail::kBaselineUtf8;
}

const Utf8Kernels& utf8_kernels() noexcept {
  static const Utf8Kernels& kernels = utf8_kernels_of(simd_level());
  return kernels;
}

Utf8Shape shape_of(std::string_view text) noexcept { return utf8_kernels().shape(text); }
void decode_utf8(std::string_view text, std::uint8_t* to) noexcept {
  utf8_kernels().decode8(text, to);
}
void decode_utf8(std::string_view text, std::uint16_t* to) noexcept {
  utf8_kernels().decode16(text, to);
}
void decode_utf8(std::string_view text, std::uint32_t* to) noexcept {
  utf8_kernels().decode32(text, to);
}

}  // namespace lanner::json
