// cache/answer_head.h: the head of an answer, as the cache looks at it: views, valid while what
// they are of is.

#pragma once

#include <span>
#include <string_view>

#include "http/head.h"
#include "http/token.h"

namespace lanner::cache {

struct AnswerHead {
  int status = 0;
  std::span<const http::Field> fields;

  // The first field of that token, or nullptr.
  const http::Field* find(http::Token token) const noexcept {
    for (const http::Field& field : fields) {
      if (field.token == token) return &field;
    }
    return nullptr;
  }
};

}  // namespace lanner::cache
