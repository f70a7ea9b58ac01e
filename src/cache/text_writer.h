// cache/text_writer.h: text into a buffer of the caller's, which may be too small for it.

#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "http/ascii.h"

namespace lanner::cache {

class TextWriter final {
 public:
  explicit TextWriter(std::span<char> to) noexcept : to_(to) {}

  void add(std::string_view text) noexcept {
    if (char* const at = room(text.size()); at && !text.empty())
      std::memcpy(at, text.data(), text.size());
  }
  void add(char byte) noexcept { add(std::string_view(&byte, 1)); }
  void add_lower(std::string_view text) noexcept {
    char* const at = room(text.size());
    for (std::size_t i = 0; at && i < text.size(); ++i) at[i] = http::to_lower(text[i]);
  }
  void add_number(std::uint64_t number) noexcept {
    char digits[20];
    std::size_t first = sizeof digits;
    do {
      digits[--first] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    add(std::string_view(digits + first, sizeof digits - first));
  }
  // Whether all of it found room.
  bool good() const noexcept { return good_; }
  std::string_view text() const noexcept { return {to_.data(), used_}; }

 private:
  char* room(std::size_t bytes) noexcept {
    if (!good_ || bytes > to_.size() - used_) {
      good_ = false;
      return nullptr;
    }
    char* const at = to_.data() + used_;
    used_ += bytes;
    return at;
  }

  std::span<char> to_;
  std::size_t used_ = 0;
  bool good_ = true;
};

}  // namespace lanner::cache
