// python/json_error.cpp: a document that is not JSON, as an exception.

#include "python/json_error.h"

#include "python/call_method.h"
#include "python/ref.h"

namespace lanner::python {

void raise_json_error(const json::Reader& reader) noexcept {
  const Errc code = reader.error().code;
  if (code == Errc::no_memory) {
    PyErr_NoMemory();
    return;
  }
  const json::Position position = json::position_of(reader.document(), reader.offset());
  Ref module = Ref::steal(PyImport_ImportModule("lanner.json"));
  Ref type = Ref::steal(module ? get_attribute(module.get(), "JSONDecodeError") : nullptr);
  Ref error = Ref::steal(type ? PyObject_CallFunction(type.get(), "snnn", error_text(code).data(),
                                                      static_cast<Py_ssize_t>(reader.offset()),
                                                      static_cast<Py_ssize_t>(position.line),
                                                      static_cast<Py_ssize_t>(position.column))
                              : nullptr);
  if (error) PyErr_SetObject(type.get(), error.get());
}

}  // namespace lanner::python
