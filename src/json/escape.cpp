#include "json/escape.h"

#include "json/escape_inl.h"
#include "json/specials.h"

namespace lanner::json {

namespace detail {
namespace {

using simd128::kBytes;
using simd128::Mask;
using simd128::U16;
using simd128::U32;
using simd128::U64;
using simd128::U8;

constexpr std::size_t kStep = kBytes;

// Each kernel writes a vector as if all of it were plain, passes over what is, and goes on behind
// the element that ended it. kEscapePadding bytes belong to the room.

char* escape_utf8(char* to, const char* text, std::size_t size) noexcept {
  for (;;) {
    const U8 bytes = size >= kStep ? simd128::load(text) : simd128::load_front(text, size);
    simd128::store(to, bytes);
    const Mask stops = simd128::mask_of(specials(bytes));
    const std::size_t plain = stops ? stops.first() : kStep;
    if (plain >= size) return to + size;
    to += plain;
    text += plain;
    size -= plain;
    if (!stops) continue;
    to = write_escape(to, static_cast<unsigned char>(*text));
    ++text;
    --size;
  }
}

// Eight elements; code points above 0xFFFF become 0.
U16 load_eight(const std::uint8_t* text) noexcept {
  return simd128::widen_low(simd128::load_front(text, 8));
}
U16 load_eight(const std::uint16_t* text) noexcept { return simd128::load<U16>(text); }
U16 load_eight(const std::uint32_t* text) noexcept {
  return simd128::narrow(simd128::load<U32>(text), simd128::load<U32>(text + 4));
}

// 16 elements as bytes: what is not ASCII becomes a control byte or a byte above 0x7F.
U8 load_sixteen(const std::uint8_t* text) noexcept { return simd128::load(text); }
U8 load_sixteen(const std::uint16_t* text) noexcept {
  return simd128::to_ascii(simd128::load<U16>(text), simd128::load<U16>(text + 8));
}
U8 load_sixteen(const std::uint32_t* text) noexcept {
  return simd128::to_ascii(simd128::load<U32>(text), simd128::load<U32>(text + 4),
                           simd128::load<U32>(text + 8), simd128::load<U32>(text + 12));
}

// Those of eight units that need no escape and are no surrogates, up to the first that is not so.
std::size_t leading_text(U16 units) noexcept {
  const auto surrogates = (units & 0xF800) == 0xD800;
  const Mask others =
      simd128::mask_of((units < 0x20) | (units == '"') | (units == '\\') | surrogates);
  return others ? others.first() / 2 : 8;
}

// The first `count` of them, of one to three bytes each, without a branch: which it is, is chance.
char* write_units(char* to, U16 units, std::size_t count) noexcept {
  std::uint32_t forms[8];
  std::uint32_t* form = forms;
  for (const U32 codes : {simd128::widen_low(units), simd128::widen_high(units)}) {
    const U32 last = (codes & 0x3F) | 0x80;
    const U32 two = (codes >> 6 | 0xC0) | last << 8;
    const U32 three = (codes >> 12 | 0x80E0) | (codes << 2 & 0x3F00) | last << 16;
    const auto number = simd128::as<simd128::I32>(codes);
    simd128::store(form, number < 0x80 ? codes : number < 0x800 ? two : three);
    form += 4;
  }
  std::uint16_t sizes[8];
  simd128::store(sizes, 1 - simd128::as<U16>(units > 0x7F) - simd128::as<U16>(units > 0x7FF));
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to, &forms[i], sizeof forms[i]);
    to += sizes[i];
  }
  return to;
}

// All of three bytes, no surrogates among them: as most of Chinese, Japanese and Korean text.
bool are_threes(U16 units) noexcept {
  const U16 head = units & 0xF800;
  return !simd128::mask_of((head == 0) | (head == 0xD800));
}
char* write_threes(char* to, U16 units) noexcept {
  for (const U32 codes : {simd128::widen_low(units), simd128::widen_high(units)}) {
    // Two lanes of 24 bits make one of 48.
    const U64 lanes =
        simd128::as<U64>((codes >> 12 | 0x8080E0) | (codes << 2 & 0x3F00) | (codes & 0x3F) << 16);
    const U64 pairs = (lanes & 0xFFFFFF) | (lanes >> 8 & 0xFFFFFF000000);
    for (const std::uint64_t pair : {pairs[0], pairs[1]}) {
      std::memcpy(to, &pair, sizeof pair);
      to += 6;
    }
  }
  return to;
}

// Wide text with some ASCII in it, such as blanks between words, by eights. Null at a surrogate.
template <class Element>
char* write_dense(char* to, const Element** text, std::size_t* size) noexcept {
  do {
    const U16 units = load_eight(*text);
    const bool threes = sizeof(Element) > 1 && are_threes(units);
    const std::size_t count = threes ? 8 : leading_text(units);
    to = threes ? write_threes(to, units) : write_units(to, units, count);
    *text += count;
    *size -= count;
    if (count == 8) continue;
    to = write_one(to, **text);
    ++*text;
    --*size;
  } while (to != nullptr && *size >= 8 && (**text >= 0x80 || (*text)[1] >= 0x80));
  return to;
}

template <class Element>
char* escape_wide(char* to, const Element* text, std::size_t size) noexcept {
  while (size >= 8) {
    const std::size_t step = size >= kStep ? kStep : 8;
    const U8 bytes =
        step == kStep ? load_sixteen(text) : simd128::to_ascii(load_eight(text), U16{});
    simd128::store(to, bytes);
    const Mask stops = simd128::high_bytes(specials(bytes) | bytes);
    const std::size_t plain = stops ? stops.first() : kStep;
    if (plain >= step) {
      to += step;
      text += step;
      size -= step;
      continue;
    }
    to += plain;
    text += plain;
    size -= plain;
    if (size >= 8 && *text >= 0x80 && text[1] >= 0x80) {
      to = write_dense(to, &text, &size);
    } else {
      to = write_one(to, *text);
      ++text;
      --size;
    }
    if (to == nullptr) return nullptr;
  }
  return write_each(to, text, size);
}

}  // namespace

char* escape_ucs2_baseline(char* to, const std::uint16_t* text, std::size_t size) noexcept {
  return escape_wide(to, text, size);
}
char* escape_ucs4_baseline(char* to, const std::uint32_t* text, std::size_t size) noexcept {
  return escape_wide(to, text, size);
}

const EscapeKernels kBaselineEscapes = {escape_utf8, escape_wide<std::uint8_t>,
                                        escape_ucs2_baseline, escape_ucs4_baseline};

}  // namespace detail

namespace {

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
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return detail::kAvx512Escapes;
  if (level == SimdLevel::avx2) return detail::kAvx2Escapes;
#endif
  static_cast<void>(level);
  return detail::kBaselineEscapes;
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
