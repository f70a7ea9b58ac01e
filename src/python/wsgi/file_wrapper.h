// python/wsgi/file_wrapper.h: wsgi.file_wrapper: a file as an iterable, sent by sendfile where it is a
// regular one (PEP 3333, "Optional Platform-Specific File Handling").

#pragma once

#include "http/exchange.h"
#include "python/object/ref.h"
#include "python/wsgi/state.h"

namespace lanner::python {

// What sendfile may send of a FileWrapper: from the file's position to its end. False: not a
// regular file with a descriptor and a position; no exception is set, iterate over it instead.
bool file_part(PyObject* wrapper, WsgiState* state, http::FilePart* part) noexcept;

}  // namespace lanner::python
