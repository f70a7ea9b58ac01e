// python/short_texts.h: short str values seen before, found again by their bytes: statuses, codes,
// units and the like repeat from record to record.
//
// Direct-mapped and bounded: kSlots texts of at most kBytesMax bytes. A miss costs a hash and a
// comparison. GIL builds only; elsewhere every call makes a new str.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "json/text.h"
#include "python/json_text.h"
#include "python/ref.h"

namespace lanner::python {

class ShortTexts final {
 public:
  static constexpr std::size_t kSlots = 2048;
  static constexpr std::size_t kBytesMax = 24;

  ShortTexts() noexcept = default;
  ShortTexts(const ShortTexts&) = delete;
  ShortTexts& operator=(const ShortTexts&) = delete;
  ~ShortTexts() { clear(); }

  // A new reference; null with an exception set.
  PyObject* get(const json::String& text) noexcept {
#ifndef Py_GIL_DISABLED
    const std::size_t size = text.utf8.size();
    // CPython itself shares texts of less than two characters.
    if (text.ascii && size >= 2 && size <= kBytesMax) {
      if (pause_ == 0) return find(text);
      --pause_;
    }
#endif
    return json_str(text);
  }
  void clear() noexcept {
    for (PyObject*& slot : slots_) drop(std::exchange(slot, nullptr));
  }

 private:
  PyObject* find(const json::String& text) noexcept {
    PyObject*& slot = slots_[slot_of(text.utf8)];
    // A slot holds an ASCII str: its bytes are its UTF-8.
    if (slot && static_cast<std::size_t>(PyUnicode_GET_LENGTH(slot)) == text.utf8.size() &&
        std::memcmp(PyUnicode_1BYTE_DATA(slot), text.utf8.data(), text.utf8.size()) == 0) {
      count(1);
      return share(slot);
    }
    count(0);
    PyObject* made = json_str(text);
    if (made) drop(std::exchange(slot, share(made)));
    return made;
  }
  // Texts that do not repeat are not looked for, for a while.
  void count(unsigned hit) noexcept {
    hits_ += hit;
    if (++looked_ < kWindow) return;
    if (hits_ < kWindow / 2) pause_ = kPause;
    hits_ = looked_ = 0;
  }
  // Of the length and three words, which overlap: all bytes count.
  static std::size_t slot_of(std::string_view text) noexcept {
    std::uint64_t first = 0;
    std::uint64_t middle = 0;
    std::uint64_t last = 0;
    const std::size_t size = text.size();
    if (size >= 8) {
      std::memcpy(&first, text.data(), 8);
      std::memcpy(&middle, text.data() + size / 2 - 4, 8);
      std::memcpy(&last, text.data() + size - 8, 8);
    } else if (size >= 4) {
      std::memcpy(&first, text.data(), 4);
      std::memcpy(&last, text.data() + size - 4, 4);
    } else {
      std::memcpy(&first, text.data(), 2);
      last = static_cast<unsigned char>(text.back());
    }
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
    std::uint64_t hash = (first ^ size) * kMix;
    hash = (hash ^ hash >> 29 ^ middle) * kMix;
    hash = (hash ^ hash >> 32 ^ last) * kMix;
    return static_cast<std::size_t>(hash >> 53);
  }
  static_assert(kSlots == 1 << 11, "slot_of() gives 11 bits");

  static constexpr unsigned kWindow = 256;  // texts after which is seen whether it was worth it
  static constexpr unsigned kPause = 8192;  // texts

  unsigned hits_ = 0;
  unsigned looked_ = 0;
  unsigned pause_ = 0;
  std::array<PyObject*, kSlots> slots_{};
};

}  // namespace lanner::python
