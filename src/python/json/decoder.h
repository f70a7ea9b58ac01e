// python/json/decoder.h: JSON values as Python objects, in one pass over the text and without
// recursion.
//
// The objects made so far are on a stack of values; an array or object that ends takes its values
// from it, so that every list and dict is made at its final size.
//
//   values  [ key "a" | 1 | key "b" | 2 | 3 |          text read: {"a": 1, "b": [2, 3
//   frames  object at 0, array at 3

#pragma once

#include <array>
#include <cstdint>

#include "json/limits.h"
#include "json/reader.h"
#include "python/json/text.h"
#include "python/object/ref.h"

namespace lanner::python {

// An int of these digits, with a sign or without. Null with a ValueError where there are more than
// Python converts: sys.set_int_max_str_digits(). REQUIRES: at most json::kIntegerDigitsMax digits.
PyObject* big_integer(std::string_view digits) noexcept;

class JsonDecoder final {
 public:
  // keys: of the module; may be null. All borrowed.
  JsonDecoder(json::Reader& reader, JsonKeys& keys) noexcept : reader_(&reader), keys_(&keys) {}
  JsonDecoder(const JsonDecoder&) = delete;
  JsonDecoder& operator=(const JsonDecoder&) = delete;
  ~JsonDecoder();

  // Repeated keys of an object are an error; otherwise the last one wins.
  void refuse_repeated_keys() noexcept { refuse_repeated_ = true; }

  // Reads the value at `at` (no white space before it) into *out, a new reference, and returns the
  // byte behind it. `depth`: how many arrays and objects are open around it.
  // Null: failed; either a Python exception is set or reader.error() says why.
  const char* read(const char* at, int depth, PyObject** out) noexcept;

 private:
  struct Frame {
    const char* begin;  // its bracket
    std::size_t first;  // of its values on the stack
    bool object;
  };
  static constexpr std::size_t kInlineValues = 256;

  const char* scalar(const char* at, bool in_array, PyObject** out) noexcept;
  const char* key(const char* at) noexcept;
  bool is_expected(const char* at, PyObject* key, std::size_t size) const noexcept;
  bool is_expected_avx512(const char* at, PyObject* key, std::size_t size) const noexcept;
  const char* text_avx512(const char* at, PyObject** out) noexcept;
  const char* number(const char* at, bool in_array, PyObject** out) noexcept;
  const char* numbers_avx2(const char* at, bool in_array, PyObject** out) noexcept;
  bool push(PyObject* value) noexcept;
  bool grow() noexcept;
  const char* open(const char* at, int depth) noexcept;
  PyObject* close() noexcept;
  PyObject* close_array(std::size_t first) noexcept;
  PyObject* close_object(std::size_t first) noexcept;
  void fail_at_repeated_key(const char* object) noexcept;
  void drop_values(std::size_t first) noexcept;

  json::Reader* reader_;
  JsonKeys* keys_;
  PyObject** values_ = inline_values_;
  std::size_t size_ = 0;
  std::size_t capacity_ = kInlineValues;
  int open_ = 0;
  bool refuse_repeated_ = false;
  bool avx2_ = simd_level() >= SimdLevel::avx2;
  bool avx512_ = simd_level() == SimdLevel::avx512;
  std::array<Frame, json::kDepthMax> frames_;
  PyObject* inline_values_[kInlineValues];
};

}  // namespace lanner::python
