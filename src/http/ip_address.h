// http/ip_address.h: IPv4 and IPv6 addresses and networks as numbers, from and to text (RFC 3986,
// section 3.2.2; RFC 4291; RFC 5952).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace lanner::http {

// In network order. An IPv4 address is its v4-mapped form ::ffff:a.b.c.d: the same address has one
// value, however it was written.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};

  bool is_v4() const noexcept;
  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

// Dotted, four octets without leading zeros; or eight groups, one run of them maybe as "::", the
// last two maybe dotted. No brackets, no zone, no blanks. False for anything else.
// Example: parse_ip("2001:db8::1", &address)
bool parse_ip(std::string_view text, IpAddress* address) noexcept;
// IPv6 only: what stands between brackets in a URI.
bool parse_ipv6(std::string_view text, IpAddress* address) noexcept;

inline constexpr std::size_t kIpTextBytesMax = 39;
// The one text of an address (RFC 5952, section 4): lower case, the longest run of zeros shortened,
// v4-mapped as IPv4. Returns the bytes written, at most kIpTextBytesMax.
std::size_t write_ip(const IpAddress& address, char* to) noexcept;

// Addresses that share their first bits.
struct IpNetwork {
  IpAddress first;
  std::uint8_t bits = 128;  // of the 128; an IPv4 prefix of n is 96 + n

  // IPv4 and IPv6 are apart: 0.0.0.0/0 holds no IPv6 address, ::/0 no IPv4 one.
  bool contains(const IpAddress& address) const noexcept;
};

// ADDRESS or ADDRESS/BITS (RFC 4632, section 3.1). Errors: network_invalid; network_host_bits where
// bits are set beyond the prefix, since one of the two is a slip then.
// Example: parse_network("10.0.0.0/8")
Result<IpNetwork> parse_network(std::string_view text) noexcept;

}  // namespace lanner::http
