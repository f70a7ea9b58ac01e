#include "cache/dictionary.h"

#include "http/ascii.h"

namespace lanner::cache {

namespace {

using http::is_digit;

void skip(std::string_view& rest, std::string_view set) noexcept {
  const std::size_t at = rest.find_first_not_of(set);
  rest.remove_prefix(at == rest.npos ? rest.size() : at);
}

constexpr bool is_lower(char byte) noexcept { return byte >= 'a' && byte <= 'z'; }
constexpr bool is_alpha(char byte) noexcept { return is_lower(http::to_lower(byte)); }

// Takes the first `bytes` off.
std::string_view take(std::string_view& rest, std::size_t bytes) noexcept {
  const std::string_view taken = rest.substr(0, bytes);
  rest.remove_prefix(taken.size());
  return taken;
}

bool take_key(std::string_view& rest, std::string_view* key) noexcept {
  if (rest.empty() || !(is_lower(rest[0]) || rest[0] == '*')) return false;
  std::size_t end = 1;
  while (end < rest.size() && (is_lower(rest[end]) || is_digit(rest[end]) ||
                               std::string_view("_-.*").find(rest[end]) != std::string_view::npos))
    ++end;
  *key = take(rest, end);
  return true;
}

bool take_number(std::string_view& rest, Item* item) noexcept {
  const std::size_t sign = rest[0] == '-' ? 1 : 0;
  std::size_t end = sign;
  std::int64_t number = 0;
  while (end < rest.size() && is_digit(rest[end]) && end - sign < 16)
    number = number * 10 + (rest[end++] - '0');
  const std::size_t whole = end - sign;
  if (whole == 0 || whole > 15) return false;
  item->type = ItemType::integer;
  item->number = sign ? -number : number;
  if (end < rest.size() && rest[end] == '.') {
    const std::size_t point = end++;
    while (end < rest.size() && is_digit(rest[end])) ++end;
    if (whole > 12 || end == point + 1 || end > point + 4) return false;
    item->type = ItemType::decimal;
  }
  item->text = take(rest, end);
  return true;
}

bool take_string(std::string_view& rest, Item* item) noexcept {
  std::size_t end = 1;
  for (; end < rest.size() && rest[end] != '"'; ++end) {
    const char byte = rest[end];
    if (byte < 0x20 || byte == 0x7F) return false;  // and bytes above, where char is signed
    if (static_cast<unsigned char>(byte) > 0x7F) return false;
    if (byte != '\\') continue;
    if (++end == rest.size() || (rest[end] != '"' && rest[end] != '\\')) return false;
  }
  if (end == rest.size()) return false;
  *item = {ItemType::string, rest.substr(1, end - 1)};
  rest.remove_prefix(end + 1);
  return true;
}

bool take_bytes(std::string_view& rest, Item* item) noexcept {
  std::size_t end = 1;
  while (end < rest.size() && (is_alpha(rest[end]) || is_digit(rest[end]) || rest[end] == '+' ||
                               rest[end] == '/' || rest[end] == '='))
    ++end;
  if (end == rest.size() || rest[end] != ':') return false;
  *item = {ItemType::bytes, rest.substr(1, end - 1)};
  rest.remove_prefix(end + 1);
  return true;
}

bool take_bare_item(std::string_view& rest, Item* item) noexcept {
  if (rest.empty()) return false;
  const char first = rest[0];
  if (first == '-' || is_digit(first)) return take_number(rest, item);
  if (first == '"') return take_string(rest, item);
  if (first == ':') return take_bytes(rest, item);
  if (first == '?') {
    if (rest.size() < 2 || (rest[1] != '0' && rest[1] != '1')) return false;
    *item = {ItemType::boolean, take(rest, 2), rest.data()[-1] == '1'};
    return true;
  }
  if (first != '*' && !is_alpha(first)) return false;
  std::size_t end = 1;
  while (end < rest.size() &&
         (http::is_byte(rest[end], http::kTokenByte) || rest[end] == ':' || rest[end] == '/'))
    ++end;
  *item = {ItemType::token, take(rest, end)};
  return true;
}

bool skip_parameters(std::string_view& rest) noexcept {
  while (!rest.empty() && rest[0] == ';') {
    rest.remove_prefix(1);
    skip(rest, " ");
    std::string_view key;
    if (!take_key(rest, &key)) return false;
    if (rest.empty() || rest[0] != '=') continue;
    rest.remove_prefix(1);
    Item value;
    if (!take_bare_item(rest, &value)) return false;
  }
  return true;
}

bool take_inner_list(std::string_view& rest, Item* item) noexcept {
  std::string_view inside = rest.substr(1);
  for (;;) {
    skip(inside, " ");
    if (inside.empty()) return false;
    if (inside[0] == ')') break;
    Item one;
    if (!take_bare_item(inside, &one) || !skip_parameters(inside)) return false;
    if (inside.empty() || (inside[0] != ' ' && inside[0] != ')')) return false;
  }
  const std::size_t bytes = rest.size() - 1 - inside.size();
  *item = {ItemType::inner_list, rest.substr(1, bytes)};
  rest.remove_prefix(bytes + 2);
  return true;
}

}  // namespace

DictionaryReader::DictionaryReader(std::string_view text) noexcept : rest_(text) {
  skip(rest_, " ");
  while (!rest_.empty() && rest_.back() == ' ') rest_.remove_suffix(1);
}

DictionaryReader::Step DictionaryReader::next(Member* member) noexcept {
  if (!first_) {
    skip(rest_, " \t");
    if (rest_.empty()) return Step::end;
    if (rest_[0] != ',') return Step::invalid;
    rest_.remove_prefix(1);
    skip(rest_, " \t");
    if (rest_.empty()) return Step::invalid;  // a trailing comma
  } else if (rest_.empty()) {
    return Step::end;
  }
  first_ = false;
  if (!take_key(rest_, &member->key)) return Step::invalid;
  member->value = {ItemType::boolean, {}, true};
  if (!rest_.empty() && rest_[0] == '=') {
    rest_.remove_prefix(1);
    const bool list = !rest_.empty() && rest_[0] == '(';
    if (!(list ? take_inner_list(rest_, &member->value) : take_bare_item(rest_, &member->value)))
      return Step::invalid;
  }
  return skip_parameters(rest_) ? Step::member : Step::invalid;
}

bool ListReader::next(Item* item) noexcept {
  skip(rest_, " ");
  return !rest_.empty() && take_bare_item(rest_, item) && skip_parameters(rest_);
}

}  // namespace lanner::cache
