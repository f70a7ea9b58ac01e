// python/schema/builder.h: makes Python objects for schema's machine, and holds the Python objects
// of a compiled schema.

#pragma once

#include <Python.h>

#include <cstdint>
#include <string_view>

#include <datetime.h>

#include "json/number.h"
#include "json/reader.h"
#include "python/json/decoder.h"
#include "python/object/new_ascii.h"
#include "python/object/ref.h"
#include "python/object/small_integer.h"
#include "python/schema/new_slots.h"
#include "schema/errors.h"
#include "schema/plan.h"
#include "schema/temporal.h"
#include "schema/text_input.h"

namespace lanner::python {

struct SchemaState;

// The classes of values, looked up when a schema is made. They live as long as the schema.
struct SchemaClasses {
  PyDateTime_CAPI* datetime = nullptr;
  PyObject* uuid = nullptr;     // uuid.UUID
  PyObject* decimal = nullptr;  // decimal.Decimal
  PyObject* errors_of =
      nullptr;  // lanner.schema._foreign.errors_of(error, reader, text): a list, or None
};

// Needs the GIL. A null value means that a Python exception is set.
class SchemaBuilder final {
 public:
  using Value = PyObject*;

  SchemaBuilder(const SchemaClasses& classes, SchemaState& state) noexcept
      : classes_(classes), state_(state) {}
  SchemaBuilder(const SchemaBuilder&) = delete;
  SchemaBuilder& operator=(const SchemaBuilder&) = delete;

  // Neither null nor an object: marks a field that failed.
  static Value failed() noexcept;
  void drop(Value value) noexcept { lanner::python::drop(value); }
  void release(void* object) noexcept { lanner::python::drop(static_cast<PyObject*>(object)); }
  Value shared(void* object) noexcept { return share(static_cast<PyObject*>(object)); }

  Value null() noexcept { return none(); }
  Value boolean(bool value) noexcept { return share(value ? Py_True : Py_False); }
  Value integer(std::int64_t value) noexcept { return PyLong_FromLongLong(value); }
  // At most schema::kMaxDigits; null, and too_many_digits(): sys.set_int_max_str_digits() allows
  // fewer. Then there is no exception.
  Value big_integer(std::string_view digits) noexcept {
    return lanner::python::big_integer(digits);
  }
  bool too_many_digits() noexcept;
  Value integer_from_floating(double value) noexcept { return PyLong_FromDouble(value); }
  Value floating(double value) noexcept { return PyFloat_FromDouble(value); }
  Value number(const json::Number& number) noexcept;
  Value string(const json::String& text) noexcept;
  Value key(const json::String& text) noexcept;
  // A str of 2 or more bytes of ASCII, to be written at *to.
  Value new_ascii(std::size_t size, char** to) noexcept {
    return lanner::python::new_ascii(size, to);
  }
  Value utf8(std::string_view text) noexcept;
  Value bytes(std::string_view text) noexcept;
  Value date(const schema::Date& date) noexcept;
  Value time(const schema::Time& time) noexcept;
  Value datetime(const schema::DateTime& moment) noexcept;
  Value timedelta(const schema::Duration& span) noexcept;
  Value uuid(const std::uint8_t (&bytes)[16]) noexcept;
  Value decimal(std::string_view text) noexcept;
  // Any JSON value at the cursor; returns the byte behind it, or null: the reader or Python failed.
  // unique: repeated keys are a failure of the reader.
  const char* any(json::Reader& reader, const char* at, int depth, bool unique,
                  Value* value) noexcept;
  // Passes over an array or object, in which repeated keys are a failure of the reader.
  const char* skip_unique(json::Reader& reader, const char* at, int depth) noexcept;
  // The choice that is this number; null: none, or *failed.
  Value pick(const schema::Choices& choices, const json::Number& number, bool* failed) noexcept;
  Value pick(const schema::Choices& choices, PyObject* value, bool* failed) noexcept;

  // Takes `count` values over. Null: *bad >= 0 says which was refused, kCollisions that too many
  // have the same hash, else an exception is set.
  static constexpr std::int64_t kCollisions = -2;
  Value container(const schema::Node& node, Value* values, std::size_t count, bool unique_keys,
                  std::int64_t* bad) noexcept;
  // Takes the values of all fields over; null ones stay unset.
  Value record(const schema::Record& record, Value* values) noexcept {
    return record.make == schema::Make::slots && !record.post_init ? new_slots(record, values)
                                                                   : other_record(record, values);
  }
  bool default_of(const schema::Field& field, Value* value) noexcept;
  // Node::object(value); takes the value over.
  Value call(const schema::Node& node, Value value) noexcept;

  bool looks_into_dicts() const noexcept;
  // A quick check: true if all rules of the node hold; false means unknown.
  [[gnu::always_inline]] bool surely_holds(const schema::Node& node,
                                           PyObject* value) const noexcept {
    std::int64_t number = 0;
    if (node.quick.of == schema::QuickRange::Of::length)
      return node.quick.holds(PyUnicode_GET_LENGTH(value));
    return node.quick.of == schema::QuickRange::Of::integer && small_integer(value, &number) &&
           node.quick.holds(number);
  }
  // Applies the rules; may replace the value. False: an exception is set. *broken: the first
  // violated rule.
  bool apply(const schema::Node& node, Value* value, const schema::Rule** broken,
             std::int64_t* number) noexcept;

  // True: the exception was a ValueError or AssertionError of user code, and is now an error's slug
  // and text, which lives until the next one.
  bool excuse(schema::Slug* slug, std::string_view* text) noexcept;

  // A value by its class's own validator, for JSON text or an object.
  template <class Machine, class Item>
  Value delegate(Machine& machine, const schema::Node& node, Item item) noexcept {
    return delegate_offender(machine, node, machine.input().offender(item));
  }
  // The same for text, which is UTF-8.
  template <class Machine>
  Value delegate_text(Machine& machine, const schema::Node& node, std::string_view text) noexcept {
    Value whole = utf8(text);
    return whole ? delegate_offender(machine, node, {whole, {}}) : abort(machine);
  }

  // The same for a record of all pairs, which is given as a dict of lists.
  template <class Machine, class Item>
  Value delegate_pairs(Machine& machine, const schema::Node& node, Item item) noexcept {
    Ref pairs = Ref::steal(dict_of_lists(item.first, item.count));
    if (!pairs) return abort(machine);
    return delegate_result(machine, node, call_reader(node, "validate_pairs", pairs.get()), {});
  }

  // The input of errors in text values: the only value (array: in a list), all values, or a dict of
  // all pairs; limited to about schema::kInputTextMax bytes.
  schema::Offender text_offender(const schema::TextValue* values, std::uint32_t count, bool pairs,
                                 bool array) noexcept;

 private:
  Value other_record(const schema::Record& record, Value* values) noexcept;
  template <class Machine>
  static Value abort(Machine& machine) noexcept {
    machine.abort();
    return nullptr;
  }
  template <class Machine>
  Value delegate_offender(Machine& machine, const schema::Node& node,
                          schema::Offender offender) noexcept {
    const Ref kept = Ref::steal(static_cast<PyObject*>(offender.object));
    return delegate_result(machine, node, delegated(node, offender), offender.json);
  }
  // value: null with an exception set, which becomes errors if it is one of a value.
  template <class Machine>
  Value delegate_result(Machine& machine, const schema::Node& node, Value value,
                        std::string_view json) noexcept {
    if (value) return value;
    Ref errors = Ref::steal(foreign_errors(node, json));
    if (!errors) return abort(machine);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(errors.get()); ++i) {
      PyObject* error = PyList_GET_ITEM(errors.get(), i);  // the dict of pydantic's errors()
      if (machine.note(schema::Slug::foreign, {share(error), {}}, nullptr, {}, -1)) {
        add_foreign_loc(error, machine.errors());
      }
    }
    return nullptr;
  }
  Value delegated(const schema::Node& node, const schema::Offender& offender) noexcept;
  Value call_reader(const schema::Node& node, const char* method, PyObject* argument) noexcept;
  PyObject* dict_of_lists(const schema::TextValue* pairs, std::uint32_t count) noexcept;
  // json: what was read; empty: it was no JSON. Null: another exception is set.
  PyObject* foreign_errors(const schema::Node& node, std::string_view json) noexcept;
  void add_foreign_loc(PyObject* error, schema::ErrorList& errors) noexcept;
  PyObject* timezone(const schema::Time& time) noexcept;

  const SchemaClasses& classes_;
  SchemaState& state_;
  Ref excuse_;  // str
};

// The UTF-8 of a str; false when it has none (lone surrogates), or there is no memory for it: then
// MemoryError is set.
bool utf8_view(PyObject* text, std::string_view* view) noexcept;

// A new plain int of the value of an int of any class.
PyObject* plain_int(PyObject* number) noexcept;

// True: the exception was Python's "unhashable type", and is gone. That of a user's own __hash__ or
// __eq__ stays.
bool take_unhashable() noexcept;

}  // namespace lanner::python
