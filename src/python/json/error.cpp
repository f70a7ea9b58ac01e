// python/json/error.cpp: a document that is not JSON, or a value without a form in it.

#include "python/json/error.h"

#include "python/object/call_method.h"
#include "python/object/ref.h"

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

void raise_encode_error(std::string_view what, PyObject* path) noexcept {
  Ref text = Ref::steal(
      path ? PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "replace")
           : nullptr);
  Ref module = Ref::steal(text ? PyImport_ImportModule("lanner.json") : nullptr);
  Ref type = Ref::steal(module ? get_attribute(module.get(), "JSONEncodeError") : nullptr);
  Ref error = Ref::steal(type ? PyObject_CallFunctionObjArgs(type.get(), text.get(), path, nullptr)
                              : nullptr);
  if (error) PyErr_SetObject(type.get(), error.get());
}

}  // namespace lanner::python
