// python/native/text_refusal.h: refuses a request by its path, query, header fields and cookies alone, without Python: the
// list of errors of its 422.

#pragma once

#include <cstdint>

#include "base/buffer.h"
#include "python/native/operation.h"
#include "python/native/request_texts.h"

namespace lanner::python {

// True: *body ends in what Python would answer. False: nothing is wrong, or only Python can say what.
// REQUIRES: operation.has_checkable_texts().
bool refused_by_texts(const Operation& operation, const NativeRequest& request,
                      std::uint32_t errors_max, Buffer* body) noexcept;

}  // namespace lanner::python
