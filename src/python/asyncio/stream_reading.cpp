// python/asyncio/stream_reading.cpp: what a stream transport does with bytes that arrive.

#include <algorithm>
#include <cerrno>

#include "python/asyncio/stream_transport.h"
#include "python/object/exception.h"
#include "sys/poller.h"
#include "sys/sockets.h"

namespace lanner::python {

namespace {

// After a read of this size the next one goes straight into its bytes object, which costs a system
// call to ask for the size and saves the copy.
constexpr std::size_t kSizedReadMin = 32 * 1024;

}  // namespace

// ---- the switch

PyObject* StreamTransport::start_reading() noexcept {
  if (!reading() || !sock_) return none();
  read_context_ = Ref::steal(PyContext_CopyCurrent());
  if (!read_context_ || !set_interest(interest_ | sys::Ready::readable)) return nullptr;
  return none();
}

PyObject* StreamTransport::pause_reading() noexcept {
  if (!reading()) return none();
  paused_ = true;
  if (!set_interest(interest_ & ~sys::Ready::readable)) return nullptr;
  return log_debug("%r pauses reading") ? none() : nullptr;
}

PyObject* StreamTransport::resume_reading() noexcept {
  if (closing_ || !paused_) return none();
  paused_ = false;
  Ref started = Ref::steal(start_reading());
  return started && log_debug("%r resumes reading") ? none() : nullptr;
}

// ---- the engine's turn

// Errors and hang-ups are found by the read or the write that is waited for, as asyncio does.
void StreamTransport::on_ready(std::uint32_t events) noexcept {
  core().gil().hold();
  const Ref keep = Ref::borrow(self_);
  in_turn_ = true;
  if ((events & ~sys::Ready::writable) && (interest_ & sys::Ready::readable)) read();
  if ((events & ~(sys::Ready::readable | sys::Ready::peer_closed)) && waits_to_write()) push_out();
  in_turn_ = false;
  leave_loop();
}

void StreamTransport::read() noexcept {
  const Ref context = Ref::borrow(read_context_.get());
  if (PyContext_Enter(context.get()) < 0) return fail_in_loop("Fatal error on transport");
  if (buffered_protocol_) {
    read_into_protocol();
  } else {
    read_data();
  }
  if (PyContext_Exit(context.get()) < 0) fail_in_loop("Fatal error on transport");
}

void StreamTransport::read_data() noexcept {
  net::IoResult result;
  Ref data = receive(&result);
  if (!data) return read_failed(result);
  PyObject* args[] = {protocol_.get(), data.get()};
  Ref keep = Ref::borrow(protocol_.get());
  Ref done = Ref::steal(PyObject_VectorcallMethod(names().data_received, args, 2, nullptr));
  if (!done) fail_in_loop("Fatal error: protocol.data_received() call failed.");
}

// Empty: nothing came, see *result; or, with IoResult::Kind::done, an exception is in flight.
Ref StreamTransport::receive(net::IoResult* result) noexcept {
  if (last_read_bytes_ >= kSizedReadMin) return receive_sized(result);
  char* buffer = hub_->receive_buffer();
  if (!buffer) {
    *result = {net::IoResult::Kind::done, 0, 0};
    return Ref::steal(PyErr_NoMemory());
  }
  *result = socket_->read(buffer, StreamHub::kReceiveBytesMax);
  if (result->kind != net::IoResult::Kind::done) return Ref();
  last_read_bytes_ = result->bytes;
  return Ref::steal(PyBytes_FromStringAndSize(buffer, static_cast<Py_ssize_t>(result->bytes)));
}

Ref StreamTransport::receive_sized(net::IoResult* result) noexcept {
  const std::size_t room =
      std::clamp(sys::unread(fd_), std::size_t{4096}, StreamHub::kReceiveBytesMax);
  PyObject* bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(room));
  *result = {net::IoResult::Kind::done, 0, 0};
  if (!bytes) return Ref();
  *result = socket_->read(PyBytes_AS_STRING(bytes), room);
  last_read_bytes_ = result->bytes;
  if (result->kind != net::IoResult::Kind::done) {
    drop(bytes);
    return Ref();
  }
  if (result->bytes != room) {
    (void)_PyBytes_Resize(&bytes, static_cast<Py_ssize_t>(result->bytes));
  }
  return Ref::steal(bytes);
}

// asyncio.BufferedProtocol: into memory of the protocol's.
void StreamTransport::read_into_protocol() noexcept {
  Ref protocol = Ref::borrow(protocol_.get());
  Ref hint = Ref::steal(PyLong_FromLong(-1));
  Ref buffer = Ref::steal(
      hint ? PyObject_CallMethodOneArg(protocol.get(), names().get_buffer, hint.get()) : nullptr);
  const Py_ssize_t size = buffer ? PyObject_Size(buffer.get()) : -1;
  if (size == 0) PyErr_SetString(PyExc_RuntimeError, "get_buffer() returned an empty buffer");
  if (size <= 0) return fail_in_loop("Fatal error: protocol.get_buffer() call failed.");
  if (!socket_ || !sock_) return;
  Py_buffer view;
  if (PyObject_GetBuffer(buffer.get(), &view, PyBUF_WRITABLE) < 0) {
    PyErr_Clear();  // the socket says what is wrong with it
    (void)Ref::steal(PyObject_CallMethod(sock_.get(), "recv_into", "O", buffer.get()));
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_BufferError, "get_buffer() is not writable");
    return fail_in_loop("Fatal read error on socket transport");
  }
  const net::IoResult result =
      socket_->read(static_cast<char*>(view.buf), static_cast<std::size_t>(view.len));
  PyBuffer_Release(&view);
  if (result.kind != net::IoResult::Kind::done) return read_failed(result);
  protocol = Ref::borrow(protocol_.get());  // get_buffer() may have set another
  Ref count = Ref::steal(PyLong_FromSize_t(result.bytes));
  Ref done = Ref::steal(
      count ? PyObject_CallMethodOneArg(protocol.get(), names().buffer_updated, count.get())
            : nullptr);
  if (!done) fail_in_loop("Fatal error: protocol.buffer_updated() call failed.");
}

void StreamTransport::read_failed(const net::IoResult& result) noexcept {
  switch (result.kind) {
    case net::IoResult::Kind::wait_readable:
    case net::IoResult::Kind::wait_writable:
      return;
    case net::IoResult::Kind::end:
      return eof_received();
    case net::IoResult::Kind::error:
      errno = result.error;
      (void)PyErr_SetFromErrno(PyExc_OSError);
      break;
    case net::IoResult::Kind::done:
      break;
  }
  fail_in_loop("Fatal read error on socket transport");
}

void StreamTransport::eof_received() noexcept {
  if (!log_debug("%r received EOF")) PyErr_WriteUnraisable(self_);
  Ref protocol = Ref::borrow(protocol_.get());
  Ref answer = Ref::steal(PyObject_CallMethodNoArgs(protocol.get(), names().eof_received));
  const int keep_open = answer ? PyObject_IsTrue(answer.get()) : -1;
  if (keep_open < 0) return fail_in_loop("Fatal error: protocol.eof_received() call failed.");
  const bool done =
      keep_open ? set_interest(interest_ & ~sys::Ready::readable) : bool(Ref::steal(close()));
  if (!done) fail_in_loop("Fatal error on transport");
}

}  // namespace lanner::python
