// python/asyncio/stream_transport.cpp: a stream transport's life: opened, closed, failed, lost.

#include "python/asyncio/stream_transport.h"

#include <cerrno>
#include <utility>

#include "python/object/exception.h"
#include "sys/poller.h"
#include "sys/sockets.h"

namespace lanner::python {

StreamTransport::StreamTransport(PyObject* self, PyObject* hub) noexcept
    : self_(self),
      state_(stream_hub_of(hub).state()),
      hub_object_(Ref::borrow(hub)),
      hub_(&stream_hub_of(hub)),
      out_(hub_->core().engine().own_blocks()) {
  const StreamHub::Parts& parts = hub_->parts();
  limits_.set_default(parts.high_water_default.get(), parts.low_water_default.get());
}

// finalize() has run: nothing is watched, and nothing buffered.
StreamTransport::~StreamTransport() {
  if (socket_) (void)socket_->release();
}

// ---- the beginning

bool StreamTransport::open(PyObject* sock, PyObject* protocol, PyObject* waiter, PyObject* extra,
                           PyObject* server) noexcept {
  sock_ = Ref::borrow(sock);
  if (!fill_extra(extra)) return false;
  Ref number = Ref::steal(PyObject_CallMethod(sock, "fileno", nullptr));
  fd_ = number ? PyObject_AsFileDescriptor(number.get()) : -1;
  if (fd_ < 0) return false;
  socket_.emplace(fd_);
  if (!Ref::steal(set_protocol(protocol))) return false;
  if (server && !attach_to(server)) return false;
  if (PyObject_SetItem(hub_->parts().transports.get(), number.get(), self_) < 0) return false;
  // Small writes leave at once. Not TCP: nothing.
  (void)sys::set_no_delay(fd_);
  if (!queue_start(waiter)) return false;
  return !server || server_ || Ref::steal(abort());
}

bool StreamTransport::fill_extra(PyObject* extra) noexcept {
  extra_ = extra ? Ref::borrow(extra) : Ref::steal(PyDict_New());
  if (!extra_) return false;
  Ref socket = Ref::steal(PyObject_CallOneArg(hub_->parts().transport_socket.get(), sock_.get()));
  if (!socket || PyObject_SetItem(extra_.get(), names().socket, socket.get()) < 0) return false;
  const auto fill = [&](PyObject* key, const char* method) noexcept {
    Ref name = Ref::steal(PyObject_CallMethod(sock_.get(), method, nullptr));
    if (!name) {
      if (!PyErr_ExceptionMatches(PyExc_OSError)) return false;
      PyErr_Clear();
    }
    return PyObject_SetItem(extra_.get(), key, name ? name.get() : Py_None) == 0;
  };
  if (!fill(names().sockname, "getsockname")) return false;
  const int known = PySequence_Contains(extra_.get(), names().peername);
  return known == 1 || (known == 0 && fill(names().peername, "getpeername"));
}

// asyncio.Server counts its transports; from 3.13 on it also knows them. One that was closed after
// it had accepted this connection counts no more (cpython#109564): server_ stays null.
bool StreamTransport::attach_to(PyObject* server) noexcept {
  Ref serving = Ref::steal(PyObject_CallMethod(server, "is_serving", nullptr));
  const int open = serving ? PyObject_IsTrue(serving.get()) : -1;
  if (open <= 0) return open == 0;
#if PY_VERSION_HEX >= 0x030D0000
  Ref done = Ref::steal(PyObject_CallMethod(server, "_attach", "O", self_));
#else
  Ref done = Ref::steal(PyObject_CallMethod(server, "_attach", nullptr));
#endif
  if (done) server_ = Ref::borrow(server);
  return bool(done);
}

// In this order: reading begins when connection_made() has been called, and the waiter goes on when
// both have happened.
bool StreamTransport::queue_start(PyObject* waiter) noexcept {
  // socket.close() waits for makefile()'s users: the descriptor stays ours until we are done.
  Ref users = Ref::steal(PyObject_GetAttrString(sock_.get(), "_io_refs"));
  if (users && PyLong_Check(users.get())) {
    Ref more = Ref::steal(PyLong_FromLong(PyLong_AsLong(users.get()) + 1));
    if (!more || PyObject_SetAttrString(sock_.get(), "_io_refs", more.get()) < 0) return false;
    counted_in_sock_ = true;
  }
  PyErr_Clear();
  if (!check_open_loop()) return false;
  Ref made = Ref::steal(PyObject_GetAttr(protocol_.get(), names().connection_made));
  if (!made || !core().soon(made.get(), self_, nullptr)) return false;
  Ref start = Ref::steal(PyObject_GetAttrString(self_, "_add_reader"));
  if (!start || !core().soon(start.get(), nullptr, nullptr)) return false;
  if (!waiter) return true;
  PyObject* args = PyTuple_Pack(2, waiter, Py_None);
  return bool(Ref::steal(core().call_soon(hub_->parts().set_result.get(), args, nullptr)));
}

PyObject* StreamTransport::set_protocol(PyObject* protocol) noexcept {
  const int buffered =
      connected() ? PyObject_IsInstance(protocol, hub_->parts().buffered_protocol.get()) : 0;
  if (buffered < 0) return nullptr;
  buffered_protocol_ = buffered == 1;
  protocol_ = Ref::borrow(protocol);
  protocol_connected_ = true;
  return none();
}

// ---- what the engine watches, and who keeps this alive meanwhile

bool StreamTransport::waits_to_write() const noexcept {
  return (interest_ & sys::Ready::writable) != 0;
}

// May destroy *this, unless the caller has a reference.
void StreamTransport::settle() noexcept {
  const bool busy = interest_ != 0 || ListNode<FlushTag>::linked();
  if (busy == kept_alive()) return;
  if (busy) {
    (void)share(self_);
    hub_->busy_transports().push_back(*this);
  } else {
    ListNode<BusyTag>::unlink();
    drop(self_);
  }
}

bool StreamTransport::check_open_loop() noexcept {
  if (core().closed) PyErr_SetString(PyExc_RuntimeError, "Event loop is closed");
  return !core().closed;
}

bool StreamTransport::set_interest(std::uint32_t interest) noexcept {
  if (interest == interest_) return true;
  if (interest != 0 && !check_open_loop()) return false;
  Result<void> changed;
  if (interest == 0) {
    core().engine().unwatch(fd_, *this);
  } else if (interest_ == 0) {
    changed = core().engine().watch(fd_, interest, *this);
  } else {
    changed = core().engine().change(fd_, interest, *this);
  }
  if (!changed) {
    errno = static_cast<int>(changed.error().detail);
    (void)PyErr_SetFromErrno(PyExc_OSError);
    return false;
  }
  interest_ = interest;
  settle();
  return true;
}

void StreamTransport::detach() noexcept {
  if (ListNode<FlushTag>::linked()) ListNode<FlushTag>::unlink();
  out_.clear();
  (void)set_interest(0);
  settle();
}

// ---- failures

// To the loop's exception handler, or, for what the network does, to the log in debug mode.
bool StreamTransport::tell(PyObject* exception, PyObject* message) noexcept {
  if (PyObject_IsInstance(exception, PyExc_OSError) == 1) {
    if (!core().debugging) return true;
    Ref method = Ref::steal(PyObject_GetAttrString(hub_->parts().logger.get(), "debug"));
    Ref args = Ref::steal(Py_BuildValue("sOO", "%r: %s", self_, message));
    Ref names = Ref::steal(Py_BuildValue("{sO}", "exc_info", exception));
    return method && args && names &&
           Ref::steal(PyObject_Call(method.get(), args.get(), names.get()));
  }
  return tell_handler(exception, message);
}

bool StreamTransport::tell_handler(PyObject* exception, PyObject* message) noexcept {
  Ref context = Ref::steal(Py_BuildValue("{sOsOsOsO}", "message", message, "exception", exception,
                                         "transport", self_, "protocol",
                                         protocol_ ? protocol_.get() : Py_None));
  return context && Ref::steal(PyObject_CallMethod(hub_->loop(), "call_exception_handler", "O",
                                                   context.get()));
}

bool StreamTransport::fail(const char* message) noexcept {
  if (LoopCore::is_exit()) return false;
  Ref exception = take_exception();
  Ref text = Ref::steal(PyUnicode_FromString(message));
  return text && Ref::steal(fatal_error(exception.get(), text.get()));
}

void StreamTransport::fail_in_loop(const char* message) noexcept {
  if (!sock_ || !fail(message)) core().failed(message, self_, protocol_.get());
}

PyObject* StreamTransport::fatal_error(PyObject* exception, PyObject* message) noexcept {
  if (!sock_) return none();
  return tell(exception, message) ? force_close(exception) : nullptr;
}

PyObject* StreamTransport::force_close(PyObject* exception) noexcept {
  if (conn_lost_ > 0) return none();
  if (ListNode<FlushTag>::linked()) ListNode<FlushTag>::unlink();
  out_.clear();
  closing_ = true;
  if (!set_interest(0)) return nullptr;
  settle();
  return queue_connection_lost(exception) ? none() : nullptr;
}

bool StreamTransport::log_debug(const char* format) noexcept {
  return !core().debugging ||
         Ref::steal(PyObject_CallMethod(hub_->parts().logger.get(), "debug", "sO", format, self_));
}

// ---- what it says of itself

PyObject* StreamTransport::get_extra_info(PyObject* name, PyObject* otherwise) noexcept {
  if (!extra_) return share(otherwise);
  if (!PyDict_CheckExact(extra_.get())) {
    return PyObject_CallMethod(extra_.get(), "get", "OO", name, otherwise);
  }
  PyObject* found = PyDict_GetItemWithError(extra_.get(), name);
  if (!found && PyErr_Occurred()) return nullptr;
  return share(found ? found : otherwise);
}

PyObject* StreamTransport::repr() noexcept {
  const char* state = !sock_ ? " closed" : closing_ ? " closing" : "";
  if (!connected() || core().closed) {
    return PyUnicode_FromFormat("<StreamTransport%s fd=%d>", state, fd_);
  }
  return PyUnicode_FromFormat("<StreamTransport%s fd=%d read=%s write=<%s, bufsize=%llu>>", state,
                              fd_, interest_ & sys::Ready::readable ? "polling" : "idle",
                              waits_to_write() ? "polling" : "idle",
                              static_cast<unsigned long long>(out_.size()));
}

// ---- the end

PyObject* StreamTransport::close() noexcept {
  if (closing_) return none();
  if (!push_fresh()) return nullptr;
  if (closing_) return none();  // what was to be written could not
  closing_ = true;
  if (!set_interest(interest_ & ~sys::Ready::readable)) return nullptr;
  if (!out_.empty()) return none();  // connection_lost() when it is sent
  return queue_connection_lost(Py_None) ? none() : nullptr;
}

// What was written before has left, as far as the system takes it.
PyObject* StreamTransport::abort() noexcept {
  return push_fresh() ? force_close(Py_None) : nullptr;
}

bool StreamTransport::queue_connection_lost(PyObject* exception) noexcept {
  ++conn_lost_;
  if (!check_open_loop()) return false;
  Ref callback = Ref::steal(PyObject_GetAttrString(self_, "_call_connection_lost"));
  return callback && core().soon(callback.get(), exception, nullptr);
}

PyObject* StreamTransport::call_connection_lost(PyObject* exception) noexcept {
  if (!sock_) return none();
  if (conn_lost_ == 0) conn_lost_ = 1;
  closing_ = true;
  if (protocol_connected_) {
    Ref protocol = Ref::borrow(protocol_.get());
    (void)Ref::steal(PyObject_CallMethodOneArg(protocol.get(), names().connection_lost, exception));
  }
  Ref raised = take_exception();
  Ref failed = sock_ ? close_socket() : Ref();  // unless connection_lost() called this itself
  protocol_.clear();
  if (!raised) raised = std::move(failed);
  if (!settle_waiter(PyExc_ConnectionError) && !raised) raised = take_exception();
  PyErr_Clear();
  leave_loop();
  if (!raised) return none();
  raise_exception(std::move(raised));
  return nullptr;
}

// A closed transport keeps no loop alive. Not in the middle of what the loop called.
void StreamTransport::leave_loop() noexcept {
  if (in_turn_ || sock_) return;
  hub_ = nullptr;
  hub_object_.clear();
}

// Who waits for the buffer to be empty hears that it is, or that it will not be: `lost`, a class.
bool StreamTransport::settle_waiter(PyObject* lost) noexcept {
  if (!empty_waiter_) return true;
  Ref waiter = Ref::borrow(empty_waiter_.get());
  Ref done = Ref::steal(PyObject_CallMethodNoArgs(waiter.get(), names().done));
  if (!done) return false;
  if (done.get() == Py_True) return true;
  if (!lost) return bool(Ref::steal(PyObject_CallMethod(waiter.get(), "set_result", "O", Py_None)));
  Ref why = Ref::steal(PyObject_CallFunction(lost, "s", "Connection is closed by peer"));
  return why && Ref::steal(PyObject_CallMethod(waiter.get(), "set_exception", "O", why.get()));
}

// The first exception that the socket and the server raised, if any.
Ref StreamTransport::close_socket() noexcept {
  detach();
  if (socket_) (void)socket_->release();
  Ref sock = std::move(sock_);
  Ref closed = Ref::steal(PyObject_CallMethod(sock.get(), "close", nullptr));
  Ref first = take_exception();
  if (counted_in_sock_) {
    counted_in_sock_ = false;
    closed = Ref::steal(PyObject_CallMethod(sock.get(), "_decref_socketios", nullptr));
  }
  Ref second = take_exception();
  Ref server = std::move(server_);
  if (server) {
#if PY_VERSION_HEX >= 0x030D0000
    closed = Ref::steal(PyObject_CallMethod(server.get(), "_detach", "O", self_));
#else
    closed = Ref::steal(PyObject_CallMethod(server.get(), "_detach", nullptr));
#endif
  }
  Ref third = take_exception();
  return std::move(first ? first : second ? second : third);
}

void StreamTransport::finalize() noexcept {
  if (!sock_) return;
  Ref raised = take_exception();
  if (PyErr_ResourceWarning(self_, 1, "unclosed transport %R", self_) < 0) {
    PyErr_WriteUnraisable(self_);
  }
  closing_ = true;
  if (conn_lost_ == 0) conn_lost_ = 1;
  Ref failed = close_socket();
  if (failed) {
    raise_exception(std::move(failed));
    PyErr_WriteUnraisable(self_);
  }
  leave_loop();
  if (raised) raise_exception(std::move(raised));
}

int StreamTransport::traverse(visitproc visit, void* arg) const noexcept {
  for (const Ref* ref : {&hub_object_, &sock_, &protocol_, &server_, &extra_, &empty_waiter_,
                         &read_context_, &write_context_}) {
    if (int code = ref->traverse(visit, arg)) return code;
  }
  return 0;
}

// The way to the loop stays: finalize() was called before, and took it.
void StreamTransport::clear() noexcept {
  for (Ref* ref :
       {&protocol_, &server_, &extra_, &empty_waiter_, &read_context_, &write_context_}) {
    ref->clear();
  }
}

}  // namespace lanner::python
