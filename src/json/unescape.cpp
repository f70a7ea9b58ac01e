#include "json/unescape.h"

namespace lanner::json::detail {

Unescaped unescape_scalar(const char* at, const char* last, const char* /*end*/,
                          char* to) noexcept {
  unsigned char bits = 0;
  while (at != last) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte == '\\') {
      if (last - at < 2 || short_escape(at[1]) == 0) break;
      *to++ = short_escape(at[1]);
      at += 2;
      continue;
    }
    if (byte < 0x20 || byte == '"') break;
    bits |= byte;
    *to++ = *at++;
  }
  return {at, to, bits >= 0x80};
}

}  // namespace lanner::json::detail
