#include "python/native/arguments.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "http/ascii.h"
#include "http/cookie.h"
#include "http/query.h"
#include "python/schema/entry.h"

namespace lanner::python {

using schema::Slug;
using schema::TextValue;

namespace {

// The JSON text of an error's input where there is none.
constexpr std::string_view kNull = "null";

}  // namespace

Arguments::~Arguments() {
  for (std::size_t i = 0; i < operation_.count(); ++i) drop(values_[i]);
  drop_errors(errors_);
  while (blocks_) {
    Block* next = blocks_->next;
    std::free(blocks_);
    blocks_ = next;
  }
}

Arguments::Outcome Arguments::read() noexcept {
  for (std::size_t i = 0; i < operation_.count(); ++i) {
    const std::size_t at = operation_.in_order(i);
    const Argument& argument = operation_.argument(at);
    // What is given by type is made last: nothing is made for a request that is refused.
    if (argument.source >= Source::request && !errors_.empty()) break;
    Found found = read_one(argument, &values_[at]);
    if (found == Found::absent)
      found = fill_absent(argument, &values_[at]) ? Found::value : Found::error;
    if (PyErr_Occurred()) return not_json_ ? Outcome::not_json : Outcome::failed;
    if (found == Found::failed || errors_.no_memory()) {
      (void)PyErr_NoMemory();
      return Outcome::failed;
    }
    if (errors_.enough()) break;
  }
  return errors_.empty() ? Outcome::ready : Outcome::errors;
}

Arguments::Found Arguments::read_one(const Argument& argument, PyObject** to) noexcept {
  errors_.set_prefix(argument.loc, argument.whole || argument.source == Source::body ? 1 : 2);
  switch (argument.source) {
    case Source::path:
      return read_path(argument, to);
    case Source::query:
      return read_query(argument, to);
    case Source::header:
      return read_header(argument, to);
    case Source::cookie:
      return read_cookie(argument, to);
    case Source::body:
      return read_body(argument, to);
    case Source::member:
      return read_member(argument, to);
    case Source::request:
      return take_given(given_.request(), to);
    case Source::response:
      return take_given(given_.response(), to);
    case Source::tasks:
      return take_given(given_.tasks(), to);
  }
  return Found::failed;
}

Arguments::Found Arguments::take_given(PyObject* made, PyObject** to) noexcept {
  *to = made;
  return made ? Found::value : Found::failed;
}

// A default, or the error that there is no value.
bool Arguments::fill_absent(const Argument& argument, PyObject** to) noexcept {
  if (argument.fallback) {
    *to = share(argument.fallback.get());
    return true;
  }
  if (argument.factory) {
    *to = PyObject_CallNoArgs(argument.factory.get());
    return *to != nullptr;
  }
  if (!errors_.add(Slug::missing, nullptr, {nullptr, kNull}, -1, {})) return false;
  return false;
}

Arguments::Found Arguments::read_texts(const Argument& argument, bool pairs,
                                       PyObject** to) noexcept {
  const TextValue* first = texts_.data();
  auto count = static_cast<std::uint32_t>(texts_.size());
  if (!pairs) {
    if (count == 0) return Found::absent;
    if (!argument.many) {
      first += count - 1;
      count = 1;
    }
  }
  *to = read_text(argument.schema.get(), first, count, pairs, errors_);
  return *to ? Found::value : Found::error;
}

Arguments::Found Arguments::read_pairs(const Argument& argument, PyObject** to) noexcept {
  if (!argument.in_order)
    std::stable_sort(texts_.begin(), texts_.end(),
                     [](const TextValue& a, const TextValue& b) { return a.name < b.name; });
  return read_texts(argument, true, to);
}

Arguments::Found Arguments::read_path(const Argument& argument, PyObject** to) noexcept {
  if (argument.path_index >= request_.path_values.size()) return Found::failed;
  texts_.shrink(0);
  const router::Value& value = request_.path_values[argument.path_index];
  TextValue text{{}, value.raw()};
  if (value.has_escapes || value.in_host) {
    char* copy = space(value.bytes + 1);
    if (!copy) return Found::failed;
    text.value = {copy, router::write_value(value, copy)};
  }
  if (!texts_.push(text)) return Found::failed;
  return read_texts(argument, false, to);
}

Arguments::Found Arguments::read_query(const Argument& argument, PyObject** to) noexcept {
  if (!query_split_ && !split_query()) return Found::failed;
  if (argument.whole && query_.empty() && !argument.required()) return Found::absent;
  if (!errors_.empty() && errors_.enough()) return Found::error;
  texts_.shrink(0);
  if (argument.whole) {
    for (const TextValue& pair : query_) {
      if (!texts_.push(pair)) return Found::failed;
    }
    return read_pairs(argument, to);
  }
  for (const TextValue& pair : query_) {
    if (pair.name == argument.name && !texts_.push(pair)) return Found::failed;
  }
  return read_texts(argument, false, to);
}

bool Arguments::split_query() noexcept {
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

Arguments::Found Arguments::read_header(const Argument& argument, PyObject** to) noexcept {
  texts_.shrink(0);
  if (argument.whole) return read_headers(argument, to);
  for (const http::Field& field : request_.head.fields) {
    const bool same = argument.token != http::Token::unknown
                          ? field.token == argument.token
                          : field.token == http::Token::unknown &&
                                http::equals_ignoring_case(field.name, argument.name);
    if (!same) continue;
    TextValue text{argument.name, field.value};
    if (!keep_latin1(text.value, &text.value) || !texts_.push(text)) return Found::failed;
  }
  return read_texts(argument, false, to);
}

// A model of all fields. One whose name is not that of the model's field, but of its attribute (an
// underscore for a hyphen), is nobody's.
Arguments::Found Arguments::read_headers(const Argument& argument, PyObject** to) noexcept {
  for (const http::Field& field : request_.head.fields) {
    char* lower = space(field.name.size() + 1);
    if (!lower) return Found::failed;
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
    if (!keep_latin1(text.value, &text.value) || !texts_.push(text)) return Found::failed;
  }
  const std::size_t mark = errors_.mark();
  const Found found = read_pairs(argument, to);
  for (const HeaderName& header : argument.headers)
    errors_.rename(mark, 1, header.wire, header.field);
  return found;
}

Arguments::Found Arguments::read_cookie(const Argument& argument, PyObject** to) noexcept {
  texts_.shrink(0);
  for (const http::Field& field : request_.head.fields) {
    if (field.token != http::Token::cookie) continue;
    http::CookieReader reader(field.value);
    http::CookiePair pair;
    while (reader.next(&pair)) {
      if (!argument.whole && pair.name != argument.name) continue;
      TextValue text{pair.name, pair.value};
      if (pair.has_escapes && !keep(pair.value, http::unquote_cookie, &text.value))
        return Found::failed;
      if (!texts_.push(text)) return Found::failed;
    }
  }
  return argument.whole ? read_pairs(argument, to) : read_texts(argument, false, to);
}

Arguments::Found Arguments::read_body(const Argument& argument, PyObject** to) noexcept {
  if (request_.body.empty()) return Found::absent;
  *to = read_json(argument.schema.get(), request_.body, errors_);
  if (*to) return Found::value;
  not_json_ = PyErr_Occurred() && errors_.empty() && !PyErr_ExceptionMatches(PyExc_MemoryError);
  return Found::error;
}

Arguments::Found Arguments::read_member(const Argument& argument, PyObject** to) noexcept {
  if (request_.body.empty()) return Found::absent;
  if (!members_read_ && !decode_members()) return Found::error;
  if (!members_) return Found::error;  // what was wrong is listed
  PyObject* value = PyDict_GetItemWithError(members_.get(), argument.key.get());
  if (!value) return PyErr_Occurred() ? Found::failed : Found::absent;
  *to = share(value);
  return Found::value;
}

// The object whose members are the bodies. False with an exception set.
bool Arguments::decode_members() noexcept {
  members_read_ = true;
  static constexpr std::string_view kBody = "body";
  schema::LocItem prefix;
  prefix.name = kBody.data();
  prefix.size = static_cast<std::uint32_t>(kBody.size());
  errors_.set_prefix(&prefix, 1);
  const std::size_t mark = errors_.mark();
  members_ = Ref::steal(read_json(operation_.body_schema(), request_.body, errors_));
  // Each is a parameter of its own: what is missing is missing in no object.
  errors_.forget_inputs(mark, Slug::missing, 2,
                        [](void* input) { drop(static_cast<PyObject*>(input)); });
  errors_.set_prefix(nullptr, 0);
  not_json_ = PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_MemoryError);
  return !PyErr_Occurred();
}

char* Arguments::space(std::size_t bytes) noexcept {
  void* memory = std::malloc(sizeof(Block) + bytes);
  if (!memory) return nullptr;
  blocks_ = ::new (memory) Block{blocks_};
  return static_cast<char*>(memory) + sizeof(Block);
}

bool Arguments::keep(std::string_view text, std::size_t (*decode)(std::string_view, char*) noexcept,
                     std::string_view* to) noexcept {
  char* copy = space(text.size() + 1);
  if (!copy) return false;
  *to = {copy, decode(text, copy)};
  return true;
}

// The bytes of a field's value are code points (RFC 9110, section 5.5, as Starlette reads them).
bool Arguments::keep_latin1(std::string_view text, std::string_view* to) noexcept {
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
