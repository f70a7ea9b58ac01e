// python/schema/fit.cpp: which member of a union a value is written by: the one whose type it has.
//
// A member loses by what it would not write or would change: nothing where the value is just of its
// type, a step for each class between an object's own and the member's, more where it must convert.
// Where several could write the value as it looks, what it holds decides.

#include <algorithm>

#include "python/schema/encoder.h"
#include "python/schema/foreign.h"
#include "python/schema/object_input.h"

namespace lanner::python {

using schema::Kind;
using schema::Node;

namespace {

using Loss = SchemaEncoder::Loss;

constexpr Loss kNone = SchemaEncoder::kNoFit;
constexpr Loss kUnknownKeys = 1'000;  // and one for each key that is not written
constexpr Loss kOfClass = 999;        // a Sequence that is no list, for Sequence[X]
constexpr Loss kConverted = 100'000;  // an int as a float
constexpr Loss kAnything = 200'000;   // Any
constexpr std::size_t kVisits =
    1'000'000;                             // items looked at for this in one document, and more for
constexpr std::size_t kVisitsPerByte = 8;  // each byte written

// How many classes of the object's own line come before `type`.
Loss steps_to(PyObject* object, void* type) noexcept {
  if (Py_TYPE(object) == static_cast<PyTypeObject*>(type)) return 0;
  PyObject* const line = Py_TYPE(object)->tp_mro;
  for (Py_ssize_t i = 0; line && i < PyTuple_GET_SIZE(line); ++i) {
    if (PyTuple_GET_ITEM(line, i) == type) return static_cast<Loss>(i);
  }
  return kNone;
}

Loss of_type(PyObject* object, PyTypeObject* type) noexcept {
  return PyObject_TypeCheck(object, type) ? std::min<Loss>(steps_to(object, type), 999) : kNone;
}

// A container's node: of its own type, or of the class whose instances it takes besides.
Loss of_container(const Node& node, PyObject* object, PyTypeObject* type) noexcept {
  const Loss own = of_type(object, type);
  return own == kNone && is_of_class(node, object) ? kOfClass : own;
}

Loss of_class(PyObject* object, void* type) noexcept {
  return of_type(object, static_cast<PyTypeObject*>(type));
}

Loss of_keys(const schema::Record& record, PyObject* dict) noexcept {
  if (!PyDict_Check(dict)) return kNone;
  Py_ssize_t known = 0;
  for (const schema::Field& field : record.fields) {
    const int found = PyDict_Contains(dict, static_cast<PyObject*>(field.attribute));
    if (found < 0 || (field.required && !found)) return kNone;
    known += found;
  }
  const Py_ssize_t unknown = PyDict_GET_SIZE(dict) - known;
  return unknown > 0 ? kUnknownKeys + static_cast<Loss>(std::min<Py_ssize_t>(unknown, 10'000)) : 0;
}

}  // namespace

Loss SchemaEncoder::loss_of_choice(const schema::Choices& choices, PyObject* value) noexcept {
  if (choices.type) return of_class(value, choices.type);
  bool failed = false;
  SchemaBuilder builder(classes_, *state_);
  const Ref found = Ref::steal(builder.pick(choices, value, &failed));
  return !found ? kNone : Py_TYPE(found.get()) == Py_TYPE(value) ? 0 : 1;
}

Loss SchemaEncoder::loss_of_leaf(const Node& node, PyObject* value) noexcept {
  const PyDateTime_CAPI& api = *classes_.datetime;
  switch (node.kind) {
    case Kind::any:
      return kAnything;
    case Kind::none:
      return value == Py_None ? 0 : kNone;
    case Kind::boolean:
      return PyBool_Check(value) ? 0 : kNone;
    case Kind::integer:
      return PyBool_Check(value) ? kNone : of_type(value, &PyLong_Type);
    case Kind::floating:
      if (PyLong_Check(value)) return PyBool_Check(value) ? kNone : kConverted;
      return of_type(value, &PyFloat_Type);
    case Kind::string:
      return of_type(value, &PyUnicode_Type);
    case Kind::bytes:
      return of_type(value, &PyBytes_Type);
    case Kind::datetime:
      return of_type(value, api.DateTimeType);
    case Kind::date:
      return PyObject_TypeCheck(value, api.DateTimeType) ? kNone : of_type(value, api.DateType);
    case Kind::time:
      return of_type(value, api.TimeType);
    case Kind::timedelta:
      return of_type(value, api.DeltaType);
    case Kind::uuid:
      return of_class(value, classes_.uuid);
    case Kind::decimal:
      return of_class(value, classes_.decimal);
    case Kind::choice:
      return loss_of_choice(*node.choices, value);
    default:  // instance, delegate
      return node.own_class ? of_class(value, node.own_class) : 0;
  }
}

Loss SchemaEncoder::loss(const Node& node, PyObject* value) noexcept {
  if (node.nullable && value == Py_None) return 0;
  if (schema::is_leaf(node.kind)) return loss_of_leaf(node, value);
  switch (node.kind) {
    case Kind::list:
      return of_container(node, value, &PyList_Type);
    case Kind::set:
    case Kind::frozenset:
      if (PyAnySet_Check(value))
        return Py_TYPE(value) == (node.kind == Kind::set ? &PySet_Type : &PyFrozenSet_Type) ? 0 : 1;
      return is_of_class(node, value) ? kOfClass : kNone;
    case Kind::tuple:
      return of_type(value, &PyTuple_Type);
    case Kind::fixed:
      if (!PyTuple_Check(value) ||
          static_cast<std::size_t>(PyTuple_GET_SIZE(value)) != node.children.size()) {
        return kNone;
      }
      return of_type(value, &PyTuple_Type);
    case Kind::dict:
      return of_container(node, value, &PyDict_Type);
    case Kind::record:
      return node.record->make == schema::Make::mapping ? of_keys(*node.record, value)
                                                        : of_class(value, node.record->type);
    case Kind::custom:
      return node.own_class ? of_class(value, node.own_class) : loss(*node.children[0], value);
    default: {  // unions
      Loss least = kNone;
      for (const Node* member : node.children) least = std::min(least, loss(*member, value));
      return least;
    }
  }
}

Loss SchemaEncoder::loss_within(const Node& node, PyObject* value, int depth) noexcept {
  const Loss own = loss(node, value);
  const bool none = node.nullable && value == Py_None;
  if (own == kNone || none || schema::is_leaf(node.kind) || depth == json::kDepthMax) return own;
  Loss most = own;
  switch (node.kind) {
    case Kind::custom:
      return node.own_class ? own : loss_within(*node.children[0], value, depth + 1);
    case Kind::union_of:
    case Kind::tagged: {
      const Node* member = member_of(node, value, depth + 1);
      return member ? loss_within(*member, value, depth + 1) : kNone;
    }
    case Kind::dict:
      return std::max(own, loss_of_entries(node, value, depth));
    case Kind::record:
      for (const schema::Field& field : node.record->fields) {
        const Ref held = attribute(*node.record, field, value);
        if (PyErr_Occurred()) return kNone;
        if (held && held.get() != field.unset)
          most = std::max(most, loss_within(*field.node, held.get(), depth + 1));
      }
      return most;
    default:
      return std::max(own, loss_of_items(node, value, depth));
  }
}

Loss SchemaEncoder::loss_of_items(const Node& node, PyObject* value, int depth) noexcept {
  const Ref items = Ref::steal(PySequence_Tuple(value));  // what is asked may run any code
  if (!items) return kNone;
  Loss most = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()) && most != kNone; ++i) {
    if (++visits_ > kVisits + kVisitsPerByte * out_.size()) return most;
    const std::size_t child = node.kind == Kind::fixed ? static_cast<std::size_t>(i) : 0;
    most = std::max(
        most, loss_within(*node.children[child], PyTuple_GET_ITEM(items.get(), i), depth + 1));
  }
  return most;
}

Loss SchemaEncoder::loss_of_entries(const Node& node, PyObject* value, int depth) noexcept {
  const Ref entries = Ref::steal(PyMapping_Items(value));
  if (!entries) return kNone;
  Loss most = 0;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(entries.get()) && most != kNone; ++i) {
    if (++visits_ > kVisits + kVisitsPerByte * out_.size()) return most;
    PyObject* const entry = PyList_GET_ITEM(entries.get(), i);
    most = std::max(most, loss(*node.children[0], PyTuple_GET_ITEM(entry, 0)));
    most = std::max(most, loss_within(*node.children[1], PyTuple_GET_ITEM(entry, 1), depth + 1));
  }
  return most;
}

Ref SchemaEncoder::attribute(const schema::Record& record, const schema::Field& field,
                             PyObject* value) noexcept {
  auto* const name = static_cast<PyObject*>(field.attribute);
  if (record.make == schema::Make::mapping)
    return Ref::borrow(PyDict_GetItemWithError(value, name));
  if (!field.is_kept) return {};
  Ref held = Ref::steal(PyObject_GetAttr(value, name));
  if (!held && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return held;
}

const Node* SchemaEncoder::tagged_member(const Node& node, PyObject* dict) noexcept {
  const Ref tag =
      Ref::borrow(PyDict_GetItemWithError(dict, static_cast<PyObject*>(node.tags->key_object)));
  bool numeric = false;
  const Ref said = tag ? tag_text(tag.get(), &numeric) : Ref();
  std::string_view text;
  if (!said || !utf8_view(said.get(), &text)) return nullptr;
  const int position = node.tags->index.find(text);
  if (position < 0) return nullptr;
  const Node* member = node.children[node.tags->member[static_cast<std::size_t>(position)]];
  return loss(*member, dict) == kNone ? nullptr : member;
}

const Node* SchemaEncoder::member_of(const Node& node, PyObject* value, int depth) noexcept {
  if (node.kind == Kind::tagged && PyDict_Check(value)) {
    // TypedDicts with the same keys: the tag says which.
    const Node* member = tagged_member(node, value);
    if (member || PyErr_Occurred()) return member;
  }
  const Node* best = nullptr;
  Loss least = kNone;
  std::size_t fit = 0;
  for (const Node* member : node.children) {
    const Loss loses = loss(*member, value);
    if (loses == kNone && PyErr_Occurred()) return nullptr;  // an __eq__ or __hash__ raised
    fit += loses != kNone;
    if (loses >= least) continue;
    best = member;
    least = loses;
  }
  if (fit < 2 || (least == 0 && schema::is_leaf(best->kind))) return best;
  return best_within(node, best, value, depth);
}

// Of several classes the nearest to the object's own is the one, whatever the object holds.
const Node* SchemaEncoder::best_within(const Node& node, const Node* best, PyObject* value,
                                       int depth) noexcept {
  const bool by_class = best->kind == Kind::record && best->record->make != schema::Make::mapping;
  const Loss nearest = loss(*best, value);
  const auto may_be = [&](const Node* member) noexcept {
    const Loss own = loss(*member, value);
    return own != kNone && (!by_class || own == nearest);
  };
  if (by_class && std::count_if(node.children.begin(), node.children.end(), may_be) == 1)
    return best;
  Loss least = kNone;
  for (const Node* member : node.children) {
    const Loss loses = may_be(member) ? loss_within(*member, value, depth) : kNone;
    if (PyErr_Occurred()) return nullptr;
    if (loses >= least) continue;
    best = member;
    least = loses;
  }
  return best;
}

}  // namespace lanner::python
