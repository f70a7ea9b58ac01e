// http/list.h: members of comma-separated field values (RFC 9110, section 5.6.1).
//
// All fields of one name form one list, however it is split over lines. Empty members are ignored.

#pragma once

#include <string_view>

#include "http/ascii.h"
#include "http/head.h"

namespace lanner::http {

// Takes the first member off `rest`, without the blanks around it; it may be empty. REQUIRES:
// !rest.empty() It ignores quotes: for lists of tokens (Connection, Upgrade).
constexpr std::string_view take_member(std::string_view& rest) noexcept {
  const std::size_t comma = rest.find(',');
  const std::string_view member = rest.substr(0, comma);
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return trim_blanks(member);
}

// The same for lists whose members may contain quoted strings (TE, Expect): a comma inside one does
// not separate members. A quote that is never closed is an ordinary byte. REQUIRES: !rest.empty()
constexpr std::string_view take_quoted_member(std::string_view& rest) noexcept {
  std::size_t end = 0;
  while (end < rest.size() && rest[end] != ',') {
    std::size_t close = end;
    if (rest[end] == '"') {
      do {
        close += close < rest.size() && rest[close] == '\\' ? 2 : 1;
      } while (close < rest.size() && rest[close] != '"');
    }
    end = (close < rest.size() ? close : end) + 1;
  }
  const std::string_view member = rest.substr(0, end);
  rest.remove_prefix(end < rest.size() ? end + 1 : rest.size());
  return trim_blanks(member);
}

// Any case.
constexpr bool has_member(std::string_view list, std::string_view name) noexcept {
  while (!list.empty()) {
    if (equals_ignoring_case(take_member(list), name)) return true;
  }
  return false;
}

// Whether the list formed by all fields of that token has such a member; case-insensitive.
constexpr bool has_member(const RequestHead& head, Token token, std::string_view name) noexcept {
  for (const Field& field : head.fields) {
    if (field.token != token) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      if (equals_ignoring_case(take_quoted_member(rest), name)) return true;
    }
  }
  return false;
}

// "TE: trailers" on 1.1 or later: the client takes trailers (RFC 9110, section 6.5.1).
constexpr bool takes_trailers(const RequestHead& head) noexcept {
  return head.minor_version > 0 && has_member(head, Token::te, "trailers");
}

}  // namespace lanner::http
