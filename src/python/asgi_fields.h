// python/asgi_fields.h: status and fields from ASGI's integers and byte strings to a ResponseHead.
//
// Names are sent in lower case. Fields that are the server's (Connection, Transfer-Encoding and the
// other hop-by-hop ones) are left out, as ASGI asks of servers; what may not go on the wire raises
// ValueError at that send().

#pragma once

#include <cstdint>

#include "http/response_head.h"
#include "python/ref.h"

namespace lanner::python {

// Each: false with an exception set. `value` null: missing in the message.
bool set_asgi_status(PyObject* value, http::ResponseHead* head) noexcept;
bool add_asgi_fields(PyObject* value, std::uint64_t bytes_max, http::ResponseHead* head) noexcept;
// "links" of http.response.early_hint: each becomes a Link field.
bool add_links(PyObject* value, std::uint64_t bytes_max, http::ResponseHead* head) noexcept;

}  // namespace lanner::python
