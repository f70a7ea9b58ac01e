// python/asyncio/stream_transport.h: one stream of bytes of an asyncio loop, TCP or unix: asyncio's
// _SelectorSocketTransport, in C++ on the engine.
//
// Received data goes directly to the protocol during the dispatch, without a handle. Written data
// is buffered and sent once per iteration, or at once when it exceeds the high-water mark, before
// the protocol is paused. Everything else is asyncio's own behaviour, call by call.
//
// All of it runs on the loop's thread with the GIL. A method that returns false or null has an
// exception set; every other failure ends the stream and is reported to the loop's exception
// handler.

#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/intrusive_list.h"
#include "net/out_buffer.h"
#include "net/tcp_transport.h"
#include "python/asyncio/stream_hub.h"
#include "python/asyncio/write_limits.h"
#include "python/object/ref.h"

namespace lanner::python {

class StreamTransport final : private net::Watcher, private Flushable, public ListNode<BusyTag> {
 public:
  // Bytes objects of this size and more are referenced until they are sent, smaller ones copied.
  static constexpr std::size_t kReferenceBytesMin = 16 * 1024;

  // self: the Python object that this lies in (borrowed); hub: a lanner._core.StreamHub.
  StreamTransport(PyObject* self, PyObject* hub) noexcept;
  StreamTransport(const StreamTransport&) = delete;
  StreamTransport& operator=(const StreamTransport&) = delete;
  ~StreamTransport();

  // asyncio's constructor: connection_made(), the begin of reading and the waiter's result are
  // queued. Null for waiter, extra and server: none.
  bool open(PyObject* sock, PyObject* protocol, PyObject* waiter, PyObject* extra,
            PyObject* server) noexcept;

  // ---- asyncio.Transport, as Python calls it
  PyObject* write(PyObject* data) noexcept;
  PyObject* writelines(PyObject* list) noexcept;
  PyObject* write_eof() noexcept;
  PyObject* close() noexcept;
  PyObject* abort() noexcept;
  PyObject* pause_reading() noexcept;
  PyObject* resume_reading() noexcept;
  PyObject* set_protocol(PyObject* protocol) noexcept;
  PyObject* set_write_buffer_limits(PyObject* high, PyObject* low) noexcept;
  PyObject* get_extra_info(PyObject* name, PyObject* otherwise) noexcept;
  PyObject* repr() noexcept;

  // ---- asyncio's own names, which its sslproto, base_events and tests use
  PyObject* start_reading() noexcept;  // _add_reader
  PyObject* force_close(PyObject* exception) noexcept;
  PyObject* fatal_error(PyObject* exception, PyObject* message) noexcept;
  PyObject* call_connection_lost(PyObject* exception) noexcept;
  PyObject* make_empty_waiter() noexcept;
  PyObject* reset_empty_waiter() noexcept;

  // ---- state
  PyObject* sock() const noexcept { return sock_.get(); }  // null: closed
  PyObject* protocol() const noexcept { return protocol_.get(); }
  PyObject* server() const noexcept { return server_.get(); }
  PyObject* extra() const noexcept { return extra_.get(); }
  PyObject* empty_waiter() const noexcept { return empty_waiter_.get(); }
  PyObject* loop() const noexcept { return hub_ ? hub_->loop() : nullptr; }
  const WriteLimits& limits() const noexcept { return limits_; }
  std::uint64_t buffered_bytes() const noexcept { return out_.size(); }
  int descriptor() const noexcept { return fd_; }
  unsigned conn_lost() const noexcept { return conn_lost_; }
  bool closing() const noexcept { return closing_; }
  bool check_thread() const noexcept { return !hub_ || hub_->check_thread(); }
  bool paused() const noexcept { return paused_; }
  bool eof() const noexcept { return eof_; }
  bool protocol_paused() const noexcept { return protocol_paused_; }
  bool reading() const noexcept { return !paused_ && !closing_; }

  // ---- life
  // The finalizer: like asyncio's __del__, warns if the transport is still open and closes the
  // socket.
  void finalize() noexcept;
  // Unregisters from the engine, drops unsent data, and releases the reference that keeps it alive.
  // May destroy *this, unless the caller has a reference.
  void detach() noexcept;
  PyObject* self() const noexcept { return self_; }
  int traverse(visitproc visit, void* arg) const noexcept;
  void clear() noexcept;

 private:
  void on_ready(std::uint32_t events) noexcept override;
  void flush() noexcept override;

  // ---- stream_reading.cpp
  void read() noexcept;
  void read_data() noexcept;
  void read_into_protocol() noexcept;
  Ref receive(net::IoResult* result) noexcept;
  Ref receive_sized(net::IoResult* result) noexcept;
  void read_failed(const net::IoResult& result) noexcept;
  void eof_received() noexcept;

  // ---- stream_writing.cpp
  bool refuses_writing(const char* what_after_eof, const char* what_in_sendfile) noexcept;
  bool count_lost_write() noexcept;
  // exact: the object of type bytes that they lie in; null: they must be copied.
  bool append(std::string_view bytes, PyObject* exact) noexcept;
  bool appended() noexcept;
  bool send_large(std::string_view bytes, PyObject* exact) noexcept;
  void push_out() noexcept;
  bool push_fresh() noexcept;
  bool sent(const net::IoResult& result) noexcept;
  bool write_failed(int number) noexcept;
  bool drained() noexcept;
  bool pause_protocol() noexcept;
  bool resume_protocol() noexcept;
  bool shutdown_writing() noexcept;

  // ---- stream_transport.cpp
  bool check_open_loop() noexcept;
  bool set_interest(std::uint32_t interest) noexcept;
  void settle() noexcept;
  bool attach_to(PyObject* server) noexcept;
  bool fill_extra(PyObject* extra) noexcept;
  bool queue_start(PyObject* waiter) noexcept;
  Ref close_socket() noexcept;
  void leave_loop() noexcept;
  bool settle_waiter(PyObject* lost) noexcept;
  bool queue_connection_lost(PyObject* exception) noexcept;
  // The exception in flight ends the stream. False: it is one that ends the program, or its
  // handling raised, and one is still in flight.
  bool fail(const char* message) noexcept;
  // The same, from within the loop: what would be in flight goes to the loop.
  void fail_in_loop(const char* message) noexcept;
  bool tell(PyObject* exception, PyObject* message) noexcept;
  bool tell_handler(PyObject* exception, PyObject* message) noexcept;
  bool log_debug(const char* format) noexcept;
  // REQUIRES: connected()
  LoopCore& core() noexcept { return hub_->core(); }
  ObjectState& names() noexcept { return state_.names; }
  bool connected() const noexcept { return hub_ != nullptr; }
  bool kept_alive() const noexcept { return ListNode<BusyTag>::linked(); }
  bool waits_to_write() const noexcept;

  PyObject* self_;
  AsyncioState& state_;
  Ref hub_object_;
  StreamHub* hub_;  // null: the connection is lost, and so is the way to the loop, as asyncio's
  Ref sock_;
  Ref protocol_;
  Ref server_;
  Ref extra_;
  Ref empty_waiter_;
  Ref read_context_;   // of data_received() and its like
  Ref write_context_;  // of who was paused, for resume_writing(); empty: as reading
  WriteLimits limits_;
  std::optional<net::TcpTransport> socket_;  // over the descriptor of sock_, which owns it
  net::OutBuffer out_;
  std::size_t last_read_bytes_ = 0;
  int fd_ = -1;                 // stays when the socket is closed, as asyncio's _sock_fd
  std::uint32_t interest_ = 0;  // what the engine watches for; 0: not watched
  unsigned conn_lost_ = 0;      // connection_lost() is queued; beyond that, writes in vain
  bool closing_ = false;
  bool paused_ = false;
  bool eof_ = false;
  bool protocol_paused_ = false;
  bool protocol_connected_ = false;
  bool buffered_protocol_ = false;
  bool in_turn_ = false;          // inside on_ready() or flush()
  bool counted_in_sock_ = false;  // sock_._io_refs has one of ours
};

// The type, derived from asyncio's _FlowControlMixin (and so from asyncio.Transport); null with an
// exception set. Made at the first use: it imports asyncio.
PyTypeObject* make_stream_transport_type(PyObject* module) noexcept;
// REQUIRES: an object of that type
StreamTransport& stream_transport_of(PyObject* object) noexcept;
// A new transport of a StreamHub; null with an exception set.
PyObject* new_stream_transport(PyTypeObject* type, PyObject* hub) noexcept;

}  // namespace lanner::python
