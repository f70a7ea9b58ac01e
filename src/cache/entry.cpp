#include "cache/entry.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "http/list.h"

namespace lanner::cache {

std::size_t Entry::bytes_for(const EntryParts& parts) noexcept {
  return sizeof(Entry) + parts.variant.size() + parts.head.size() + parts.body.size() +
         parts.validators.etag.size() + parts.validators.last_modified.size() + parts.tags.size();
}

Entry* Entry::make(const EntryParts& parts, EntryMemory& memory) noexcept {
  const std::size_t bytes = bytes_for(parts);
  void* const at = std::malloc(bytes);
  return at ? ::new (at) Entry(parts, bytes, memory) : nullptr;
}

Entry::Entry(const EntryParts& parts, std::size_t bytes, EntryMemory& memory) noexcept
    : freshness(parts.freshness), memory_(memory), bytes_(bytes), status_(parts.status) {
  // SAFETY: make() allocated bytes_for(parts) bytes, of which sizeof(Entry) are this object.
  char* at = reinterpret_cast<char*>(this) + sizeof(Entry);
  const auto copy = [&at](std::string_view text) noexcept {
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    return std::string_view(std::exchange(at, at + text.size()), text.size());
  };
  variant_ = copy(parts.variant);
  head_ = copy(parts.head);
  body_ = copy(parts.body);
  tags_ = copy(parts.tags);
  validators_.etag = copy(parts.validators.etag);
  validators_.last_modified = copy(parts.validators.last_modified);
  validators_.modified_unix_s = parts.validators.modified_unix_s;
  memory_.bytes += bytes_;
}

bool Entry::has_tag(std::string_view tag) const noexcept {
  std::string_view rest = tags_;
  while (!rest.empty()) {
    if (http::take_member(rest) == tag) return true;
  }
  return false;
}

void Entry::destroy() noexcept {
  memory_.bytes -= bytes_;
  this->~Entry();
  std::free(this);
}

}  // namespace lanner::cache
