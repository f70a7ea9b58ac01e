// python/json/encoder.h: any Python value as JSON text (RFC 8259), without recursion.
//
// Containers that are being written are on a stack of frames. Each item is followed by a comma; the
// closing bracket overwrites the last one.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/cpu.h"
#include "json/escape.h"
#include "json/limits.h"
#include "json/output.h"
#include "python/json/state.h"
#include "python/object/ref.h"

namespace lanner::python {

struct JsonOptions {
  PyObject* fallback = nullptr;  // default(value) for values that JSON cannot represent; borrowed
  int indent = 0;                // spaces a level; 0 = all on one line
  bool sort_keys = false;        // of dicts, by code point
  bool naive_utc = false;        // a datetime without a zone is UTC
  bool utc_z = false;            // Z for +00:00
  bool omit_microseconds = false;
  bool non_str_keys = false;  // numbers, dates, UUIDs, enums, None and bool may be keys
  bool nan_as_null = false;
  bool append_newline = false;         // behind the whole text
  bool strict_integer = false;         // integers of more than 53 bits are errors
  bool passthrough_subclass = false;   // subclasses of str, int, ..., dict go to `fallback`
  bool passthrough_datetime = false;   // datetime, date and time, too
  bool passthrough_dataclass = false;  // dataclasses, too
  bool passthrough_set = false;        // set and frozenset, too
  bool passthrough_decimal = false;    // decimal.Decimal, too
};

class JsonEncoder final {
 public:
  JsonEncoder(JsonState* state, json::Output& out, const JsonOptions& options) noexcept
      : state_(state),
        out_(&out),
        options_(&options),
        kernels_(json::escape_kernels()),
        walk_(walk_of(*state, options)) {}
  JsonEncoder(const JsonEncoder&) = delete;
  JsonEncoder& operator=(const JsonEncoder&) = delete;
  ~JsonEncoder();

  // Writes `value`, borrowed. False with an exception set; then truncate() the output.
  [[nodiscard]] bool write(PyObject* value) noexcept;
  // Whether the text of an unchecked Raw was written, which may not be UTF-8.
  bool wrote_unchecked() const noexcept { return wrote_unchecked_; }

 private:
  template <class Level>
  friend class JsonWalk;
  enum class Kind : std::uint8_t { list, tuple, dict, sorted, fields };
  enum class Done : std::uint8_t { yes, no, again, failed };
  struct Frame {
    PyObject* owner;    // the container; owned
    PyObject* key;      // of the item that is being written, if that is no plain scalar; owned
    PyObject* items;    // sorted: list of key, value, ...; fields: __dataclass_fields__; owned
    Py_ssize_t at;      // of the next item
    Py_ssize_t size;    // of what is iterated, when it was opened: items, keys or fields
    std::size_t begin;  // size of the output behind the opening bracket
    Kind kind;
  };

  // scalars.cpp: each writes its value and a comma. A failure is in problem_, or set.
  Done write_plain(PyObject* value) noexcept;  // exact str, int, float, bool, None
  Done write_str(PyObject* text) noexcept;
  Done write_long_str(PyObject* text) noexcept;
  Done write_int(PyObject* number) noexcept;
  Done write_big_int(PyObject* number) noexcept;
  Done write_float(double value) noexcept;
  Done write_word(std::string_view word) noexcept;
  bool write_key(PyObject* key) noexcept;
  Ref key_text(PyObject* key) noexcept;
  Ref odd_key_text(PyObject* key) noexcept;

  // other.cpp: values that are neither plain nor containers. `value` may be replaced by its
  // representation (Done::again).
  Done write_other(Ref& value) noexcept;
  Done write_subclass(Ref& value) noexcept;
  Done write_text_of(PyObject* value) noexcept;
  Done write_set(Ref& value) noexcept;
  Done write_decimal(PyObject* value) noexcept;
  Done write_numpy(Ref& value) noexcept;
  Done write_raw(PyObject* value) noexcept;
  Done write_fallback(Ref& value) noexcept;

  // walk_inl.h: the walk over plain values in one loop; null: not available for these options
  // or on this machine.
  using Walk = Done (JsonEncoder::*)(int outside, PyObject** other) noexcept;
  static Walk walk_of(const JsonState& state, const JsonOptions& options) noexcept;
  template <SimdLevel>
  Done walk(int outside, PyObject** other) noexcept;

  // encoder.cpp: the walk.
  Done write_value(Ref& value) noexcept;
  Done open(Ref& owner, Kind kind, PyObject* items = nullptr) noexcept;
  Done open_dict(Ref& dict) noexcept;
  void pop() noexcept;  // drops the top frame
  bool close() noexcept;
  // The next item that is not a plain scalar, owned, after the walk has written the items before
  // it. Null: everything is written (*done), or an exception is set.
  PyObject* next(int outside, bool* done) noexcept;
  // Writes plain items; returns the next other one, owned. Null: the frame is at its end, or an
  // exception is set.
  PyObject* next_item(Frame& frame) noexcept;
  PyObject* next_of_array(Frame& frame) noexcept;
  PyObject* next_of_dict(Frame& frame) noexcept;
  PyObject* next_of_sorted(Frame& frame) noexcept;
  PyObject* next_field(Frame& frame) noexcept;
  void raise_no_attribute(PyObject* name) noexcept;
  static Py_ssize_t size_of(const Frame& frame) noexcept;
  // Whether the container has grown since it was opened, which user code called for its items could
  // cause without end. Then problem_ is set.
  bool has_grown(const Frame& frame) noexcept;
  Done write_item(Frame& frame, PyObject* key, PyObject** value) noexcept;
  Done write_value_of(Frame& frame, PyObject* key, PyObject* value, PyObject** other) noexcept;
  Done write_odd_item(Frame& frame, PyObject* key, PyObject** value) noexcept;
  bool begin_line(int depth) noexcept;

  Done no_memory() noexcept;
  // There is no frame left for `container`.
  Done too_deep(PyObject* container) noexcept;
  Done problem(const char* what) noexcept {
    problem_ = what;
    return Done::failed;
  }
  // Sets JSONEncodeError with problem_ and the path to `key` (may be null) in the top frame, unless
  // an exception is set.
  void raise(PyObject* key) noexcept;
  Ref path(PyObject* key) const noexcept;

  JsonState* state_;
  json::Output* out_;
  const JsonOptions* options_;
  const json::EscapeKernels& kernels_;
  const Walk walk_;
  int depth_ = 0;
  bool wrote_unchecked_ = false;
  const char* problem_ = nullptr;  // what is wrong, until raise()
  char problem_text_[192];
  std::array<Frame, json::kDepthMax> frames_;
};

// Those of the levels that there are (cmake/python.cmake) are defined by walk_inl.h.
template <>
JsonEncoder::Done JsonEncoder::walk<SimdLevel::baseline>(int outside, PyObject** other) noexcept;
template <>
JsonEncoder::Done JsonEncoder::walk<SimdLevel::avx2>(int outside, PyObject** other) noexcept;
template <>
JsonEncoder::Done JsonEncoder::walk<SimdLevel::avx512>(int outside, PyObject** other) noexcept;

}  // namespace lanner::python
