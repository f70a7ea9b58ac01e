#include "http/cookie.h"

#include "http/ascii.h"

namespace lanner::http {

namespace {

constexpr bool is_octal(char byte) noexcept { return byte >= '0' && byte <= '7'; }

// `\ooo` up to \377 at the front of `text`; -1: there is none.
int octal_escape(std::string_view text) noexcept {
  if (text.size() < 4 || text[1] < '0' || text[1] > '3') return -1;
  if (!is_octal(text[2]) || !is_octal(text[3])) return -1;
  return (text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0');
}

}  // namespace

bool CookieReader::next(CookiePair* pair) noexcept {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find(';');
    const std::string_view chunk = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    const std::size_t equals = chunk.find('=');
    const bool named = equals != std::string_view::npos;
    pair->name = named ? trim_blanks(chunk.substr(0, equals)) : std::string_view();
    pair->value = trim_blanks(named ? chunk.substr(equals + 1) : chunk);
    pair->has_escapes = false;
    if (pair->name.empty() && pair->value.empty()) continue;
    if (pair->value.size() >= 2 && pair->value.front() == '"' && pair->value.back() == '"') {
      pair->value = pair->value.substr(1, pair->value.size() - 2);
      pair->has_escapes = pair->value.find('\\') != std::string_view::npos;
    }
    return true;
  }
  return false;
}

bool find_cookie(const RequestHead& head, std::string_view name, CookiePair* pair) noexcept {
  bool found = false;
  for (const Field& field : head.fields) {
    if (field.token != Token::cookie) continue;
    CookieReader reader(field.value);
    for (CookiePair next; reader.next(&next);) {
      if (next.name != name) continue;
      *pair = next;
      found = true;
    }
  }
  return found;
}

std::size_t unquote_cookie(std::string_view value, char* to) noexcept {
  char* const begin = to;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const bool escape = value[at] == '\\' && at + 1 < value.size();
    const int octal = escape ? octal_escape(value.substr(at)) : -1;
    if (octal >= 0) {
      *to++ = static_cast<char>(octal);
      at += 3;
    } else {
      if (escape) ++at;
      *to++ = value[at];
    }
  }
  return static_cast<std::size_t>(to - begin);
}

}  // namespace lanner::http
