#include "python/json/raw.h"

#include <cstddef>

#include <structmember.h>

#include "json/reader.h"
#include "json/utf8.h"
#include "python/json/document.h"
#include "python/json/error.h"
#include "python/object/ref.h"
#include "python/object/slots.h"

namespace lanner::python {

namespace {

struct RawObject {
  PyObject_HEAD
  PyObject* data;  // bytes
  bool unchecked;
};

RawObject* as_raw(PyObject* object) noexcept {
  return reinterpret_cast<RawObject*>(object);  // SAFETY: only called for objects of our type
}

// Of a str also what is trusted: one with lone surrogates has no UTF-8.
bool check_utf8(std::string_view document) noexcept {
  const std::size_t invalid = json::invalid_utf8_at(document);
  if (invalid == document.size()) return true;
  json::Reader reader(document);
  reader.fail(reader.begin() + invalid, Errc::json_utf8_invalid);
  raise_json_error(reader);
  return false;
}

bool check(std::string_view document) noexcept {
  json::Reader reader(document);
  const char* at = reader.skip_value(json::skip_space(reader.begin()), 0);
  if (at && reader.finish(at)) return true;
  raise_json_error(reader);
  return false;
}

PyObject* raw_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) noexcept {
  static const char* const names[] = {"data", "trusted", nullptr};
  PyObject* data = nullptr;
  int trusted = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$p:Raw", const_cast<char**>(names), &data,
                                   &trusted)) {
    return nullptr;
  }
  Ref held;
  std::string_view document;
  if (!document_of(data, &held, &document)) return nullptr;
  if (trusted ? PyUnicode_Check(data) && !check_utf8(document) : !check(document)) return nullptr;
  Ref bytes = PyBytes_CheckExact(held.get())
                  ? std::move(held)
                  : Ref::steal(PyBytes_FromStringAndSize(document.data(),
                                                         static_cast<Py_ssize_t>(document.size())));
  PyObject* raw = bytes ? type->tp_alloc(type, 0) : nullptr;
  if (!raw) return nullptr;
  as_raw(raw)->data = bytes.release();
  as_raw(raw)->unchecked = trusted != 0;
  return raw;
}

void raw_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  drop(as_raw(object)->data);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

PyObject* raw_compare(PyObject* left, PyObject* right, int operation) noexcept {
  if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(left) != Py_TYPE(right))
    Py_RETURN_NOTIMPLEMENTED;
  return PyObject_RichCompare(as_raw(left)->data, as_raw(right)->data, operation);
}

Py_hash_t raw_hash(PyObject* object) noexcept { return PyObject_Hash(as_raw(object)->data); }

PyObject* raw_repr(PyObject* object) noexcept {
  return PyUnicode_FromFormat("Raw(%R)", as_raw(object)->data);
}

PyObject* raw_bytes(PyObject* object, PyObject*) noexcept { return share(as_raw(object)->data); }

// Checked again when it is made: a pickle may come from anywhere.
PyObject* raw_reduce(PyObject* object, PyObject*) noexcept {
  return Py_BuildValue("O(O)", Py_TYPE(object), as_raw(object)->data);
}

PyMethodDef raw_methods[] = {
    {"__bytes__", raw_bytes, METH_NOARGS, PyDoc_STR("The text, as UTF-8.")},
    {"__reduce__", raw_reduce, METH_NOARGS, PyDoc_STR("What pickle keeps: the text.")},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

std::string_view raw_text(PyObject* raw) noexcept {
  PyObject* data = as_raw(raw)->data;
  return {PyBytes_AS_STRING(data), static_cast<std::size_t>(PyBytes_GET_SIZE(data))};
}

bool raw_is_unchecked(PyObject* raw) noexcept { return as_raw(raw)->unchecked; }

int add_json_raw_type(PyObject* module, JsonState* state) noexcept {
  PyMemberDef members[] = {{"data", T_OBJECT, offsetof(RawObject, data), READONLY, nullptr},
                           {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_new, slot(raw_new)},
      {Py_tp_dealloc, slot(raw_dealloc)},
      {Py_tp_richcompare, slot(raw_compare)},
      {Py_tp_hash, slot(raw_hash)},
      {Py_tp_repr, slot(raw_repr)},
      {Py_tp_methods, raw_methods},
      {Py_tp_members, members},
      {Py_tp_doc,
       const_cast<char*>("Raw(data, *, trusted=False)\n\nJSON text that is written as it is.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.Raw", sizeof(RawObject), 0, Py_TPFLAGS_DEFAULT, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->raw_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type, or null
  return type ? PyModule_AddObjectRef(module, "Raw", type) : -1;
}

}  // namespace lanner::python
