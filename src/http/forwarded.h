// http/forwarded.h: what proxies say of a request: Forwarded (RFC 7239) and X-Forwarded-For,
// -Proto, -Host and -Port, read from the right.
//
// Each proxy appends what it saw. So the right-most entry is the word of our peer, which the caller
// trusts; the one left of it is the word of the proxy which that names, and counts if that is
// trusted too; and so on. The client is the first address that is not trusted. Whatever is left of
// it anybody may have written: it changes nothing here.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/head.h"
#include "http/ip_address.h"
#include "http/trust_list.h"

namespace lanner::http {

// Which fields are believed; bits.
enum ForwardedFields : std::uint8_t {
  kForwarded = 1,
  kXForwardedFor = 2,
  kXForwardedProto = 4,
  kXForwardedHost = 8,
  kXForwardedPort = 16,
  kAllForwardedFields = 31,
};

// The bit of a field's token, or 0.
constexpr std::uint8_t forwarded_bit(Token token) noexcept {
  switch (token) {
    case Token::forwarded:
      return kForwarded;
    case Token::x_forwarded_for:
      return kXForwardedFor;
    case Token::x_forwarded_proto:
      return kXForwardedProto;
    case Token::x_forwarded_host:
      return kXForwardedHost;
    case Token::x_forwarded_port:
      return kXForwardedPort;
    default:
      return 0;
  }
}
// From names such as "x-forwarded-for", in any case, separated by commas or blanks; "" is none.
// Error: field_name_invalid, detail = where the unknown name begins.
Result<std::uint8_t> parse_forwarded_fields(std::string_view text) noexcept;

// Addresses believed in one request; more proxies than that nobody has in a row.
inline constexpr std::size_t kForwardedHopsMax = 20;

struct Forwarding {
  enum class Scheme : std::uint8_t { unsaid, http, https };  // ws is http, wss is https

  IpAddress client;
  std::uint16_t client_port = 0;  // 0 = unsaid
  bool has_client = false;        // else: as far as known, the client is the peer
  Scheme scheme = Scheme::unsaid;
  std::uint16_t port = 0;  // X-Forwarded-Port; 0 = unsaid
  std::string_view host;   // host[:port], valid as Host is; a view into the field; "" = unsaid
};

// What the trusted peer of this request says. An entry that cannot be read ends the walk: what was
// known by then counts. With both kinds of fields there, Forwarded is not looked at: a proxy that
// sets only one kind passes the other on as the client wrote it.
// Example: read_forwarding(head, trust, kAllForwardedFields).has_client
Forwarding read_forwarding(const RequestHead& head, const TrustList& trust,
                           std::uint8_t believed) noexcept;

}  // namespace lanner::http
