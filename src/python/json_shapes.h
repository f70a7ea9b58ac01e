// python/json_shapes.h: dicts with the same keys in the same order as one before: a copy of a
// template, then the values put in.
//
// Documents are lists of records. A copy of a dict is one allocation and a memcpy; inserting its
// keys one by one is a lookup each. Direct-mapped and bounded: kSlots templates of kKeysMax keys.

#pragma once

#include <array>
#include <cstdint>

#include "python/ref.h"

namespace lanner::python {

class JsonShapes final {
 public:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t kKeysMin = 2;
  static constexpr std::size_t kKeysMax = 64;

  JsonShapes() noexcept = default;
  JsonShapes(const JsonShapes&) = delete;
  JsonShapes& operator=(const JsonShapes&) = delete;
  ~JsonShapes() { clear(); }

  // REQUIRES: dict_entries_known(). Until then every call finds nothing.
  void enable() noexcept { enabled_ = true; }
  // A dict of `count` pairs, key and value in turn; takes their references. Null without an
  // exception: no such shape is known, nothing was taken.
  PyObject* make(PyObject** pairs, std::size_t count) noexcept;
  // `dict` was made of these pairs: the next like it may be a copy.
  void learn(PyObject* dict, PyObject* const* pairs, std::size_t count) noexcept;
  void clear() noexcept;

 private:
  struct Slot {
    PyObject* shape;        // a dict of the keys, every value None; owned
    std::uint64_t missed;   // fingerprint of the last miss; a shape is cached on its second
    std::int32_t patience;  // misses until another shape may take the place
  };

  bool enabled_ = false;
  std::array<Slot, kSlots> slots_{};
};

}  // namespace lanner::python
