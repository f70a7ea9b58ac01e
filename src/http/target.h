// http/target.h: request targets and hosts (RFC 9112, section 3.2; RFC 3986), and percent-decoding.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/result.h"
#include "http/head.h"

namespace lanner::http {

// Splits head->target (already known to hold printable ASCII only, no '#') by form into form, path,
// query, has_query, path_has_escapes and, for the absolute form, authority. Refuses: a form that
// the method does not allow (asterisk but for OPTIONS, authority form but for CONNECT), another
// scheme than http or https, userinfo, broken percent triplets and %00 in the path.
Result<void> split_target(RequestHead* head) noexcept;

// host [ ":" port ] with a reg-name, IPv4 or bracketed IPv6/IPvFuture host, not empty; port empty
// or 0..65535. No comma, though a reg-name may have one: it would look like two hosts.
bool is_valid_host(std::string_view host) noexcept;

struct HostParts {
  std::string_view host;   // with the brackets of an IPv6 address
  std::uint16_t port = 0;  // 0 = none
};
// REQUIRES: is_valid_host(host), or empty
HostParts split_host(std::string_view host) noexcept;

// Whether the authority of head->target equals Host, ignoring case and the scheme's default port.
// REQUIRES: form absolute, both valid hosts
bool is_target_of_host(const RequestHead& head, std::string_view host) noexcept;

// Percent-decodes valid triplets; others are copied as they are. `to` needs text.size() bytes.
// Returns the bytes written.
std::size_t percent_decode(std::string_view text, char* to) noexcept;

// Appends a path as it goes on the wire: all but the characters of paths as %XX (RFC 3986, section
// 3.3). False: out of memory.
[[nodiscard]] bool percent_encode_path(std::string_view path, Buffer* to) noexcept;

}  // namespace lanner::http
