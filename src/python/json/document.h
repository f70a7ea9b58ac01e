// python/json/document.h: converts a caller's JSON document to the bytes that json::Reader needs.

#pragma once

#include <string_view>

#include "python/object/ref.h"

namespace lanner::python {

// `data`: bytes, bytearray, memoryview or str. *document: its UTF-8, with a NUL behind it, which
// lives as long as *held. False with an exception set.
bool document_of(PyObject* data, Ref* held, std::string_view* document) noexcept;

}  // namespace lanner::python
