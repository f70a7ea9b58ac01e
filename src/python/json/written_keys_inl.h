// python/json/written_keys_inl.h: a cache of written dict keys, looked up by object. Compiled
// once for each level of vector instructions (walk_level.h).

#pragma once

#include <cstdint>
#include <cstring>

#include "python/json/walk_output_inl.h"
#include "python/object/str_bytes.h"

namespace lanner::python {

// The written form of earlier keys, by object: the rows of a table share them. The keys are
// borrowed: call forget() when one may have been freed.
template <class Plain>
class WrittenKeys final {
 public:
  static constexpr std::size_t kBytesMax = 64;  // of "key":

  WrittenKeys() noexcept { forget(); }
  WrittenKeys(const WrittenKeys&) = delete;
  WrittenKeys& operator=(const WrittenKeys&) = delete;

  void forget() noexcept { std::memset(keys_, 0, sizeof keys_); }

  // Writes the key and returns the end. Null: none of kBytesMax that needs no escape.
  LANNER_WALK char* write(char* to, PyObject* key, const Plain& plain) noexcept {
    // SAFETY: only a number; its bits differ from 4 on.
    const auto number = reinterpret_cast<std::uintptr_t>(key);
    const std::size_t index = (number >> 4 ^ number >> 10) % kSlots;
    if (keys_[index] != key && !learn(index, key, plain)) [[unlikely]]
      return nullptr;
    const std::size_t size = sizes_[index];
    std::memcpy(to, slots_[index].text, 32);
    if (size > 32) std::memcpy(to + 32, slots_[index].text + 32, 32);
    return to + size;
  }

 private:
  static constexpr std::size_t kSlots = 64;
  struct Slot {
    char text[2 * kBytesMax];  // half of it for what a copy writes behind the text
  };

  LANNER_WALK bool learn(std::size_t index, PyObject* key, const Plain& plain) noexcept {
    StrBytes bytes;
    if (Py_TYPE(key) != &PyUnicode_Type || !utf8_inside(key, &bytes)) return false;
    if (bytes.size > kBytesMax - 3) return false;
    char* text = slots_[index].text;
    keys_[index] = nullptr;
    if (!plain.copy(text + 1, bytes.data, bytes.size)) return false;
    text[0] = '"';
    std::memcpy(text + 1 + bytes.size, "\":", 2);
    keys_[index] = key;
    sizes_[index] = static_cast<std::uint8_t>(bytes.size + 3);
    return true;
  }

  PyObject* keys_[kSlots];
  std::uint8_t sizes_[kSlots];
  alignas(64) Slot slots_[kSlots];
};

}  // namespace lanner::python
