#include "python/native/request_texts.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "http/ascii.h"
#include "http/cookie.h"
#include "http/query.h"

namespace lanner::python {

using schema::TextValue;

RequestTexts::~RequestTexts() {
  while (blocks_) {
    Block* next = blocks_->next;
    std::free(blocks_);
    blocks_ = next;
  }
}

bool RequestTexts::find(const Argument& argument) noexcept {
  found_.shrink(0);
  switch (argument.source) {
    case Source::path:
      return find_in_path(argument);
    case Source::query:
      return find_in_query(argument);
    case Source::header:
      return argument.whole ? find_headers(argument) : find_header(argument);
    default:
      return find_cookies(argument);
  }
}

bool RequestTexts::find_in_path(const Argument& argument) noexcept {
  if (argument.path_index >= request_.path_values.size()) return false;
  const router::Value& value = request_.path_values[argument.path_index];
  TextValue text{{}, value.raw()};
  if (value.has_escapes || value.in_host) {
    char* copy = space(value.bytes + 1);
    if (!copy) return false;
    text.value = {copy, router::write_value(value, copy)};
  }
  return found_.push(text);
}

bool RequestTexts::find_in_query(const Argument& argument) noexcept {
  if (!query_split_ && !split_query()) return false;
  return std::all_of(query_.begin(), query_.end(), [&](const TextValue& pair) noexcept {
    return (!argument.whole && pair.name != argument.name) || found_.push(pair);
  });
}

bool RequestTexts::split_query() noexcept {
  query_split_ = true;
  http::QueryReader reader(request_.head.query, kQueryPairsMax);
  http::QueryPair pair;
  while (reader.next(&pair) == http::QueryReader::Step::pair) {
    TextValue text{pair.name, pair.value};
    if (pair.name_has_escapes && !keep(pair.name, http::decode_form, &text.name)) return false;
    if (pair.value_has_escapes && !keep(pair.value, http::decode_form, &text.value)) return false;
    if (!query_.push(text)) return false;
  }
  return true;
}

bool RequestTexts::find_header(const Argument& argument) noexcept {
  for (const http::Field& field : request_.head.fields) {
    const bool same = argument.token != http::Token::unknown
                          ? field.token == argument.token
                          : field.token == http::Token::unknown &&
                                http::equals_ignoring_case(field.name, argument.name);
    if (!same) continue;
    TextValue text{argument.name, field.value};
    if (!keep_latin1(text.value, &text.value) || !found_.push(text)) return false;
  }
  return true;
}

// For a model of all fields. One whose name is not that of the model's field, but of its attribute (an
// underscore for a hyphen), is nobody's.
bool RequestTexts::find_headers(const Argument& argument) noexcept {
  for (const http::Field& field : request_.head.fields) {
    char* lower = space(field.name.size() + 1);
    if (!lower) return false;
    std::transform(field.name.begin(), field.name.end(), lower, http::to_lower);
    TextValue text{{lower, field.name.size()}, field.value};
    const std::string_view name = text.name;
    bool known = false;
    bool mistaken = false;
    for (const HeaderName& header : argument.headers) {
      if (header.field == name) {
        text.name = header.wire;
        known = true;
      }
      mistaken = mistaken || header.wire == name;
    }
    if (mistaken && !known) continue;
    if (!keep_latin1(text.value, &text.value) || !found_.push(text)) return false;
  }
  return true;
}

bool RequestTexts::find_cookies(const Argument& argument) noexcept {
  for (const http::Field& field : request_.head.fields) {
    if (field.token != http::Token::cookie) continue;
    http::CookieReader reader(field.value);
    http::CookiePair pair;
    while (reader.next(&pair)) {
      if (!argument.whole && pair.name != argument.name) continue;
      TextValue text{pair.name, pair.value};
      if (pair.has_escapes && !keep(pair.value, http::unquote_cookie, &text.value)) return false;
      if (!found_.push(text)) return false;
    }
  }
  return true;
}

char* RequestTexts::space(std::size_t bytes) noexcept {
  void* memory = std::malloc(sizeof(Block) + bytes);
  if (!memory) return nullptr;
  blocks_ = ::new (memory) Block{blocks_};
  return static_cast<char*>(memory) + sizeof(Block);
}

bool RequestTexts::keep(std::string_view text,
                        std::size_t (*decode)(std::string_view, char*) noexcept,
                        std::string_view* to) noexcept {
  char* copy = space(text.size() + 1);
  if (!copy) return false;
  *to = {copy, decode(text, copy)};
  return true;
}

// The bytes of a field's value are code points (RFC 9110, section 5.5, as Starlette reads them).
bool RequestTexts::keep_latin1(std::string_view text, std::string_view* to) noexcept {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
  *to = text;
  if (ascii) return true;
  char* copy = space(text.size() * 2);
  if (!copy) return false;
  char* end = copy;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) *end++ = static_cast<char>(0xC0 | byte >> 6);
    *end++ = byte >= 0x80 ? static_cast<char>(0x80 | (byte & 0x3F)) : c;
  }
  *to = {copy, static_cast<std::size_t>(end - copy)};
  return true;
}

}  // namespace lanner::python
