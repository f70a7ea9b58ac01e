#include "json/escape.h"

#include "json/escape_inl.h"

namespace lanner::json {

namespace detail {
namespace {

char* escape_utf8(char* to, const char* text, std::size_t size) noexcept {
  for (const char* const end = text + size; text != end; ++text) {
    const auto byte = static_cast<unsigned char>(*text);
    if (byte < 0x80 && kEscapes[byte].length != 0) {
      to = write_escape(to, byte);
    } else {
      *to++ = *text;
    }
  }
  return to;
}

}  // namespace

const EscapeKernels kScalarEscapes = {escape_utf8, write_each<std::uint8_t>,
                                      write_each<std::uint16_t>, write_each<std::uint32_t>};

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

bool has_vbmi2() noexcept {
#if defined(__x86_64__)
  static const bool has =
      simd_level() == SimdLevel::avx512 && __builtin_cpu_supports("avx512ifma") &&
      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
  return has;
#else
  return false;
#endif
}

const EscapeKernels& escape_kernels_of(SimdLevel level) noexcept {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512)
    return has_vbmi2() ? detail::kAvx512Escapes : detail::kAvx512NarrowEscapes;
  if (level == SimdLevel::avx2) return detail::kAvx2Escapes;
#endif
  static_cast<void>(level);
  return detail::kScalarEscapes;
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
