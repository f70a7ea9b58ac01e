#include "http/forwarded.h"

#include <span>

#include "http/ascii.h"
#include "http/target.h"

namespace lanner::http {

namespace {

constexpr std::string_view kSeparators = ", \t";
constexpr std::string_view kXForwarded = "x-forwarded-";

// By which proxies, balancers and CDNs also say who asks, by what scheme and for which host or
// path; lower case.
constexpr std::string_view kOtherNames[] = {
    "cf-connecting-ip",
    "cf-connecting-ipv6",
    "client-ip",
    "do-connecting-ip",
    "fastly-client-ip",
    "fly-client-ip",
    "forwarded-for",
    "front-end-https",
    "proxy-client-ip",
    "true-client-ip",
    "wl-proxy-client-ip",
    "x-appengine-user-ip",
    "x-azure-clientip",
    "x-azure-socketip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-envoy-external-address",
    "x-forwarded",
    "x-host",
    "x-original-forwarded-for",
    "x-original-host",
    "x-original-proto",
    "x-original-url",
    "x-real-port",
    "x-remote-addr",
    "x-remote-ip",
    "x-rewrite-url",
    "x-scheme",
    "x-script-name",
    "x-url-scheme",
    "x-vercel-forwarded-for",
};

// Whether an odd number of backslashes stands before text[at].
bool is_escaped(std::string_view text, std::size_t at) noexcept {
  std::size_t count = 0;
  while (count < at && text[at - count - 1] == '\\') ++count;
  return count % 2 != 0;
}

// The last comma outside of quotes. Sought from the right: an open quote that a client has sent
// must not swallow what the proxy appended.
std::size_t last_comma(std::string_view text, bool quotes) noexcept {
  bool quoted = false;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == '"' && quotes && !is_escaped(text, at)) quoted = !quoted;
    if (text[at] == ',' && !quoted) return at;
  }
  return std::string_view::npos;
}

// The members of all fields of one token as one list, from its right end.
class MembersFromRight {
 public:
  MembersFromRight(const RequestHead& head, Token token) noexcept
      : fields_(head.fields), token_(token) {}

  // Empty members of Forwarded mean nothing (RFC 9110, section 5.6.1). In the others, which no RFC
  // describes, they are places: of a proxy that did not know who had asked it.
  bool next(std::string_view* member) noexcept {
    do {
      if (!next_place(member)) return false;
    } while (member->empty() && token_ == Token::forwarded);
    return true;
  }

 private:
  bool next_place(std::string_view* member) noexcept {
    while (!inside_) {
      if (fields_.empty()) return false;
      const Field& field = fields_.back();
      fields_ = fields_.first(fields_.size() - 1);
      inside_ = field.token == token_;
      rest_ = field.value;
    }
    const std::size_t comma = last_comma(rest_, token_ == Token::forwarded);
    inside_ = comma != std::string_view::npos;
    *member = trim_blanks(inside_ ? rest_.substr(comma + 1) : rest_);
    if (inside_) rest_ = rest_.substr(0, comma);
    return true;
  }

  std::span<const Field> fields_;
  std::string_view rest_;
  Token token_;
  bool inside_ = false;  // of the field of which rest_ is left
};

// The member beside the client's address, `distance` from the right; the left-most of a shorter
// list: proxies that overwrite leave one.
std::string_view member_at(const RequestHead& head, Token token, std::size_t distance) noexcept {
  MembersFromRight members(head, token);
  std::string_view member;
  for (std::size_t i = 0; i <= distance && members.next(&member); ++i) {
  }
  return member;
}

// A number, or an obfuscated one, which says nothing (RFC 7239, section 6.2).
bool parse_port(std::string_view text, std::uint16_t* port) noexcept {
  *port = 0;
  if (text.starts_with('_')) return true;
  std::uint64_t number = 0;
  if (text.size() > 5 || !parse_decimal(text, &number) || number > 65535) return false;
  *port = static_cast<std::uint16_t>(number);
  return true;
}

// ADDRESS, IPV4:PORT, [IPV6] or [IPV6]:PORT. False also for "unknown" and obfuscated names.
bool parse_node(std::string_view text, IpAddress* address, std::uint16_t* port) noexcept {
  *port = 0;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || !parse_ipv6(text.substr(1, close - 1), address)) {
      return false;
    }
    const std::string_view rest = text.substr(close + 1);
    return rest.empty() || (rest.front() == ':' && parse_port(rest.substr(1), port));
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos) {
    return parse_ip(text, address);
  }
  return parse_ip(text.substr(0, colon), address) && parse_port(text.substr(colon + 1), port);
}

Forwarding::Scheme scheme_of(std::string_view text) noexcept {
  for (const std::string_view name : {"http", "ws"}) {
    if (equals_ignoring_case(text, name)) return Forwarding::Scheme::http;
  }
  for (const std::string_view name : {"https", "wss"}) {
    if (equals_ignoring_case(text, name)) return Forwarding::Scheme::https;
  }
  return Forwarding::Scheme::unsaid;
}

// One forwarded-element (RFC 7239, section 4). Blanks around ";" and unquoted ":" and "[" are let
// pass, as some proxies write them.
class Element {
 public:
  bool parse(std::string_view text) noexcept {
    bool some = false;
    while (!text.empty()) {
      std::string_view name;
      std::string_view value;
      if (text.front() != ';') {
        if (!take_name(&text, &name) || !take_value(&text, &value) || !keep(name, value)) {
          return false;
        }
        some = true;
      }
      text = trim_blanks(text);
      if (text.empty()) break;
      if (text.front() != ';') return false;
      text = trim_blanks(text.substr(1));
    }
    return some;
  }

  const std::string_view* node() const noexcept { return has_node_ ? &node_ : nullptr; }
  std::string_view proto() const noexcept { return proto_; }
  std::string_view host() const noexcept { return host_; }

 private:
  static bool take_name(std::string_view* text, std::string_view* name) noexcept {
    const std::size_t equals = text->find('=');
    if (equals == std::string_view::npos) return false;
    *name = text->substr(0, equals);
    text->remove_prefix(equals + 1);
    return is_token(*name);
  }

  // Escapes stay: none of the values that count has one.
  static bool take_value(std::string_view* text, std::string_view* value) noexcept {
    if (text->starts_with('"')) {
      std::size_t end = 1;
      while (end < text->size() && (*text)[end] != '"') end += (*text)[end] == '\\' ? 2 : 1;
      if (end >= text->size()) return false;
      *value = text->substr(1, end - 1);
      text->remove_prefix(end + 1);
      return true;
    }
    *value = text->substr(0, text->find_first_of("; \t"));
    text->remove_prefix(value->size());
    return !value->empty() && value->find_first_of("\"\\") == std::string_view::npos;
  }

  // No parameter may come twice (RFC 7239, section 4).
  bool keep(std::string_view name, std::string_view value) noexcept {
    if (equals_ignoring_case(name, "for")) return set(&node_, &has_node_, value);
    if (equals_ignoring_case(name, "proto")) return set(&proto_, &has_proto_, value);
    if (equals_ignoring_case(name, "host")) return set(&host_, &has_host_, value);
    return true;
  }
  static bool set(std::string_view* to, bool* has, std::string_view value) noexcept {
    if (*has) return false;
    *has = true;
    *to = value;
    return true;
  }

  std::string_view node_;
  std::string_view proto_;
  std::string_view host_;
  bool has_node_ = false;
  bool has_proto_ = false;
  bool has_host_ = false;
};

enum class Hop : std::uint8_t { unreadable, proxy, client };

// Takes an address that a trusted proxy reports.
Hop take_hop(std::string_view node, const TrustList& trust, Forwarding* result) noexcept {
  IpAddress address;
  std::uint16_t port = 0;
  if (!parse_node(node, &address, &port)) return Hop::unreadable;
  result->client = address;
  result->client_port = port;
  result->has_client = true;
  return trust.trusts_hop(address) ? Hop::proxy : Hop::client;
}

// The left-most that was believed counts: inner proxies may only see plain connections.
Forwarding read_standard(const RequestHead& head, const TrustList& trust) noexcept {
  Forwarding result;
  MembersFromRight members(head, Token::forwarded);
  std::string_view member;
  for (std::size_t hop = 0; hop < kForwardedHopsMax && members.next(&member); ++hop) {
    Element element;
    if (!element.parse(member)) break;
    const Forwarding::Scheme scheme = scheme_of(element.proto());
    if (scheme != Forwarding::Scheme::unsaid) result.scheme = scheme;
    if (is_valid_host(element.host())) result.host = element.host();
    if (!element.node() || take_hop(*element.node(), trust, &result) != Hop::proxy) break;
  }
  return result;
}

Forwarding read_customary(const RequestHead& head, const TrustList& trust,
                          std::uint8_t believed) noexcept {
  Forwarding result;
  std::size_t distance = 0;  // of the client's address from the right
  if (believed & kXForwardedFor) {
    MembersFromRight members(head, Token::x_forwarded_for);
    std::string_view member;
    for (std::size_t hop = 0; hop < kForwardedHopsMax && members.next(&member); ++hop) {
      const Hop found = take_hop(member, trust, &result);
      if (found == Hop::unreadable) break;
      distance = hop;
      if (found == Hop::client) break;
    }
  }
  if (believed & kXForwardedProto) {
    result.scheme = scheme_of(member_at(head, Token::x_forwarded_proto, distance));
  }
  if (believed & kXForwardedHost) {
    const std::string_view host = member_at(head, Token::x_forwarded_host, distance);
    if (is_valid_host(host)) result.host = host;
  }
  if (believed & kXForwardedPort) {
    std::uint16_t port = 0;
    if (parse_port(member_at(head, Token::x_forwarded_port, distance), &port)) result.port = port;
  }
  return result;
}

}  // namespace

bool is_forwarding_field(std::string_view name, Token token) noexcept {
  if (forwarded_bit(token) != 0 || token == Token::x_real_ip) return true;
  if (token != Token::unknown) return false;
  if (name.size() > kXForwarded.size() &&
      equals_ignoring_case(name.substr(0, kXForwarded.size()), kXForwarded)) {
    return is_token(name);
  }
  for (const std::string_view other : kOtherNames) {
    if (equals_ignoring_case(name, other)) return true;
  }
  return false;
}

Result<ForwardedNames> ForwardedNames::parse(std::string_view text) noexcept {
  ForwardedNames names;
  names.listed_ = true;
  names.text_ = text;
  names.believed_ = 0;
  std::string_view name;
  for (std::size_t at = 0; names.next(&at, &name); at += name.size()) {
    const Token token = token_from_name(name);
    if (!is_forwarding_field(name, token)) {
      return Error{Errc::field_name_invalid, static_cast<std::uint32_t>(at)};
    }
    names.believed_ = static_cast<std::uint8_t>(names.believed_ | forwarded_bit(token));
  }
  return names;
}

bool ForwardedNames::next(std::size_t* at, std::string_view* name) const noexcept {
  *at = text_.find_first_not_of(kSeparators, *at);
  if (*at >= text_.size()) return false;
  *name = text_.substr(*at, text_.find_first_of(kSeparators, *at) - *at);
  return true;
}

bool ForwardedNames::has(const Field& field) const noexcept {
  if (!listed_) return true;
  std::string_view name;
  for (std::size_t at = 0; next(&at, &name); at += name.size()) {
    if (equals_ignoring_case(name, field.name)) return true;
  }
  return false;
}

Forwarding read_forwarding(const RequestHead& head, const TrustList& trust,
                           std::uint8_t believed) noexcept {
  unsigned there = 0;
  for (const Field& field : head.fields) there |= forwarded_bit(field.token);
  there &= believed;
  if (there == 0) return {};
  if (there == kForwarded) return read_standard(head, trust);
  return read_customary(head, trust, believed);
}

}  // namespace lanner::http
