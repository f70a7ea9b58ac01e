// python/asgi/fields.h: status and fields from ASGI's integers and byte strings to a ResponseHead.
//
// Names are sent in lower case. Hop-by-hop fields (Connection, Transfer-Encoding and so on) belong
// to the server and are left out, as ASGI requires; invalid content raises ValueError at that
// send().

#pragma once

#include <cstdint>

#include "http/response_head.h"
#include "python/object/ref.h"

namespace lanner::python {

// Each: false with an exception set. `value` null: missing in the message.
bool set_asgi_status(PyObject* value, http::ResponseHead* head) noexcept;
bool add_asgi_fields(PyObject* value, std::uint64_t bytes_max, http::ResponseHead* head) noexcept;
// "links" of http.response.early_hint: each becomes a Link field.
bool add_links(PyObject* value, std::uint64_t bytes_max, http::ResponseHead* head) noexcept;

}  // namespace lanner::python
