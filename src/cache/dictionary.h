// cache/dictionary.h: the members of a dictionary, a structured field value (RFC 8941, section
// 4.2.2), one after the other.
//
// Values are views of the text, as written; parameters are checked and skipped. The reader does not
// look for repeated keys: the last one counts, which is the caller's to do.

#pragma once

#include <cstdint>
#include <string_view>

namespace lanner::cache {

enum class ItemType : std::uint8_t {
  boolean,
  integer,
  decimal,
  string,  // `text` is what stands between the quotes, backslashes kept
  token,
  bytes,
  inner_list,  // `text` is what stands between the brackets: for ListReader
};

struct Item {
  ItemType type = ItemType::boolean;
  std::string_view text;
  bool truth = false;       // boolean
  std::int64_t number = 0;  // integer
};

struct Member {
  std::string_view key;
  Item value;
};

class DictionaryReader final {
 public:
  enum class Step : std::uint8_t { member, end, invalid };

  explicit DictionaryReader(std::string_view text) noexcept;
  // After `invalid` nothing of the field counts (section 4.2).
  [[nodiscard]] Step next(Member* member) noexcept;

 private:
  std::string_view rest_;
  bool first_ = true;
};

// The items of an inner list that a DictionaryReader gave, and so are valid.
class ListReader final {
 public:
  explicit ListReader(std::string_view text) noexcept : rest_(text) {}
  [[nodiscard]] bool next(Item* item) noexcept;

 private:
  std::string_view rest_;
};

}  // namespace lanner::cache
