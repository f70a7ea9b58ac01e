// http/token.h: well-known field names as small ids, found by a perfect hash; names as in
// tokens.def.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanner::http {

enum class Token : std::uint8_t {
  unknown,
#define LANNER_TOKEN(id, name) id,
#include "http/tokens.def"
#undef LANNER_TOKEN
  count,
};

// Case-insensitive. `unknown` for a name that is not in tokens.def.
Token token_from_name(std::string_view name) noexcept;
// Lower case, as in tokens.def; "" for unknown.
std::string_view token_name(Token token) noexcept;

}  // namespace lanner::http
