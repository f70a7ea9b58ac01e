// python/json_text.h: the text of JSON string literals as str objects, and the keys seen before.

#pragma once

#include <array>
#include <cstdint>

#include "json/text.h"
#include "python/json_shapes.h"
#include "python/ref.h"

namespace lanner::python {

// A new str; null with an exception set.
PyObject* json_str(const json::String& text) noexcept;

// The str objects of object keys, found again by their bytes: documents repeat them, and a str that
// is met again has its hash already. Direct-mapped: bounded by kSlots * kKeyBytesMax, and a crafted
// collision costs one new str.
//
// Keys come in the order in which they came before, mostly: for each the one behind it is kept, so
// that one comparison with the document finds it, before its end and its slot are looked for.
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
  // Which keys come together.
  JsonShapes& shapes() noexcept { return shapes_; }
  void clear() noexcept;

 private:
  std::array<PyObject*, kSlots> slots_{};
  std::array<std::uint16_t, kSlots> next_{};  // the slot of the key behind it
  std::uint16_t last_ = 0;                    // the slot of the key that came last
  JsonShapes shapes_;
};

}  // namespace lanner::python
