// python/object/text_cache.h: a cache of recently made str objects, looked up by their bytes: clients
// repeat most field values.
//
// Direct-mapped and small: bounded by kSlots * kTextBytesMax. GIL builds only; elsewhere every call
// makes a new str.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "python/object/ref.h"

namespace lanner::python {

class TextCache final {
 public:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t kTextBytesMax = 192;

  TextCache() noexcept = default;
  TextCache(const TextCache&) = delete;
  TextCache& operator=(const TextCache&) = delete;
  ~TextCache() { clear(); }

  // A new reference to a latin-1 str of these bytes; null with an exception set.
  PyObject* get(std::string_view text) noexcept;
  // The same for the decimal digits of a number.
  PyObject* get_number(std::uint32_t number) noexcept;
  void clear() noexcept;

 private:
  std::array<PyObject*, kSlots> slots_{};
};

}  // namespace lanner::python
