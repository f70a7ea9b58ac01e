#include "http/ip_address.h"

#include <cstring>

#include "http/ascii.h"

namespace lanner::http {

namespace {

constexpr std::array<std::uint8_t, 12> kV4Prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr unsigned kV4Bits = 96;
constexpr int kGroups = 8;

bool parse_ipv4(std::string_view text, std::uint8_t* octets) noexcept {
  for (int octet = 0; octet < 4; ++octet) {
    if (octet > 0) {
      if (text.empty() || text.front() != '.') return false;
      text.remove_prefix(1);
    }
    std::size_t digits = 0;
    int value = 0;
    while (digits < text.size() && digits < 4 && is_digit(text[digits])) {
      value = value * 10 + (text[digits++] - '0');
    }
    const bool leading_zero = digits > 1 && text.front() == '0';
    if (digits == 0 || digits > 3 || value > 255 || leading_zero) return false;
    octets[octet] = static_cast<std::uint8_t>(value);
    text.remove_prefix(digits);
  }
  return text.empty();
}

// Takes 1 to 4 hex digits off `text`; false if there are none, or more.
bool take_group(std::string_view* text, std::uint8_t* to) noexcept {
  std::size_t digits = 0;
  unsigned value = 0;
  while (digits < text->size() && digits < 5 && hex_value((*text)[digits]) >= 0) {
    value = value * 16 + static_cast<unsigned>(hex_value((*text)[digits++]));
  }
  if (digits == 0 || digits > 4) return false;
  to[0] = static_cast<std::uint8_t>(value >> 8);
  to[1] = static_cast<std::uint8_t>(value & 0xFF);
  text->remove_prefix(digits);
  return true;
}

// `groups` groups were written to the front; those behind `gap` belong to the end.
bool spread(IpAddress* address, int groups, int gap) noexcept {
  if (gap < 0) return groups == kGroups;
  if (groups >= kGroups) return false;
  const auto begin = static_cast<std::size_t>(2 * gap);
  const auto count = static_cast<std::size_t>(2 * (groups - gap));
  std::uint8_t* const bytes = address->bytes.data();
  const std::size_t to = address->bytes.size() - count;
  std::memmove(bytes + to, bytes + begin, count);
  std::memset(bytes + begin, 0, to - begin);
  return true;
}

unsigned group_of(const IpAddress& address, int index) noexcept {
  const auto at = static_cast<std::size_t>(2 * index);
  return static_cast<unsigned>(address.bytes[at]) << 8 | address.bytes[at + 1];
}

char* put_decimal(unsigned value, char* to) noexcept {
  if (value >= 100) *to++ = static_cast<char>('0' + value / 100);
  if (value >= 10) *to++ = static_cast<char>('0' + value / 10 % 10);
  *to++ = static_cast<char>('0' + value % 10);
  return to;
}

char* put_hex(unsigned value, char* to) noexcept {
  constexpr char kHex[] = "0123456789abcdef";
  for (int shift = 12; shift >= 0; shift -= 4) {
    if (shift == 0 || (value >> shift) != 0) *to++ = kHex[value >> shift & 15];
  }
  return to;
}

struct Run {
  int start = -1;
  int groups = 0;
};

// The first of the longest runs of zero groups; one group alone is no run (RFC 5952, section 4.2).
Run longest_zeros(const IpAddress& address) noexcept {
  Run best;
  for (int start = 0; start < kGroups; ++start) {
    int end = start;
    while (end < kGroups && group_of(address, end) == 0) ++end;
    if (end - start > 1 && end - start > best.groups) best = {start, end - start};
    if (end > start) start = end;
  }
  return best;
}

}  // namespace

bool IpAddress::is_v4() const noexcept {
  return std::memcmp(bytes.data(), kV4Prefix.data(), kV4Prefix.size()) == 0;
}

bool parse_ipv6(std::string_view text, IpAddress* address) noexcept {
  address->bytes.fill(0);
  int gap = -1;  // the group that "::" stands before
  if (text.starts_with("::")) {
    gap = 0;
    text.remove_prefix(2);
  }
  int groups = 0;
  while (!text.empty()) {
    if (groups == kGroups) return false;
    std::uint8_t* const to = address->bytes.data() + 2 * groups;
    const std::size_t stop = text.find_first_of(":.");
    if (stop != std::string_view::npos && text[stop] == '.') {
      if (groups > kGroups - 2 || !parse_ipv4(text, to)) return false;
      groups += 2;
      break;
    }
    if (!take_group(&text, to)) return false;
    ++groups;
    if (text.empty()) break;
    if (text.front() != ':' || text.size() == 1) return false;
    text.remove_prefix(1);
    if (text.front() != ':') continue;
    if (gap >= 0) return false;
    gap = groups;
    text.remove_prefix(1);
  }
  return spread(address, groups, gap);
}

bool parse_ip(std::string_view text, IpAddress* address) noexcept {
  if (text.find(':') != std::string_view::npos) return parse_ipv6(text, address);
  std::memcpy(address->bytes.data(), kV4Prefix.data(), kV4Prefix.size());
  return parse_ipv4(text, address->bytes.data() + kV4Prefix.size());
}

std::size_t write_ip(const IpAddress& address, char* to) noexcept {
  char* const begin = to;
  if (address.is_v4()) {
    for (std::size_t i = kV4Prefix.size(); i < address.bytes.size(); ++i) {
      if (i > kV4Prefix.size()) *to++ = '.';
      to = put_decimal(address.bytes[i], to);
    }
    return static_cast<std::size_t>(to - begin);
  }
  const Run zeros = longest_zeros(address);
  for (int i = 0; i < kGroups;) {
    if (i == zeros.start) {
      *to++ = ':';
      *to++ = ':';
      i += zeros.groups;
      continue;
    }
    if (i > 0 && i != zeros.start + zeros.groups) *to++ = ':';
    to = put_hex(group_of(address, i++), to);
  }
  return static_cast<std::size_t>(to - begin);
}

bool IpNetwork::contains(const IpAddress& address) const noexcept {
  if (address.is_v4() != first.is_v4()) return false;
  const std::size_t whole = bits / 8;
  if (std::memcmp(address.bytes.data(), first.bytes.data(), whole) != 0) return false;
  const unsigned rest = bits % 8;
  if (rest == 0) return true;
  return (address.bytes[whole] ^ first.bytes[whole]) >> (8 - rest) == 0;
}

Result<IpNetwork> parse_network(std::string_view text) noexcept {
  IpNetwork network;
  const std::size_t slash = text.find('/');
  const std::string_view address = text.substr(0, slash);
  if (!parse_ip(address, &network.first)) return Errc::network_invalid;
  if (slash == std::string_view::npos) return network;
  const bool dotted_only = address.find(':') == std::string_view::npos;
  const unsigned offset = dotted_only ? kV4Bits : 0;
  std::uint64_t bits = 0;
  if (!parse_decimal(text.substr(slash + 1), &bits) || bits > 128 - offset) {
    return Errc::network_invalid;
  }
  network.bits = static_cast<std::uint8_t>(bits + offset);
  // ::ffff:0:0/90 would be neither family's.
  if (network.first.is_v4() && network.bits < kV4Bits) return Errc::network_invalid;
  for (unsigned bit = network.bits; bit < 128; ++bit) {
    if (network.first.bytes[bit / 8] >> (7 - bit % 8) & 1) return Errc::network_host_bits;
  }
  return network;
}

}  // namespace lanner::http
