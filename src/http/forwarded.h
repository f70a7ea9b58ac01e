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
// Whether that is a field by which proxies say who asks and for what: the five above, X-Real-IP,
// X-Forwarded-Prefix and whatever else begins with X-Forwarded-, CF-Connecting-IP and its like.
bool is_forwarding_field(std::string_view name, Token token) noexcept;

// The forwarding fields that the trusted proxies set: all, or those of a list.
class ForwardedNames final {
 public:
  ForwardedNames() noexcept = default;
  // Names such as "x-forwarded-for", in any case, separated by commas or blanks; "" is none. Keeps
  // a view of `text`. Error: field_name_invalid, detail = where the name begins that is none of a
  // forwarding field.
  static Result<ForwardedNames> parse(std::string_view text) noexcept;

  // A list was given: what it does not name is the client's word.
  bool listed() const noexcept { return listed_; }
  // Those of the five that count; bits.
  std::uint8_t believed() const noexcept { return believed_; }
  bool has(const Field& field) const noexcept;  // REQUIRES: a forwarding field

 private:
  bool next(std::size_t* at, std::string_view* name) const noexcept;

  std::string_view text_;
  std::uint8_t believed_ = kAllForwardedFields;
  bool listed_ = false;
};

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
