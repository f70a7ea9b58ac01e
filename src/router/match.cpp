#include "router/match.h"

#include "http/ascii.h"
#include "http/target.h"

namespace lanner::router {

std::size_t write_value(const Value& value, char* to) noexcept {
  if (!value.in_host) return http::percent_decode(value.raw(), to);
  for (const char byte : value.raw()) *to++ = http::to_lower(byte);
  return value.bytes;
}

}  // namespace lanner::router
