// python/json/text.h: the text of JSON string literals as str objects, and a cache of keys.

#pragma once

#include <array>
#include <cstdint>

#include "json/text.h"
#include "python/json/shapes.h"
#include "python/object/ref.h"

namespace lanner::python {

// A new str; null with an exception set.
PyObject* json_str(const json::String& text) noexcept;

// A cache of the str objects of object keys, looked up by their bytes: documents repeat keys, and a
// cached str already has its hash. Direct-mapped: bounded by kSlots * kKeyBytesMax; a crafted
// collision costs one new str.
//
// Keys usually come in the same order as before. The successor of each key is therefore stored, so
// that one comparison with the document finds the next key before its end and its slot are
// searched.
class JsonKeys final {
 public:
  static constexpr std::size_t kSlots = 2048;
  static constexpr std::size_t kKeyBytesMax = 64;

  JsonKeys() noexcept = default;
  JsonKeys(const JsonKeys&) = delete;
  JsonKeys& operator=(const JsonKeys&) = delete;
  ~JsonKeys() { clear(); }

  // A new reference; null with an exception set.
  PyObject* get(const json::String& text) noexcept;
  // The key that may come next, borrowed: ASCII of at most kKeyBytesMax bytes, none of which needs
  // an escape; may be null. If it does come, call take_expected() instead of get().
  PyObject* expected() const noexcept { return slots_[next_[last_]]; }
  // A new reference to it.
  PyObject* take_expected() noexcept {
    last_ = next_[last_];
    return share(slots_[last_]);
  }
  // Records that one key follows another.
  JsonShapes& shapes() noexcept { return shapes_; }
  void clear() noexcept;

 private:
  std::array<PyObject*, kSlots> slots_{};
  std::array<std::uint16_t, kSlots> next_{};  // the slot of the key behind it
  std::uint16_t last_ = 0;                    // the slot of the key that came last
  JsonShapes shapes_;
};

}  // namespace lanner::python
