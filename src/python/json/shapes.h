// python/json/shapes.h: makes dicts with the same keys in the same order as an earlier one: copies
// a template and stores the values.
//
// Many documents are lists of records. Copying a dict is one allocation and a memcpy; inserting its
// keys one by one costs a look-up each. Direct-mapped and bounded: kSlots templates of kKeysMax
// keys.

#pragma once

#include <array>
#include <cstdint>

#include "python/object/ref.h"

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
  // A dict of `count` pairs, keys and values alternating; takes their references. Null without an
  // exception: the shape is unknown and nothing was taken.
  PyObject* make(PyObject** pairs, std::size_t count) noexcept;
  // `dict` was made from these pairs: later dicts of the same shape may be copies.
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
