#include "schema/plan.h"

#include <algorithm>
#include <cstring>

namespace lanner::schema {

namespace {

struct SlugRow {
  std::string_view name;
  std::string_view message;
};

constexpr SlugRow kSlugs[] = {
#define LANNER_SLUG(name, message) {#name, message},
#include "schema/slugs.def"
#undef LANNER_SLUG
};

}  // namespace

std::string_view slug_name(Slug slug) noexcept {
  const std::string_view name = kSlugs[static_cast<std::size_t>(slug)].name;
  return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;  // enum_ is a keyword in C++
}

std::string_view slug_message(Slug slug) noexcept {
  return kSlugs[static_cast<std::size_t>(slug)].message;
}

bool find_slug(std::string_view name, Slug* slug) noexcept {
  for (std::size_t i = 0; i < std::size(kSlugs); ++i) {
    if (slug_name(static_cast<Slug>(i)) == name) {
      *slug = static_cast<Slug>(i);
      return true;
    }
  }
  return false;
}

std::string_view kind_name(Kind kind) noexcept {
  static constexpr std::string_view kNames[] = {"anything",
                                                "None",
                                                "bool",
                                                "int",
                                                "float",
                                                "str",
                                                "bytes",
                                                "datetime",
                                                "date",
                                                "time",
                                                "timedelta",
                                                "UUID",
                                                "Decimal",
                                                "one of the choices",
                                                "instance",
                                                "model",
                                                "list",
                                                "set",
                                                "frozenset",
                                                "tuple",
                                                "tuple",
                                                "dict",
                                                "record",
                                                "one of the union's types",
                                                "one of the union's types",
                                                "value"};
  return kNames[static_cast<std::size_t>(kind)];
}

QuickRange quick_range(const Node& node) noexcept {
  QuickRange range;
  const bool number = node.kind == Kind::integer;
  if (node.rules.empty() || (!number && node.kind != Kind::string)) return range;
  for (const Rule* rule : node.rules) {
    if (!rule->has_integer) return {};
    const std::int64_t bound = rule->integer;
    switch (rule->demand) {
      case Demand::ge:
      case Demand::min_length:
        range.least = std::max(range.least, bound);
        break;
      case Demand::le:
      case Demand::max_length:
        range.most = std::min(range.most, bound);
        break;
      case Demand::gt:
        if (bound == INT64_MAX) return {};
        range.least = std::max(range.least, bound + 1);
        break;
      case Demand::lt:
        if (bound == INT64_MIN) return {};
        range.most = std::min(range.most, bound - 1);
        break;
      default:
        return {};
    }
  }
  range.of = number ? QuickRange::Of::integer : QuickRange::Of::length;
  return range;
}

void make_unions(Plan* plan) noexcept {
  for (const auto& node : plan->nodes) {
    if (node->kind != Kind::union_of) continue;
    for (const Node* member : node->children) {
      node->has_integers = node->has_integers || member->kind == Kind::integer;
    }
    plan->members_max =
        std::max(plan->members_max, static_cast<std::uint32_t>(node->children.size()));
  }
}

bool make_rows(Record* record) noexcept {
  record->rows.shrink(0);
  if (!record->rows.reserve(record->fields.size())) return false;
  for (const Field& field : record->fields) {
    FieldRow row;
    row.kind = field.node->kind;
    row.nullable = field.node->nullable;
    row.node = field.node;
    row.offset = field.offset;
    row.attribute = field.attribute;
    if (field.written.size() <= FieldRow::kKeyMax) {
      row.key_size = static_cast<std::uint8_t>(field.written.size());
      std::copy(field.written.begin(), field.written.end(), row.key);
    }
    if (!record->rows.push(row)) return false;
  }
  record->all_rows = std::all_of(record->rows.begin(), record->rows.end(),
                                 [](const FieldRow& row) { return row.key_size != 0; });
  return true;
}

namespace {

ReadField::Read row_read(const Node& node) noexcept {
  if (!node.rules.empty() && node.quick.of == QuickRange::Of::nothing)
    return ReadField::Read::other;
  switch (node.kind) {
    case Kind::string:
      return ReadField::Read::string;
    case Kind::integer:
      return ReadField::Read::integer;
    case Kind::floating:
      return ReadField::Read::floating;
    case Kind::boolean:
      return ReadField::Read::boolean;
    default:
      return ReadField::Read::other;
  }
}

bool make_leaves(Record* record) noexcept {
  record->read_fields.shrink(0);
  if (!record->read_fields.resize(record->fields.size())) return false;
  bool helps = false;
  for (std::size_t i = 0; i < record->fields.size(); ++i) {
    const Field& field = record->fields[i];
    ReadField& row = record->read_fields[i];
    row.name = field.key;
    const std::size_t key_size = field.quoted.size() + 1;  // with the colon
    if (!field.takes_input || key_size > ReadField::kKeyMax) continue;
    std::memcpy(row.key, field.quoted.data(), field.quoted.size());
    row.key[field.quoted.size()] = ':';
    row.key_size = static_cast<std::uint8_t>(key_size);
    row.key_mask = ~std::uint64_t{0} >> (ReadField::kKeyMax - key_size);
    row.read = row_read(*field.node);
    row.nullable = field.node->nullable;
    row.least = field.node->quick.least;
    row.most = field.node->quick.most;
    helps = helps || row.read != ReadField::Read::other;
  }
  if (!helps) record->read_fields.shrink(0);
  return true;
}

}  // namespace

bool Record::is_flat() const noexcept {
  if (!is_plain() || read_fields.empty() || read_fields.size() > ReadField::kInnerFieldsMax)
    return false;
  return std::all_of(read_fields.begin(), read_fields.end(), [](const ReadField& field) {
    return field.read != ReadField::Read::other && field.read != ReadField::Read::record;
  });
}

bool make_read_fields(Plan* plan) noexcept {
  for (const std::unique_ptr<Record>& record : plan->records) {
    if (!make_leaves(record.get())) return false;
  }
  for (const std::unique_ptr<Node>& node : plan->nodes) {
    if (node->kind != Kind::list) continue;
    const Node& item = *node->children[0];
    node->shallow = is_leaf(item.kind) || (item.kind == Kind::record && item.record->is_flat());
  }
  for (const std::unique_ptr<Record>& record : plan->records) {
    for (std::size_t i = 0; i < record->read_fields.size(); ++i) {
      const Node& node = *record->fields[i].node;
      ReadField& field = record->read_fields[i];
      if (node.kind != Kind::record || !node.record->is_flat() || field.key_size == 0) continue;
      field.read = ReadField::Read::record;
      field.record = node.record;
    }
  }
  return true;
}

NameIndex::Built index_record(Record* record) noexcept {
  Vector<std::string_view> names;
  if (!names.reserve(record->fields.size())) return NameIndex::Built::no_memory;
  for (const Field& field : record->fields) {
    if (!names.push(field.takes_input ? field.name : std::string_view()))
      return NameIndex::Built::no_memory;
  }
  return record->index.build(names.data(), names.size());
}

}  // namespace lanner::schema
