// schema/test_parts.h: the parts of a plan, made by hand: for tests and fuzzers.

#pragma once

#include <cstdlib>
#include <initializer_list>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "schema/plan.h"

namespace lanner::schema::test {

// There is memory in a test.
inline void must(bool done) {
  if (!done) std::abort();
}
inline bool is_built(NameIndex::Built built) noexcept { return built == NameIndex::Built::done; }

template <class T>
void fill(Vector<T>* vector, std::initializer_list<T> values) {
  vector->shrink(0);
  for (const T& value : values) must(vector->push(value));
}

// Owns the plan, and its texts.
class Parts {
 public:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  Node* node(Kind kind, Slug wrong = Slug::missing,
             std::initializer_list<const Node*> children = {}) {
    Node* made = add_part(&plan.nodes);
    must(made);
    made->kind = kind;
    made->wrong_type = wrong;
    fill(&made->children, children);
    return made;
  }
  Node* integer() { return node(Kind::integer, Slug::int_type); }
  Node* string() { return node(Kind::string, Slug::string_type); }

  Record* empty_record() {
    Record* made = add_part(&plan.records);
    must(made);
    made->make = Make::slots;
    return made;
  }
  Field* add_field(Record* record, std::string_view name, const Node* child) {
    must(record->fields.push(Field()));
    Field* made = &record->fields.back();
    made->name = keep(std::string(name));
    made->quoted = keep("\"" + std::string(name) + "\"");
    made->written = keep("\"" + std::string(name) + "\":");
    made->node = child;
    return made;
  }
  // REQUIRES: its fields are complete.
  Node* record_node(Record* record) {
    must(is_built(index_record(record)));
    must(make_read_fields(&plan));
    Node* made = node(Kind::record, Slug::dict_type);
    made->record = record;
    return made;
  }
  Node* record(std::initializer_list<std::pair<const char*, const Node*>> fields) {
    Record* made = empty_record();
    for (const auto& [name, child] : fields) add_field(made, name, child);
    return record_node(made);
  }
  // A union whose member is chosen by the field `key`, of these values.
  Node* tagged(std::string_view key,
               std::initializer_list<std::pair<const char*, const Node*>> members) {
    Tags* tags = add_part(&plan.tags);
    Rule* rule = add_part(&plan.rules);
    must(tags && rule);
    Node* made = node(Kind::tagged);
    made->tags = tags;
    tags->key = key;
    tags->not_found = tags->invalid = rule;
    for (const auto& [tag, member] : members) {
      const auto position = static_cast<std::uint16_t>(tags->member.size());
      must(tags->names.push(tag) && tags->numeric.push(false) && tags->member.push(position));
      must(made->labels.push(tag) && made->children.push(member));
    }
    must(is_built(tags->index.build(tags->names.data(), tags->names.size())));
    return made;
  }

  Plan plan;

 private:
  std::list<std::string> texts_;
};

}  // namespace lanner::schema::test
