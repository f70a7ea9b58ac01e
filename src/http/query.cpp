#include "http/query.h"

#include "http/ascii.h"

namespace lanner::http {

QueryReader::Step QueryReader::next(QueryPair* pair) noexcept {
  const std::size_t begin = rest_.find_first_not_of('&');
  if (begin == std::string_view::npos) {
    rest_ = {};
    return Step::end;
  }
  if (pairs_left_ == 0) return Step::too_many;
  --pairs_left_;
  rest_.remove_prefix(begin);
  *pair = {};
  std::size_t at = 0;
  std::size_t value_at = 0;
  for (; at < rest_.size() && rest_[at] != '&'; ++at) {
    const char byte = rest_[at];
    if (byte == '=' && !pair->has_equals) {
      pair->has_equals = true;
      value_at = at + 1;
    } else if (byte == '%' || byte == '+') {
      (pair->has_equals ? pair->value_has_escapes : pair->name_has_escapes) = true;
    }
  }
  pair->name = rest_.substr(0, pair->has_equals ? value_at - 1 : at);
  pair->value = pair->has_equals ? rest_.substr(value_at, at - value_at) : rest_.substr(at, 0);
  rest_.remove_prefix(at);
  return Step::pair;
}

std::size_t decode_form(std::string_view text, char* to) noexcept {
  char* const begin = to;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char byte = text[at];
    const bool room = byte == '%' && text.size() - at >= 3;
    const int high = room ? hex_value(text[at + 1]) : -1;
    const int low = room ? hex_value(text[at + 2]) : -1;
    if (high >= 0 && low >= 0) {
      *to++ = static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      *to++ = byte == '+' ? ' ' : byte;
    }
  }
  return static_cast<std::size_t>(to - begin);
}

}  // namespace lanner::http
