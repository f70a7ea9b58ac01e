// python/native/text_refusal.h: refuses a request by its path, query, header fields and cookies alone, without Python.
//
//   if (refusal.finds(operation, request)) -> a 422 with refusal.body()

#pragma once

#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "http/response_head.h"
#include "python/native/operation.h"
#include "python/native/refusal.h"
#include "python/native/request_texts.h"
#include "schema/errors.h"

namespace lanner::python {

// One for each handler: what it needs memory for is kept for the next request.
class TextRefusal final {
 public:
  // refusals: borrowed.
  TextRefusal(const Refusals& refusals, std::uint32_t errors_max) noexcept;
  TextRefusal(const TextRefusal&) = delete;
  TextRefusal& operator=(const TextRefusal&) = delete;

  // True: body() is what Python would answer. False: nothing is wrong, or only Python can say what.
  // REQUIRES: operation.has_checkable_texts().
  bool finds(const Operation& operation, const NativeRequest& request) noexcept;
  const http::ResponseHead& head() const noexcept { return head_; }
  // Until the next call.
  std::string_view body() const noexcept { return body_.view(); }

 private:
  const Refusals& refusals_;
  std::uint32_t errors_max_;
  schema::ErrorList errors_;
  Buffer body_;
  http::ResponseHead head_;
};

}  // namespace lanner::python
