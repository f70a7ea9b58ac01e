#include "python/schema/builder.h"

#include <algorithm>
#include <cstring>

#include "python/json/text.h"
#include "python/object/call_method.h"
#include "python/object/exception.h"
#include "python/schema/hashes.h"
#include "python/schema/rules.h"
#include "python/schema/state.h"

namespace lanner::python {

using schema::Kind;

bool utf8_view(PyObject* text, std::string_view* view) noexcept {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text, &size);
  if (!data) {
    if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) PyErr_Clear();
    return false;
  }
  *view = {data, static_cast<std::size_t>(size)};
  return true;
}

PyObject* SchemaBuilder::failed() noexcept {
  static const char kMark = 0;
  // SAFETY: compared, never followed.
  return reinterpret_cast<PyObject*>(const_cast<char*>(&kMark));
}

bool SchemaBuilder::too_many_digits() noexcept {
  if (!PyErr_ExceptionMatches(PyExc_ValueError)) return false;
  PyErr_Clear();
  return true;
}

PyObject* SchemaBuilder::number(const json::Number& number) noexcept {
  switch (number.kind) {
    case json::NumberKind::int64:
      return PyLong_FromLongLong(number.int64);
    case json::NumberKind::uint64:
      return PyLong_FromUnsignedLongLong(number.uint64);
    case json::NumberKind::real:
      return PyFloat_FromDouble(number.real);
    case json::NumberKind::big:
      break;
  }
  return big_integer(number.text);
}

bool SchemaBuilder::looks_into_dicts() const noexcept { return state_.json.dict_entries; }

PyObject* SchemaBuilder::string(const json::String& text) noexcept { return json_str(text); }
PyObject* SchemaBuilder::key(const json::String& text) noexcept {
  return state_.json.keys.get(text);
}

const char* SchemaBuilder::any(json::Reader& reader, const char* at, int depth, bool unique,
                               Value* value) noexcept {
  JsonDecoder decoder(reader, state_.json.keys);
  if (unique) decoder.refuse_repeated_keys();
  return decoder.read(at, depth, value);
}

const char* SchemaBuilder::skip_unique(json::Reader& reader, const char* at, int depth) noexcept {
  PyObject* value = nullptr;
  at = any(reader, at, depth, true, &value);
  drop(value);
  return at;
}

PyObject* SchemaBuilder::utf8(std::string_view text) noexcept {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
}

PyObject* SchemaBuilder::bytes(std::string_view text) noexcept {
  return PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject* SchemaBuilder::date(const schema::Date& date) noexcept {
  return classes_.datetime->Date_FromDate(date.year, date.month, date.day,
                                          classes_.datetime->DateType);
}

PyObject* SchemaBuilder::timezone(const schema::Time& time) noexcept {
  if (!time.has_offset) return none();
  if (time.offset_s == 0) return share(classes_.datetime->TimeZone_UTC);
  Ref offset = Ref::steal(
      classes_.datetime->Delta_FromDelta(0, time.offset_s, 0, 1, classes_.datetime->DeltaType));
  return offset ? classes_.datetime->TimeZone_FromTimeZone(offset.get(), nullptr) : nullptr;
}

PyObject* SchemaBuilder::time(const schema::Time& time) noexcept {
  Ref zone = Ref::steal(timezone(time));
  if (!zone) return nullptr;
  return classes_.datetime->Time_FromTime(time.hour, time.minute, time.second, time.microsecond,
                                          zone.get(), classes_.datetime->TimeType);
}

PyObject* SchemaBuilder::datetime(const schema::DateTime& moment) noexcept {
  Ref zone = Ref::steal(timezone(moment.time));
  if (!zone) return nullptr;
  const schema::Time& time = moment.time;
  return classes_.datetime->DateTime_FromDateAndTime(
      moment.date.year, moment.date.month, moment.date.day, time.hour, time.minute, time.second,
      time.microsecond, zone.get(), classes_.datetime->DateTimeType);
}

PyObject* SchemaBuilder::timedelta(const schema::Duration& span) noexcept {
  return classes_.datetime->Delta_FromDelta(static_cast<int>(span.days), span.seconds,
                                            span.microseconds, 1, classes_.datetime->DeltaType);
}

PyObject* SchemaBuilder::uuid(const std::uint8_t (&bytes)[16]) noexcept {
  // SAFETY: bytes as char, both one byte wide.
  Ref raw =
      Ref::steal(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes), sizeof bytes));
  if (!raw) return nullptr;
  PyObject* args[] = {Py_None, raw.get()};  // UUID(hex, bytes)
  return PyObject_Vectorcall(classes_.uuid, args, 2, nullptr);
}

PyObject* SchemaBuilder::decimal(std::string_view text) noexcept {
  Ref digits = Ref::steal(utf8(text));
  return digits ? PyObject_CallOneArg(classes_.decimal, digits.get()) : nullptr;
}

namespace {

// value -> [(value, choice), ...]: 1, 1.0 and True are equal keys, but not the same choice.
PyObject* pick_exactly(const schema::Choices& choices, PyObject* value, bool* failed) noexcept {
  PyObject* found = PyDict_GetItemWithError(static_cast<PyObject*>(choices.map), value);
  if (!found) {
    *failed = PyErr_Occurred() && !take_unhashable();  // which is no choice
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(found); ++i) {
    PyObject* pair = PyList_GET_ITEM(found, i);
    if (Py_TYPE(PyTuple_GET_ITEM(pair, 0)) == Py_TYPE(value))
      return share(PyTuple_GET_ITEM(pair, 1));
  }
  return nullptr;
}

}  // namespace

PyObject* plain_int(PyObject* number) noexcept {
  const Ref index = Ref::steal(PyNumber_Index(number));  // may be the subclass's own object
  return index ? PyNumber_Add(index.get(), Py_False) : nullptr;
}

bool take_unhashable() noexcept {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  Raised raised;
  const Ref said = Ref::steal(raised.value() ? PyObject_Str(raised.value()) : nullptr);
  std::string_view text;
  const auto says = [&text](std::string_view words) { return text.find(words) != text.npos; };
  const bool unhashable = said && utf8_view(said.get(), &text) &&
                          (says("unhashable type") || says("Cannot hash a signaling NaN"));
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError)) return false;
  PyErr_Clear();  // of its str()
  if (!unhashable) raised.restore();
  return unhashable;
}

PyObject* SchemaBuilder::pick(const schema::Choices& choices, PyObject* value,
                              bool* failed) noexcept {
  if (!choices.map) return nullptr;
  if (PyObject* found = pick_exactly(choices, value, failed)) return found;
  if (*failed) return nullptr;
  // A str or int of a class of its own, such as a StrEnum's member, is the plain one as well.
  const bool integer = PyLong_Check(value) && !PyLong_CheckExact(value) && !PyBool_Check(value);
  const bool text = PyUnicode_Check(value) && !PyUnicode_CheckExact(value);
  if (!integer && !text) return nullptr;
  const Ref plain = Ref::steal(integer ? plain_int(value) : PyUnicode_FromObject(value));
  if (plain) return pick_exactly(choices, plain.get(), failed);
  *failed = true;
  return nullptr;
}

PyObject* SchemaBuilder::pick(const schema::Choices& choices, const json::Number& found,
                              bool* failed) noexcept {
  Ref value = Ref::steal(number(found));
  if (!value) *failed = !too_many_digits();
  return value ? pick(choices, value.get(), failed) : nullptr;
}

namespace {

void drop_all(PyObject** values, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) drop(values[i]);
}

PyObject* make_list(PyObject** values, std::size_t count) noexcept {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
  if (!list) {
    drop_all(values, count);
    return nullptr;
  }
  for (std::size_t i = 0; i < count; ++i)
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), values[i]);
  return list;
}

PyObject* make_tuple(PyObject** values, std::size_t count) noexcept {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(count));
  if (!tuple) {
    drop_all(values, count);
    return nullptr;
  }
  for (std::size_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), values[i]);
  return tuple;
}

PyObject* make_set(bool frozen, PyObject** values, std::size_t count, std::int64_t* bad) noexcept {
  if (too_many_collide(values, count, 1)) {
    *bad = SchemaBuilder::kCollisions;
    drop_all(values, count);
    return nullptr;
  }
  Ref set = Ref::steal(frozen ? PyFrozenSet_New(nullptr) : PySet_New(nullptr));
  for (std::size_t i = 0; i < count && set; ++i) {
    if (PySet_Add(set.get(), values[i]) == 0) continue;
    if (take_unhashable()) *bad = static_cast<std::int64_t>(i);
    set.clear();
  }
  drop_all(values, count);
  return set.release();
}

PyObject* make_dict(PyObject** values, std::size_t count, bool unique_keys,
                    std::int64_t* bad) noexcept {
  if (too_many_collide(values, count, 2)) {
    *bad = SchemaBuilder::kCollisions;
    drop_all(values, count);
    return nullptr;
  }
  Ref dict = Ref::steal(PyDict_New());
  for (std::size_t i = 0; i < count && dict; i += 2) {
    if (PyDict_SetItem(dict.get(), values[i], values[i + 1]) < 0) {
      dict.clear();
    } else if (unique_keys && PyDict_GET_SIZE(dict.get()) != static_cast<Py_ssize_t>(i / 2 + 1)) {
      *bad = static_cast<std::int64_t>(i / 2);
      dict.clear();
    }
  }
  drop_all(values, count);
  return dict.release();
}

PyObject* make_attributes(const schema::Record& record, PyObject** values) noexcept {
  auto* type = static_cast<PyTypeObject*>(record.type);
  Ref object = Ref::steal(type->tp_alloc(type, 0));
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (!values[i]) continue;
    auto* name = static_cast<PyObject*>(record.fields[i].attribute);
    if (object && PyObject_GenericSetAttr(object.get(), name, values[i]) < 0) object.clear();
    drop(values[i]);
  }
  return object.release();
}

PyObject* make_mapping(const schema::Record& record, PyObject** values) noexcept {
  Ref dict = Ref::steal(PyDict_New());
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (!values[i]) continue;
    if (dict && PyDict_SetItem(dict.get(), static_cast<PyObject*>(record.fields[i].attribute),
                               values[i]) < 0) {
      dict.clear();
    }
    drop(values[i]);
  }
  return dict.release();
}

PyObject* make_named_tuple(const schema::Record& record, PyObject** values) noexcept {
  auto* type = static_cast<PyTypeObject*>(record.type);
  PyObject* tuple = type->tp_alloc(type, static_cast<Py_ssize_t>(record.fields.size()));
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (tuple) {
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), values[i]);
    } else {
      drop(values[i]);
    }
  }
  return tuple;
}

PyObject* make_by_call(const schema::Record& record, PyObject** values) noexcept {
  Ref arguments = Ref::steal(PyDict_New());
  Ref empty = Ref::steal(PyTuple_New(0));
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (!values[i]) continue;
    auto* name = static_cast<PyObject*>(record.fields[i].argument);
    if (arguments && PyDict_SetItem(arguments.get(), name, values[i]) < 0) arguments.clear();
    drop(values[i]);
  }
  if (!arguments || !empty) return nullptr;
  return PyObject_Call(static_cast<PyObject*>(record.type), empty.get(), arguments.get());
}

}  // namespace

PyObject* SchemaBuilder::container(const schema::Node& node, Value* values, std::size_t count,
                                   bool unique_keys, std::int64_t* bad) noexcept {
  switch (node.kind) {
    case Kind::list:
      return make_list(values, count);
    case Kind::tuple:
    case Kind::fixed:
      return make_tuple(values, count);
    case Kind::dict:
      return make_dict(values, count, unique_keys, bad);
    default:
      return make_set(node.kind == Kind::frozenset, values, count, bad);
  }
}

PyObject* SchemaBuilder::other_record(const schema::Record& record, Value* values) noexcept {
  Ref object;
  switch (record.make) {
    case schema::Make::slots:
      object = Ref::steal(new_slots(record, values));
      break;
    case schema::Make::attributes:
      object = Ref::steal(make_attributes(record, values));
      break;
    case schema::Make::mapping:
      return make_mapping(record, values);
    case schema::Make::tuple:
      return make_named_tuple(record, values);
    case schema::Make::call:
      return make_by_call(record, values);
  }
  if (object && record.post_init) {
    Ref result = Ref::steal(call_method(object.get(), "__post_init__"));
    if (!result) return nullptr;
  }
  return object.release();
}

bool SchemaBuilder::default_of(const schema::Field& field, Value* value) noexcept {
  if (field.default_value) {
    *value = shared(field.default_value);
  } else if (field.factory) {
    *value = PyObject_CallNoArgs(static_cast<PyObject*>(field.factory));
    return *value != nullptr;
  }
  return true;
}

PyObject* SchemaBuilder::call(const schema::Node& node, Value value) noexcept {
  Ref argument = Ref::steal(value);
  return PyObject_CallOneArg(static_cast<PyObject*>(node.object), argument.get());
}

bool SchemaBuilder::apply(const schema::Node& node, Value* value, const schema::Rule** broken,
                          std::int64_t* number) noexcept {
  return apply_rules(node, value, broken, number);
}

bool SchemaBuilder::excuse(schema::Slug* slug, std::string_view* text) noexcept {
  if (PyErr_ExceptionMatches(PyExc_AssertionError)) {
    *slug = schema::Slug::assertion_error;
  } else if (PyErr_ExceptionMatches(PyExc_ValueError)) {
    *slug = schema::Slug::value_error;
  } else {
    return false;
  }
  Raised raised;
  excuse_ = Ref::steal(raised.value() ? PyObject_Str(raised.value()) : PyUnicode_FromString(""));
  if (excuse_ && utf8_view(excuse_.get(), text)) return true;
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError)) return false;
  PyErr_Clear();
  *text = "(no text)";
  return true;
}

PyObject* SchemaBuilder::call_reader(const schema::Node& node, const char* method,
                                     PyObject* argument) noexcept {
  return call_method(static_cast<PyObject*>(node.object), method, argument);
}

PyObject* SchemaBuilder::delegated(const schema::Node& node,
                                   const schema::Offender& offender) noexcept {
  if (offender.object)
    return call_reader(node, "validate_python", static_cast<PyObject*>(offender.object));
  Ref text = Ref::steal(bytes(offender.json));
  return text ? call_reader(node, "validate_json", text.get()) : nullptr;
}

PyObject* SchemaBuilder::dict_of_lists(const schema::TextValue* pairs,
                                       std::uint32_t count) noexcept {
  const auto text = [](std::string_view bytes) noexcept {
    return Ref::steal(
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
  };
  Ref dict = Ref::steal(PyDict_New());
  for (std::uint32_t i = 0; dict && i < count; ++i) {
    Ref name = text(pairs[i].name);
    Ref value = text(pairs[i].value);
    if (!name || !value) return nullptr;
    PyObject* list = PyDict_GetItemWithError(dict.get(), name.get());
    if (!list) {
      Ref made = Ref::steal(PyErr_Occurred() ? nullptr : PyList_New(0));
      if (!made || PyDict_SetItem(dict.get(), name.get(), made.get()) < 0) return nullptr;
      list = made.get();
    }
    if (PyList_Append(list, value.get()) < 0) return nullptr;
  }
  return dict.release();
}

schema::Offender SchemaBuilder::text_offender(const schema::TextValue* values, std::uint32_t count,
                                              bool pairs, bool array) noexcept {
  std::size_t room = schema::kInputTextMax;
  const auto text = [&room](std::string_view bytes) noexcept {
    const std::size_t size = std::min(bytes.size(), room);
    room -= size;
    return Ref::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(size), "replace"));
  };
  Raised raised;  // an error that is being handled stays what it is
  Ref shown;
  if (pairs) {
    shown = Ref::steal(PyDict_New());
    for (std::uint32_t i = 0; shown && i < count && room > 0; ++i) {
      Ref name = text(values[i].name);
      Ref value = text(values[i].value);
      if (!name || !value || PyDict_SetItem(shown.get(), name.get(), value.get()) < 0)
        shown.clear();
    }
  } else if (count == 1 && !array) {
    shown = text(values[0].value);
  } else {
    shown = Ref::steal(PyList_New(0));
    for (std::uint32_t i = 0; shown && i < count && room > 0; ++i) {
      Ref value = text(values[i].value);
      if (!value || PyList_Append(shown.get(), value.get()) < 0) shown.clear();
    }
  }
  if (!shown) PyErr_Clear();
  raised.restore();
  const bool no_memory = !shown;
  return {shown.release(), {}, no_memory};
}

PyObject* SchemaBuilder::foreign_errors(const schema::Node& node, std::string_view json) noexcept {
  Raised raised;
  Ref text = Ref::steal(json.empty() ? none() : bytes(json));
  Ref errors = Ref::steal(text ? PyObject_CallFunctionObjArgs(
                                     classes_.errors_of, raised.value() ? raised.value() : Py_None,
                                     static_cast<PyObject*>(node.object), text.get(), nullptr)
                               : nullptr);
  if (errors && PyList_Check(errors.get())) return errors.release();
  if (errors) raised.restore();  // not pydantic's
  return nullptr;
}

void SchemaBuilder::add_foreign_loc(PyObject* error, schema::ErrorList& errors) noexcept {
  PyObject* loc = get_item(error, "loc");
  for (Py_ssize_t i = 0; loc && PyTuple_Check(loc) && i < PyTuple_GET_SIZE(loc); ++i) {
    PyObject* step = PyTuple_GET_ITEM(loc, i);
    std::string_view text;
    if (PyLong_Check(step)) {
      errors.add_number(PyLong_AsLongLong(step));
    } else if (PyUnicode_Check(step) && utf8_view(step, &text)) {
      errors.add_key(text);
    }
  }
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError)) errors.set_no_memory();
  PyErr_Clear();
}

}  // namespace lanner::python
