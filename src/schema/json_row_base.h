// schema/json_row_base.h: the fast reader of records for every machine.

#pragma once

#include <cstdint>
#include <cstring>

#include "base/simd128.h"
#include "schema/json_row.h"
#include "schema/plan.h"

namespace lanner::schema::row_base {

class RowKernel final {
 public:
  static std::uint64_t stops(const char* at, const char* end) noexcept {
    if (end - at >= 64) [[likely]]
      return stops_of(at);
    char block[64] = {};
    std::memcpy(block, at, static_cast<std::size_t>(end - at));
    return stops_of(block);
  }

  static bool is_key(const ReadField& field, const char* at, const char* end) noexcept {
    const std::size_t size = field.key_size;  // 0, or at least 3: quotes and a colon
    if (static_cast<std::size_t>(end - at) < size) return false;
    if (size < 8) return std::memcmp(field.key, at, size) == 0;
    std::uint64_t other = 0;
    for (std::size_t i = 0; i + 8 <= size; i += 8) other |= word(field.key + i) ^ word(at + i);
    return (other | (word(field.key + size - 8) ^ word(at + size - 8))) == 0;
  }

  // By parts that overlap.
  static void copy(char* to, const char* text, std::size_t size) noexcept {
    if (size >= 16) {
      for (std::size_t i = 0; i + 16 <= size; i += 16) std::memcpy(to + i, text + i, 16);
      std::memcpy(to + size - 16, text + size - 16, 16);
    } else if (size >= 8) {
      std::memcpy(to, text, 8);
      std::memcpy(to + size - 8, text + size - 8, 8);
    } else if (size >= 4) {
      std::memcpy(to, text, 4);
      std::memcpy(to + size - 4, text + size - 4, 4);
    } else {
      std::memcpy(to, text, 2);
      std::memcpy(to + size - 2, text + size - 2, 2);
    }
  }

 private:
  static std::uint64_t word(const char* at) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, at, 8);
    return value;
  }

  static std::uint64_t stops_of(const char* at) noexcept {
    const auto plain = [at](std::ptrdiff_t place) {
      const simd128::U8 bytes = simd128::load(at + place);
      // Signed, what is not ASCII is below the space, too.
      return (simd128::as<simd128::I8>(bytes) > 0x1F) ^ ((bytes == '"') | (bytes == '\\'));
    };
    return ~simd128::bits_of(plain(0), plain(16), plain(32), plain(48));
  }
};

#define LANNER_ROW_TARGET
#include "schema/json_row_inl.h"
#undef LANNER_ROW_TARGET

}  // namespace lanner::schema::row_base
