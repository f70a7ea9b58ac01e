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
// collision costs one new str. GIL builds only; elsewhere every call makes a new str.
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
  // Which keys come together.
  JsonShapes& shapes() noexcept { return shapes_; }
  void clear() noexcept;

 private:
  std::array<PyObject*, kSlots> slots_{};
  JsonShapes shapes_;
};

}  // namespace lanner::python
