#include "json/escape.h"

#include <array>
#include <cstring>

namespace lanner::json {

namespace {

// 0: goes out as it is; 'u': as \u00XX; else the letter behind the backslash.
constexpr std::array<char, 128> kEscapes = [] {
  std::array<char, 128> table{};
  for (std::size_t i = 0; i < 0x20; ++i) table[i] = 'u';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['"'] = '"';
  table['\\'] = '\\';
  return table;
}();

char* write_escape(char* to, unsigned char byte) noexcept {
  const char letter = kEscapes[byte];
  *to++ = '\\';
  *to++ = letter;
  if (letter != 'u') return to;
  constexpr char kHex[] = "0123456789abcdef";
  *to++ = '0';
  *to++ = '0';
  *to++ = kHex[byte >> 4];
  *to++ = kHex[byte & 15];
  return to;
}

// Null at a surrogate.
char* write_code_point(char* to, std::uint32_t code) noexcept {
  const auto put = [&](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    if (code >= 0xD800 && code <= 0xDFFF) return nullptr;
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
  return to;
}

template <class Element>
char* escape_scalar(char* to, const Element* text, std::size_t size) noexcept {
  for (const Element* const end = text + size; text != end; ++text) {
    const std::uint32_t code = *text;
    if (code < 0x80 && kEscapes[code] != 0) {
      to = write_escape(to, static_cast<unsigned char>(code));
      continue;
    }
    to = write_code_point(to, code);
    if (to == nullptr) return nullptr;
  }
  return to;
}

char* escape_utf8_scalar(char* to, const char* text, std::size_t size) noexcept {
  for (const char* const end = text + size; text != end; ++text) {
    const auto byte = static_cast<unsigned char>(*text);
    if (byte < 0x80 && kEscapes[byte] != 0) {
      to = write_escape(to, byte);
    } else {
      *to++ = *text;
    }
  }
  return to;
}

constexpr EscapeKernels kScalarKernels = {escape_utf8_scalar, escape_scalar<std::uint8_t>,
                                          escape_scalar<std::uint16_t>,
                                          escape_scalar<std::uint32_t>};

// Elements at once: what is reserved too much for a long text stays small.
constexpr std::size_t kPiece = 4096;

template <class Element, class Kernel>
Written write_pieces(Output& out, const Element* text, std::size_t size, Kernel kernel) noexcept {
  char* to = out.reserve(1);
  if (to == nullptr) return Written::no_memory;
  *to = '"';
  out.commit(to + 1);
  do {
    const std::size_t piece = size < kPiece ? size : kPiece;
    to = out.reserve(escaped_room(piece));  // its padding holds the closing quote
    if (to == nullptr) return Written::no_memory;
    to = kernel(to, text, piece);
    if (to == nullptr) return Written::surrogate;
    out.commit(to);
    text += piece;
    size -= piece;
  } while (size != 0);
  *to = '"';
  out.commit(to + 1);
  return Written::ok;
}

}  // namespace

const EscapeKernels& escape_kernels_of(SimdLevel level) noexcept {
  static_cast<void>(level);
  return kScalarKernels;
}

const EscapeKernels& escape_kernels() noexcept {
  static const EscapeKernels& kernels = escape_kernels_of(simd_level());
  return kernels;
}

Written write_string(Output& out, std::string_view utf8) noexcept {
  return write_pieces(out, utf8.data(), utf8.size(), escape_kernels().utf8);
}
Written write_string(Output& out, const std::uint8_t* latin1, std::size_t size) noexcept {
  return write_pieces(out, latin1, size, escape_kernels().latin1);
}
Written write_string(Output& out, const std::uint16_t* ucs2, std::size_t size) noexcept {
  return write_pieces(out, ucs2, size, escape_kernels().ucs2);
}
Written write_string(Output& out, const std::uint32_t* ucs4, std::size_t size) noexcept {
  return write_pieces(out, ucs4, size, escape_kernels().ucs4);
}

}  // namespace lanner::json
