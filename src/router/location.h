// router/location.h: the Location field of a redirect that adds or takes away the last '/'.

#pragma once

#include <cstddef>
#include <string_view>

namespace lanner::router {

struct Redirected {
  std::string_view prefix;  // what a proxy has taken off the path (root_path); "" or "/..."
  std::string_view path;    // of the request, as sent; REQUIRES: Outcome::redirect
  std::string_view query;   // as sent
  bool has_query = false;
};

// Most bytes that write_location() writes.
constexpr std::size_t location_bytes_bound(const Redirected& from) noexcept {
  return from.prefix.size() + 3 * from.path.size() + 1 + 1 + from.query.size();
}

// A path on the same host, never a URL of another one: Outcome::redirect is not said of a path that
// begins with "//", and '\', which browsers read as '/', is written as "%5C". Returns the end.
char* write_location(const Redirected& from, char* to) noexcept;

}  // namespace lanner::router
