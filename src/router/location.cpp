#include "router/location.h"

#include <cstring>

namespace lanner::router {

namespace {

char* put(char* to, std::string_view text) noexcept {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

}  // namespace

char* write_location(const Redirected& from, char* to) noexcept {
  const bool slash = from.path.ends_with('/');
  to = put(to, from.prefix);
  for (const char byte : from.path.substr(0, from.path.size() - (slash ? 1 : 0))) {
    if (byte == '\\') {
      to = put(to, "%5C");
    } else {
      *to++ = byte;
    }
  }
  if (!slash) *to++ = '/';
  return from.has_query ? put(put(to, "?"), from.query) : to;
}

}  // namespace lanner::router
