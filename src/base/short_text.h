// base/short_text.h: text of bounded length that needs no memory of its own: what does not fit is
// cut off.

#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lanner {

// The beginning of UTF-8 text: at most `size_max` bytes, and whole code points.
inline std::string_view beginning(std::string_view text, std::size_t size_max) noexcept {
  if (text.size() <= size_max) return text;
  while (size_max > 0 && (text[size_max] & 0xC0) == 0x80) --size_max;
  return text.substr(0, size_max);
}

template <std::size_t kMax>
class ShortText final {
 public:
  ShortText() noexcept {}  // the bytes stay as they are

  std::string_view view() const noexcept { return {bytes_, size_}; }
  bool empty() const noexcept { return size_ == 0; }

  void assign(std::string_view text) noexcept {
    size_ = 0;
    append(text);
  }
  ShortText& append(std::string_view text) noexcept {
    text = beginning(text, kMax - size_);
    if (!text.empty()) std::memcpy(bytes_ + size_, text.data(), text.size());
    size_ += text.size();
    return *this;
  }
  ShortText& append(std::uint64_t number) noexcept {
    char digits[20];
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }

 private:
  std::size_t size_ = 0;
  char bytes_[kMax];
};

}  // namespace lanner
