// python/wsgi/file_wrapper.cpp: wsgi.file_wrapper: a file as an iterable, sent by sendfile where it is a
// regular one.

#include "python/wsgi/file_wrapper.h"

#include <cstddef>

#include <structmember.h>

#include "python/answer/response_fields.h"
#include "python/object/slots.h"
#include "sys/files.h"

namespace lanner::python {

namespace {

struct FileWrapper {
  PyObject_HEAD
  PyObject* filelike;
  Py_ssize_t block_bytes;
};

FileWrapper* as_wrapper(PyObject* object) noexcept {
  return reinterpret_cast<FileWrapper*>(object);  // SAFETY: only called for objects of our type
}

PyObject* wrapper_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) noexcept {
  static const char* const names[] = {"filelike", "blksize", nullptr};
  PyObject* filelike = nullptr;
  Py_ssize_t block_bytes = 65536;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|n:FileWrapper", const_cast<char**>(names),
                                   &filelike, &block_bytes)) {
    return nullptr;
  }
  if (block_bytes <= 0) {
    PyErr_SetString(PyExc_ValueError, "blksize must be positive");
    return nullptr;
  }
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  as_wrapper(object)->filelike = share(filelike);
  as_wrapper(object)->block_bytes = block_bytes;
  return object;
}

PyObject* wrapper_next(PyObject* object) noexcept {
  FileWrapper* self = as_wrapper(object);
  Ref block = Ref::steal(PyObject_CallMethod(self->filelike, "read", "n", self->block_bytes));
  if (!block) return nullptr;
  const int more = PyObject_IsTrue(block.get());
  return more > 0 ? block.release() : nullptr;
}

PyObject* wrapper_close(PyObject* object, PyObject*) noexcept {
  Ref close = Ref::steal(PyObject_GetAttrString(as_wrapper(object)->filelike, "close"));
  if (close) return PyObject_CallNoArgs(close.get());
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return nullptr;
  PyErr_Clear();
  return none();
}

int wrapper_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(as_wrapper(object)->filelike);
  return 0;
}

int wrapper_clear(PyObject* object) noexcept {
  Py_CLEAR(as_wrapper(object)->filelike);
  return 0;
}

void wrapper_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  (void)wrapper_clear(object);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

// An int from filelike.name(); -1 = none, no exception left.
long long call_int(PyObject* filelike, PyObject* name) noexcept {
  Ref result = Ref::steal(PyObject_CallMethodNoArgs(filelike, name));
  long long value = -1;
  if (result && PyLong_Check(result.get())) value = PyLong_AsLongLong(result.get());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return -1;
  }
  return value;
}

}  // namespace

bool file_part(PyObject* wrapper, WsgiState* state, http::FilePart* part) noexcept {
  PyObject* filelike = as_wrapper(wrapper)->filelike;
  if (!filelike) return false;
  const long long fd = call_int(filelike, state->names.fileno);
  if (fd < 0 || fd > 0x7FFFFFFF || !sys::is_regular_file(static_cast<int>(fd))) return false;
  // Position of the Python object, not of the descriptor: its buffer may have read ahead.
  const long long position = call_int(filelike, state->names.tell);
  Result<std::uint64_t> size = sys::file_size(static_cast<int>(fd));
  if (position < 0 || !size) return false;
  part->fd = static_cast<int>(fd);
  part->offset = static_cast<std::uint64_t>(position);
  // Nothing there, or a file that does not know its size (/proc): reading tells.
  if (*size <= part->offset) return false;
  part->count = *size - part->offset;
  return true;
}

int add_file_wrapper_type(PyObject* module, WsgiState* state) noexcept {
  static PyMethodDef methods[] = {
      {"close", wrapper_close, METH_NOARGS, PyDoc_STR("close()\n\nCloses the wrapped file.")},
      {nullptr, nullptr, 0, nullptr}};
  static PyMemberDef members[] = {
      {"filelike", T_OBJECT, offsetof(FileWrapper, filelike), READONLY, PyDoc_STR("the file")},
      {"blksize", T_PYSSIZET, offsetof(FileWrapper, block_bytes), READONLY,
       PyDoc_STR("bytes read at once when sendfile is not possible")},
      {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_new, slot(wrapper_new)},
      {Py_tp_dealloc, slot(wrapper_dealloc)},
      {Py_tp_traverse, slot(wrapper_traverse)},
      {Py_tp_clear, slot(wrapper_clear)},
      {Py_tp_iter, slot(PyObject_SelfIter)},
      {Py_tp_iternext, slot(wrapper_next)},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {Py_tp_doc,
       const_cast<char*>("FileWrapper(filelike, blksize=65536)\n\nwsgi.file_wrapper of PEP 3333: "
                         "return it from an application to send a file.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.FileWrapper", sizeof(FileWrapper), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->file_wrapper_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type
  return type ? 0 : -1;
}

}  // namespace lanner::python
