// schema/json_input.h: JSON text as the Input of the machine.

#pragma once

#include <cstring>
#include <string_view>

#include "base/cpu.h"
#include "json/reader.h"
#include "schema/json_row_avx512.h"
#include "schema/json_row_base.h"
#include "schema/machine.h"
#include "schema/scalars.h"
#include "schema/text_leaf.h"

namespace lanner::schema {

template <class Builder>
class JsonInput final {
 public:
  using Value = typename Builder::Value;
  using This = Machine<JsonInput, Builder>;
  using Look = KindTable::Look;
  static constexpr bool kReadsRows = true;
  // In the compat profile's unions a str is no better than a date or bytes, which are text as well.
  static constexpr bool kIsText = true;
  struct Item {
    const char* at = nullptr;
    const char* end = nullptr;  // null: at the cursor
  };
  struct Container {
    const char* start;
    const char* key;      // its opening quote
    const char* key_end;  // behind the closing one
    bool first;
  };
  enum class Opened : std::uint8_t { items, pairs, as_is, wrong };

  JsonInput(json::Reader& reader, Builder& builder) noexcept
      : reader_(reader), builder_(builder), row_level_(simd_level()) {}
  // For tests: whether read_row() reads anything, and by which instructions. REQUIRES: the machine
  // has them.
  void use_rows(bool rows) noexcept { rows_ = rows; }
  void use_rows(SimdLevel level) noexcept { row_level_ = level; }

  // The document's value, ready to be read.
  Item first() noexcept {
    at_ = json::skip_space(reader_.begin());
    return {at_, nullptr};
  }
  // Checks that nothing follows.
  bool finish() noexcept { return reader_.finish(at_); }

  bool take_null(This& machine, Item) noexcept {
    if (*at_ != 'n') return false;
    return advance(machine, reader_.literal(at_, "null"));
  }

  bool take_own(This&, const Node&, Item, Value*) const noexcept { return false; }
  // In the text profile also text that is an integer.
  bool is_integer(This& machine, Item item) const noexcept {
    const char* const at = item.at;
    if (*at != '"')
      return (*at == '-' || (*at >= '0' && *at <= '9')) && look_at(at) == Look::integer;
    if (machine.plan().profile != Profile::text) return false;
    const std::string_view rest(at + 1, static_cast<std::size_t>(reader_.end() - at - 1));
    return is_integer_text(rest.substr(0, rest.find('"')));
  }
  static bool is_same(Item, Item) noexcept { return false; }  // no text holds itself
  // Bytes; of the item that was read last.
  std::size_t item_size(Item item, std::uint64_t) const noexcept {
    return static_cast<std::size_t>(at_ - item.at);
  }
  std::size_t document_size(Item, std::uint64_t, std::uint64_t) const noexcept {
    return static_cast<std::size_t>(reader_.end() - reader_.begin());
  }

  Look look(Item) const noexcept { return look_at(at_); }
  static Look look_at(const char* at) noexcept {
    switch (*at) {
      case '"':
        return Look::text;
      case '[':
        return Look::array;
      case '{':
        return Look::object;
      case 't':
      case 'f':
        return Look::boolean;
      case 'n':
        return Look::null;
      default:
        break;
    }
    const char* p = at + (*at == '-');
    while (*p >= '0' && *p <= '9') ++p;
    return *p == '.' || *p == 'e' || *p == 'E' ? Look::real : Look::integer;
  }

  Value leaf(This& machine, const Node& node, Item item) noexcept {
    switch (*at_) {
      case '"':
        return text(machine, node, item);
      case 't':
      case 'f':
        return boolean(machine, node, item);
      case 'n':
        return null(machine, node, item);
      case '[':
      case '{':
        return composite(machine, node, item);
      default:
        return number(machine, node, item);
    }
  }

  Opened open(This& machine, const Node& node, Item item, Container* in, Value*) noexcept {
    in->start = item.at;
    in->first = true;
    const bool wants_pairs = node.kind == Kind::record || node.kind == Kind::dict;
    if (*at_ == '{' && wants_pairs) {
      if (node.kind == Kind::dict) machine.coerced(Exactness::strict);
      ++at_;
      return Opened::pairs;
    }
    if (*at_ == '[' && (!wants_pairs || (node.kind == Kind::record && node.record->from_array))) {
      if (node.kind != Kind::list) machine.coerced(Exactness::strict);
      ++at_;
      return Opened::items;
    }
    (void)skip(machine, item);
    return Opened::wrong;
  }

  void hold(Item item, Container* in) noexcept { in->start = item.at; }
  void close(Container&) noexcept {}
  Item item_of(const Container& in) const noexcept { return {in.start, nullptr}; }
  void back_to(Item item) noexcept { at_ = item.at; }
  struct Kept {};
  Kept keep(Item) const noexcept { return {}; }
  Offender offender(Item item) const noexcept {
    const char* end = item.end ? item.end : at_;
    return {nullptr, {item.at, static_cast<std::size_t>(end - item.at)}};
  }

  bool skip(This& machine, Item) noexcept {
    if (machine.plan().reject_duplicates && (*at_ == '{' || *at_ == '[')) {
      return advance(machine, builder_.skip_unique(reader_, at_, machine.depth()));
    }
    return advance(machine, reader_.skip_value(at_, machine.depth()));
  }

  [[gnu::always_inline]] Step next_item(This& machine, Container& in, Item* item) noexcept {
    const char* at = json::skip_space(at_);
    if (*at == ']') {
      // "[1,]": a comma must be followed by an item.
      at_ = at + 1;
      return Step::end;
    }
    if (!in.first) {
      if (*at != ',') return stop(machine, at, Errc::json_array_end_expected);
      at = json::skip_space(at + 1);
      if (*at == ']') return stop(machine, at, Errc::json_value_expected);
    }
    in.first = false;
    at_ = at;
    item->at = at;
    return Step::more;
  }

  // Reads fields from *next on while they come in the declared order and contain nothing unusual.
  // False: a value could not be made. REQUIRES: the values from *next on are null.
  bool read_row(This& machine, const Record& record, Container& in, std::uint32_t* next,
                Value* values, bool* complete) noexcept {
    if (!rows_ || !record.row_helps(*next)) return true;
    const RowEnd row = read_row(record, *next, at_, in.first, machine.depth() < kDepthMax, values);
    take_row(row, *next, in);
    *next = row.next;
    *complete = row.complete;
    return !row.failed;
  }

  // A record from its opening brace on: as read_row().
  RecordsRead read_record(This& machine, const Record& record, Item item, Value* values,
                          Container* in) noexcept {
    if (!rows_ || *at_ != '{' || !record.row_helps(0)) return {};
    const RowEnd row = read_row(record, 0, at_ + 1, true, machine.depth() + 2 <= kDepthMax, values);
    if (row.failed) return {RecordsRead::End::failed, row.next};
    in->start = item.at;
    in->first = true;
    if (!take_row(row, 0, *in)) return {};
    return {row.complete ? RecordsRead::End::complete : RecordsRead::End::within, row.next};
  }

  // Reads items of an array while they are records as read_row() reads them.
  RecordsRead read_records(This& machine, const Record& record, Container& in,
                           Container* one) noexcept {
    if (!rows_ || !record.row_helps(0)) return {};
    const bool nest = machine.depth() + 2 <= kDepthMax;
    const RecordsEnd end = read_records(machine, record, in.first, nest);
    if (end.at != at_) in.first = false;
    at_ = end.at;
    if (end.row.failed) return {RecordsRead::End::failed, end.row.next};
    if (!end.start) return {};
    one->start = end.start;
    one->first = true;
    if (!take_row(end.row, 0, *one)) return {};
    in.first = false;
    return {RecordsRead::End::within, end.row.next};
  }

  // In: the predicted field; out: the field, -1 = there is none of that name.
  [[gnu::always_inline]] Step next_field(This& machine, const Record& record, Container& in,
                                         int* field, Item* item) noexcept {
    if (key_read_) {  // by read_row(), which was at the field that is guessed
      key_read_ = false;
      item->at = at_;
      return Step::more;
    }
    const char* at = json::skip_space(at_);
    if (!to_key(machine, in, &at)) return at ? Step::end : Step::stopped;
    const auto guess = static_cast<std::size_t>(*field);
    in.key = at;
    if (guess < record.fields.size() && starts_with(at, record.fields[guess].quoted)) [[likely]] {
      at += record.fields[guess].quoted.size();
    } else {
      json::String key;
      at = reader_.string(at + 1, &key);
      if (!at) return stop(machine);
      *field = record.index.find(key.utf8);
    }
    in.key_end = at;
    return to_value(machine, at, item);
  }

  Step next_key(This& machine, Container& in) noexcept {
    const char* at = json::skip_space(at_);
    if (!to_key(machine, in, &at)) return at ? Step::end : Step::stopped;
    in.key = at;
    in.key_end = reader_.string(at + 1, &key_);
    return in.key_end ? Step::more : stop(machine);
  }
  Value key(This& machine, const Node& node, Container& in) noexcept {
    at_ = in.key_end;
    if (node.kind == Kind::string || node.kind == Kind::any)
      return made(machine, builder_.key(key_));
    return leaf_from_text(machine, node, key_item(in), key_.utf8, profile_of(machine.plan(), node),
                          true);
  }
  Item key_item(const Container& in) const noexcept { return {in.key, in.key_end}; }
  Step next_value(This& machine, Container& in, Item* item) noexcept {
    return to_value(machine, in.key_end, item);
  }

  void key_loc(const Container& in, ErrorList& errors) const noexcept {
    // Of a long key no more is read than is kept, however many errors lie behind it.
    constexpr std::size_t kRawMax = 6 * kKeyTextMax + 12;
    const char* end = in.key + 1;
    while (*end != '"' && static_cast<std::size_t>(end - in.key) < kRawMax)
      end += *end != '\\' ? 1 : end[1] == 'u' ? 6 : 2;
    // Half of a surrogate pair, or of a code point, is no text.
    const bool half = *end != '"' && end - in.key > 6 && end[-6] == '\\' && end[-5] == 'u' &&
                      (end[-4] | 0x20) == 'd' && std::strchr("89abAB", end[-3]);
    if (half) end -= 6;
    while ((*end & 0xC0) == 0x80) --end;
    char raw[kRawMax + 8];  // the last step is one too far at most; a quote, a NUL
    const auto size = static_cast<std::size_t>(end - in.key);
    std::memcpy(raw, in.key, size);
    raw[size] = '"';
    raw[size + 1] = '\0';
    json::Reader again{std::string_view(raw, size + 1)};
    json::String key;
    if (again.string(again.begin() + 1, &key)) {
      errors.add_key(key.utf8);
    } else if (again.error().code == Errc::no_memory) {
      errors.set_no_memory();
    } else {
      errors.add_key({});
    }
  }

  // Looks ahead for the tag; the cursor stays.
  FoundTag find_tag(This& machine, Item item, const Tags& tags) noexcept {
    FoundTag tag;
    if (*at_ != '{') return tag;
    tag.is_object = true;
    const char* at = json::skip_space(at_ + 1);
    while (*at == '"') {
      json::String key;
      at = reader_.string(at + 1, &key);
      if (!at) break;
      const bool here = key.utf8 == tags.key;
      at = json::skip_space(at);
      if (*at != ':') break;  // whoever reads the object says so
      at = json::skip_space(at + 1);
      if (here) {
        tag.found = true;
        if (!read_tag(at, tags, &tag)) machine.abort();
        return tag;
      }
      at = reader_.skip_value(at, machine.depth());
      if (!at) break;
      at = json::skip_space(at);
      if (*at == ',') at = json::skip_space(at + 1);
    }
    if (!at) machine.abort();
    at_ = item.at;
    return tag;
  }

 private:
  // The fast reader is not tried again on a document with another order of fields or with white
  // space.
  static constexpr unsigned kRowsInVainMax = 64;

  RowEnd read_row(const Record& record, std::uint32_t next, const char* at, bool first, bool nest,
                  Value* values) noexcept {
#if defined(__x86_64__)
    if (row_level_ == SimdLevel::avx512) {
      return row_avx512::read_row(record, next, at, reader_.end(), first, nest, builder_, values);
    }
#endif
    return row_base::read_row(record, next, at, reader_.end(), first, nest, builder_, values);
  }
  RecordsEnd read_records(This& machine, const Record& record, bool first, bool nest) noexcept {
#if defined(__x86_64__)
    if (row_level_ == SimdLevel::avx512)
      return row_avx512::read_records(machine, record, at_, reader_.end(), first, nest);
#endif
    return row_base::read_records(machine, record, at_, reader_.end(), first, nest);
  }

  // Sets the cursor to where a fast reader that began at field `from` stopped. False: it read
  // nothing.
  bool take_row(const RowEnd& row, std::uint32_t from, Container& in) noexcept {
    if (row.next == from && !row.key_read && !row.complete) {
      if (++rows_in_vain_ == kRowsInVainMax) rows_ = false;
      return false;
    }
    in.first = false;
    at_ = row.at;
    key_read_ = row.key_read;
    return true;
  }
  Step stop(This& machine) noexcept {
    machine.abort();
    return Step::stopped;
  }
  Step stop(This& machine, const char* at, Errc code) noexcept {
    (void)reader_.fail(at, code);
    return stop(machine);
  }
  bool advance(This& machine, const char* at) noexcept {
    if (!at) {
      machine.abort();
      return false;
    }
    at_ = at;
    return true;
  }
  Value made(This& machine, Value value) noexcept {
    if (!value) machine.abort();
    return value;
  }

  [[gnu::always_inline]] bool starts_with(const char* at, std::string_view text) const noexcept {
    return static_cast<std::size_t>(reader_.end() - at) >= text.size() &&
           std::memcmp(at, text.data(), text.size()) == 0;
  }

  // To the opening quote of the next key. False: the object has ended (*at is behind it), or
  // stopped (*at null).
  [[gnu::always_inline]] bool to_key(This& machine, Container& in, const char** at) noexcept {
    const char* p = *at;
    if (*p == '}') {
      at_ = p + 1;
      return false;
    }
    if (!in.first) {
      if (*p != ',') {
        (void)stop(machine, p, Errc::json_object_end_expected);
        *at = nullptr;
        return false;
      }
      p = json::skip_space(p + 1);
    }
    in.first = false;
    *at = p;
    if (*p == '"') [[likely]]
      return true;
    (void)stop(machine, p, Errc::json_key_expected);
    *at = nullptr;
    return false;
  }

  [[gnu::always_inline]] Step to_value(This& machine, const char* at, Item* item) noexcept {
    at = json::skip_space(at);
    if (*at != ':') return stop(machine, at, Errc::json_colon_expected);
    at = json::skip_space(at + 1);
    at_ = at;
    item->at = at;
    return Step::more;
  }

  // False: the reader failed.
  bool read_tag(const char* at, const Tags& tags, FoundTag* tag) noexcept {
    std::string_view text;
    json::String string;
    bool numeric = false;
    if (*at == '"') {
      if (!reader_.string(at + 1, &string)) return false;
      text = string.utf8;
    } else if (*at == '[' || *at == '{') {
      const char* const end = reader_.skip_value(at, 0);
      if (end) tag->text.assign({at, static_cast<std::size_t>(end - at)});
      return end != nullptr;
    } else {
      const char* end = at;
      while (*end == '-' || *end == '+' || *end == '.' || *end == 'E' ||
             (*end >= '0' && *end <= '9') || (*end >= 'a' && *end <= 'z'))
        ++end;
      text = {at, static_cast<std::size_t>(end - at)};
      numeric = true;
    }
    tag->text.assign(text);
    if (numeric && text == "null") tag->text.assign("None");  // as pydantic's message has them
    if (numeric && text == "true") tag->text.assign("True");
    if (numeric && text == "false") tag->text.assign("False");
    const int position = tags.index.find(text);
    if (position >= 0 && tags.numeric[static_cast<std::size_t>(position)] == numeric)
      tag->position = position;
    return true;
  }

  Value text(This& machine, const Node& node, Item item) noexcept {
    json::String text;
    if (!advance(machine, reader_.string(at_ + 1, &text))) return Value{};
    switch (node.kind) {
      case Kind::any:
        machine.took_anything();
        return made(machine, builder_.string(text));
      case Kind::string:
        return made(machine, builder_.string(text));
      case Kind::none:
      case Kind::boolean:
      case Kind::integer:
      case Kind::floating:
        if (profile_of(machine.plan(), node) == Profile::json)
          return machine.fail(node.wrong_type, item);
        [[fallthrough]];
      default:
        if (node.kind != Kind::choice && node.kind != Kind::uuid)
          machine.coerced(Exactness::strict);
        return leaf_from_text(machine, node, item, text.utf8, profile_of(machine.plan(), node),
                              false);
    }
  }

  // An integer of up to 18 digits followed by the end of the value. False: left to the reader.
  [[gnu::always_inline]] bool short_integer(std::int64_t* value) noexcept {
    const char* p = at_;
    const bool negative = *p == '-';
    p += negative;
    const char* const digits = p;
    std::int64_t number = 0;
    for (; static_cast<unsigned char>(*p - '0') < 10; ++p) {
      if (p - digits == 18) return false;
      number = number * 10 + (*p - '0');
    }
    if (p == digits || (*digits == '0' && p - digits > 1)) return false;
    if (*p == '.' || *p == 'e' || *p == 'E') return false;
    *value = negative ? -number : number;
    at_ = p;
    return true;
  }

  Value number(This& machine, const Node& node, Item item) noexcept {
    std::int64_t integer = 0;
    if (node.kind == Kind::integer && short_integer(&integer)) [[likely]] {
      return made(machine, builder_.integer(integer));
    }
    json::Number number;
    if (*at_ != '-' && (*at_ < '0' || *at_ > '9')) {
      (void)stop(machine, at_, Errc::json_value_expected);
      return Value{};
    }
    if (node.kind == Kind::decimal) {
      number.kind = json::NumberKind::big;  // only its text counts
      if (!advance(machine, reader_.number_text(at_, &number.text))) return Value{};
      return leaf_from_number(machine, node, item, number);
    }
    if (!advance(machine, reader_.number(at_, &number))) return Value{};
    if (node.kind == Kind::integer && number.kind == json::NumberKind::int64) [[likely]] {
      return made(machine, builder_.integer(number.int64));
    }
    return leaf_from_number(machine, node, item, number);
  }

  Value boolean(This& machine, const Node& node, Item item) noexcept {
    const bool value = *at_ == 't';
    if (!advance(machine, reader_.literal(at_, value ? "true" : "false"))) return Value{};
    return leaf_from_boolean(machine, node, item, value);
  }

  Value null(This& machine, const Node& node, Item item) noexcept {
    if (!advance(machine, reader_.literal(at_, "null"))) return Value{};
    if (node.kind == Kind::any) machine.took_anything();
    if (node.kind == Kind::none || node.kind == Kind::any) return builder_.null();
    if (node.kind == Kind::choice && node.choices->null_value)
      return builder_.shared(node.choices->null_value);
    if (node.kind == Kind::delegate) return builder_.delegate(machine, node, item);
    return machine.fail(node.wrong_type, item, node.wrong);
  }

  // An array or object where a leaf is expected.
  Value composite(This& machine, const Node& node, Item item) noexcept {
    if (node.kind == Kind::any) {
      machine.took_anything();
      Value value{};
      const bool unique = machine.plan().reject_duplicates;
      return advance(machine, builder_.any(reader_, at_, machine.depth(), unique, &value))
                 ? value
                 : Value{};
    }
    if (!skip(machine, item)) return Value{};
    if (node.kind == Kind::delegate) return builder_.delegate(machine, node, item);
    return machine.fail(node.wrong_type, item, node.wrong);
  }

  json::Reader& reader_;
  Builder& builder_;
  const char* at_ = nullptr;
  json::String key_;
  SimdLevel row_level_;
  bool rows_ = true;
  bool key_read_ = false;  // the cursor is at the value of the field that is next
  unsigned rows_in_vain_ = 0;
};

}  // namespace lanner::schema
