// base/base64.h: digits of base64 (RFC 4648, section 4).

#pragma once

namespace lanner {

// 0..63, or -1 for what is no digit ('=' is none).
constexpr int base64_value(char byte) noexcept {
  if (byte >= 'A' && byte <= 'Z') return byte - 'A';
  if (byte >= 'a' && byte <= 'z') return byte - 'a' + 26;
  if (byte >= '0' && byte <= '9') return byte - '0' + 52;
  if (byte == '+') return 62;
  return byte == '/' ? 63 : -1;
}

}  // namespace lanner
