#include "python/schema_object_input.h"

#include <cmath>

#include "python/call_method.h"

namespace lanner::python {

using schema::Kind;
using schema::Profile;
using schema::Slug;

namespace {

bool is(PyObject* object, PyTypeObject* type) noexcept {
  return PyObject_TypeCheck(object, type) != 0;
}

Ref as_list(PyObject* object) noexcept { return Ref::steal(PySequence_List(object)); }

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

PyObject* ObjectInput::other_leaf(This& machine, const Node& node, Item item) noexcept {
  switch (node.kind) {
    case Kind::any:
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
  if (!utf8_view(item, &text)) {
    if (!PyErr_Occurred()) return machine.fail(Slug::string_unicode, item);
    machine.abort();
    return nullptr;
  }
  return leaf_from_text(machine, node, item, text, schema::profile_of(machine.plan(), node), false);
}

PyObject* ObjectInput::from_number(This& machine, const Node& node, Item item) noexcept {
  json::Number number;
  number_of(item, &number);
  return leaf_from_number(machine, node, item, number);
}

PyObject* ObjectInput::integer(This& machine, const Node& node, Item item) noexcept {
  const bool lax = schema::profile_of(machine.plan(), node) != Profile::json;
  if (PyBool_Check(item)) {
    return schema::profile_of(machine.plan(), node) == Profile::compat
               ? PyLong_FromLong(item == Py_True)
               : machine.fail(node.wrong_type, item);
  }
  if (PyLong_Check(item)) {  // a subclass: the plain number
    Ref plain = Ref::steal(PyNumber_Index(item));
    PyObject* value = plain ? PyNumber_Add(plain.get(), Py_False) : nullptr;
    return schema::made_or_stop(machine, value);
  }
  if (lax && PyUnicode_Check(item)) return from_text(machine, node, item);
  if (schema::profile_of(machine.plan(), node) == Profile::compat && PyFloat_Check(item)) {
    const double value = PyFloat_AS_DOUBLE(item);
    if (!std::isfinite(value)) return machine.fail(Slug::finite_number, item);
    if (value != std::floor(value)) return machine.fail(Slug::int_from_float, item);
    return schema::made_or_stop(machine, PyLong_FromDouble(value));
  }
  return machine.fail(node.wrong_type, item);
}

PyObject* ObjectInput::floating(This& machine, const Node& node, Item item) noexcept {
  if (PyFloat_Check(item)) {
    if (!std::isfinite(PyFloat_AS_DOUBLE(item)) && !node.allow_inf_nan) {
      return machine.fail(Slug::finite_number, item);
    }
    return PyFloat_CheckExact(item)
               ? share(item)
               : schema::made_or_stop(machine, PyFloat_FromDouble(PyFloat_AS_DOUBLE(item)));
  }
  const bool number =
      PyLong_Check(item) &&
      (!PyBool_Check(item) || schema::profile_of(machine.plan(), node) == Profile::compat);
  if (number) {
    const double value = PyLong_AsDouble(item);
    if (value == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();  // too large
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
  if (PyUnicode_Check(item)) return share(item);
  const bool raw = schema::profile_of(machine.plan(), node) == Profile::compat &&
                   (PyBytes_Check(item) || PyByteArray_Check(item));
  if (!raw) return machine.fail(node.wrong_type, item);
  PyObject* text = PyUnicode_FromEncodedObject(item, "utf-8", "strict");
  if (text) return text;
  PyErr_Clear();
  return machine.fail(Slug::string_unicode, item);
}

PyObject* ObjectInput::bytes(This& machine, const Node& node, Item item) noexcept {
  if (PyBytes_Check(item)) return share(item);
  if (PyUnicode_Check(item)) return from_text(machine, node, item);
  if (PyByteArray_Check(item)) return schema::made_or_stop(machine, PyBytes_FromObject(item));
  return machine.fail(node.wrong_type, item);
}

PyObject* ObjectInput::moment(This& machine, const Node& node, Item item) noexcept {
  const PyDateTime_CAPI& api = *classes_.datetime;
  const bool compat = schema::profile_of(machine.plan(), node) == Profile::compat;
  if (node.kind == Kind::datetime && is(item, api.DateTimeType)) return share(item);
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
      if (is_number && machine.plan().profile == Profile::compat)
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
      const bool exact = is(item, reinterpret_cast<PyTypeObject*>(classes_.decimal));
      if (exact || is_number) {
        Ref value = Ref::borrow(item);
        if (!exact) {  // by its text: 0.1 is 0.1; of a subclass: the plain number's
          const Ref plain =
              Ref::steal(PyFloat_Check(item) ? PyFloat_FromDouble(PyFloat_AS_DOUBLE(item))
                                             : PyNumber_Index(item));
          Ref text = Ref::steal(plain ? PyObject_Str(plain.get()) : nullptr);
          value = Ref::steal(text ? PyObject_CallOneArg(classes_.decimal, text.get()) : nullptr);
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
  if (PyUnicode_Check(item)) return from_text(machine, node, item);
  return machine.fail(node.wrong_type, item);
}

PyObject* ObjectInput::choice(This& machine, const Node& node, Item item) noexcept {
  const schema::Choices& choices = *node.choices;
  // SAFETY: an Enum is a class.
  if (choices.type && is(item, static_cast<PyTypeObject*>(choices.type))) return share(item);
  bool failed = false;
  Value value = builder_.pick(choices, item, &failed);
  if (failed) return schema::made_or_stop<This>(machine, nullptr);
  if (value) return value;
  if (schema::profile_of(machine.plan(), node) != Profile::json && PyUnicode_CheckExact(item))
    return from_text(machine, node, item);
  return machine.fail(choices.rule->slug, item, choices.rule);
}

ObjectInput::Opened ObjectInput::open(This& machine, const Node& node, Item item, Container* in,
                                      Value* ready) noexcept {
  const bool compat = schema::profile_of(machine.plan(), node) == Profile::compat;
  const bool set = PyAnySet_Check(item);
  bool items = PyList_Check(item) || (PyTuple_Check(item) && (compat || node.kind != Kind::list));
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
      return Opened::wrong;
    case Kind::dict:
      if (PyDict_Check(item)) break;
      return Opened::wrong;
    case Kind::set:
    case Kind::frozenset:
      items = items || set;
      break;
    default:
      items = items || (set && compat);
      break;
  }
  *in = {nullptr, nullptr, nullptr, 0};
  if (PyDict_Check(item) && (node.kind == Kind::record || node.kind == Kind::dict)) {
    in->object = share(item);
    return Opened::pairs;
  }
  if (!items) return Opened::wrong;
  in->object = set ? as_list(item).release() : share(item);
  if (in->object) return Opened::items;
  machine.abort();
  return Opened::wrong;
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

ObjectInput::Tag ObjectInput::find_tag(This& machine, Item item,
                                       const schema::Tags& tags) noexcept {
  Tag tag;
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
  Ref said = Ref::steal(PyObject_Str(value.get()));
  std::string_view text;
  if (!said || !utf8_view(said.get(), &text)) {
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError)) {
      machine.abort();
    } else {
      PyErr_Clear();
    }
    return tag;
  }
  tag.text.assign(text.substr(0, 64));
  const int position = tags.index.find(text);
  if (position >= 0 &&
      tags.numeric[static_cast<std::size_t>(position)] == !PyUnicode_Check(value.get())) {
    tag.position = position;
  }
  return tag;
}

}  // namespace lanner::python
