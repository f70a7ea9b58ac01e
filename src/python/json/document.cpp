#include "python/json/document.h"

namespace lanner::python {

bool document_of(PyObject* data, Ref* held, std::string_view* document) noexcept {
  if (PyBytes_Check(data)) {
    *held = Ref::borrow(data);
  } else if (PyUnicode_Check(data)) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(data) < 0) return false;
#endif
    if (PyUnicode_IS_ASCII(data)) {
      *held = Ref::borrow(data);
      // SAFETY: a compact ASCII str has its bytes, and a NUL, behind the head (PEP 393).
      *document = {reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(data)),
                   static_cast<std::size_t>(PyUnicode_GET_LENGTH(data))};
      return true;
    }
    // Not the cached form: it would stay with the str.
    *held = Ref::steal(PyUnicode_AsEncodedString(data, "utf-8", "surrogatepass"));
  } else if (PyObject_CheckBuffer(data)) {
    // A copy: what can be written to may change while objects are made.
    *held = Ref::steal(PyBytes_FromObject(data));
  } else {
    PyErr_Format(PyExc_TypeError, "JSON is bytes, bytearray, memoryview or str, not %.100s",
                 Py_TYPE(data)->tp_name);
  }
  if (!*held) return false;
  *document = {PyBytes_AS_STRING(held->get()),
               static_cast<std::size_t>(PyBytes_GET_SIZE(held->get()))};
  return true;
}

}  // namespace lanner::python
