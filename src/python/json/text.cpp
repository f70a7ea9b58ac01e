// python/json/text.cpp: the text of JSON string literals as str objects, and the keys seen before.

#include "python/json/text.h"

#include <cstring>

#include "json/utf8.h"
#include "python/object/new_ascii.h"

namespace lanner::python {

namespace {

PyObject* ascii_str(std::string_view text) noexcept {
  if (text.empty()) return PyUnicode_New(0, 0x7F);
  if (text.size() == 1) return PyUnicode_FromOrdinal(text[0]);
  char* to = nullptr;
  PyObject* made = new_ascii(text.size(), &to);
  if (made) std::memcpy(to, text.data(), text.size());
  return made;
}

// Cheap on purpose: length, first and last eight bytes.
std::size_t slot_of(std::string_view text) noexcept {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  const std::size_t size = text.size();
  if (size >= 8) {
    std::memcpy(&first, text.data(), 8);
    std::memcpy(&last, text.data() + (size - 8), 8);
  } else if (size >= 4) {
    std::uint32_t half = 0;
    std::memcpy(&half, text.data(), 4);
    first = half;
    std::memcpy(&half, text.data() + (size - 4), 4);
    last = half;
  } else {
    for (std::size_t i = 0; i < size; ++i) first = first << 8 | static_cast<unsigned char>(text[i]);
  }
  const std::uint64_t mixed =
      (first ^ (last << 1 | last >> 63) ^ size << 56) * std::uint64_t{0x9E3779B97F4A7C15};
  return static_cast<std::size_t>(mixed >> 53);
}

static_assert(JsonKeys::kSlots == 1 << 11, "slot_of() gives 11 bits");

bool is_same(PyObject* kept, std::string_view text) noexcept {
  return static_cast<std::size_t>(PyUnicode_GET_LENGTH(kept)) == text.size() &&
         std::memcmp(PyUnicode_1BYTE_DATA(kept), text.data(), text.size()) == 0;
}

}  // namespace

PyObject* json_str(const json::String& text) noexcept {
  if (text.ascii) return ascii_str(text.utf8);
  const json::Utf8Shape shape = json::shape_of(text.utf8);
  PyObject* made = PyUnicode_New(static_cast<Py_ssize_t>(shape.code_points), shape.max);
  if (!made) return nullptr;
  if (shape.max == 0xFF) {
    json::decode_utf8(text.utf8, PyUnicode_1BYTE_DATA(made));
  } else if (shape.max == 0xFFFF) {
    json::decode_utf8(text.utf8, PyUnicode_2BYTE_DATA(made));
  } else {
    json::decode_utf8(text.utf8, PyUnicode_4BYTE_DATA(made));
  }
  return made;
}

PyObject* JsonKeys::get(const json::String& text) noexcept {
  // A slot holds an ASCII str: its bytes are its UTF-8, and how it is written in a document.
  if (!text.ascii || text.in_scratch || text.utf8.size() > kKeyBytesMax) return json_str(text);
  const auto number = static_cast<std::uint16_t>(slot_of(text.utf8));
  next_[last_] = number;
  last_ = number;
  PyObject*& slot = slots_[number];
  if (slot && is_same(slot, text.utf8)) [[likely]]
    return share(slot);
  PyObject* made = json_str(text);
  if (made) {
    PyObject* old = slot;
    slot = share(made);
    drop(old);
  }
  return made;
}

void JsonKeys::clear() noexcept {
  shapes_.clear();
  for (PyObject*& slot : slots_) {
    PyObject* old = slot;
    slot = nullptr;
    drop(old);
  }
}

}  // namespace lanner::python
