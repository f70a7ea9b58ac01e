// fuzz/plan_maker.h: a schema's plan from a fuzzer's choices, and documents that (nearly) fit it.

#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/choices.h"
#include "fuzz/json_tree.h"
#include "schema/plan.h"
#include "schema/test_parts.h"

namespace lanner::fuzz {

using schema::Kind;
using schema::KindTable;
using schema::Node;
using schema::Slug;
using schema::test::is_built;
using schema::test::must;

inline constexpr std::string_view kNames[] = {
    "a", "b", "kind", "name", "cost", "x\"y", "\xC3\xA9", "a_name_of_more_than_thirty_two_bytes",
    "aa"};
inline constexpr std::string_view kTexts[] = {
    "a",
    "bad",
    "",
    "1",
    "\xC3\xA9\xE2\x82\xAC",
    "2024-01-02",
    "2024-01-02T03:04:05.5Z",
    "03:04",
    "P1DT2S",
    "12345678-1234-5678-1234-567812345678",
    "true",
    "1.50",
    "text of more than sixty-four bytes, so that the widest "
    "kernels are taken, too"};
inline constexpr std::string_view kNumbers[] = {"0",
                                                "-1",
                                                "7",
                                                "1.5",
                                                "-0.0",
                                                "1e3",
                                                "9223372036854775807",
                                                "9223372036854775808",
                                                "123456789012345678901234567890",
                                                "1e-400"};

// Owns the plan, and what its nodes point to that is the builder's.
class PlanMaker final {
 public:
  explicit PlanMaker(Choices& from) : from_(from) {
    plan.profile = static_cast<schema::Profile>(from_.next(3));
    plan.reject_duplicates = from_.rarely(4);
    plan.errors_max = from_.rarely(3) ? static_cast<std::uint32_t>(from_.next(4) + 1) : 64;
    plan.root = node(0);
    must(schema::make_read_fields(&plan));
  }

  schema::Plan plan;
  // What a document in other words may change, by the plan.
  bool order_shows = false;  // the order of keys shows in that of the errors
  bool tagged = false;
  bool mixed_numbers = false;  // a union of int and float: by the look, not in order

  std::vector<Node*> unions;

 private:
  static constexpr int kDepth = 4;

  Node* make(Kind kind, Slug wrong) {
    Node* made = schema::add_part(&plan.nodes);
    made->kind = kind;
    made->wrong_type = wrong;
    if (schema::slug_message(wrong).empty()) made->wrong = rule(wrong, schema::Demand::predicate);
    return made;
  }
  schema::Rule* rule(Slug slug, schema::Demand demand) {
    schema::Rule* made = schema::add_part(&plan.rules);
    made->slug = slug;
    made->demand = demand;
    made->message = "bound \x01";
    made->integer = static_cast<std::int64_t>(from_.next(40));
    return made;
  }
  std::string* text(std::string_view value) {
    texts_.push_back(std::make_unique<std::string>(value));
    return texts_.back().get();
  }

  Node* node(int depth) {
    const std::size_t kind = from_.next(depth < kDepth ? 27 : 14);
    if (!open_.empty() && from_.rarely(8)) return open_[from_.next(open_.size())];  // recursive
    Node* made = kind < 15 ? leaf(kind) : holder(kind, depth);
    made->nullable = from_.rarely(5);
    return made;
  }

  Node* leaf(std::size_t kind) {
    static constexpr Slug kWrong[] = {Slug::missing,      Slug::none_required,   Slug::bool_type,
                                      Slug::int_type,     Slug::float_type,      Slug::string_type,
                                      Slug::bytes_type,   Slug::datetime_type,   Slug::date_type,
                                      Slug::time_type,    Slug::time_delta_type, Slug::uuid_type,
                                      Slug::decimal_type, Slug::literal_error,   Slug::model_type};
    const Kind kinds[] = {Kind::any,      Kind::none,   Kind::boolean,   Kind::integer,
                          Kind::floating, Kind::string, Kind::bytes,     Kind::datetime,
                          Kind::date,     Kind::time,   Kind::timedelta, Kind::uuid,
                          Kind::decimal,  Kind::choice, Kind::delegate};
    if (from_.next(2)) kind = 3 + kind % 3;  // mostly int, float, str
    Node* made = make(kinds[kind], kWrong[kind]);
    if (made->kind == Kind::choice) choose(made);
    if (made->kind == Kind::integer || made->kind == Kind::string) {
      bound(made);
      return made;
    }
    if (from_.rarely(6))
      must(made->rules.push(rule(Slug::string_too_long, schema::Demand::max_length)));
    return made;
  }

  // Bounds as the compiler makes them: quick to check.
  void bound(Node* to) {
    const bool number = to->kind == Kind::integer;
    if (from_.rarely(3)) {
      must(to->rules.push(
          rule(Slug::less_than_equal, number ? schema::Demand::le : schema::Demand::max_length)));
      plan.rules.back()->has_integer = true;
    }
    if (from_.rarely(4)) {
      must(to->rules.push(rule(Slug::greater_than_equal,
                               number ? schema::Demand::ge : schema::Demand::min_length)));
      plan.rules.back()->has_integer = true;
      plan.rules.back()->integer /= 8;
    }
    to->quick = schema::quick_range(*to);
  }

  void choose(Node* to) {
    schema::Choices& choices = *schema::add_part(&plan.choices);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t at = from_.next(std::size(kTexts));
      const auto same = [&](const auto& row) { return row.text == kTexts[at]; };
      if (std::any_of(choices.texts.begin(), choices.texts.end(), same)) continue;
      must(choices.texts.push({kTexts[at], text("chosen")}));
    }
    must(choices.numbers.push({static_cast<std::int64_t>(from_.next(8)), text("number")}));
    if (from_.rarely(3)) choices.true_value = text("yes");
    if (from_.rarely(3)) choices.null_value = text("nothing");
    std::vector<std::string_view> names;
    for (const auto& row : choices.texts) names.push_back(row.text);
    must(is_built(choices.text_index.build(names.data(), names.size())));
    choices.rule = rule(Slug::literal_error, schema::Demand::predicate);
    to->choices = &choices;
  }

  Node* holder(std::size_t kind, int depth) {
    switch (kind) {
      case 15:
      case 16:
        return array(Kind::list, Slug::list_type, depth);
      case 17:
        return array(from_.next(2) ? Kind::set : Kind::frozenset, Slug::set_type, depth);
      case 18:
        return array(Kind::tuple, Slug::tuple_type, depth);
      case 19:
        return fixed(depth);
      case 20:
        return dict(depth);
      case 21:
        return any_of(depth);
      case 22:
        return tagged_of(depth);
      case 23: {
        Node* made = make(Kind::custom, Slug::missing);
        must(made->children.push(node(depth + 1)));
        if (made->children[0]->kind == Kind::custom)
          made->children[0] = make(Kind::string, Slug::string_type);
        return made;
      }
      default:
        return record(depth, {}, 0);
    }
  }

  Node* array(Kind kind, Slug wrong, int depth) {
    Node* made = make(kind, wrong);
    open_.push_back(made);
    must(made->children.push(node(depth + 1)));
    open_.pop_back();
    if (from_.rarely(4)) must(made->rules.push(rule(Slug::too_long, schema::Demand::max_length)));
    return made;
  }

  Node* fixed(int depth) {
    Node* made = make(Kind::fixed, Slug::tuple_type);
    for (std::size_t i = from_.next(4); i > 0; --i) must(made->children.push(node(depth + 1)));
    made->too_long = rule(Slug::too_long, schema::Demand::max_length);
    return made;
  }

  Node* dict(int depth) {
    Node* made = make(Kind::dict, Slug::dict_type);
    order_shows = true;
    const Node* key = leaf(from_.next(13));
    if (key->kind == Kind::delegate) key = make(Kind::string, Slug::string_type);
    open_.push_back(made);
    must(made->children.push(key) && made->children.push(node(depth + 1)));
    open_.pop_back();
    return made;
  }

  // tag: the Literal that the field "kind" is; empty: there is none.
  Node* record(int depth, std::string_view tag, std::size_t fields_min) {
    schema::Record& record = *schema::add_part(&plan.records);
    Node* made = make(Kind::record, Slug::dataclass_type);
    made->record = &record;
    if (tag.empty()) open_.push_back(made);
    std::size_t at = from_.next(std::size(kNames));
    for (std::size_t i = fields_min + from_.next(6); i > 0; --i, ++at) {
      const std::string_view name = kNames[at % std::size(kNames)];
      if (!tag.empty() && name == "kind") continue;
      add_field(&record, name, node(depth + 1));
    }
    if (!tag.empty()) add_field(&record, "kind", literal(tag));
    if (tag.empty()) open_.pop_back();
    record.forbid_extra = from_.rarely(3);
    record.post_init = from_.rarely(3);
    if (record.forbid_extra) order_shows = true;
    if (tag.empty() && from_.rarely(4)) {
      record.from_array = true;
      record.too_long = rule(Slug::too_long, schema::Demand::max_length);
    }
    record.make = from_.next(2) ? schema::Make::slots : schema::Make::call;
    must(is_built(schema::index_record(&record)));
    return made;
  }

  void add_field(schema::Record* record, std::string_view name, const Node* node) {
    schema::Field field;
    field.name = name;
    field.quoted = *text(write_string(name, false));
    if (name == "x\"y") field.quoted = R"("x\"y")";
    field.node = node;
    field.required = !from_.rarely(3);
    if (!field.required && from_.next(2)) field.default_value = text("default");
    if (!field.required && from_.rarely(5)) {
      field.takes_input = false;
      field.quoted = "\x01";
    }
    must(record->fields.push(field));
  }

  Node* literal(std::string_view value) {
    schema::Choices& choices = *schema::add_part(&plan.choices);
    must(choices.texts.push({value, text(value)}));
    must(is_built(choices.text_index.build(&value, 1)));
    choices.rule = rule(Slug::literal_error, schema::Demand::predicate);
    Node* made = make(Kind::choice, Slug::literal_error);
    made->choices = &choices;
    return made;
  }

  Node* tagged_of(int depth) {
    tagged = true;
    schema::Tags& tags = *schema::add_part(&plan.tags);
    Node* made = make(Kind::tagged, Slug::missing);
    tags.key = "kind";
    static constexpr std::string_view kTags[] = {
        "cat", "a", "text of more than sixty-four bytes, so that the widest"};
    for (std::uint16_t i = 0; i < 2 + from_.next(2); ++i) {
      must(tags.names.push(kTags[i]) && tags.numeric.push(false) && tags.member.push(i));
      must(made->labels.push(kTags[i].substr(0, 5)));
      must(made->children.push(record(depth + 1, kTags[i], 0)));
    }
    must(is_built(tags.index.build(tags.names.data(), tags.names.size())));
    tags.not_found = rule(Slug::union_tag_not_found, schema::Demand::predicate);
    tags.invalid = rule(Slug::union_tag_invalid, schema::Demand::predicate);
    made->tags = &tags;
    return made;
  }

  Node* any_of(int depth) {
    Node* made = make(Kind::union_of, Slug::missing);
    const std::size_t count = 2 + from_.next(3);
    for (std::size_t i = 0; i < count; ++i) {
      must(made->children.push(node(depth + 1)));
      must(made->labels.push(*text("member " + std::to_string(i))));
    }
    by_look(made);
    unions.push_back(made);
    return made;
  }

  // As lanner/schema/_unions.py: looks().
  void by_look(Node* to) {
    bool integers = false;
    for (const Node* member : to->children) integers = integers || member->kind == Kind::integer;
    for (std::size_t i = 0; i < to->children.size(); ++i) {
      const Node& member = *to->children[i];
      for (int look = KindTable::null; look <= KindTable::object; ++look) {
        if (!takes(member, look) && !(member.nullable && look == KindTable::null)) continue;
        if (look == KindTable::integer && integers && member.kind == Kind::floating) {
          mixed_numbers = true;
          continue;
        }
        std::int16_t& place = to->kinds.member[look];
        place = place == -1 ? static_cast<std::int16_t>(i) : std::int16_t{-2};
      }
    }
  }

  static bool takes(const Node& node, int look) {
    switch (node.kind) {
      case Kind::none:
        return look == KindTable::null;
      case Kind::boolean:
        return look == KindTable::boolean;
      case Kind::integer:
        return look == KindTable::integer;
      case Kind::floating:
        return look == KindTable::integer || look == KindTable::real;
      case Kind::decimal:
        return look == KindTable::integer || look == KindTable::real || look == KindTable::text;
      case Kind::string:
      case Kind::bytes:
      case Kind::datetime:
      case Kind::date:
      case Kind::time:
      case Kind::timedelta:
      case Kind::uuid:
        return look == KindTable::text;
      case Kind::list:
      case Kind::set:
      case Kind::frozenset:
      case Kind::tuple:
      case Kind::fixed:
        return look == KindTable::array;
      case Kind::dict:
        return look == KindTable::object;
      case Kind::record:
        return look == KindTable::object || (look == KindTable::array && node.record->from_array);
      case Kind::choice:
        return look == KindTable::text || look == KindTable::integer ||
               (look == KindTable::boolean && node.choices->true_value) ||
               (look == KindTable::null && node.choices->null_value);
      default:
        return true;
    }
  }

  Choices& from_;
  std::vector<Node*> open_;  // containers whose nodes are being made: a type that holds itself
  std::vector<std::unique_ptr<std::string>> texts_;
};

// A document for the plan; now and then something else stands where a value should.
class DocumentMaker final {
 public:
  explicit DocumentMaker(Choices& from) noexcept : from_(from) {}
  std::string make(const Node& root) {
    value(root, 0);
    return std::move(out_);
  }

 private:
  static constexpr int kDepth = 12;
  static constexpr std::size_t kSizeMax = 4096;

  void value(const Node& node, int depth) {
    if (depth > kDepth || out_.size() > kSizeMax) {
      out_ += "0";
    } else if (from_.rarely(12)) {
      misfit(depth);
    } else if (node.nullable && from_.rarely(3)) {
      out_ += "null";
    } else {
      fitting(node, depth);
    }
  }

  void fitting(const Node& node, int depth) {
    switch (node.kind) {
      case Kind::list:
      case Kind::set:
      case Kind::frozenset:
      case Kind::tuple:
        return items(from_.next(5), depth, [&](std::size_t) { return node.children[0]; });
      case Kind::fixed:
        return items(node.children.size(), depth, [&](std::size_t i) { return node.children[i]; });
      case Kind::dict:
        return dict(*node.children[1], depth);
      case Kind::record:
        return record(*node.record, depth);
      case Kind::union_of:
      case Kind::tagged:
        return value(*node.children[from_.next(node.children.size())], depth + 1);
      case Kind::custom:
        return value(*node.children[0], depth + 1);
      default:
        return leaf(node);
    }
  }

  void leaf(const Node& node) {
    switch (node.kind) {
      case Kind::none:
        out_ += "null";
        return;
      case Kind::boolean:
        out_ += from_.next(2) ? "true" : "false";
        return;
      case Kind::integer:
      case Kind::floating:
        out_ += kNumbers[from_.next(std::size(kNumbers))];
        return;
      case Kind::choice:
        out_ +=
            write_string(node.choices->texts[from_.next(node.choices->texts.size())].text, false);
        return;
      case Kind::any:
        return misfit(0);
      default:
        out_ += write_string(kTexts[from_.next(std::size(kTexts))], from_.rarely(4));
        return;
    }
  }

  template <class NodeOf>
  void items(std::size_t count, int depth, NodeOf node_of) {
    out_ += "[";
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) out_ += ",";
      value(*node_of(i), depth + 1);
    }
    out_ += from_.rarely(16) ? ",1]" : "]";
  }

  void dict(const Node& child, int depth) {
    out_ += "{";
    for (std::size_t i = from_.next(4); i > 0; --i) {
      out_ += write_string(kTexts[from_.next(std::size(kTexts))], false) + ":";
      value(child, depth + 1);
      if (i != 1) out_ += ",";
    }
    out_ += "}";
  }

  void record(const schema::Record& record, int depth) {
    out_ += "{";
    bool first = true;
    std::size_t at = from_.rarely(3) ? from_.next(8) : 0;  // where it begins
    for (std::size_t i = 0; i < record.fields.size(); ++i, ++at) {
      const schema::Field& field = record.fields[at % record.fields.size()];
      if (from_.rarely(9)) continue;
      if (!first) out_ += ",";
      first = false;
      out_ += write_string(from_.rarely(12) ? "other" : field.name, from_.rarely(9)) + ":";
      value(*field.node, depth + 1);
    }
    out_ += "}";
  }

  void misfit(int depth) {
    static constexpr std::string_view kOthers[] = {"{}",
                                                   "[]",
                                                   "null",
                                                   "true",
                                                   "\"bad\"",
                                                   "1e3",
                                                   "[[1],{\"a\":[]}]",
                                                   "{\"kind\":1}",
                                                   "{\"kind\":\"cat\",\"kind\":\"a\"}",
                                                   "\"\\u00e9\\ud83d\\ude00\""};
    const std::size_t which = from_.next(std::size(kOthers) + std::size(kNumbers) + 1);
    if (which < std::size(kOthers)) {
      out_ += kOthers[which];
    } else if (which < std::size(kOthers) + std::size(kNumbers)) {
      out_ += kNumbers[which - std::size(kOthers)];
    } else if (depth < kDepth) {
      out_ += from_.take(1);  // most often no JSON
    }
  }

  Choices& from_;
  std::string out_;
};

}  // namespace lanner::fuzz
