// python/asyncio/stream_hub.cpp: lanner._core.StreamHub: what the stream transports of one loop share.

#include "python/asyncio/stream_hub.h"

#include <new>

#include "python/asyncio/stream_transport.h"
#include "python/asyncio/write_limits.h"
#include "python/object/slots.h"

namespace lanner::python {

namespace {

struct HubObject {
  PyObject_HEAD
  StreamHub hub;
};

// A new reference to an attribute of a module; empty with an exception set.
Ref import_from(const char* module_name, const char* name) noexcept {
  Ref module = Ref::steal(PyImport_ImportModule(module_name));
  return Ref::steal(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
}

}  // namespace

StreamHub& stream_hub_of(PyObject* object) noexcept {
  // SAFETY: only called for objects of our type.
  return reinterpret_cast<HubObject*>(object)->hub;
}

bool StreamHub::import_parts() noexcept {
  parts_.buffered_protocol = import_from("asyncio.protocols", "BufferedProtocol");
  if (!parts_.buffered_protocol) return false;
  parts_.transport_socket = import_from("asyncio.trsock", "TransportSocket");
  if (!parts_.transport_socket) return false;
  parts_.set_result = import_from("asyncio.futures", "_set_result_unless_cancelled");
  if (!parts_.set_result) return false;
  parts_.logger = import_from("asyncio.log", "logger");
  if (!parts_.logger) return false;
  parts_.transports = Ref::steal(PyObject_GetAttrString(loop_.get(), "_transports"));
  if (!parts_.transports) return false;
  parts_.low_water_default = Ref::steal(PyLong_FromLong(WriteLimits::kLowDefault));
  parts_.high_water_default = Ref::steal(PyLong_FromLong(WriteLimits::kHighDefault));
  return parts_.low_water_default && parts_.high_water_default;
}

bool StreamHub::open(AsyncioState* state, PyObject* loop) noexcept {
  state_ = state;
  core_ = core_of(state, loop);
  if (!core_) return false;
  loop_ = Ref::borrow(loop);
  return import_parts();
}

char* StreamHub::receive_buffer() noexcept {
  if (!receive_buffer_) receive_buffer_.reset(static_cast<char*>(std::malloc(kReceiveBytesMax)));
  return receive_buffer_.get();
}

void StreamHub::close() noexcept {
  while (StreamTransport* transport = busy_transports_.front()) {
    const Ref keep = Ref::borrow(transport->self());
    transport->detach();
  }
  receive_buffer_.reset();
}

int StreamHub::traverse(visitproc visit, void* arg) noexcept {
  for (const Ref* ref : {&loop_, &parts_.transports}) {
    if (int code = ref->traverse(visit, arg)) return code;
  }
  int code = 0;
  busy_transports_.for_each([&](StreamTransport& transport) {
    if (code == 0) code = visit(transport.self(), arg);
  });
  return code;
}

void StreamHub::clear() noexcept {
  close();
  core_ = nullptr;
  loop_.clear();
}

namespace {

// Not with the module: it imports asyncio.
bool make_transport_type(PyTypeObject* hub_type) noexcept {
  AsyncioState* state = state_of_type<AsyncioState>(hub_type);
  if (!state->stream_transport_type) {
    state->stream_transport_type = make_stream_transport_type(PyType_GetModule(hub_type));
  }
  return state->stream_transport_type != nullptr;
}

PyObject* hub_new(PyTypeObject* type, PyObject* args, PyObject* names) noexcept {
  PyObject* loop = nullptr;
  if (names && PyDict_GET_SIZE(names) > 0) {
    PyErr_SetString(PyExc_TypeError, "StreamHub() takes no keyword arguments");
    return nullptr;
  }
  if (!PyArg_ParseTuple(args, "O:StreamHub", &loop)) return nullptr;
  if (!make_transport_type(type)) return nullptr;
  Ref object = Ref::steal(type->tp_alloc(type, 0));
  if (!object) return nullptr;
  ::new (static_cast<void*>(&stream_hub_of(object.get()))) StreamHub();
  return stream_hub_of(object.get()).open(state_of_type<AsyncioState>(type), loop)
             ? object.release()
             : nullptr;
}

PyObject* or_null(PyObject* object) noexcept { return object == Py_None ? nullptr : object; }

// make(sock, protocol, waiter, extra, server)
PyObject* hub_make(PyObject* object, PyObject* const* args, Py_ssize_t count) noexcept {
  if (count != 5) {
    PyErr_Format(PyExc_TypeError, "make() takes 5 arguments (%zd given)", count);
    return nullptr;
  }
  if (!stream_hub_of(object).check_thread()) return nullptr;
  AsyncioState& state = stream_hub_of(object).state();
  Ref transport = Ref::steal(new_stream_transport(state.stream_transport_type, object));
  if (!transport) return nullptr;
  const bool open =
      stream_transport_of(transport.get())
          .open(args[0], args[1], or_null(args[2]), or_null(args[3]), or_null(args[4]));
  return open ? transport.release() : nullptr;
}

PyObject* hub_close(PyObject* object, PyObject*) noexcept {
  stream_hub_of(object).close();
  return none();
}

int hub_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  return stream_hub_of(object).traverse(visit, arg);
}

int hub_clear(PyObject* object) noexcept {
  stream_hub_of(object).clear();
  return 0;
}

void hub_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  stream_hub_of(object).~StreamHub();
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

}  // namespace

int add_stream_hub_type(PyObject* module, AsyncioState* state) noexcept {
  static PyMethodDef methods[] = {
      {"make", method(hub_make), METH_FASTCALL,
       PyDoc_STR(
           "make(sock, protocol, waiter, extra, server) -> asyncio.Transport\n\nA transport "
           "over a connected stream socket that does not block; None for what there is not.")},
      {"close", hub_close, METH_NOARGS,
       PyDoc_STR("close()\n\nThe loop is closed: transports that are open leave the engine.")},
      {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_new, slot(hub_new)},
      {Py_tp_dealloc, slot(hub_dealloc)},
      {Py_tp_traverse, slot(hub_traverse)},
      {Py_tp_clear, slot(hub_clear)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("StreamHub(loop)\n\nMakes the stream transports of a loop, and "
                                    "holds what they share.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.StreamHub", sizeof(HubObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->stream_hub_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type
  return type ? PyModule_AddObjectRef(module, "StreamHub", type) : -1;
}

}  // namespace lanner::python
