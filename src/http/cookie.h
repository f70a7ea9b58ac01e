// http/cookie.h: the Cookie field, read as browsers and Starlette do rather than by the grammar
// (RFC 6265bis, section 4.2; cookies are set by many hands, and refusing all for one helps nobody).
//
// Pairs are separated by ';'. SP and HTAB around names and values are no part of them; other white
// space is. A pair without '=' is a value with an empty name. Both empty: no pair. A value in
// double quotes stands for what is between them, where "\" escapes a byte and "\ooo" is one in
// octal digits, as http.cookies and Starlette have it. Names are case-sensitive.
//
// Of a name that comes twice the last one counts, over all Cookie fields, as in Starlette. (Browsers
// send the cookie of the longest path first; a caller who wants that one stops at the first.)

#pragma once

#include <cstddef>
#include <string_view>

#include "http/head.h"

namespace lanner::http {

// Views of the field's value, valid as long as it.
struct CookiePair {
  std::string_view name;
  std::string_view value;    // without the quotes around it
  bool has_escapes = false;  // unquote_cookie() would change the value
};

class CookieReader final {
 public:
  explicit CookieReader(std::string_view field_value) noexcept : rest_(field_value) {}

  // False: there are no more. No limit: the field's length bounds them.
  bool next(CookiePair* pair) noexcept;

 private:
  std::string_view rest_;
};

// The last cookie of that name. False: there is none. `name` as it was sent.
bool find_cookie(const RequestHead& head, std::string_view name, CookiePair* pair) noexcept;

// What a value with escapes stands for. `to` needs value.size() bytes and may be value.data().
// Returns the bytes written; an octal escape may write any byte.
std::size_t unquote_cookie(std::string_view value, char* to) noexcept;

}  // namespace lanner::http
