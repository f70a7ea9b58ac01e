// python/object/text_cache.cpp: a few recently made str objects, found again by their bytes.

#include "python/object/text_cache.h"

#include <charconv>
#include <cstring>

#include "python/object/text.h"

namespace lanner::python {

namespace {

// Cheap on purpose: a collision costs one new str.
std::size_t slot_of(std::string_view text) noexcept {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  const std::size_t count = text.size() < 8 ? text.size() : 8;
  std::memcpy(&first, text.data(), count);
  std::memcpy(&last, text.data() + (text.size() - count), count);
  const std::uint64_t mixed =
      (first ^ (last << 1) ^ text.size()) * std::uint64_t{0x9E3779B97F4A7C15};
  return static_cast<std::size_t>(mixed >> 56);
}

}  // namespace

static_assert(TextCache::kSlots == 256, "slot_of() gives 8 bits");

PyObject* TextCache::get(std::string_view text) noexcept {
  if (text.empty() || text.size() > kTextBytesMax) return latin1_str(text);
  PyObject*& slot = slots_[slot_of(text)];
  std::string_view kept;
  if (slot && latin1_view(slot, &kept) && kept == text) return share(slot);
  PyObject* made = latin1_str(text);
  if (made) {
    PyObject* old = slot;
    slot = share(made);
    drop(old);
  }
  return made;
}

PyObject* TextCache::get_number(std::uint32_t number) noexcept {
  char digits[12];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, number);
  return get({digits, static_cast<std::size_t>(end.ptr - digits)});
}

void TextCache::clear() noexcept {
  for (PyObject*& slot : slots_) {
    PyObject* old = slot;
    slot = nullptr;
    drop(old);
  }
}

}  // namespace lanner::python
