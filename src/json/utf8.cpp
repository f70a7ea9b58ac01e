#include "json/utf8.h"

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

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

template <class Element>
void decode(std::string_view text, Element* to) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto tail = [&](std::ptrdiff_t i) -> std::uint32_t {
    return static_cast<unsigned char>(at[i]) & 0x3Fu;
  };
  while (at != end) {
    const auto lead = static_cast<unsigned char>(*at);
    std::uint32_t code = lead;
    std::ptrdiff_t bytes = 1;
    if (lead >= 0xF0) {
      code = (lead & 0x07u) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
      bytes = 4;
    } else if (lead >= 0xE0) {
      code = (lead & 0x0Fu) << 12 | tail(1) << 6 | tail(2);
      bytes = 3;
    } else if (lead >= 0x80) {
      code = (lead & 0x1Fu) << 6 | tail(1);
      bytes = 2;
    }
    *to++ = static_cast<Element>(code);
    at += bytes;
  }
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

Utf8Shape shape_of(std::string_view text) noexcept {
  Utf8Shape shape;
  unsigned char largest = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    shape.code_points += (byte & 0xC0) != 0x80;
    if (byte > largest) largest = byte;
  }
  // 0xC3 leads U+00C0..U+00FF.
  shape.max = largest < 0x80 ? 0x7F : largest < 0xC4 ? 0xFF : largest < 0xF0 ? 0xFFFF : 0x10FFFF;
  return shape;
}

void decode_utf8(std::string_view text, std::uint8_t* to) noexcept { decode(text, to); }
void decode_utf8(std::string_view text, std::uint16_t* to) noexcept { decode(text, to); }
void decode_utf8(std::string_view text, std::uint32_t* to) noexcept { decode(text, to); }

}  // namespace lanner::json
