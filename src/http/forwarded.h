// http/forwarded.h: what proxies report about a request: Forwarded (RFC 7239) and X-Forwarded-For,
// -Proto, -Host and -Port, read from the right.
//
// Each proxy appends the address of its peer. So the right-most entry was written by our own peer,
// which the caller trusts; the entry to its left was written by the proxy that the right-most entry
// names, and is used if that proxy is trusted too; and so on. The client is the first address that
// is not trusted. Entries to the left of it may be forged and are ignored.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/head.h"
#include "http/ip_address.h"
#include "http/trust_list.h"

namespace lanner::http {

// The fields that are used; bits.
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
// Whether proxies use that field to report the client or the target: the five above, X-Real-IP,
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

// The most addresses that are followed in one request.
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

// What the trusted peer of this request reports. An entry that cannot be parsed ends the search;
// the result so far is used. If both kinds of fields are present, Forwarded is ignored: a proxy
// that sets only one kind passes the other on as the client sent it.
// Example: read_forwarding(head, trust, kAllForwardedFields).has_client
Forwarding read_forwarding(const RequestHead& head, const TrustList& trust,
                           std::uint8_t believed) noexcept;

}  // namespace lanner::http
