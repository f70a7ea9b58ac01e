// python/answer/response_fields.h: converts an application's status and list of fields (str objects) to a
// ResponseHead.
//
// Errors are raised at once, in the application's call: TypeError for types, ValueError for invalid
// content (RFC 9110, section 5.5: no response splitting).

#pragma once

#include <cstdint>

#include "http/response_head.h"
#include "python/object/ref.h"

namespace lanner::python {

// "404 Not Found". False with an exception set.
bool set_status_line(PyObject* status, http::ResponseHead* head) noexcept;
// A list of (name, value) tuples of latin-1 str. False with an exception set.
bool add_fields(PyObject* fields, std::uint64_t bytes_max, http::ResponseHead* head) noexcept;
// 1 and a new reference, 0 = no such attribute, -1 with an exception set.
int optional_attribute(PyObject* object, PyObject* name, PyObject** value) noexcept;

}  // namespace lanner::python
