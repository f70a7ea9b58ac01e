// python/asyncio/stream_transport_type.cpp: lanner._core.StreamTransport: a stream transport as Python sees
// it.
//
// The type derives from asyncio.transports._FlowControlMixin, so isinstance() finds an
// asyncio.Transport, and asyncio's sendfile takes it. What that keeps in __slots__ lies here, under
// the same names.

#include <Python.h>

#include <cstddef>

#include <structmember.h>

#include "python/asyncio/stream_transport.h"
#include "python/object/slots.h"

namespace lanner::python {

namespace {

// The object: this, and then a StreamTransport.
struct Head {
  PyObject_HEAD
  // Room for the __slots__ of asyncio's classes; always null, because their names are taken below.
  PyObject* asyncio_slots[8];
  PyObject* dict;
  PyObject* weakrefs;
};
static_assert(sizeof(Head) % alignof(StreamTransport) == 0);

// SAFETY: only called for objects of our type, which begin with Head.
Head* head_of(PyObject* object) noexcept { return reinterpret_cast<Head*>(object); }

StreamTransport& of(PyObject* object) noexcept { return stream_transport_of(object); }

// ---- methods

// These touch what the loop's thread may be at work on without the GIL.
template <auto Method>
PyObject* call(PyObject* object, PyObject*) noexcept {
  return of(object).check_thread() ? (of(object).*Method)() : nullptr;
}

template <auto Method>
PyObject* call_with(PyObject* object, PyObject* argument) noexcept {
  return of(object).check_thread() ? (of(object).*Method)(argument) : nullptr;
}

PyObject* get_extra_info(PyObject* object, PyObject* const* args, Py_ssize_t count,
                         PyObject* names) noexcept {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  const bool fine =
      count + named <= 2 && count >= 1 &&
      (named == 0 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "default") == 0);
  if (!fine) {
    PyErr_SetString(PyExc_TypeError, "get_extra_info() takes a name and a default");
    return nullptr;
  }
  return of(object).get_extra_info(args[0], count + named == 2 ? args[1] : Py_None);
}

PyObject* set_write_buffer_limits(PyObject* object, PyObject* args, PyObject* names) noexcept {
  static const char* const kNames[] = {"high", "low", nullptr};
  PyObject* high = Py_None;
  PyObject* low = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, names, "|OO:set_write_buffer_limits",
                                   const_cast<char**>(kNames), &high, &low)) {
    return nullptr;
  }
  return of(object).check_thread() ? of(object).set_write_buffer_limits(high, low) : nullptr;
}

PyObject* get_write_buffer_limits(PyObject* object, PyObject*) noexcept {
  const WriteLimits& limits = of(object).limits();
  return PyTuple_Pack(2, limits.low(), limits.high());
}

PyObject* get_write_buffer_size(PyObject* object, PyObject*) noexcept {
  return PyLong_FromUnsignedLongLong(of(object).buffered_bytes());
}

PyObject* truth(bool value) noexcept { return share(value ? Py_True : Py_False); }
PyObject* or_none(PyObject* object) noexcept { return share(object ? object : Py_None); }

PyObject* get_protocol(PyObject* object, PyObject*) noexcept {
  return or_none(of(object).protocol());
}
PyObject* is_closing(PyObject* object, PyObject*) noexcept { return truth(of(object).closing()); }
PyObject* is_reading(PyObject* object, PyObject*) noexcept { return truth(of(object).reading()); }
PyObject* can_write_eof(PyObject*, PyObject*) noexcept { return share(Py_True); }

PyObject* fatal_error(PyObject* object, PyObject* args) noexcept {
  PyObject* exception = nullptr;
  PyObject* message = nullptr;
  if (!PyArg_ParseTuple(args, "O|U:_fatal_error", &exception, &message)) return nullptr;
  if (!of(object).check_thread()) return nullptr;
  Ref text =
      message ? Ref::borrow(message) : Ref::steal(PyUnicode_FromString("Fatal error on transport"));
  return text ? of(object).fatal_error(exception, text.get()) : nullptr;
}

// ---- attributes

template <auto Method>
PyObject* get_object(PyObject* object, void*) noexcept {
  return or_none((of(object).*Method)());
}

template <auto Method>
PyObject* get_truth(PyObject* object, void*) noexcept {
  return truth((of(object).*Method)());
}

PyObject* get_descriptor(PyObject* object, void*) noexcept {
  return PyLong_FromLong(of(object).descriptor());
}
PyObject* get_conn_lost(PyObject* object, void*) noexcept {
  return PyLong_FromUnsignedLong(of(object).conn_lost());
}
PyObject* get_high(PyObject* object, void*) noexcept { return or_none(of(object).limits().high()); }
PyObject* get_low(PyObject* object, void*) noexcept { return or_none(of(object).limits().low()); }

// ---- life

void finalize(PyObject* object) noexcept { of(object).finalize(); }

int traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(head_of(object)->dict);
  return of(object).traverse(visit, arg);
}

int clear(PyObject* object) noexcept {
  Py_CLEAR(head_of(object)->dict);
  of(object).clear();
  return 0;
}

void dealloc(PyObject* object) noexcept {
  if (PyObject_CallFinalizerFromDealloc(object) < 0) return;  // somebody has it again
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (head_of(object)->weakrefs) PyObject_ClearWeakRefs(object);
  of(object).~StreamTransport();
  Py_CLEAR(head_of(object)->dict);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

PyObject* repr(PyObject* object) noexcept { return of(object).repr(); }

// asyncio's attributes of the class.
bool fill_type(PyObject* type) noexcept {
  Ref constants = Ref::steal(PyImport_ImportModule("asyncio.constants"));
  Ref modes =
      Ref::steal(constants ? PyObject_GetAttrString(constants.get(), "_SendfileMode") : nullptr);
  Ref mode = Ref::steal(modes ? PyObject_GetAttrString(modes.get(), "TRY_NATIVE") : nullptr);
  return mode && PyObject_SetAttrString(type, "_sendfile_compatible", mode.get()) == 0 &&
         PyObject_SetAttrString(type, "_start_tls_compatible", Py_True) == 0;
}

using T = StreamTransport;

PyMethodDef kMethods[] = {
    {"write", call_with<&T::write>, METH_O,
     PyDoc_STR("write(data)\n\nSends bytes, in order; never waits. They leave at the end of the "
               "loop's turn.")},
    {"writelines", call_with<&T::writelines>, METH_O, PyDoc_STR("writelines(list_of_data)")},
    {"write_eof", call<&T::write_eof>, METH_NOARGS,
     PyDoc_STR("write_eof()\n\nNo more writes: the peer sees the end when all is sent.")},
    {"can_write_eof", can_write_eof, METH_NOARGS, PyDoc_STR("can_write_eof() -> True")},
    {"close", call<&T::close>, METH_NOARGS,
     PyDoc_STR("close()\n\nNo more reads; connection_lost(None) when all is sent.")},
    {"abort", call<&T::abort>, METH_NOARGS,
     PyDoc_STR("abort()\n\nCloses at once; what waits to be sent is lost.")},
    {"is_closing", is_closing, METH_NOARGS, PyDoc_STR("is_closing() -> bool")},
    {"is_reading", is_reading, METH_NOARGS, PyDoc_STR("is_reading() -> bool")},
    {"pause_reading", call<&T::pause_reading>, METH_NOARGS, PyDoc_STR("pause_reading()")},
    {"resume_reading", call<&T::resume_reading>, METH_NOARGS, PyDoc_STR("resume_reading()")},
    {"set_protocol", call_with<&T::set_protocol>, METH_O, PyDoc_STR("set_protocol(protocol)")},
    {"get_protocol", get_protocol, METH_NOARGS, PyDoc_STR("get_protocol()")},
    {"get_extra_info", method(get_extra_info), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("get_extra_info(name, default=None)\n\n'socket', 'sockname', 'peername'.")},
    {"set_write_buffer_limits", method(set_write_buffer_limits), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("set_write_buffer_limits(high=None, low=None)\n\nIn bytes. ValueError unless high "
               ">= low >= 0.")},
    {"get_write_buffer_limits", get_write_buffer_limits, METH_NOARGS,
     PyDoc_STR("get_write_buffer_limits() -> (low, high)")},
    {"get_write_buffer_size", get_write_buffer_size, METH_NOARGS,
     PyDoc_STR("get_write_buffer_size() -> int\n\nBytes that are not sent, those of this turn of "
               "the loop included.")},
    {"_add_reader", call<&T::start_reading>, METH_NOARGS, nullptr},
    {"_force_close", call_with<&T::force_close>, METH_O, nullptr},
    {"_fatal_error", fatal_error, METH_VARARGS, nullptr},
    {"_call_connection_lost", call_with<&T::call_connection_lost>, METH_O, nullptr},
    {"_make_empty_waiter", call<&T::make_empty_waiter>, METH_NOARGS, nullptr},
    {"_reset_empty_waiter", call<&T::reset_empty_waiter>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef kAttributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"_loop", get_object<&T::loop>, nullptr, nullptr, nullptr},
    {"_sock", get_object<&T::sock>, nullptr, nullptr, nullptr},
    {"_sock_fd", get_descriptor, nullptr, nullptr, nullptr},
    {"_protocol", get_object<&T::protocol>, nullptr, nullptr, nullptr},
    {"_server", get_object<&T::server>, nullptr, nullptr, nullptr},
    {"_extra", get_object<&T::extra>, nullptr, nullptr, nullptr},
    {"_empty_waiter", get_object<&T::empty_waiter>, nullptr, nullptr, nullptr},
    {"_protocol_paused", get_truth<&T::protocol_paused>, nullptr, nullptr, nullptr},
    {"_high_water", get_high, nullptr, nullptr, nullptr},
    {"_low_water", get_low, nullptr, nullptr, nullptr},
    {"_conn_lost", get_conn_lost, nullptr, nullptr, nullptr},
    {"_closing", get_truth<&T::closing>, nullptr, nullptr, nullptr},
    {"_paused", get_truth<&T::paused>, nullptr, nullptr, nullptr},
    {"_eof", get_truth<&T::eof>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef kMembers[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(Head, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Head, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

}  // namespace

StreamTransport& stream_transport_of(PyObject* object) noexcept {
  // SAFETY: new_stream_transport() makes one behind each Head, which keeps its alignment.
  return *reinterpret_cast<StreamTransport*>(head_of(object) + 1);
}

PyObject* new_stream_transport(PyTypeObject* type, PyObject* hub) noexcept {
  PyObject* object = type->tp_alloc(type, 0);
  if (object) ::new (static_cast<void*>(&stream_transport_of(object))) StreamTransport(object, hub);
  return object;
}

PyTypeObject* make_stream_transport_type(PyObject* module) noexcept {
  Ref transports = Ref::steal(PyImport_ImportModule("asyncio.transports"));
  Ref base = Ref::steal(transports ? PyObject_GetAttrString(transports.get(), "_FlowControlMixin")
                                   : nullptr);
  if (!base) return nullptr;
  // SAFETY: PyTypeObject begins with PyObject, and this is checked to be one.
  const auto* base_type = reinterpret_cast<PyTypeObject*>(base.get());
  const bool fits = PyType_Check(base.get()) && base_type->tp_dictoffset == 0 &&
                    base_type->tp_basicsize <= static_cast<Py_ssize_t>(offsetof(Head, dict));
  if (!fits) {
    PyErr_SetString(PyExc_RuntimeError, "asyncio's transports have more fields than are known");
    return nullptr;
  }
  PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(dealloc)},
      {Py_tp_finalize, slot(finalize)},
      {Py_tp_traverse, slot(traverse)},
      {Py_tp_clear, slot(clear)},
      {Py_tp_repr, slot(repr)},
      {Py_tp_methods, kMethods},
      {Py_tp_getset, kAttributes},
      {Py_tp_members, kMembers},
      {Py_tp_doc, const_cast<char*>("One stream of bytes of an asyncio loop, TCP or unix.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.StreamTransport", sizeof(Head) + sizeof(StreamTransport), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  Ref type = Ref::steal(PyType_FromModuleAndSpec(module, &spec, base.get()));
  if (!type || !fill_type(type.get())) return nullptr;
  return reinterpret_cast<PyTypeObject*>(type.release());  // SAFETY: it is a type
}

}  // namespace lanner::python
