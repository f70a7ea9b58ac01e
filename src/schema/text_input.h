// schema/text_input.h: text values as the Input of the machine: path, query, header, cookie and
// form values, in UTF-8.
//
// A scalar is read from the last of a name's values, an array from all of them, a record or dict
// from all pairs. Values are never split: "1,2" is one. The caller gives pairs with equal names
// side by side, in their order, and keeps them while the machine runs.

#pragma once

#include <cstdint>
#include <string_view>

#include "json/utf8.h"
#include "schema/machine.h"
#include "schema/text_leaf.h"

namespace lanner::schema {

// Decoded (percent, plus); bytes that need not be UTF-8.
struct TextValue {
  std::string_view name;
  std::string_view value;
};

template <class Builder>
class TextInput final {
 public:
  using Value = typename Builder::Value;
  using This = Machine<TextInput, Builder>;
  using Look = KindTable::Look;
  static constexpr bool kReadsRows = false;
  static constexpr bool kIsText = true;
  enum class Shape : std::uint8_t {
    pairs,    // all names
    values,   // all values of one name
    element,  // one of several values: an array's item
    array,    // all values of one name, that an array is made of
  };
  struct Item {  // no initializers: the machine's frames hold hundreds of them, unused
    const TextValue* first;
    std::uint32_t count;
    Shape shape;
  };
  struct Container {
    Item item;
    std::uint32_t at;        // of the next value
    const TextValue* group;  // pairs: the values of the name in hand
    std::uint32_t group_count;
  };
  enum class Opened : std::uint8_t { items, pairs, as_is, wrong };

  // empty_as_none: "" is None where None is allowed.
  TextInput(Builder& builder, bool empty_as_none) noexcept
      : builder_(builder), empty_as_none_(empty_as_none) {}

  bool take_null(This&, Item item) noexcept {
    return empty_as_none_ && item.shape != Shape::pairs && item.count > 0 && last(item).empty();
  }

  bool take_own(This&, const Node&, Item, Value*) const noexcept { return false; }
  bool is_integer(This&, Item item) const noexcept {
    return item.shape != Shape::pairs && item.count == 1 && is_integer_text(last(item));
  }
  static bool is_same(Item, Item) noexcept { return false; }
  static std::size_t item_size(Item item, std::uint64_t) noexcept {
    std::size_t size = 0;
    for (std::uint32_t i = 0; i < item.count; ++i)
      size += item.first[i].name.size() + item.first[i].value.size() + 1;
    return size;
  }
  std::size_t document_size(Item all, std::uint64_t, std::uint64_t) noexcept {
    if (document_size_ == 0) document_size_ = item_size(all, 0);
    return document_size_;
  }

  Look look(Item item) const noexcept {
    if (item.shape == Shape::pairs) return Look::object;
    return item.count > 1 ? Look::array : Look::text;
  }

  Value leaf(This& machine, const Node& node, Item item) noexcept {
    if (item.shape == Shape::pairs) {
      if (node.kind == Kind::delegate && node.wrong_type == Slug::model_type)
        return builder_.delegate_pairs(machine, node, item);
      return machine.fail(node.wrong_type, item, node.wrong);
    }
    if (item.count == 0) return machine.fail(Slug::missing, item);
    if (item.count > 1 && machine.plan().reject_duplicates)
      return machine.fail(Slug::duplicate_key, item);
    const std::string_view text = last(item);
    if (node.kind != Kind::bytes && !is_utf8(text)) return machine.fail(Slug::string_unicode, item);
    if (node.kind == Kind::delegate) return builder_.delegate_text(machine, node, text);
    return leaf_from_text(machine, node, item, text, profile(machine), false);
  }

  Opened open(This&, const Node& node, Item item, Container* in, Value*) noexcept {
    *in = {item, 0, nullptr, 0};
    const bool wants_pairs = node.kind == Kind::record || node.kind == Kind::dict;
    if (item.shape == Shape::pairs) return wants_pairs ? Opened::pairs : Opened::wrong;
    if (wants_pairs || item.shape == Shape::element) return Opened::wrong;
    in->item.shape = Shape::array;
    return Opened::items;
  }

  void hold(Item item, Container* in) noexcept { *in = {item, 0, nullptr, 0}; }
  void close(Container&) noexcept {}
  Item item_of(const Container& in) const noexcept { return in.item; }
  void back_to(Item) noexcept {}
  struct Kept {};
  Kept keep(Item) const noexcept { return {}; }
  Offender offender(Item item) const noexcept {
    return builder_.text_offender(item.first, item.count, item.shape == Shape::pairs,
                                  item.shape == Shape::array);
  }
  bool skip(This&, Item) noexcept { return true; }

  Step next_item(This&, Container& in, Item* item) noexcept {
    if (in.at == in.item.count) return Step::end;
    *item = {in.item.first + in.at++, 1, Shape::element};
    return Step::more;
  }

  // In: the predicted field; out: the field, -1 = there is none of that name.
  Step next_field(This& machine, const Record& record, Container& in, int* field,
                  Item* item) noexcept {
    if (next_key(machine, in) == Step::end) return Step::end;
    const std::string_view name = in.group->name;
    const auto guess = static_cast<std::size_t>(*field);
    if (guess >= record.fields.size() || !record.fields[guess].takes_input ||
        record.fields[guess].name != name) {
      *field = record.index.find(name);
    }
    return next_value(machine, in, item);
  }

  Step next_key(This&, Container& in) noexcept {
    if (in.at == in.item.count) return Step::end;
    in.group = in.item.first + in.at;
    in.group_count = 0;
    while (in.at < in.item.count && in.item.first[in.at].name == in.group->name) {
      ++in.at;
      ++in.group_count;
    }
    return Step::more;
  }
  Value key(This& machine, const Node& node, Container& in) noexcept {
    const Item item = key_item(in);
    key_ = {{}, in.group->name};
    if (!is_utf8(in.group->name)) return machine.fail(Slug::string_unicode, item);
    return leaf_from_text(machine, node, item, in.group->name, profile(machine), true);
  }
  Item key_item(const Container&) const noexcept { return {&key_, 1, Shape::element}; }
  Step next_value(This&, Container& in, Item* item) noexcept {
    *item = {in.group, in.group_count, Shape::values};
    return Step::more;
  }
  void key_loc(const Container& in, ErrorList& errors) const noexcept {
    errors.add_key(in.group->name);
  }

  FoundTag find_tag(This&, Item item, const Tags& tags) noexcept {
    FoundTag tag;
    tag.is_object = item.shape == Shape::pairs;
    for (std::uint32_t i = 0; tag.is_object && i < item.count; ++i) {
      if (item.first[i].name != tags.key) continue;
      tag.found = true;
      tag.text.assign(item.first[i].value);
      tag.position = tags.index.find(item.first[i].value);  // the last of equal names wins
    }
    return tag;
  }

 private:
  static constexpr std::size_t kShortText = 32;

  // Most values are short ASCII.
  static bool is_utf8(std::string_view text) noexcept {
    unsigned char any = 0;
    for (const char c : text.substr(0, kShortText)) any |= static_cast<unsigned char>(c);
    return (any < 0x80 && text.size() <= kShortText) || json::is_utf8(text);
  }
  static std::string_view last(Item item) noexcept { return item.first[item.count - 1].value; }
  static Profile profile(const This& machine) noexcept {
    return machine.plan().profile == Profile::compat ? Profile::compat : Profile::text;
  }

  Builder& builder_;
  TextValue key_;  // the name in hand, as the value that it is for its own rules
  bool empty_as_none_;
  std::size_t document_size_ = 0;  // once somebody has asked
};

}  // namespace lanner::schema
