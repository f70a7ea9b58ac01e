#include "python/schema/object_input.h"

#include <cmath>
#include <cstring>

#include "json/utf8.h"
#include "python/object/call_method.h"
#include "python/object/exception.h"
#include "python/schema/foreign.h"

namespace lanner::python {

using schema::Exactness;
using schema::Kind;
using schema::Profile;
using schema::Slug;

namespace {

bool is(PyObject* object, PyTypeObject* type) noexcept {
  return PyObject_TypeCheck(object, type) != 0;
}

// bytes that stand for text, in the compat profile.
bool is_raw(PyObject* object) noexcept {
  return PyBytes_Check(object) || PyByteArray_Check(object);
}

// Its text. False: it is no UTF-8, or an exception is set.
bool text_of(PyObject* object, std::string_view* text) noexcept {
  if (PyUnicode_Check(object)) return utf8_view(object, text);
  if (PyBytes_Check(object)) {
    *text = {PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object))};
  } else {
    *text = {PyByteArray_AS_STRING(object), static_cast<std::size_t>(PyByteArray_GET_SIZE(object))};
  }
  return json::is_utf8(*text);
}

// The value of a member of an Enum that is no str or int itself; null without an exception: it is
// something else.
Ref member_value(PyObject* object) noexcept {
  const Ref module = Ref::steal(PyImport_ImportModule("enum"));
  const Ref cls = Ref::steal(module ? get_attribute(module.get(), "Enum") : nullptr);
  const int truth = cls ? PyObject_IsInstance(object, cls.get()) : -1;
  return truth > 0 ? Ref::steal(get_attribute(object, "value")) : Ref();
}

// An int or float as JSON's reader would have given it.
void number_of(PyObject* object, json::Number* number) noexcept {
  if (PyFloat_Check(object)) {
    number->kind = json::NumberKind::real;
    number->real = PyFloat_AS_DOUBLE(object);
    return;
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  number->kind = overflow ? json::NumberKind::big : json::NumberKind::int64;
  number->int64 = value;
  if (overflow < 0) number->text = "-";  // its digits do not matter
}

}  // namespace

ObjectInput::Look ObjectInput::look(Item item) const noexcept {
  if (item == Py_None) return Look::null;
  if (PyBool_Check(item)) return Look::boolean;
  if (PyLong_CheckExact(item)) return Look::integer;
  if (PyFloat_CheckExact(item)) return Look::real;
  if (PyUnicode_CheckExact(item)) return Look::text;
  if (PyDict_CheckExact(item)) return Look::object;
  if (PyList_CheckExact(item)) return Look::array;
  return Look::other;
}

bool ObjectInput::is_integer(This& machine, Item item) const noexcept {
  if (PyLong_Check(item)) return !PyBool_Check(item);
  std::string_view text;
  return machine.plan().profile == Profile::text && PyUnicode_Check(item) &&
         PyUnicode_IS_ASCII(item) && utf8_view(item, &text) && schema::is_integer_text(text);
}

PyObject* ObjectInput::other_leaf(This& machine, const Node& node, Item item) noexcept {
  if (schema::profile_of(machine.plan(), node) == Profile::compat) {
    Value value = nullptr;
    if (lax_leaf(machine, node, item, &value)) return value;
  }
  switch (node.kind) {
    case Kind::any:
      machine.took_anything();
      return share(item);
    case Kind::none:
      return item == Py_None ? none() : machine.fail(node.wrong_type, item);
    case Kind::integer:
      return integer(machine, node, item);
    case Kind::floating:
      return floating(machine, node, item);
    case Kind::boolean:
      return boolean(machine, node, item);
    case Kind::string:
      return string(machine, node, item);
    case Kind::bytes:
      return bytes(machine, node, item);
    case Kind::choice:
      return choice(machine, node, item);
    case Kind::instance: {
      const int truth = PyObject_IsInstance(item, static_cast<PyObject*>(node.object));
      if (truth < 0) machine.abort();
      return truth > 0   ? share(item)
             : truth < 0 ? nullptr
                         : machine.fail(node.wrong_type, item, node.wrong);
    }
    case Kind::delegate:
      return builder_.delegate(machine, node, item);
    case Kind::datetime:
    case Kind::date:
      return moment(machine, node, item);
    default:
      return instance_or_text(machine, node, item);
  }
}

PyObject* ObjectInput::from_text(This& machine, const Node& node, Item item) noexcept {
  std::string_view text;
  if (!text_of(item, &text)) {
    if (PyErr_Occurred()) return schema::made_or_stop<This>(machine, nullptr);
    return machine.fail(Slug::string_unicode, item);
  }
  return leaf_from_text(machine, node, item, text, schema::profile_of(machine.plan(), node), false);
}

bool ObjectInput::lax_leaf(This& machine, const Node& node, Item item, Value* value) noexcept {
  const bool moment = node.kind == Kind::date || node.kind == Kind::datetime ||
                      node.kind == Kind::time || node.kind == Kind::timedelta;
  const bool number =
      node.kind == Kind::integer || node.kind == Kind::floating || node.kind == Kind::boolean;
  // SAFETY: decimal.Decimal is a class.
  if ((moment || number) && is(item, reinterpret_cast<PyTypeObject*>(classes_.decimal))) {
    machine.coerced(node.kind == Kind::floating ? Exactness::strict : Exactness::lax);
    *value = from_decimal(machine, node, item);
    return true;
  }
  if ((PyBytes_Check(item) && (moment || number || node.kind == Kind::uuid)) ||
      (is_raw(item) && node.kind == Kind::choice)) {
    machine.coerced(Exactness::lax);
    *value = raw(machine, node, item);
    return true;
  }
  if (node.kind == Kind::timedelta && PyBool_Check(item)) {
    *value = from_number(machine, node, item);
    return true;
  }
  const bool takes_members = (node.kind == Kind::string && !PyUnicode_Check(item)) ||
                             (node.kind == Kind::integer && !PyLong_Check(item));
  if (!takes_members) return false;
  const Ref inner = member_value(item);
  machine.coerced(Exactness::lax);
  if (!inner && PyErr_Occurred()) *value = schema::made_or_stop<This>(machine, nullptr);
  if (!inner) return PyErr_Occurred() != nullptr;
  if (node.kind == Kind::string) {
    *value = schema::made_or_stop(machine, PyObject_Str(inner.get()));
    return true;
  }
  if (!PyLong_Check(inner.get())) return false;
  *value = integer(machine, node, inner.get());
  return true;
}

PyObject* ObjectInput::raw(This& machine, const Node& node, Item item) noexcept {
  if (node.kind == Kind::uuid && PyBytes_Check(item) && PyBytes_GET_SIZE(item) == 16) {
    std::uint8_t bytes[16];
    std::memcpy(bytes, PyBytes_AS_STRING(item), sizeof bytes);
    return schema::made_or_stop(machine, builder_.uuid(bytes));
  }
  std::string_view text;
  if (!text_of(item, &text)) text = "\xEF\xBF\xBD";  // as it would be decoded
  if (node.kind == Kind::choice) {                   // only the members of an IntEnum or StrEnum
    auto* const cls = static_cast<PyTypeObject*>(node.choices->type);
    const bool texts = cls && PyType_IsSubtype(cls, &PyUnicode_Type);
    if (!texts && !(node.choices->of_integers && PyBytes_Check(item)))
      return machine.fail(node.choices->rule->slug, item, node.choices->rule);
  }
  return leaf_from_text(machine, node, item, text, Profile::compat, false);
}

PyObject* ObjectInput::from_decimal(This& machine, const Node& node, Item item) noexcept {
  const Ref finite = Ref::steal(call_method(item, "is_finite"));
  if (!finite) return schema::made_or_stop<This>(machine, nullptr);
  if (node.kind != Kind::integer) {
    const Ref number = Ref::steal(PyNumber_Float(item));
    if (number) {
      json::Number found;
      found.kind = json::NumberKind::real;
      found.real = PyFloat_AS_DOUBLE(number.get());
      return leaf_from_number(machine, node, item, found);
    }
    if (!PyErr_ExceptionMatches(PyExc_ValueError))
      return schema::made_or_stop<This>(machine, nullptr);
    PyErr_Clear();  // a signalling NaN
    return machine.fail(node.wrong_type, item);
  }
  if (finite.get() != Py_True) return machine.fail(Slug::finite_number, item);
  const Ref adjusted = Ref::steal(call_method(item, "adjusted"));
  const long digits = adjusted ? PyLong_AsLong(adjusted.get()) : -1;
  if (digits == -1 && PyErr_Occurred()) return schema::made_or_stop<This>(machine, nullptr);
  if (digits >= static_cast<long>(schema::kMaxDigits))
    return machine.fail(Slug::int_parsing_size, item);
  Ref whole = Ref::steal(PyNumber_Long(item));
  const int same = whole ? PyObject_RichCompareBool(whole.get(), item, Py_EQ) : -1;
  if (same < 0) return schema::made_or_stop<This>(machine, nullptr);
  return same ? whole.release() : machine.fail(Slug::int_from_float, item);
}

PyObject* ObjectInput::from_number(This& machine, const Node& node, Item item) noexcept {
  if (PyLong_Check(item) && PyLong_AsDouble(item) == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();  // beyond the doubles
    return machine.fail(node.wrong_type, item);
  }
  json::Number number;
  number_of(item, &number);
  return leaf_from_number(machine, node, item, number);
}

PyObject* ObjectInput::integer(This& machine, const Node& node, Item item) noexcept {
  const bool lax = schema::profile_of(machine.plan(), node) != Profile::json;
  if (PyBool_Check(item)) {
    machine.coerced(Exactness::lax);
    return schema::profile_of(machine.plan(), node) == Profile::compat
               ? PyLong_FromLong(item == Py_True)
               : machine.fail(node.wrong_type, item);
  }
  if (PyLong_Check(item)) {
    machine.coerced(Exactness::strict);
    return schema::made_or_stop(machine, plain_int(item));
  }
  if (lax && PyUnicode_Check(item)) return from_text(machine, node, item);
  if (schema::profile_of(machine.plan(), node) == Profile::compat && PyFloat_Check(item)) {
    const double value = PyFloat_AS_DOUBLE(item);
    if (!std::isfinite(value)) return machine.fail(Slug::finite_number, item);
    if (value != std::floor(value)) return machine.fail(Slug::int_from_float, item);
    machine.coerced(Exactness::lax);
    return schema::made_or_stop(machine, PyLong_FromDouble(value));
  }
  return machine.fail(node.wrong_type, item);
}

PyObject* ObjectInput::floating(This& machine, const Node& node, Item item) noexcept {
  if (PyFloat_Check(item)) {
    if (!std::isfinite(PyFloat_AS_DOUBLE(item)) && !node.allow_inf_nan) {
      return machine.fail(Slug::finite_number, item);
    }
    if (!PyFloat_CheckExact(item)) machine.coerced(Exactness::strict);
    return PyFloat_CheckExact(item)
               ? share(item)
               : schema::made_or_stop(machine, PyFloat_FromDouble(PyFloat_AS_DOUBLE(item)));
  }
  const bool number =
      PyLong_Check(item) &&
      (!PyBool_Check(item) || schema::profile_of(machine.plan(), node) == Profile::compat);
  if (number) {
    machine.coerced(PyBool_Check(item) ? Exactness::lax : Exactness::strict);
    const double value = PyLong_AsDouble(item);
    if (value == -1.0 && PyErr_Occurred()) {
      if (!PyErr_ExceptionMatches(PyExc_OverflowError))
        return schema::made_or_stop<This>(machine, nullptr);
      PyErr_Clear();
      return machine.fail(Slug::float_type, item);
    }
    return schema::made_or_stop(machine, PyFloat_FromDouble(value));
  }
  if (schema::profile_of(machine.plan(), node) != Profile::json && PyUnicode_Check(item))
    return from_text(machine, node, item);
  return machine.fail(node.wrong_type, item);
}

PyObject* ObjectInput::boolean(This& machine, const Node& node, Item item) noexcept {
  if (PyBool_Check(item)) return share(item);
  if (schema::profile_of(machine.plan(), node) == Profile::json || item == Py_None)
    return machine.fail(node.wrong_type, item);
  if (PyUnicode_Check(item)) return from_text(machine, node, item);
  if (PyLong_Check(item) || PyFloat_Check(item)) return from_number(machine, node, item);
  return machine.fail(node.wrong_type, item);
}

PyObject* ObjectInput::string(This& machine, const Node& node, Item item) noexcept {
  machine.coerced(PyUnicode_Check(item) ? Exactness::strict : Exactness::lax);
  // Of a subclass, such as a StrEnum, the plain str.
  if (PyUnicode_Check(item)) return schema::made_or_stop(machine, PyUnicode_FromObject(item));
  if (schema::profile_of(machine.plan(), node) != Profile::compat || !is_raw(item))
    return machine.fail(node.wrong_type, item);
  return from_text(machine, node, item);
}

PyObject* ObjectInput::bytes(This& machine, const Node& node, Item item) noexcept {
  if (PyBytes_Check(item)) return share(item);
  machine.coerced(Exactness::lax);
  if (PyUnicode_Check(item)) return from_text(machine, node, item);
  if (PyByteArray_Check(item)) return schema::made_or_stop(machine, PyBytes_FromObject(item));
  return machine.fail(node.wrong_type, item);
}

PyObject* ObjectInput::moment(This& machine, const Node& node, Item item) noexcept {
  const PyDateTime_CAPI& api = *classes_.datetime;
  const bool compat = schema::profile_of(machine.plan(), node) == Profile::compat;
  if (node.kind == Kind::datetime && is(item, api.DateTimeType)) return share(item);
  if (!is(item, api.DateType) || is(item, api.DateTimeType) || node.kind == Kind::datetime)
    machine.coerced(Exactness::lax);
  if (is(item, api.DateTimeType)) {  // for a date
    if (!compat) return machine.fail(node.wrong_type, item);
    if (PyDateTime_DATE_GET_HOUR(item) || PyDateTime_DATE_GET_MINUTE(item) ||
        PyDateTime_DATE_GET_SECOND(item) || PyDateTime_DATE_GET_MICROSECOND(item)) {
      return machine.fail(Slug::date_from_datetime_inexact, item);
    }
  }
  if (is(item, api.DateType)) {
    const schema::Date day{PyDateTime_GET_YEAR(item), PyDateTime_GET_MONTH(item),
                           PyDateTime_GET_DAY(item)};
    if (node.kind == Kind::date) {
      return is(item, api.DateTimeType) ? schema::made_or_stop(machine, builder_.date(day))
                                        : share(item);
    }
    if (compat) return schema::made_or_stop(machine, builder_.datetime({day, {}}));
    return machine.fail(node.wrong_type, item);
  }
  if (PyUnicode_Check(item)) return from_text(machine, node, item);
  if (compat && (PyFloat_Check(item) || (PyLong_Check(item) && !PyBool_Check(item)))) {
    return from_number(machine, node, item);
  }
  return machine.fail(node.wrong_type, item);
}

PyObject* ObjectInput::instance_or_text(This& machine, const Node& node, Item item) noexcept {
  const PyDateTime_CAPI& api = *classes_.datetime;
  const bool is_number = PyFloat_Check(item) || (PyLong_Check(item) && !PyBool_Check(item));
  switch (node.kind) {
    case Kind::time:
      if (is(item, api.TimeType)) return share(item);
      if (is_number && schema::profile_of(machine.plan(), node) == Profile::compat)
        return from_number(machine, node, item);
      break;
    case Kind::timedelta:
      if (is(item, api.DeltaType)) return share(item);
      if (is_number && schema::profile_of(machine.plan(), node) == Profile::compat)
        return from_number(machine, node, item);
      break;
    case Kind::uuid:
      // SAFETY: uuid.UUID is a class.
      if (is(item, reinterpret_cast<PyTypeObject*>(classes_.uuid))) return share(item);
      break;
    case Kind::decimal: {
      // SAFETY: decimal.Decimal is a class.
      auto* const cls = reinterpret_cast<PyTypeObject*>(classes_.decimal);
      if (is(item, cls) || is_number) {
        if (!is(item, cls)) machine.coerced(Exactness::lax);
        Ref value = Ref::borrow(item);
        if (PyFloat_Check(item)) {  // by its text: 0.1 is 0.1; of a subclass: the plain number's
          const Ref plain = Ref::steal(PyFloat_FromDouble(PyFloat_AS_DOUBLE(item)));
          const Ref text = Ref::steal(plain ? PyObject_Str(plain.get()) : nullptr);
          value = Ref::steal(text ? PyObject_CallOneArg(classes_.decimal, text.get()) : nullptr);
        } else if (Py_TYPE(item) != cls) {
          const Ref plain = PyLong_Check(item) ? Ref::steal(plain_int(item)) : Ref::borrow(item);
          value = Ref::steal(plain ? PyObject_CallOneArg(classes_.decimal, plain.get()) : nullptr);
        }
        Ref finite = Ref::steal(value ? call_method(value.get(), "is_finite") : nullptr);
        if (!finite) return schema::made_or_stop<This>(machine, nullptr);
        if (finite.get() != Py_True && !node.allow_inf_nan)
          return machine.fail(Slug::finite_number, item);
        return value.release();
      }
      break;
    }
    default:
      break;
  }
  machine.coerced(Exactness::lax);
  if (PyUnicode_Check(item)) return from_text(machine, node, item);
  return machine.fail(node.wrong_type, item);
}

PyObject* ObjectInput::choice(This& machine, const Node& node, Item item) noexcept {
  const schema::Choices& choices = *node.choices;
  // SAFETY: an Enum is a class.
  if (choices.type && is(item, static_cast<PyTypeObject*>(choices.type))) return share(item);
  if (choices.type) machine.coerced(Exactness::lax);
  bool failed = false;
  Value value = builder_.pick(choices, item, &failed);
  if (failed) return schema::made_or_stop<This>(machine, nullptr);
  if (value) return value;
  if (schema::profile_of(machine.plan(), node) != Profile::json && PyUnicode_Check(item))
    return from_text(machine, node, item);
  return machine.fail(choices.rule->slug, item, choices.rule);
}

bool ObjectInput::take_own(This& machine, const Node& node, Item item, Value* value) noexcept {
  if (node.own_class && is(item, static_cast<PyTypeObject*>(node.own_class))) {
    *value = share(item);
    return true;
  }
  if (!node.lax_source || schema::profile_of(machine.plan(), node) != Profile::compat) return false;
  const int truth = PyObject_IsInstance(item, static_cast<PyObject*>(node.lax_source));
  if (truth < 0) machine.abort();
  if (truth <= 0) return truth < 0;
  item_ = Ref::borrow(item);
  Value given = PyLong_Check(item) ? plain_int(item) : share(item);
  *value = machine.made(given ? builder_.call(node, given) : nullptr, item);
  return true;
}

ObjectInput::Opened ObjectInput::open(This& machine, const Node& node, Item item, Container* in,
                                      Value* ready) noexcept {
  const bool compat = schema::profile_of(machine.plan(), node) == Profile::compat;
  const bool set = PyAnySet_Check(item);
  bool items = PyList_Check(item) || (PyTuple_Check(item) && (compat || node.kind != Kind::list));
  *in = {nullptr, nullptr, nullptr, 0};
  switch (node.kind) {
    case Kind::record:
      if (PyDict_CheckExact(item)) break;
      if (node.record->make != schema::Make::mapping &&
          is(item, static_cast<PyTypeObject*>(node.record->type))) {
        *ready = share(item);
        return Opened::as_is;
      }
      if (PyDict_Check(item)) break;
      if (items && node.record->from_array) break;
      if (!machine.plan().from_attributes || !has_attributes(item)) return Opened::wrong;
      in->object = attributes_of(*node.record, item).release();
      return opened(machine, *in, Opened::pairs);
    case Kind::dict:
      if (PyDict_Check(item)) break;
      if (!is_of_class(node, item)) return opened(machine, *in, Opened::wrong);
      in->object = as_dict(item).release();
      return opened(machine, *in, Opened::pairs);
    case Kind::set:
    case Kind::frozenset:
      items = items || set;
      break;
    default:
      items = items || (set && compat);
      break;
  }
  if (PyDict_Check(item) && (node.kind == Kind::record || node.kind == Kind::dict)) {
    in->object = share(item);
    return Opened::pairs;
  }
  if (!items && !is_of_class(node, item)) return opened(machine, *in, Opened::wrong);
  const bool exact = node.kind == Kind::set         ? PySet_Check(item)
                     : node.kind == Kind::frozenset ? PyFrozenSet_Check(item)
                     : node.kind == Kind::list      ? PyList_Check(item)
                                                    : PyTuple_Check(item);
  if (!exact) machine.coerced(Exactness::lax);
  in->object = items && !set ? share(item) : as_list(item).release();
  return opened(machine, *in, Opened::items);
}

// What open() says of a container that user code may have made.
ObjectInput::Opened ObjectInput::opened(This& machine, const Container& in, Opened how) noexcept {
  if (!PyErr_Occurred()) return how;
  machine.abort();
  return in.object ? how : Opened::wrong;
}

PyObject* ObjectInput::key(This& machine, const Node& node, Container& in) noexcept {
  return node.nullable && in.key == Py_None ? none() : leaf(machine, node, in.key);
}

int ObjectInput::find_field(const schema::Record& record, Container& in, PyObject* key,
                            PyObject* value) noexcept {
  std::string_view name;
  if (PyUnicode_Check(key) && utf8_view(key, &name)) {
    const int field = record.index.find(name);
    if (field >= 0) return field;
  }
  // An error may name them; what is dropped may run user code.
  PyObject* const old_value = std::exchange(in.item, share(value));
  PyObject* const old_key = std::exchange(in.key, share(key));
  drop(old_value);
  drop(old_key);
  return -1;
}

void ObjectInput::key_loc(const Container& in, schema::ErrorList& errors) const noexcept {
  std::string_view text;
  if (PyLong_CheckExact(in.key)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(in.key, &overflow);
    if (!overflow) return errors.add_number(number);
  }
  Raised kept;
  if (PyUnicode_Check(in.key) && utf8_view(in.key, &text)) {
    errors.add_key(text);
    kept.restore();
    return;
  }
  Ref shown = Ref::steal(PyErr_Occurred() ? nullptr : PyObject_Repr(in.key));
  if (!shown || !utf8_view(shown.get(), &text)) text = "?";
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError)) errors.set_no_memory();
  PyErr_Clear();
  errors.add_key(text);
  kept.restore();
}

schema::FoundTag ObjectInput::find_tag(This& machine, Item item,
                                       const schema::Tags& tags) noexcept {
  schema::FoundTag tag;
  Ref value;
  auto* key = static_cast<PyObject*>(tags.key_object);
  if (PyDict_Check(item)) {
    value = Ref::borrow(PyDict_GetItemWithError(item, key));
  } else {
    value = Ref::steal(PyObject_GetAttr(item, static_cast<PyObject*>(tags.attribute)));
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    if (!value && !PyErr_Occurred()) return tag;
  }
  tag.is_object = true;
  if (!value) {
    if (PyErr_Occurred()) machine.abort();
    return tag;
  }
  tag.found = true;
  bool numeric = false;
  const Ref said = tag_text(value.get(), &numeric);
  std::string_view text;
  if (!said || !utf8_view(said.get(), &text)) {
    if (PyErr_Occurred()) machine.abort();
    return tag;
  }
  tag.text.assign(text);
  const int position = tags.index.find(text);
  if (position >= 0 && tags.numeric[static_cast<std::size_t>(position)] == numeric)
    tag.position = position;
  return tag;
}

Ref tag_text(PyObject* tag, bool* numeric) noexcept {
  *numeric = false;
  if (PyUnicode_Check(tag)) return Ref::steal(PyUnicode_FromObject(tag));  // a StrEnum's, too
  if (PyBool_Check(tag)) return Ref::steal(PyObject_Str(tag));
  const Ref inner = PyLong_Check(tag) ? Ref() : member_value(tag);
  if (!inner && PyErr_Occurred()) return {};
  PyObject* const plain = inner ? inner.get() : tag;
  if (inner && PyUnicode_Check(plain)) return Ref::steal(PyUnicode_FromObject(plain));
  *numeric = PyLong_Check(plain) && !PyBool_Check(plain);
  const Ref number = *numeric ? Ref::steal(plain_int(plain)) : Ref::borrow(plain);
  return Ref::steal(number ? PyObject_Str(number.get()) : nullptr);
}

}  // namespace lanner::python
