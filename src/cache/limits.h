// cache/limits.h: what bounds the work and the memory that a request or an answer can cause.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lanner::cache {

inline constexpr std::size_t kKeyBytesMax = 8192;   // of a key with its variant; longer: not cached
inline constexpr std::size_t kQueryPairsMax = 128;  // where a key chooses among parameters
inline constexpr std::size_t kVaryNamesMax = 16;    // field names in Vary; more: not stored
inline constexpr std::size_t kVariantsMax = 32;     // of one key; the default
inline constexpr std::size_t kTagsMax = 32;         // of one answer; further ones are not kept
inline constexpr std::size_t kTagBytesMax = 256;    // of one tag; longer ones are not kept

}  // namespace lanner::cache
