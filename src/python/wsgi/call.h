// python/wsgi/call.h: one call of a WSGI application, from its environ to close() (PEP 3333).
//
//   run() -> application(environ, start_response) -> the iterable, block by block
//         -> close() -> done
//
// On the loop's thread a full out buffer pauses the iterable: the call is retained and continues at
// on_writable(). On a handler thread writing waits instead. The GIL is held in all calls but those
// of http::Observer, which take it.

#pragma once

#include "http/exchange.h"
#include "http/response_head.h"
#include "python/object/ref.h"
#include "python/wsgi/app.h"

namespace lanner::python {

class WsgiHandler;

class WsgiCall final : public http::Observer {
 public:
  // `handler`: the loop's, for a call that may be paused; null on a handler thread.
  WsgiCall(WsgiApp& app, http::Exchange& exchange, WsgiHandler* handler) noexcept
      : app_(app), exchange_(&exchange), handler_(handler), thread_(PyThread_get_thread_ident()) {}
  WsgiCall(const WsgiCall&) = delete;
  WsgiCall& operator=(const WsgiCall&) = delete;

  enum class Outcome : std::uint8_t { done, paused };
  // REQUIRES: the GIL. done: the exchange has ended, destroy this. paused: on_writable() or
  // on_disconnect() comes later.
  Outcome run() noexcept;

  // The calling thread is the one that runs the application.
  bool on_own_thread() const noexcept { return PyThread_get_thread_ident() == thread_; }
  // What the application calls, on that thread only; null with an exception set.
  PyObject* start_response(PyObject* status, PyObject* headers, PyObject* exc_info) noexcept;
  PyObject* write(PyObject* bytes) noexcept;
  PyObject* early_hints(PyObject* headers) noexcept;

  // http::Observer
  void on_writable() noexcept override;
  void on_disconnect() noexcept override;
  void on_half_close() noexcept override {}
  void on_body(std::string_view) noexcept override {}
  void on_body_end(Errc) noexcept override {}

 private:
  enum class Step : std::uint8_t { more, paused, end, failed };

  Outcome answer() noexcept;                    // from the application's return value on
  Outcome answer_list() noexcept;               // a list or tuple: all blocks are there
  bool answer_file(Outcome* outcome) noexcept;  // false: not a file that sendfile can send
  Outcome iterate() noexcept;
  Outcome pause() noexcept;
  Step next_block() noexcept;
  bool begin(std::optional<std::uint64_t>
                 body_bytes) noexcept;  // sends the head; false with an exception set
  http::WriteState put(PyObject* block) noexcept;
  http::WriteState flush() noexcept;
  Outcome finish() noexcept;
  Outcome fail() noexcept;  // logs the exception in flight, gives a 500 or cuts
  void close_result() noexcept;
  void end() noexcept;
  bool set_head(PyObject* status, PyObject* headers) noexcept;
  bool bodyless() const noexcept;

  WsgiApp& app_;
  http::Exchange* exchange_;
  WsgiHandler* handler_;
  const unsigned long thread_;
  WsgiKit* kit_ = nullptr;
  Ref environ_;
  Ref result_;             // what the application returned
  Ref iterator_;           // over it
  bool has_head_ = false;  // start_response() was called
  bool gone_ = false;      // the client is
};

}  // namespace lanner::python
