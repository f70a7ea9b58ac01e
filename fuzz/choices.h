// fuzz/choices.h: a fuzzer's input as a row of choices: 0 when it is used up.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanner::fuzz {

class Choices final {
 public:
  explicit Choices(std::string_view bytes) noexcept : bytes_(bytes) {}
  Choices(const Choices&) = delete;
  Choices& operator=(const Choices&) = delete;

  // Below `count`. REQUIRES: count > 0
  std::size_t next(std::size_t count) noexcept {
    return at_ == bytes_.size() ? 0 : static_cast<std::uint8_t>(bytes_[at_++]) % count;
  }
  // True once in `count` times.
  bool rarely(std::size_t count) noexcept { return next(count) == count - 1; }
  std::string_view take(std::size_t most) noexcept {
    const std::string_view taken = bytes_.substr(at_, most);
    at_ += taken.size();
    return taken;
  }
  bool used_up() const noexcept { return at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace lanner::fuzz
