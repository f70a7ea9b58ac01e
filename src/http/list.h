// http/list.h: members of a comma-separated field value (RFC 9110, section 5.6.1).

#pragma once

#include <string_view>

#include "http/ascii.h"

namespace lanner::http {

// Takes the first member off `rest`, without the blanks around it; it may be empty. REQUIRES:
// !rest.empty() Knows nothing of quotes: for lists of tokens (Connection, Upgrade).
constexpr std::string_view take_member(std::string_view& rest) noexcept {
  const std::size_t comma = rest.find(',');
  const std::string_view member = rest.substr(0, comma);
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return trim_blanks(member);
}

// Any case.
constexpr bool has_member(std::string_view list, std::string_view name) noexcept {
  while (!list.empty()) {
    if (equals_ignoring_case(take_member(list), name)) return true;
  }
  return false;
}

}  // namespace lanner::http
