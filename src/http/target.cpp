#include "http/target.h"

#include <cstdint>
#include <cstring>

#include "http/ascii.h"
#include "http/ip_address.h"

namespace lanner::http {

namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) noexcept {
  return text.size() >= prefix.size() &&
         equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

const char* find(std::string_view text, char byte) noexcept {
  return text.empty() ? nullptr
                      : static_cast<const char*>(std::memchr(text.data(), byte, text.size()));
}

// Every '%' at `at` and after is followed by two hex digits, and none of them is %00.
bool has_valid_escapes(const char* at, const char* end) noexcept {
  for (; at != end; ++at) {
    if (*at != '%') continue;
    if (end - at < 3) return false;
    const int high = hex_value(at[1]);
    const int low = hex_value(at[2]);
    if (high < 0 || low < 0 || high + low == 0) return false;
    at += 2;
  }
  return true;
}

// REQUIRES: path_query begins with '/'
Result<void> split_path(std::string_view path_query, RequestHead* head) noexcept {
  const char* end = path_query.data() + path_query.size();
  const char* question = find(path_query, '?');
  const char* path_end = question ? question : end;
  head->path = path_query.substr(0, static_cast<std::size_t>(path_end - path_query.data()));
  head->has_query = question != nullptr;
  head->query = question ? path_query.substr(head->path.size() + 1) : std::string_view();
  const char* escape = find(head->path, '%');
  head->path_has_escapes = escape != nullptr;
  if (escape && !has_valid_escapes(escape, path_end)) return Errc::target_invalid;
  return {};
}

Result<void> split_absolute(std::size_t scheme_bytes, RequestHead* head) noexcept {
  const std::string_view rest = head->target.substr(scheme_bytes);
  const std::size_t end = rest.find_first_of("/?");
  head->form = TargetForm::absolute;
  head->authority = rest.substr(0, end);
  // Userinfo is no part of a valid host: '@' fails here (RFC 9110, section 4.2.4).
  if (!is_valid_host(head->authority)) return Errc::target_invalid;
  if (end == std::string_view::npos) {
    head->path = "/";  // RFC 9110, section 4.2.3
    return {};
  }
  if (rest[end] == '/') return split_path(rest.substr(end), head);
  head->path = "/";
  head->has_query = true;
  head->query = rest.substr(end + 1);
  return {};
}

// "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
bool is_ip_future(std::string_view text) noexcept {
  if (text.empty() || to_lower(text.front()) != 'v') return false;
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot < 2 || dot + 1 == text.size()) return false;
  for (const char byte : text.substr(1, dot - 1)) {
    if (hex_value(byte) < 0) return false;
  }
  for (const char byte : text.substr(dot + 1)) {
    if (byte != ':' && !is_byte(byte, kRegNameByte)) return false;
  }
  return true;
}

// `port` with its colon, or empty.
bool is_valid_port(std::string_view port) noexcept {
  if (port.empty()) return true;
  if (port.front() != ':') return false;
  std::uint64_t number = 0;
  return port.size() == 1 || (parse_decimal(port.substr(1), &number) && number <= 65535);
}

// Bytes of the host at the front of `text`, without the port; 0 = not a host.
std::size_t host_bytes(std::string_view text) noexcept {
  if (!text.empty() && text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return 0;
    const std::string_view literal = text.substr(1, close - 1);
    IpAddress address;
    return parse_ipv6(literal, &address) || is_ip_future(literal) ? close + 1 : 0;
  }
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (is_byte(text[at], kRegNameByte)) continue;
    if (text[at] != '%') break;
    if (text.size() - at < 3 || hex_value(text[at + 1]) < 0 || hex_value(text[at + 2]) < 0)
      return 0;
    at += 2;
  }
  return at;
}

std::uint64_t port_of(std::string_view authority, std::size_t host,
                      std::uint64_t otherwise) noexcept {
  std::uint64_t port = 0;
  if (authority.size() <= host + 1 || !parse_decimal(authority.substr(host + 1), &port))
    return otherwise;
  return port;
}

}  // namespace

Result<void> split_target(RequestHead* head) noexcept {
  const std::string_view target = head->target;
  head->form = TargetForm::origin;
  head->query = {};
  head->has_query = false;
  head->path_has_escapes = false;
  if (head->method == Method::connect) {  // only the authority form (RFC 9112, section 3.2.3)
    const std::size_t host = is_valid_host(target) ? host_bytes(target) : 0;
    if (host == 0 || host + 1 >= target.size())
      return Errc::target_invalid;  // the port is not optional
    head->form = TargetForm::authority;
    head->authority = target;
    head->path = "/";
    return {};
  }
  if (target.starts_with('/')) return split_path(target, head);
  if (target == "*") {
    if (head->method != Method::options) return Errc::target_invalid;
    head->form = TargetForm::asterisk;
    head->path = target;
    return {};
  }
  if (starts_with_ignoring_case(target, kHttp)) return split_absolute(kHttp.size(), head);
  if (starts_with_ignoring_case(target, kHttps)) return split_absolute(kHttps.size(), head);
  return Errc::target_invalid;
}

bool is_valid_host(std::string_view host) noexcept {
  const std::size_t bytes = host_bytes(host);
  return bytes > 0 && is_valid_port(host.substr(bytes));
}

HostParts split_host(std::string_view host) noexcept {
  const std::size_t bytes = host_bytes(host);
  return {host.substr(0, bytes), static_cast<std::uint16_t>(port_of(host, bytes, 0))};
}

bool is_target_of_host(const RequestHead& head, std::string_view host) noexcept {
  const std::uint64_t default_port = starts_with_ignoring_case(head.target, kHttps) ? 443 : 80;
  const std::size_t ours = host_bytes(head.authority);
  const std::size_t theirs = host_bytes(host);
  return equals_ignoring_case(head.authority.substr(0, ours), host.substr(0, theirs)) &&
         port_of(head.authority, ours, default_port) == port_of(host, theirs, default_port);
}

std::size_t percent_decode(std::string_view text, char* to) noexcept {
  char* const begin = to;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool room = text[at] == '%' && text.size() - at >= 3;
    const int high = room ? hex_value(text[at + 1]) : -1;
    const int low = room ? hex_value(text[at + 2]) : -1;
    if (high >= 0 && low >= 0) {
      *to++ = static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      *to++ = text[at];
    }
  }
  return static_cast<std::size_t>(to - begin);
}

bool percent_encode_path(std::string_view path, Buffer* to) noexcept {
  constexpr char kHex[] = "0123456789ABCDEF";
  constexpr std::string_view kOthers = ",:@/";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const char triplet[3] = {'%', kHex[byte >> 4], kHex[byte & 15]};
    const bool plain = is_byte(c, kRegNameByte) || kOthers.find(c) != kOthers.npos;
    if (!to->append(plain ? std::string_view(&c, 1) : std::string_view(triplet, 3))) return false;
  }
  return true;
}

}  // namespace lanner::http
