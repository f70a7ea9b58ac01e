#include "python/schema/compile.h"

#include <algorithm>

#include <structmember.h>

#include "python/object/call_method.h"
#include "python/schema/builder.h"
#include "python/schema/context_text.h"

namespace lanner::python {

namespace {

using schema::Demand;
using schema::Kind;
using schema::Make;
using schema::Node;
using schema::Rule;

template <class T>
struct Word {
  const char* name;
  T value;
};

constexpr Word<Kind> kKinds[] = {{"any", Kind::any},
                                 {"none", Kind::none},
                                 {"boolean", Kind::boolean},
                                 {"integer", Kind::integer},
                                 {"floating", Kind::floating},
                                 {"string", Kind::string},
                                 {"bytes", Kind::bytes},
                                 {"datetime", Kind::datetime},
                                 {"date", Kind::date},
                                 {"time", Kind::time},
                                 {"timedelta", Kind::timedelta},
                                 {"uuid", Kind::uuid},
                                 {"decimal", Kind::decimal},
                                 {"choice", Kind::choice},
                                 {"instance", Kind::instance},
                                 {"delegate", Kind::delegate},
                                 {"list", Kind::list},
                                 {"set", Kind::set},
                                 {"frozenset", Kind::frozenset},
                                 {"tuple", Kind::tuple},
                                 {"fixed", Kind::fixed},
                                 {"dict", Kind::dict},
                                 {"record", Kind::record},
                                 {"union", Kind::union_of},
                                 {"tagged", Kind::tagged},
                                 {"custom", Kind::custom}};

constexpr Word<Demand> kDemands[] = {{"strip", Demand::strip},
                                     {"lower", Demand::lower},
                                     {"upper", Demand::upper},
                                     {"multiple_of", Demand::multiple_of},
                                     {"le", Demand::le},
                                     {"lt", Demand::lt},
                                     {"ge", Demand::ge},
                                     {"gt", Demand::gt},
                                     {"max_length", Demand::max_length},
                                     {"min_length", Demand::min_length},
                                     {"pattern", Demand::pattern},
                                     {"max_digits", Demand::max_digits},
                                     {"decimal_places", Demand::decimal_places},
                                     {"tz_aware", Demand::tz_aware},
                                     {"tz_naive", Demand::tz_naive},
                                     {"unique", Demand::unique},
                                     {"predicate", Demand::predicate}};

constexpr Word<Make> kMakes[] = {{"slots", Make::slots},
                                 {"attributes", Make::attributes},
                                 {"mapping", Make::mapping},
                                 {"tuple", Make::tuple},
                                 {"call", Make::call}};

constexpr const char* kLooks[] = {"null", "boolean", "integer", "real",
                                  "text", "array",   "object",  "other"};

constexpr int kHopsMax = 100;  // nodes that stand for nodes

class Compiler final {
 public:
  Compiler(PyObject* nodes, schema::Plan* plan) noexcept : nodes_(nodes), plan_(plan) {}

  bool run(Py_ssize_t root) noexcept {
    const Py_ssize_t count = PyList_Check(nodes_) ? PyList_GET_SIZE(nodes_) : 0;
    if (count == 0) return wrong("a list of nodes");
    if (!plan_->nodes.reserve(static_cast<std::size_t>(count))) return no_memory();
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!schema::add_part(&plan_->nodes)) return no_memory();
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!node(PyList_GET_ITEM(nodes_, i), plan_->nodes[static_cast<std::size_t>(i)].get()))
        return false;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!same_as(PyList_GET_ITEM(nodes_, i), plan_->nodes[static_cast<std::size_t>(i)].get()))
        return false;
    }
    for (const auto& record : plan_->records) {
      if (!schema::make_rows(record.get())) return no_memory();
    }
    if (root < 0 || root >= count) return wrong("the root's number");
    plan_->root = plan_->nodes[static_cast<std::size_t>(root)].get();
    if (!schema::make_read_fields(plan_)) return no_memory();
    schema::make_unions(plan_);
    return !PyErr_Occurred();
  }

 private:
  // Borrowed; null when it is not there or None, or with an exception, which run() looks for.
  static PyObject* get(PyObject* dict, const char* key) noexcept {
    PyObject* value = PyErr_Occurred() ? nullptr : get_item(dict, key);
    return value == Py_None ? nullptr : value;
  }
  static bool wrong(const char* what) noexcept {
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "schema description: %s expected", what);
    return false;
  }
  static bool no_memory() noexcept {
    PyErr_NoMemory();
    return false;
  }
  // Borrowed, as the str is.
  static bool text(PyObject* dict, const char* key, std::string_view* out) noexcept {
    PyObject* value = get(dict, key);
    return (value && PyUnicode_Check(value) && utf8_view(value, out)) || wrong(key);
  }
  static bool flag(PyObject* dict, const char* key) noexcept {
    PyObject* value = get(dict, key);
    return value && PyObject_IsTrue(value) > 0;
  }
  template <class T, std::size_t N>
  static bool word(PyObject* dict, const char* key, const Word<T> (&words)[N], T* out) noexcept {
    std::string_view name;
    if (!text(dict, key, &name)) return false;
    for (const Word<T>& row : words) {
      if (name == row.name) {
        *out = row.value;
        return true;
      }
    }
    return wrong(key);
  }
  static bool slug(PyObject* dict, const char* key, schema::Slug* out) noexcept {
    std::string_view name;
    return text(dict, key, &name) && (schema::find_slug(name, out) || wrong(key));
  }

  bool child(PyObject* value, const Node** out) noexcept {
    const Py_ssize_t i = PyLong_Check(value) ? PyLong_AsSsize_t(value) : -1;
    if (i < 0 || static_cast<std::size_t>(i) >= plan_->nodes.size())
      return wrong("a node's number");
    *out = plan_->nodes[static_cast<std::size_t>(i)].get();
    return true;
  }

  // dict[key] is a rule, or not there.
  bool rule(PyObject* dict, const char* key, const Rule** out) noexcept {
    PyObject* value = get(dict, key);
    return !value || make_rule(value, out);
  }

  bool make_rule(PyObject* from, const Rule** out) noexcept {
    if (!PyDict_Check(from)) return wrong("a rule");
    Rule* const added = schema::add_part(&plan_->rules);
    if (!added) return no_memory();
    Rule& made = *added;
    *out = added;
    if (get(from, "demand") && !word(from, "demand", kDemands, &made.demand)) return false;
    if (!slug(from, "slug", &made.slug) || !text(from, "message", &made.message)) return false;
    made.context = get(from, "context");
    if (!write_context(static_cast<PyObject*>(made.context), &made.context_text))
      return no_memory();
    made.object = get(from, "object");
    auto* bound = static_cast<PyObject*>(made.object);
    if (bound && PyLong_CheckExact(bound)) {
      int overflow = 0;
      made.integer = PyLong_AsLongLongAndOverflow(bound, &overflow);
      made.has_integer = overflow == 0;
      made.floating = static_cast<double>(made.integer);
      // A bound that a double holds exactly may be compared as one.
      made.has_floating =
          made.has_integer && made.integer < (1LL << 53) && made.integer > -(1LL << 53);
    } else if (bound && PyFloat_CheckExact(bound)) {
      made.has_floating = true;
      made.floating = PyFloat_AS_DOUBLE(bound);
    }
    if (get(from, "pattern")) {
      std::string_view source;
      schema::Pattern::Problem why;
      if (!text(from, "pattern", &source)) return false;
      made.pattern = schema::Pattern::make(source, &why);
      if (!made.pattern && why.empty()) return no_memory();
      if (!made.pattern && !made.object) return wrong("a pattern that RE2 knows");
    }
    return true;
  }

  bool node(PyObject* from, Node* to) noexcept {
    if (!PyDict_Check(from) || !word(from, "kind", kKinds, &to->kind)) return wrong("a node");
    to->nullable = flag(from, "nullable");
    if (get(from, "same_as")) return true;
    to->keep_order = flag(from, "keep_order");
    to->allow_inf_nan = flag(from, "allow_inf_nan");
    to->strict = flag(from, "strict") && plan_->profile == schema::Profile::compat;
    to->object = get(from, "object");
    to->encode = get(from, "encode");
    to->own_class = get(from, "own_class");
    to->lax_source = get(from, "lax_source");
    if (to->own_class && !PyType_Check(static_cast<PyObject*>(to->own_class)))
      return wrong("a class");
    if (get(from, "wrong_type") && !slug(from, "wrong_type", &to->wrong_type)) return false;
    if (!rule(from, "wrong", &to->wrong) || !rule(from, "too_long", &to->too_long)) return false;
    if (to->wrong) to->wrong_type = to->wrong->slug;
    return rules(from, to) && children(from, to) && kinds(from, to) && details(from, to);
  }

  // A node that stands for another (through others, perhaps), and may be null besides.
  bool same_as(PyObject* from, Node* to) noexcept {
    bool nullable = to->nullable;
    const Node* other = nullptr;
    PyObject* number = get(from, "same_as");
    if (!number) return true;
    for (int hops = 0; number; ++hops) {
      if (hops > kHopsMax || !child(number, &other)) return wrong("a type that is not only itself");
      PyObject* next = PyList_GET_ITEM(nodes_, PyLong_AsSsize_t(number));
      nullable = nullable || flag(next, "nullable");
      number = get(next, "same_as");
    }
    if (!to->copy(*other)) return no_memory();
    to->nullable = nullable;
    return true;
  }

  bool rules(PyObject* from, Node* to) noexcept {
    PyObject* list = get(from, "rules");
    for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list); ++i) {
      const Rule* made = nullptr;
      if (!make_rule(PyList_GET_ITEM(list, i), &made)) return false;
      if (!to->rules.push(made)) return no_memory();
    }
    to->quick = schema::quick_range(*to);
    return true;
  }

  bool children(PyObject* from, Node* to) noexcept {
    PyObject* list = get(from, "children");
    for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list); ++i) {
      const Node* made = nullptr;
      if (!child(PyList_GET_ITEM(list, i), &made)) return false;
      if (!to->children.push(made)) return no_memory();
    }
    PyObject* labels = get(from, "labels");
    for (Py_ssize_t i = 0; labels && i < PyList_GET_SIZE(labels); ++i) {
      std::string_view view;
      if (!utf8_view(PyList_GET_ITEM(labels, i), &view)) return wrong("labels");
      if (!to->labels.push(view)) return no_memory();
    }
    return true;
  }

  bool kinds(PyObject* from, Node* to) noexcept {
    PyObject* table = get(from, "kinds");
    for (std::size_t i = 0; table && i < std::size(kLooks); ++i) {
      PyObject* member = get(table, kLooks[i]);
      if (member) to->kinds.member[i] = static_cast<std::int16_t>(PyLong_AsLong(member));
    }
    return !PyErr_Occurred();
  }

  bool details(PyObject* from, Node* to) noexcept {
    if (PyObject* record = get(from, "record")) {
      auto* const made = schema::add_part(&plan_->records);
      to->record = made;
      if (!made) return no_memory();
      if (!make_record(record, made)) return false;
    }
    if (PyObject* choices = get(from, "choices")) {
      auto* const made = schema::add_part(&plan_->choices);
      to->choices = made;
      if (!made) return no_memory();
      if (!make_choices(choices, made)) return false;
    }
    if (PyObject* tags = get(from, "tags")) {
      auto* const made = schema::add_part(&plan_->tags);
      to->tags = made;
      if (!made) return no_memory();
      if (!make_tags(tags, made)) return false;
    }
    return true;
  }

  bool make_record(PyObject* from, schema::Record* to) noexcept {
    if (!word(from, "make", kMakes, &to->make)) return false;
    to->type = get(from, "type");
    if (!to->type || !PyType_Check(static_cast<PyObject*>(to->type))) return wrong("a class");
    to->forbid_extra = flag(from, "forbid_extra");
    to->from_array = flag(from, "from_array");
    to->post_init = flag(from, "post_init");
    to->omit_defaults = flag(from, "omit_defaults");
    if (!rule(from, "too_long", &to->too_long)) return false;
    if (get(from, "tag") && !text(from, "tag", &to->tag)) return false;
    PyObject* fields = get(from, "fields");
    if (!fields || !PyList_Check(fields)) return wrong("fields");
    if (!to->fields.resize(static_cast<std::size_t>(PyList_GET_SIZE(fields)))) return no_memory();
    for (std::size_t i = 0; i < to->fields.size(); ++i) {
      if (!field(PyList_GET_ITEM(fields, static_cast<Py_ssize_t>(i)), *to, &to->fields[i]))
        return false;
    }
    if (to->make == Make::slots && !find_slots(to)) return no_memory();
    return indexed(schema::index_record(to), "names that differ");
  }

  static bool indexed(schema::NameIndex::Built built, const char* expected) noexcept {
    if (built == schema::NameIndex::Built::no_memory) return no_memory();
    return built == schema::NameIndex::Built::done || wrong(expected);
  }

  static bool find_slots(schema::Record* record) noexcept {
    for (const schema::Field& field : record->fields) {
      if (!record->offsets.push(field.offset)) return false;
    }
    auto* type = static_cast<PyTypeObject*>(record->type);
    const auto slots = static_cast<Py_ssize_t>(record->fields.size() * sizeof(PyObject*));
    record->slots_only = type->tp_alloc == PyType_GenericAlloc && type->tp_itemsize == 0 &&
                         type->tp_dictoffset == 0 && type->tp_weaklistoffset == 0 &&
                         PyType_IS_GC(type) &&
                         type->tp_basicsize == static_cast<Py_ssize_t>(sizeof(PyObject)) + slots;
    return true;
  }

  bool field(PyObject* from, const schema::Record& record, schema::Field* to) noexcept {
    if (!text(from, "name", &to->name) || !text(from, "quoted", &to->quoted)) return false;
    if (!text(from, "written", &to->written)) return false;
    to->takes_input = flag(from, "takes_input");
    if (!to->takes_input) to->quoted = "\x01";  // no key looks like that
    to->required = flag(from, "required");
    to->key = get(from, "name");
    to->attribute = get(from, "attribute");
    to->argument = get(from, "argument");
    to->unset = get(from, "unset");
    to->is_kept = !flag(from, "input_only");
    to->factory = get(from, "factory");
    if (flag(from, "has_default")) to->default_value = get_item(from, "default");
    PyObject* member = get(from, "member");
    if (member && !slot_offset(member, record, &to->offset)) return false;
    if (record.make == Make::slots && to->offset < 0) return wrong("a slot");
    PyObject* number = get(from, "node");
    return number ? child(number, &to->node) : wrong("a field's node");
  }

  // Where a slot of the class lies in its instances.
  static bool slot_offset(PyObject* member, const schema::Record& record,
                          std::intptr_t* offset) noexcept {
    if (Py_TYPE(member) != &PyMemberDescr_Type) return wrong("a member descriptor");
    // SAFETY: that is its type.
    const auto* descriptor = reinterpret_cast<const PyMemberDescrObject*>(member);
    const PyMemberDef* place = descriptor->d_member;
    if (place->type != T_OBJECT_EX || (place->flags & READONLY) ||
        !PyType_IsSubtype(static_cast<PyTypeObject*>(record.type), descriptor->d_common.d_type)) {
      return wrong("a writable slot of the class");
    }
    *offset = place->offset;
    return true;
  }

  bool make_choices(PyObject* from, schema::Choices* to) noexcept {
    to->type = get(from, "type");
    to->of_integers =
        to->type && PyType_IsSubtype(static_cast<PyTypeObject*>(to->type), &PyLong_Type);
    to->map = get(from, "map");
    if (!rule(from, "rule", &to->rule) || !to->rule) return wrong("a rule");
    PyObject* values = get(from, "values");  // [(value, choice), ...]
    if (!values || !PyList_Check(values)) return wrong("values");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values); ++i) {
      PyObject* pair = PyList_GET_ITEM(values, i);
      PyObject* value = PyTuple_GET_ITEM(pair, 0);
      PyObject* choice = PyTuple_GET_ITEM(pair, 1);
      std::string_view view;
      if (value == Py_None) {
        to->null_value = choice;
      } else if (PyBool_Check(value)) {
        (value == Py_True ? to->true_value : to->false_value) = choice;
      } else if (PyLong_Check(value)) {
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (!overflow && !to->numbers.push({number, choice})) return no_memory();
      } else if (PyUnicode_CheckExact(value) && utf8_view(value, &view)) {
        if (!to->texts.push({view, choice})) return no_memory();
      }
      if (PyErr_Occurred()) return false;
    }
    Vector<std::string_view> names;
    for (const auto& row : to->texts) {
      if (!names.push(row.text)) return no_memory();
    }
    return indexed(to->text_index.build(names.data(), names.size()), "values that differ");
  }

  bool make_tags(PyObject* from, schema::Tags* to) noexcept {
    if (!text(from, "key", &to->key)) return false;
    to->key_object = get(from, "key");
    to->attribute = get(from, "attribute");
    if (!rule(from, "not_found", &to->not_found) || !rule(from, "invalid", &to->invalid))
      return false;
    PyObject* list = get(from, "tags");  // [(text, numeric, member), ...]
    if (!list || !PyList_Check(list)) return wrong("tags");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
      PyObject* row = PyList_GET_ITEM(list, i);
      std::string_view view;
      if (!utf8_view(PyTuple_GET_ITEM(row, 0), &view)) return wrong("a tag");
      const auto member = static_cast<std::uint16_t>(PyLong_AsLong(PyTuple_GET_ITEM(row, 2)));
      if (!to->names.push(view) || !to->numeric.push(PyTuple_GET_ITEM(row, 1) == Py_True) ||
          !to->member.push(member)) {
        return no_memory();
      }
    }
    return indexed(to->index.build(to->names.data(), to->names.size()), "tags that differ");
  }

  PyObject* nodes_;
  schema::Plan* plan_;
};

}  // namespace

bool compile_plan(PyObject* nodes, Py_ssize_t root, schema::Plan* plan) noexcept {
  return Compiler(nodes, plan).run(root);
}

}  // namespace lanner::python
