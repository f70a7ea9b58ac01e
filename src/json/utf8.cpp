#include "json/utf8.h"

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

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

Utf8Shape shape(std::string_view text) noexcept {
  std::size_t code_points = 0;
  unsigned char largest = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    code_points += (byte & 0xC0) != 0x80;
    if (byte > largest) largest = byte;
  }
  return {code_points, max_of(largest)};
}

template <class Element>
void decode(std::string_view text, Element* to) noexcept {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) *to++ = static_cast<Element>(decode_one(&at));
}

}  // namespace

const Utf8Kernels kScalarUtf8 = {shape, decode<std::uint8_t>, decode<std::uint16_t>,
                                 decode<std::uint32_t>};

}  // namespace detail

const Utf8Kernels& utf8_kernels_of(SimdLevel level) noexcept {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return detail::kAvx512Utf8;
  if (level == SimdLevel::avx2) return detail::kAvx2Utf8;
#endif
  static_cast<void>(level);
  return detail::kScalarUtf8;
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
