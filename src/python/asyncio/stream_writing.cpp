// python/asyncio/stream_writing.cpp: what a stream transport does with bytes that are written.

#include <algorithm>
#include <cerrno>
#include <utility>

#include "python/asyncio/stream_transport.h"
#include "python/object/exception.h"
#include "sys/poller.h"

namespace lanner::python {

namespace {

// asyncio.constants.LOG_THRESHOLD_FOR_CONNLOST_WRITES
constexpr unsigned kLostWritesLogged = 5;

void release_bytes(void* owner) noexcept { drop(static_cast<PyObject*>(owner)); }

// The bytes of an object with a buffer, for as long as this lives.
class BytesView final {
 public:
  // REQUIRES: `object` outlives this
  explicit BytesView(PyObject* object) noexcept {
    if (PyBytes_CheckExact(object)) {
      exact_ = object;
      bytes_ = {PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object))};
      return;
    }
    held_ = PyObject_GetBuffer(object, &view_, PyBUF_SIMPLE) == 0;
    if (held_) bytes_ = {static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }
  BytesView(const BytesView&) = delete;
  BytesView& operator=(const BytesView&) = delete;
  ~BytesView() {
    if (held_) PyBuffer_Release(&view_);
  }
  // False: an exception is set.
  explicit operator bool() const noexcept { return exact_ || held_; }
  std::string_view bytes() const noexcept { return bytes_; }
  // The object if it is of type bytes: it may be referenced.
  PyObject* exact() const noexcept { return exact_; }

 private:
  PyObject* exact_ = nullptr;
  bool held_ = false;
  Py_buffer view_;
  std::string_view bytes_;
};

}  // namespace

// ---- from Python

bool StreamTransport::refuses_writing(const char* after_eof, const char* in_sendfile) noexcept {
  if (eof_) {
    PyErr_SetString(PyExc_RuntimeError, after_eof);
  } else if (empty_waiter_) {
    PyErr_SetString(PyExc_RuntimeError, in_sendfile);
  }
  return eof_ || empty_waiter_;
}

PyObject* StreamTransport::write(PyObject* data) noexcept {
  if (!PyBytes_Check(data) && !PyByteArray_Check(data) && !PyMemoryView_Check(data)) {
    Ref name = Ref::steal(PyType_GetName(Py_TYPE(data)));
    if (name) {
      PyErr_Format(PyExc_TypeError, "data argument must be a bytes-like object, not %R",
                   name.get());
    }
    return nullptr;
  }
  if (refuses_writing("Cannot call write() after write_eof()",
                      "unable to write; sendfile is in progress")) {
    return nullptr;
  }
  const BytesView view(data);
  if (!view) return fail("Fatal write error on socket transport") ? none() : nullptr;
  if (view.bytes().empty()) return none();
  if (conn_lost_ > 0) return count_lost_write() ? none() : nullptr;
  const bool done = out_.empty() && view.bytes().size() > limits_.high_bytes()
                        ? send_large(view.bytes(), view.exact())
                        : append(view.bytes(), view.exact()) && appended();
  return done ? none() : nullptr;
}

PyObject* StreamTransport::writelines(PyObject* list) noexcept {
#if PY_VERSION_HEX < 0x030C0000
  Ref data = Ref::steal(PyObject_CallMethod(names().empty_bytes, "join", "O", list));
  return data ? write(data.get()) : nullptr;
#else
  if (refuses_writing("Cannot call writelines() after write_eof()",
                      "unable to writelines; sendfile is in progress")) {
    return nullptr;
  }
  const int any = PyObject_IsTrue(list);
  if (any <= 0) return any == 0 ? none() : nullptr;
  if (conn_lost_ > 0) return count_lost_write() ? none() : nullptr;
  Ref items = Ref::steal(PySequence_List(list));
  if (!items) return nullptr;
  // First all are looked at, so that a wrong one leaves nothing half written.
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
    PyObject* item = PyList_GET_ITEM(items.get(), i);
    if (!PyObject_CheckBuffer(item)) return PyMemoryView_FromObject(item);
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
    const BytesView view(PyList_GET_ITEM(items.get(), i));
    if (!view) return fail("Fatal write error on socket transport") ? none() : nullptr;
    if (!append(view.bytes(), view.exact())) return nullptr;
  }
  return out_.empty() || appended() ? none() : nullptr;
#endif
}

// Somebody writes and writes, and never looks whether anybody is there.
bool StreamTransport::count_lost_write() noexcept {
  const bool tell_it = conn_lost_ >= kLostWritesLogged;
  if (conn_lost_ < UINT32_MAX) ++conn_lost_;
  if (!tell_it) return true;
  Ref log = Ref::steal(PyImport_ImportModule("asyncio.log"));
  Ref logger = Ref::steal(log ? PyObject_GetAttrString(log.get(), "logger") : nullptr);
  return logger && Ref::steal(PyObject_CallMethod(logger.get(), "warning", "s",
                                                  "socket.send() raised exception."));
}

PyObject* StreamTransport::write_eof() noexcept {
  if (closing_ || eof_) return none();
  if (!push_fresh()) return nullptr;
  if (closing_) return none();
  eof_ = true;
  return !out_.empty() || shutdown_writing() ? none() : nullptr;
}

bool StreamTransport::shutdown_writing() noexcept {
  constexpr int kShutWrite = 1;  // socket.SHUT_WR
  return bool(Ref::steal(PyObject_CallMethod(sock_.get(), "shutdown", "i", kShutWrite)));
}

PyObject* StreamTransport::set_write_buffer_limits(PyObject* high, PyObject* low) noexcept {
  if (!limits_.set(high, low)) return nullptr;
  return push_fresh() && pause_protocol() ? none() : nullptr;
}

PyObject* StreamTransport::make_empty_waiter() noexcept {
  if (empty_waiter_) {
    PyErr_SetString(PyExc_RuntimeError, "Empty waiter is already set");
    return nullptr;
  }
  if (!connected()) {
    PyErr_SetString(PyExc_RuntimeError, "the connection is lost");
    return nullptr;
  }
  if (!push_fresh()) return nullptr;
  empty_waiter_ = Ref::steal(PyObject_CallMethod(hub_->loop(), "create_future", nullptr));
  if (!empty_waiter_) return nullptr;
  if (out_.empty() && !settle_waiter(nullptr)) return nullptr;
  return share(empty_waiter_.get());
}

PyObject* StreamTransport::reset_empty_waiter() noexcept {
  empty_waiter_.clear();
  return none();
}

// ---- into the buffer

bool StreamTransport::append(std::string_view bytes, PyObject* exact) noexcept {
  const bool reference = exact && bytes.size() >= kReferenceBytesMin;
  const bool added =
      reference ? out_.append_reference(bytes, share(exact), release_bytes) : out_.append(bytes);
  if (!added) (void)PyErr_NoMemory();
  return added;
}

// Something was added: it leaves with the turn, or now when the protocol would be paused for it.
bool StreamTransport::appended() noexcept {
  if (waits_to_write()) return pause_protocol();
  if (out_.size() <= limits_.high_bytes()) {
    core().queue_flush(*this);
    settle();
    return true;
  }
  return push_fresh() && pause_protocol();
}

// More than the protocol may have buffered: only what the system does not take is.
bool StreamTransport::send_large(std::string_view bytes, PyObject* exact) noexcept {
  const net::IoResult result = socket_->write({&bytes, 1});
  if (result.kind == net::IoResult::Kind::error) return write_failed(result.error);
  bytes.remove_prefix(result.bytes);
  if (bytes.empty()) return true;
  return append(bytes, exact) && set_interest(interest_ | sys::Ready::writable) && pause_protocol();
}

// ---- out of the buffer

// Writes what no write was tried for yet; then, and not before, the buffer is what asyncio's
// would be.
bool StreamTransport::push_fresh() noexcept {
  if (out_.empty() || waits_to_write()) return true;
  if (ListNode<FlushTag>::linked()) ListNode<FlushTag>::unlink();
  const bool done = sent(out_.flush(*socket_));
  settle();
  return done;
}

// From the loop, at the end of a turn.
void StreamTransport::flush() noexcept {
  const Ref keep = Ref::borrow(self_);
  in_turn_ = true;
  if (!out_.empty() && !waits_to_write()) push_out();
  settle();
  in_turn_ = false;
  leave_loop();
}

// One write, in the loop.
void StreamTransport::push_out() noexcept {
  if (out_.empty()) return;
  const net::IoResult result = out_.flush(*socket_);
  const bool nothing_follows =
      interest_ != 0 && !waits_to_write() && !protocol_paused_ && !empty_waiter_;
  if (out_.empty() && nothing_follows && !eof_ && !closing_) return;
  Ref context = Ref::borrow(write_context_ ? write_context_.get() : read_context_.get());
  const bool entered = context && PyContext_Enter(context.get()) == 0;
  if (!entered) PyErr_Clear();
  if (!sent(result)) {
    fail_in_loop(sock_ ? "Fatal write error on socket transport"
                       : "Fatal error: protocol.connection_lost() call failed.");
  }
  if (entered && PyContext_Exit(context.get()) < 0) PyErr_Clear();
}

bool StreamTransport::sent(const net::IoResult& result) noexcept {
  if (result.kind == net::IoResult::Kind::error) return write_failed(result.error);
  return drained();
}

bool StreamTransport::write_failed(int number) noexcept {
  errno = number;
  (void)PyErr_SetFromErrno(PyExc_OSError);
  Ref exception = take_exception();
  if (ListNode<FlushTag>::linked()) ListNode<FlushTag>::unlink();
  out_.clear();
  Ref text = Ref::steal(PyUnicode_FromString("Fatal write error on socket transport"));
  if (!text || !Ref::steal(fatal_error(exception.get(), text.get()))) return false;
  if (!empty_waiter_) return true;
  Ref done = Ref::steal(PyObject_CallMethodNoArgs(empty_waiter_.get(), names().done));
  if (!done || done.get() == Py_True) return bool(done);
  return bool(
      Ref::steal(PyObject_CallMethod(empty_waiter_.get(), "set_exception", "O", exception.get())));
}

// After a write: whoever waits for room, or for the last byte, goes on.
bool StreamTransport::drained() noexcept {
  if (!resume_protocol()) return false;
  if (conn_lost_ > 0) return true;  // it closed, or broke off
  if (!out_.empty()) return set_interest(interest_ | sys::Ready::writable);
  if (!set_interest(interest_ & ~sys::Ready::writable) || !settle_waiter(nullptr)) return false;
  if (closing_) return bool(Ref::steal(call_connection_lost(Py_None)));
  return !eof_ || shutdown_writing();
}

// ---- the protocol's pause

bool StreamTransport::pause_protocol() noexcept {
  if (protocol_paused_ || out_.size() <= limits_.high_bytes()) return true;
  protocol_paused_ = true;
  write_context_ = Ref::steal(PyContext_CopyCurrent());
  if (!write_context_) return false;
  Ref protocol = Ref::borrow(protocol_.get());
  Ref done = Ref::steal(PyObject_CallMethodNoArgs(protocol.get(), names().pause_writing));
  if (done) return true;
  if (LoopCore::is_exit()) return false;
  Ref exception = take_exception();
  Ref text = Ref::steal(PyUnicode_FromString("protocol.pause_writing() failed"));
  return text && tell_handler(exception.get(), text.get());
}

bool StreamTransport::resume_protocol() noexcept {
  if (!protocol_paused_ || out_.size() > limits_.low_bytes()) return true;
  protocol_paused_ = false;
  write_context_.clear();
  Ref protocol = Ref::borrow(protocol_.get());
  Ref done = Ref::steal(PyObject_CallMethodNoArgs(protocol.get(), names().resume_writing));
  if (done) return true;
  if (LoopCore::is_exit()) return false;
  Ref exception = take_exception();
  Ref text = Ref::steal(PyUnicode_FromString("protocol.resume_writing() failed"));
  return text && tell_handler(exception.get(), text.get());
}

}  // namespace lanner::python
