// python/asyncio/asyncio_parts.cpp: what the loop in C++ uses of asyncio, looked up once.

#include "python/asyncio/asyncio_parts.h"

#include <structmember.h>

#include "python/asyncio/loop_handle.h"
#include "python/object/ref.h"

namespace lanner::python {

namespace {

PyObject* attribute_of(const char* module_name, const char* name) noexcept {
  Ref module = Ref::steal(PyImport_ImportModule(module_name));
  return module ? PyObject_GetAttrString(module.get(), name) : nullptr;
}

PyTypeObject* type_of(const char* module_name, const char* name) noexcept {
  PyObject* found = attribute_of(module_name, name);
  if (found && !PyType_Check(found)) {
    PyErr_Format(PyExc_TypeError, "%s.%s is not a class", module_name, name);
    Py_CLEAR(found);
  }
  return reinterpret_cast<PyTypeObject*>(found);  // SAFETY: it is a type, or null
}

PyObject* as_object(PyTypeObject* type) noexcept {
  return reinterpret_cast<PyObject*>(type);  // SAFETY: PyTypeObject begins with PyObject
}

}  // namespace

Py_ssize_t slot_offset(PyObject* type, const char* name) noexcept {
  Ref member = Ref::steal(PyObject_GetAttrString(type, name));
  if (!member) return -1;
  if (!Py_IS_TYPE(member.get(), &PyMemberDescr_Type)) {
    PyErr_Format(PyExc_TypeError, "%R.%s is not a slot: this asyncio is not one that Lanner knows",
                 type, name);
    return -1;
  }
  // SAFETY: its type was checked.
  return reinterpret_cast<PyMemberDescrObject*>(member.get())->d_member->offset;
}

int AsyncioParts::load(PyObject* module) noexcept {
  handle_base = type_of("asyncio.events", "Handle");
  Ref timer_base = Ref::steal(as_object(type_of("asyncio.events", "TimerHandle")));
  if (!handle_base || !timer_base) return -1;
  struct Field {
    const char* name;
    Py_ssize_t* offset;
  };
  const Field fields[] = {{"_callback", &slots.callback},
                          {"_args", &slots.args},
                          {"_cancelled", &slots.cancelled},
                          {"_loop", &slots.loop},
                          {"_source_traceback", &slots.source_traceback},
                          {"_repr", &slots.repr},
                          {"_context", &slots.context},
                          {"_scheduled", &slots.scheduled},
                          {"_when", &slots.when}};
  for (const Field& field : fields) {
    *field.offset = slot_offset(timer_base.get(), field.name);
    if (*field.offset < 0) return -1;
  }
  handle_type = make_handle_type(module, as_object(handle_base));
  timer_type = handle_type ? make_timer_type(module, timer_base.get()) : nullptr;
  if (!timer_type) return -1;
  future_type = attribute_of("asyncio.futures", "Future");
  extract_stack = future_type ? attribute_of("asyncio.format_helpers", "extract_stack") : nullptr;
  callback_failed =
      extract_stack ? attribute_of("lanner.loop.callbacks", "callback_failed") : nullptr;
  callback_slow =
      callback_failed ? attribute_of("lanner.loop.callbacks", "callback_slow") : nullptr;
  return callback_slow ? 0 : -1;
}

int AsyncioParts::traverse(visitproc visit, void* arg) noexcept {
  Py_VISIT(handle_base);
  Py_VISIT(handle_type);
  Py_VISIT(timer_type);
  Py_VISIT(future_type);
  Py_VISIT(extract_stack);
  Py_VISIT(callback_failed);
  Py_VISIT(callback_slow);
  return 0;
}

void AsyncioParts::clear() noexcept {
  Py_CLEAR(handle_base);
  Py_CLEAR(handle_type);
  Py_CLEAR(timer_type);
  Py_CLEAR(future_type);
  Py_CLEAR(extract_stack);
  Py_CLEAR(callback_failed);
  Py_CLEAR(callback_slow);
}

}  // namespace lanner::python
