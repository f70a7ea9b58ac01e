#include "router/text_table.h"

namespace lanner::router {

void TextTable::add(std::uint32_t owner, std::string_view text, std::uint32_t value) {
  entries_.push_back({TextKey::of(text), owner, static_cast<std::uint32_t>(texts_.size()), value});
  texts_.append(text);
}

void TextTable::freeze() {
  unsigned int bits = 2;
  while ((std::size_t{1} << bits) < 2 * entries_.size()) ++bits;
  slots_.assign(std::size_t{1} << bits, Slot{});
  mask_ = slots_.size() - 1;
  shift_ = 64 - bits;
  for (const Slot& entry : entries_) {
    const std::string_view text(texts_.data() + entry.at, entry.key.bytes);
    std::size_t at = hash(entry.owner, entry.key, text) >> shift_;
    while (slots_[at].value != kNone) at = (at + 1) & mask_;
    slots_[at] = entry;
  }
  entries_ = {};
}

}  // namespace lanner::router
