#include "json/unescape.h"

#include "json/specials.h"

namespace lanner::json::detail {

// Runs of plain text 16 bytes at a time, and each escape by itself.
Unescaped unescape_baseline(const char* at, const char* last, const char* /*end*/,
                            char* to) noexcept {
  using simd128::kBytes;
  simd128::U8 all{};  // bits of what was passed over
  bool high = false;
  while (at != last) {
    const std::ptrdiff_t left = last - at;
    const simd128::U8 bytes = left >= kBytes
                                  ? simd128::load(at)
                                  : simd128::load_front(at, static_cast<std::size_t>(left));
    simd128::store(to, bytes);  // kUnescapePadding bytes belong to the room
    const simd128::Mask stops = simd128::mask_of(specials(bytes));
    if (!stops) {
      all |= bytes;
      at += kBytes;
      to += kBytes;
      continue;
    }
    high = high || simd128::high_bytes(bytes).before(stops);
    const unsigned plain = stops.first();
    at += plain;
    to += plain;
    if (at == last || *at != '\\') break;
    do {
      if (last - at < 2 || short_escape(at[1]) == 0)
        return {at, to, high || simd128::high_bytes(all)};
      *to++ = short_escape(at[1]);
      at += 2;
    } while (at != last && *at == '\\');
  }
  return {at, to, high || simd128::high_bytes(all)};
}

}  // namespace lanner::json::detail
