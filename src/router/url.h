// router/url.h: the path, and the host, of a route for given values: the reverse of matching.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "router/pattern.h"

namespace lanner::router {

struct Argument {
  std::string_view name;
  std::string_view value;  // decoded text
};

struct Url {
  std::string host;  // "": that of the request
  std::string path;  // percent-encoded
};

// Writes what the pattern matches with exactly these values; `str` has '/' as "%2F", `path` as it
// is. False: *why names the parameter that is missing, unknown or does not fit: a value that its
// converter does not take; one that would be read back as another, since the text around it can be
// part of it; "." and ".." as a whole segment, which clients take out of a path; one that would make
// the path begin with "//", which is a host (RFC 3986, section 4.2).
bool write_url(const Pattern& host, const Pattern& path, std::span<const Argument> arguments,
               Url* url, std::string* why) noexcept;

// Whether the names are exactly those of the patterns, in any order.
bool has_parameters(const Pattern& host, const Pattern& path,
                    std::span<const Argument> arguments) noexcept;

}  // namespace lanner::router
