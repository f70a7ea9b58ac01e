// python/schema/object_input.h: Python objects as the Input of schema's machine.

#pragma once

#include <Python.h>

#include <cmath>

#include "python/object/dict_entries.h"
#include "python/schema/builder.h"
#include "schema/machine.h"
#include "schema/text_leaf.h"

namespace lanner::python {

// Objects are borrowed from their container, which is held by a reference. The current item is held
// as well while user code runs that might empty the container.
class ObjectInput final {
 public:
  using Value = PyObject*;
  using This = schema::Machine<ObjectInput, SchemaBuilder>;
  using Node = schema::Node;
  using Look = schema::KindTable::Look;
  static constexpr bool kReadsRows = true;
  static constexpr bool kIsText = false;
  using Step = schema::Step;
  using Item = PyObject*;
  struct Container {
    PyObject* object;  // owned
    PyObject* item;    // of a dict: owned, or null
    PyObject* key;     // of a dict, or unknown to a record: owned, or null
    Py_ssize_t at;
  };
  enum class Opened : std::uint8_t { items, pairs, as_is, wrong };

  ObjectInput(const SchemaClasses& classes, SchemaBuilder& builder) noexcept
      : classes_(classes), builder_(builder), looks_into_dicts_(builder.looks_into_dicts()) {}

  bool take_null(This&, Item item) noexcept { return item == Py_None; }
  // A value of a registered type: an object of that type, or one that the compat profile converts.
  // True: *value is the result, or null after an error.
  bool take_own(This& machine, const Node& node, Item item, Value* value) noexcept;
  Look look(Item item) const noexcept;
  bool is_integer(This& machine, Item item) const noexcept;
  static bool is_same(Item one, Item other) noexcept { return one == other; }
  // As if they were JSON text, an item as so many bytes.
  static constexpr std::size_t kItemSize = 16;
  static std::size_t item_size(Item item, std::uint64_t items) noexcept {
    const Py_ssize_t text = PyUnicode_Check(item) ? PyUnicode_GET_LENGTH(item) : 0;
    return kItemSize * static_cast<std::size_t>(items + 1) + static_cast<std::size_t>(text);
  }
  // What has been seen of it so far.
  static std::size_t document_size(Item, std::uint64_t items, std::uint64_t again) noexcept {
    const std::uint64_t read = kItemSize * items;
    return read > again ? static_cast<std::size_t>(read - again) : 0;
  }
  Value leaf(This& machine, const Node& node, Item item) noexcept {
    if (node.kind == schema::Kind::string && PyUnicode_CheckExact(item)) return share(item);
    if (node.kind == schema::Kind::integer && PyLong_CheckExact(item)) return share(item);
    if (node.kind == schema::Kind::floating && PyFloat_CheckExact(item) &&
        std::isfinite(PyFloat_AS_DOUBLE(item))) {
      return share(item);
    }
    item_ = Ref::borrow(item);  // until its rules have been checked, whatever user code does
    return other_leaf(machine, node, item);
  }
  Opened open(This& machine, const Node& node, Item item, Container* in, Value* ready) noexcept;
  void hold(Item item, Container* in) noexcept { *in = {share(item), nullptr, nullptr, 0}; }
  void close(Container& in) noexcept {
    drop(in.item);
    drop(in.key);
    drop(in.object);
  }
  Item item_of(const Container& in) const noexcept { return in.object; }
  void back_to(Item) noexcept {}
  Ref keep(Item item) const noexcept { return Ref::borrow(item); }
  schema::Offender offender(Item item) const noexcept { return {share(item), {}}; }
  bool skip(This&, Item) noexcept { return true; }

  Step next_item(This&, Container& in, Item* item) noexcept {
    PyObject* next = nullptr;
    if (PyList_Check(in.object)) {
      if (in.at < PyList_GET_SIZE(in.object)) next = PyList_GET_ITEM(in.object, in.at);
    } else if (in.at < PyTuple_GET_SIZE(in.object)) {
      next = PyTuple_GET_ITEM(in.object, in.at);
    }
    if (!next) return Step::end;
    ++in.at;
    *item = next;
    return Step::more;
  }
  // As JsonInput's. Entries are looked at where they lie; nothing of the user's runs.
  [[gnu::always_inline]] bool read_row(This&, const schema::Record& record, Container& in,
                                       std::uint32_t* next, Value* values,
                                       bool* complete) noexcept {
    if (!looks_into_dicts_ || !record.row_helps(*next) || !PyDict_CheckExact(in.object))
      return true;
    const DictEntries entries = dict_entries(in.object);
    if (entries.first) *complete = read_entries(record, entries, &in.at, next, values);
    return true;
  }
  [[gnu::always_inline]] schema::RecordsRead read_record(This&, const schema::Record& record,
                                                         Item item, Value* values,
                                                         Container* in) noexcept {
    using End = schema::RecordsRead::End;
    if (!looks_into_dicts_ || !record.row_helps(0) || !PyDict_CheckExact(item)) return {};
    const DictEntries entries = dict_entries(item);
    if (!entries.first) return {};
    Py_ssize_t at = 0;
    std::uint32_t next = 0;
    const bool complete = read_entries(record, entries, &at, &next, values);
    if (next == 0) return {};
    if (complete && record.is_plain()) return {End::complete, next};
    *in = {share(item), nullptr, nullptr, at};
    return {complete ? End::complete : End::within, next};
  }
  schema::RecordsRead read_records(This& machine, const schema::Record& record, Container& in,
                                   Container* one) noexcept {
    using End = schema::RecordsRead::End;
    if (!looks_into_dicts_ || !record.row_helps(0) || !PyList_Check(in.object)) return {};
    while (in.at < PyList_GET_SIZE(in.object)) {
      PyObject* item = PyList_GET_ITEM(in.object, in.at);
      if (!PyDict_CheckExact(item)) return {};
      const DictEntries entries = dict_entries(item);
      if (!entries.first) return {};
      Value* values = machine.record_room(record);
      if (!values) return {End::failed, 0};
      Py_ssize_t at = 0;
      std::uint32_t next = 0;
      if (!read_entries(record, entries, &at, &next, values)) {
        if (next == 0) return {};
        ++in.at;
        *one = {share(item), nullptr, nullptr, at};
        return {End::within, next};
      }
      ++in.at;
      // Allocation may run a finalizer through the garbage collector, which may change the list or
      // dict.
      if (!machine.record_done(record, values)) return {End::failed, 0};
    }
    return {};
  }
  Step next_field(This& machine, const schema::Record& record, Container& in, int* field,
                  Item* item) noexcept {
    PyObject* key = nullptr;
    if (!next_entry(in, &key, item)) return Step::end;
    const auto guess = static_cast<std::size_t>(*field);
    if (guess >= record.fields.size() || record.fields[guess].key != key) {
      *field = find_field(record, in, key, *item);
      if (*field < 0 && PyErr_Occurred()) {
        machine.abort();
        return Step::stopped;
      }
    }
    return Step::more;
  }
  Step next_key(This&, Container& in) noexcept {
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    if (!PyDict_Next(in.object, &in.at, &key, &value)) return Step::end;
    drop(std::exchange(in.key, share(key)));
    drop(std::exchange(in.item, share(value)));
    return Step::more;
  }
  Value key(This& machine, const Node& node, Container& in) noexcept;
  Item key_item(const Container& in) const noexcept { return in.key; }
  Step next_value(This&, Container& in, Item* item) noexcept {
    *item = in.item;
    return Step::more;
  }
  void key_loc(const Container& in, schema::ErrorList& errors) const noexcept;
  schema::FoundTag find_tag(This& machine, Item item, const schema::Tags& tags) noexcept;

 private:
  // As PyDict_Next(), where the dict can be looked into without a call.
  [[gnu::always_inline]] bool next_entry(Container& in, PyObject** key, PyObject** value) noexcept {
    const DictEntries entries =
        PyDict_CheckExact(in.object) && looks_into_dicts_ ? dict_entries(in.object) : DictEntries();
    if (!entries.first) return PyDict_Next(in.object, &in.at, key, value) != 0;
    while (in.at < entries.count) {
      const Py_ssize_t i = in.at++;
      *value = entries.value(i);
      if (!*value) continue;
      *key = entries.key(i);
      return true;
    }
    return false;
  }
  // True: the record is complete, and the dict at its end.
  [[gnu::always_inline]] static bool read_entries(const schema::Record& record,
                                                  const DictEntries& entries, Py_ssize_t* at,
                                                  std::uint32_t* next, Value* values) noexcept {
    const schema::ReadField* const fields = record.read_fields.data();
    const auto count = static_cast<std::uint32_t>(record.read_fields.size());
    std::uint32_t i = *next;
    Py_ssize_t entry = *at;
    for (; i < count && entry < entries.count; ++i, ++entry) {
      PyObject* value = entries.value(entry);
      if (!value || entries.key(entry) != fields[i].name || !is_plain(fields[i], value)) break;
      values[i] = share(value);
    }
    *at = entry;
    *next = i;
    return i == count && entry == entries.count;
  }
  [[gnu::always_inline]] static bool is_plain(const schema::ReadField& field,
                                              PyObject* value) noexcept {
    using Read = schema::ReadField::Read;
    std::int64_t number = 0;
    switch (field.read) {
      case Read::string:
        if (PyUnicode_CheckExact(value)) return field.holds(PyUnicode_GET_LENGTH(value));
        break;
      case Read::integer:
        if (PyLong_CheckExact(value)) return small_integer(value, &number) && field.holds(number);
        break;
      case Read::floating:
        if (PyFloat_CheckExact(value)) return std::isfinite(PyFloat_AS_DOUBLE(value));
        break;
      case Read::boolean:
        if (PyBool_Check(value)) return true;
        break;
      default:
        return false;
    }
    return field.nullable && value == Py_None;
  }
  static Opened opened(This& machine, const Container& in, Opened how) noexcept;
  int find_field(const schema::Record& record, Container& in, PyObject* key,
                 PyObject* value) noexcept;
  Value other_leaf(This& machine, const Node& node, Item item) noexcept;
  Value integer(This& machine, const Node& node, Item item) noexcept;
  Value floating(This& machine, const Node& node, Item item) noexcept;
  Value boolean(This& machine, const Node& node, Item item) noexcept;
  Value string(This& machine, const Node& node, Item item) noexcept;
  Value bytes(This& machine, const Node& node, Item item) noexcept;
  Value moment(This& machine, const Node& node, Item item) noexcept;
  Value instance_or_text(This& machine, const Node& node, Item item) noexcept;
  Value choice(This& machine, const Node& node, Item item) noexcept;
  // Conversions of the compat profile: bytes as text, Decimals as numbers, Enum members as their
  // values. False: none applies.
  bool lax_leaf(This& machine, const Node& node, Item item, Value* value) noexcept;
  Value raw(This& machine, const Node& node, Item item) noexcept;
  Value from_decimal(This& machine, const Node& node, Item item) noexcept;
  Value from_text(This& machine, const Node& node, Item item) noexcept;
  Value from_number(This& machine, const Node& node, Item item) noexcept;

  const SchemaClasses& classes_;
  SchemaBuilder& builder_;
  const bool looks_into_dicts_;
  Ref item_;
};

// The text of a tag's value, as a plan's Tags have it; a str's or int's, also of a class of its
// own, or of an Enum's member. Null: an exception is set.
Ref tag_text(PyObject* tag, bool* numeric) noexcept;

}  // namespace lanner::python
