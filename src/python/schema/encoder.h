// python/schema/encoder.h: writes values of a schema's type as JSON text according to its plan:
// only what the type declares is written, and a value of another type is an error.
//
// As in json/encoder.h, each value is followed by a comma, and the closing bracket overwrites the
// last one; containers that are being written are on a stack of frames.

#pragma once

#include <Python.h>

#include <array>
#include <cstdint>

#include "base/cpu.h"
#include "json/escape.h"
#include "json/limits.h"
#include "json/output.h"
#include "python/json/encoder.h"
#include "python/schema/builder.h"
#include "schema/plan.h"

namespace lanner::python {

struct SchemaWriteOptions {
  bool exclude_none = false;      // fields that are None
  bool exclude_unset = false;     // fields without a value; otherwise they are an error
  bool exclude_defaults = false;  // fields that equal their default
  bool exact_records = false;     // a dict is no value of a dataclass
  PyObject* fallback = nullptr;   // default(value) for what JSON cannot represent in Any; borrowed
};

class SchemaEncoder final {
 public:
  // All borrowed.
  SchemaEncoder(const SchemaClasses& classes, SchemaState* state, json::Output& out,
                const SchemaWriteOptions& options) noexcept;
  SchemaEncoder(const SchemaEncoder&) = delete;
  SchemaEncoder& operator=(const SchemaEncoder&) = delete;
  ~SchemaEncoder();

  // What a value loses when a node writes it: fit.cpp.
  using Loss = std::uint32_t;
  static constexpr Loss kNoFit = UINT32_MAX;

  // False with an exception set (JSONEncodeError where the value does not fit the type).
  [[nodiscard]] bool write(const schema::Node& root, PyObject* value) noexcept;

 private:
  template <class Level>
  friend class SchemaWalk;
  enum class Done : std::uint8_t {
    yes,
    opened,  // a container, which is the frame at the top now
    left,    // of a walk: the next item or field is for the functions below
    failed,
  };
  enum class From : std::uint8_t { slots, attributes, dict, tuple, list };
  struct Frame {
    const schema::Node* node;
    PyObject* owner;    // owned
    PyObject* key;      // dict: of the item in hand; owned
    Py_ssize_t at;      // of the next item or field; of a dict what PyDict_Next() says
    Py_ssize_t size;    // of a list, tuple or dict when it was opened
    std::size_t begin;  // size of the output behind the bracket
    From from;
    bool braces;  // an object, not an array
  };

  // encoder.cpp: the walk.
  Done write_value(const schema::Node& node, PyObject* value) noexcept;
  static Py_ssize_t size_of(const Frame& frame) noexcept;
  bool has_grown(const Frame& frame) noexcept;
  Done open(const schema::Node& node, PyObject* value) noexcept;
  Done open_record(const schema::Node& node, PyObject* value) noexcept;
  Done push(const schema::Node& node, PyObject* owner, From from, bool braces) noexcept;
  Done resume(Frame& frame) noexcept;
  Done resume_items(Frame& frame) noexcept;
  Done resume_dict(Frame& frame) noexcept;
  Done resume_record(Frame& frame) noexcept;
  Done close(Frame& frame) noexcept;
  bool write_key(const schema::Node& node, PyObject* key) noexcept;
  // The field's value, owned; null: it is unset, or an exception is set.
  Ref field_value(const Frame& frame, const schema::Field& field) noexcept;
  bool left_out(const schema::Record& record, const schema::Field& field, PyObject* value,
                bool* out) noexcept;

  // fit.cpp: the member of a union that writes the value; null: none, or an exception is set.
  // depth: of containers that have been looked into.
  const schema::Node* member_of(const schema::Node& node, PyObject* value, int depth = 0) noexcept;
  const schema::Node* tagged_member(const schema::Node& node, PyObject* dict) noexcept;
  const schema::Node* best_within(const schema::Node& node, const schema::Node* best,
                                  PyObject* value, int depth) noexcept;
  // By the value's own type; by all that it holds.
  Loss loss(const schema::Node& node, PyObject* value) noexcept;
  Loss loss_within(const schema::Node& node, PyObject* value, int depth) noexcept;
  Loss loss_of_leaf(const schema::Node& node, PyObject* value) noexcept;
  Loss loss_of_choice(const schema::Choices& choices, PyObject* value) noexcept;
  Loss loss_of_items(const schema::Node& node, PyObject* value, int depth) noexcept;
  Loss loss_of_entries(const schema::Node& node, PyObject* value, int depth) noexcept;
  // Of an object or dict; null: it has none, or an exception is set.
  Ref attribute(const schema::Record& record, const schema::Field& field, PyObject* value) noexcept;
  bool fits(const schema::Node& node, PyObject* value) noexcept {
    return loss(node, value) != kNoFit;
  }

  // encode_leaf.cpp: each writes its value and a comma.
  Done write_leaf(const schema::Node& node, PyObject* value) noexcept;
  Done write_other_leaf(const schema::Node& node, PyObject* value) noexcept;
  Done write_str(PyObject* text) noexcept;
  Done write_int(PyObject* number) noexcept;
  Done write_float(double value) noexcept;
  Done write_decimal(const schema::Node& node, PyObject* value) noexcept;
  Done write_span(PyObject* value) noexcept;
  Done write_choice(const schema::Node& node, PyObject* value) noexcept;
  Done write_delegate(const schema::Node& node, PyObject* value) noexcept;
  Done write_any(PyObject* value) noexcept;
  Done write_text(std::string_view text) noexcept;

  // walk_inl.h: what is plain in one loop, from the frame at the top on. Done::yes: all is
  // written.
  using Walk = Done (SchemaEncoder::*)() noexcept;
  Walk walk_of() const noexcept;  // null: not on this machine, or not for these options
  // Whether a walk may write the node's items or fields.
  bool walks(const schema::Node& node, From from) const noexcept {
    using schema::Kind;
    if (!walk_) return false;
    switch (node.kind) {
      case Kind::record:
        return !node.record->omit_defaults &&
               (from == From::slots ||
                (from == From::dict && node.record->make == schema::Make::mapping));
      case Kind::dict:
        return node.children[0]->kind == Kind::string && is_walked(node.children[1]->kind);
      case Kind::list:
      case Kind::tuple:
      case Kind::set:
      case Kind::frozenset:
        return is_walked(node.children[0]->kind);
      default:
        return false;
    }
  }
  // Items of these kinds may be written by a walk.
  static constexpr bool is_walked(schema::Kind kind) noexcept {
    using schema::Kind;
    return kind <= Kind::string || kind == Kind::list || kind == Kind::tuple ||
           kind == Kind::dict || kind == Kind::record;
  }
  template <SimdLevel>
  Done walk() noexcept;

  Done no_memory() noexcept;
  Done wrong(const schema::Node& node, PyObject* value) noexcept;  // "int expected, not str"
  void raise() noexcept;
  bool take_inner() noexcept;
  Ref path() noexcept;  // "$[3].name"; a long one without its middle
  bool is_circular(PyObject* value) const noexcept;
  Done failed_with(PyObject* error, const char* problem) noexcept;  // instead of that error

  const SchemaClasses& classes_;
  SchemaState* state_;
  json::Output& out_;
  const SchemaWriteOptions& options_;
  const json::EscapeKernels& kernels_;
  const JsonOptions json_options_;
  const bool excludes_;      // any of the options
  const bool dict_entries_;  // dict_entries() may be used
  const Walk walk_;
  int depth_ = 0;
  std::size_t visits_ = 0;  // of items, to find members of unions
  Ref problem_;             // str: what is wrong, until raise()
  Ref inner_path_;          // str: where in a value that was written as any is
  std::array<Frame, json::kDepthMax> frames_;
};

// Those of the levels that there are (cmake/python.cmake) are defined by walk_inl.h.
template <>
SchemaEncoder::Done SchemaEncoder::walk<SimdLevel::baseline>() noexcept;
template <>
SchemaEncoder::Done SchemaEncoder::walk<SimdLevel::avx2>() noexcept;
template <>
SchemaEncoder::Done SchemaEncoder::walk<SimdLevel::avx512>() noexcept;

}  // namespace lanner::python
