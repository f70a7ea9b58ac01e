// schema/plan.h: a compiled type: nodes, records, rules. Made once, used by every decode.
//
// The plan is independent of Python: classes, defaults and bounds are `void*` that the builder
// stores and interprets. The owner of the plan keeps them alive, and all its texts. A finished plan
// is immutable and may be read by several threads.

#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "base/vector.h"
#include "schema/name_index.h"
#include "schema/pattern.h"

namespace lanner::schema {

enum class Slug : std::uint8_t {
#define LANNER_SLUG(name, message) name,
#include "schema/slugs.def"
#undef LANNER_SLUG
};

// "greater_than_equal"
std::string_view slug_name(Slug slug) noexcept;
// The message of slugs.def; empty when only a rule has it.
std::string_view slug_message(Slug slug) noexcept;
// False when there is no slug of that name.
bool find_slug(std::string_view name, Slug* slug) noexcept;

// Which values of other kinds are converted; the tables are in docs/schema.md.
enum class Profile : std::uint8_t {
  json,    // strict, except for int -> float and types that JSON can only write as text
  text,    // path, query, header, cookie, form: every value is text
  compat,  // pydantic's lax mode
};

enum class Kind : std::uint8_t {
  // Leaves: one value, no frame.
  any,
  none,
  boolean,
  integer,
  floating,
  string,
  bytes,
  datetime,
  date,
  time,
  timedelta,
  uuid,
  decimal,
  choice,    // Literal and Enum
  instance,  // an object of a class, as it is
  delegate,  // a class that validates itself (pydantic)
  // Nodes with children: one frame each.
  list,
  set,
  frozenset,
  tuple,  // of one item type, any length
  fixed,  // tuple of an item type each
  dict,
  record,
  union_of,  // by kind, then in order
  tagged,    // by the value of one field
  // A function after the inner node. Of two children the first is what is written and described,
  // the last what is read.
  custom,
};
constexpr bool is_leaf(Kind kind) noexcept { return kind < Kind::list; }

// "int": the name for messages; data() ends in NUL.
std::string_view kind_name(Kind kind) noexcept;

// The kinds of rules, in the order in which they are checked.
enum class Demand : std::uint8_t {
  strip,
  lower,
  upper,
  multiple_of,
  le,
  lt,
  ge,
  gt,
  max_length,
  min_length,
  pattern,
  max_digits,
  decimal_places,
  tz_aware,
  tz_naive,
  unique,
  predicate,  // a function says yes or no
};

struct Rule {
  Demand demand = Demand::predicate;
  Slug slug = Slug::predicate_failed;
  bool has_integer = false;   // `integer` is the bound
  bool has_floating = false;  // `floating` is the bound
  std::int64_t integer = 0;
  double floating = 0;
  std::string_view
      message;              // complete; U+0001 is a hole for the actual length or the offending tag
  void* context = nullptr;  // the builder's: what ctx holds
  Buffer context_text;      // the same as JSON; empty: it can not be written so, or there is none
  void* object = nullptr;   // the builder's: the bound, a function, or a pattern of its own engine
  std::unique_ptr<Pattern> pattern;
};

struct Node;

struct Field {
  std::string_view name;     // the key on the wire
  std::string_view written;  // "name": as it is written
  std::string_view quoted;   // "name" with its quotes, escaped as JSON
  const Node* node = nullptr;
  bool required = true;
  bool takes_input = true;        // false: only ever its default (field(init=False))
  void* key = nullptr;            // the builder's: the key as an object
  void* attribute = nullptr;      // the builder's: where it is stored
  void* argument = nullptr;       // the builder's: Make::call: its name in the call
  void* unset = nullptr;          // the builder's: a value that is not written (msgspec's UNSET)
  bool is_kept = true;            // false: the object has no such attribute (InitVar)
  void* default_value = nullptr;  // the builder's; null = none
  void* factory = nullptr;        // the builder's; null = none
  std::intptr_t offset = -1;      // in the object; -1 = not in a slot
};

// The encoder's cache-compact copy of Field, for loops over many records.
struct FieldRow {
  static constexpr std::size_t kKeyMax = 64;
  char key[kKeyMax] = {};     // Field::written
  std::uint8_t key_size = 0;  // 0: it is longer than kKeyMax
  Kind kind = Kind::any;      // of the field's node
  bool nullable = false;
  const Node* node = nullptr;
  std::intptr_t offset = -1;
  void* attribute = nullptr;
};

struct Record;

// A field in the form used by the fast reader of whole records, which reads fields in their
// declared order and leaves everything unusual to the machine.
struct alignas(64) ReadField {
  static constexpr std::size_t kKeyMax = 64;
  static constexpr std::size_t kInnerFieldsMax = 16;  // of a record within another
  enum class Read : std::uint8_t {
    other,  // not by the fast reader
    string,
    integer,
    floating,
    boolean,
    record,  // all of whose fields the fast reader reads
  };
  char key[kKeyMax] = {};      // "name": as compact JSON has it
  std::uint64_t key_mask = 0;  // a bit for each of its bytes
  std::uint8_t key_size = 0;
  Read read = Read::other;
  bool nullable = false;
  std::int64_t least = INT64_MIN;  // of the number, or of the text's length
  std::int64_t most = INT64_MAX;
  void* name = nullptr;            // Field::key
  const Record* record = nullptr;  // the one to be read

  bool holds(std::int64_t value) const noexcept { return value >= least && value <= most; }
};

// How a record's object is made; interpreted by the builder.
enum class Make : std::uint8_t { slots, attributes, mapping, tuple, call };

struct Record {
  Vector<Field> fields;
  Vector<FieldRow> rows;  // of `fields`, once all nodes are known: make_rows()
  bool all_rows = false;  // all of them have their keys
  NameIndex index;        // of the fields that take input
  Make make = Make::call;
  bool forbid_extra = false;
  bool from_array = false;         // NamedTuple: a JSON array will do
  std::string_view tag;            // "type":"cat", is written first; empty = none
  bool post_init = false;          // has __post_init__
  bool omit_defaults = false;      // fields that equal their default are not written
  const Rule* too_long = nullptr;  // from_array
  void* type = nullptr;            // the builder's class
  Vector<ReadField> read_fields;   // of `fields`; empty where it would not help
  Vector<std::intptr_t> offsets;   // make == slots: of `fields`
  bool slots_only = false;         // an object is its head and these slots, and nothing else

  // A fast reader may read field `next`.
  bool row_helps(std::size_t next) const noexcept {
    return next < read_fields.size() && read_fields[next].read != ReadField::Read::other;
  }
  // A fast reader may read it while it reads another: it has leaves only, and not too many.
  bool is_flat() const noexcept;
  // Making one runs no user code.
  bool is_plain() const noexcept { return make != Make::call && !post_init; }
};

// The values of a Literal or an Enum.
struct Choices {
  struct Text {
    std::string_view text;
    void* value;
  };
  struct Number {
    std::int64_t number;
    void* value;
  };
  Vector<Text> texts;
  NameIndex text_index;  // of texts
  Vector<Number> numbers;
  void* true_value = nullptr;
  void* false_value = nullptr;
  void* null_value = nullptr;
  void* map =
      nullptr;  // the builder's: input value -> choice, for what is no text and no small number
  void* type = nullptr;      // the builder's Enum class
  bool of_integers = false;  // whose members are ints
  const Rule* rule = nullptr;
};

// The only member of a union that accepts this kind of value. -1 = none, -2 = several.
struct KindTable {
  enum Look : std::uint8_t { null, boolean, integer, real, text, array, object, other, kCount };
  // `other`: what is no JSON: an object of the language's own.
  std::int16_t member[kCount] = {-1, -1, -1, -1, -1, -1, -1, -2};
};

struct Tags {
  std::string_view key;            // the field that tells
  void* key_object = nullptr;      // the builder's: the key as an object
  void* attribute = nullptr;       // the builder's: the attribute of the members' instances
  NameIndex index;                 // of the members' tags, by position
  Vector<std::string_view> names;  // tag -> text; a number as its digits
  Vector<bool> numeric;            // the tag is a number, not a string
  Vector<std::uint16_t> member;    // tag -> child
  const Rule* not_found = nullptr;
  const Rule* invalid = nullptr;
};

// A range that is checked before the rules: every rule holds for values inside it.
struct QuickRange {
  enum class Of : std::uint8_t { nothing, integer, length } of = Of::nothing;
  std::int64_t least = INT64_MIN;
  std::int64_t most = INT64_MAX;
  bool holds(std::int64_t value) const noexcept { return value >= least && value <= most; }
};

// What a node says of itself, but for its lists.
struct NodeFacts {
  Kind kind = Kind::any;
  bool nullable = false;       // null passes, as null
  bool keep_order = false;     // union: never by kind
  bool has_integers = false;   // union: one of the members is an int: make_unions()
  bool allow_inf_nan = false;  // floating
  bool strict = false;         // read as by Profile::json, whatever the plan's profile is
  Slug wrong_type = Slug::missing;
  bool shallow = false;  // an array of leaves, or of flat records: make_read_fields()
  QuickRange quick;      // of the rules
  const Record* record = nullptr;
  const Choices* choices = nullptr;
  const Tags* tags = nullptr;
  KindTable kinds;
  const Rule* too_long = nullptr;  // fixed
  const Rule* wrong = nullptr;     // of a wrong type: its message, where the slug's is not enough
  void* object = nullptr;      // the builder's: class or function; of a container: a class whose
                               // instances it takes besides its own
  void* encode = nullptr;      // custom, delegate: the builder's: what writes it; null = nothing
  void* own_class = nullptr;   // custom, delegate: the builder's: whose instances it writes
  void* lax_source = nullptr;  // custom: the builder's: classes that its function takes in compat
};

struct Node : NodeFacts {
  Vector<const Rule*> rules;
  Vector<const Node*> children;     // items; key, value; members; inner
  Vector<std::string_view> labels;  // union: what `loc` says of each child

  // REQUIRES: its own lists are empty. False: memory is out.
  [[nodiscard]] bool copy(const Node& other) noexcept {
    static_cast<NodeFacts&>(*this) = other;
    return rules.append(other.rules) && children.append(other.children) &&
           labels.append(other.labels);
  }
};

// Owns all parts.
struct Plan {
  Vector<std::unique_ptr<Node>> nodes;
  Vector<std::unique_ptr<Record>> records;
  Vector<std::unique_ptr<Rule>> rules;
  Vector<std::unique_ptr<Choices>> choices;
  Vector<std::unique_ptr<Tags>> tags;
  Profile profile = Profile::json;
  bool reject_duplicates = false;
  bool from_attributes = false;  // a record is read from any object that has its attributes
  std::uint32_t errors_max = 64;
  std::uint32_t members_max = 0;  // of its unions: make_unions()
  const Node* root = nullptr;
};

// A new one of the plan's parts; null: memory is out.
template <class Part>
Part* add_part(Vector<std::unique_ptr<Part>>* parts) noexcept {
  std::unique_ptr<Part> made(new (std::nothrow) Part());
  Part* const part = made.get();
  return part && parts->push(std::move(made)) ? part : nullptr;
}

inline Profile profile_of(const Plan& plan, const Node& node) noexcept {
  return node.strict ? Profile::json : plan.profile;
}

// The node's rules as one range, if all of them can be expressed that way.
QuickRange quick_range(const Node& node) noexcept;

// Fills record->rows. REQUIRES: the fields' nodes are complete. False: memory is out.
[[nodiscard]] bool make_rows(Record* record) noexcept;
// Fills in Record::read_fields of all records, and Node::shallow. REQUIRES: the nodes are complete.
// False: memory is out.
[[nodiscard]] bool make_read_fields(Plan* plan) noexcept;

// Fills in what unions need to know of their members. REQUIRES: the nodes are complete.
void make_unions(Plan* plan) noexcept;

// One key of the record's table per field; refused when a name stands twice.
[[nodiscard]] NameIndex::Built index_record(Record* record) noexcept;

}  // namespace lanner::schema
