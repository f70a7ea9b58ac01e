// schema/pattern.h: a regular expression that is matched in linear time (RE2), searched for
// anywhere in a text.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/short_text.h"

namespace re2 {
class RE2;
}

namespace lanner::schema {

class Pattern final {
 public:
  // null when RE2 does not support the syntax (look-around, back references); *why is the reason,
  // empty when memory is out.
  using Problem = ShortText<256>;
  static std::unique_ptr<Pattern> make(std::string_view source, Problem* why) noexcept;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern();

  enum class Found : std::uint8_t { no, yes, no_memory };
  // `text` is UTF-8.
  Found found_in(std::string_view text) const noexcept;

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> engine) noexcept;
  std::unique_ptr<re2::RE2> engine_;
};

}  // namespace lanner::schema
