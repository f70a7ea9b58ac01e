// python/asgi/call.h: one request of an ASGI application: its task, and the messages between the
// two (ASGI HTTP 2.5).
//
//   begin() -> the task takes its first step at once -> messages
//           -> the task is done and the exchange has ended -> destroyed
//
// All of it belongs to the loop's thread. receive() and send() may be called on others: there they
// touch nothing of this (callables.cpp).
//
// receive() may be called again while an earlier one still waits: each gets the next event, in the
// order in which their tasks resume. After the last body event, and once the answer is complete,
// receive() gives http.disconnect when the client is gone or the answer has ended. send() after a
// disconnect raises ConnectionResetError (an OSError, ASGI 2.4). The GIL is held in all calls but
// those of http::Observer, which take it.

#pragma once

#include <cstdint>

#include "base/budget.h"
#include "base/buffer.h"
#include "base/intrusive_list.h"
#include "http/exchange.h"
#include "python/asgi/app.h"
#include "python/object/ref.h"

namespace lanner::python {

class AsgiHandler;

struct SuspendedTag {};  // requests whose task is not done yet

class AsgiCall final : public http::Observer, public ListNode<SuspendedTag> {
 public:
  AsgiCall(AsgiApp& app, AsgiHandler& handler, Budget& budget, http::Exchange& exchange) noexcept
      : app_(app),
        handler_(handler),
        exchange_(&exchange),
        thread_(PyThread_get_thread_ident()),
        incoming_charge_(budget),
        body_arrived_(exchange.body_complete()) {}
  AsgiCall(const AsgiCall&) = delete;
  AsgiCall& operator=(const AsgiCall&) = delete;

  // REQUIRES: the GIL. True: the call has ended, destroy this.
  bool begin() noexcept;
  // The task has ended (its done callback). True: destroy this.
  bool on_task_done() noexcept;
  // For the drain's end: cancels the task.
  void cancel() noexcept;

  AsgiState* state() noexcept { return app_.state(); }
  // The calling thread is the loop's.
  bool on_own_thread() const noexcept { return PyThread_get_thread_ident() == thread_; }

  // The next message of a receive() that is being stepped: see take_message() in
  // python/asyncio/awaitable.h.
  PyObject* take_message(PyObject** future) noexcept;
  PyObject* receiving() noexcept { return app_.receiving(kit_->receive.get()); }
  // What the application calls: an awaitable, or null with an exception set.
  PyObject* send(PyObject* message) noexcept;

  // http::Observer
  void on_writable() noexcept override;
  void on_disconnect() noexcept override;
  void on_half_close() noexcept override;
  void on_body(std::string_view piece) noexcept override;
  void on_body_end(Errc error) noexcept override;

 private:
  bool body_waits() const noexcept;
  PyObject* body_message() noexcept;
  PyObject* take_body() noexcept;
  PyObject* add_future(Ref* futures) noexcept;
  void wake(Ref* futures) noexcept;
  bool parse_start(PyObject* message) noexcept;
  PyObject* send_body(PyObject* message) noexcept;
  PyObject* send_path(PyObject* message) noexcept;
  PyObject* send_file(PyObject* message) noexcept;
  PyObject* send_trailers(PyObject* message) noexcept;
  PyObject* send_early_hint(PyObject* message) noexcept;
  // Before a body message of `bytes`: checks that the head was sent and the length fits, and begins
  // the answer.
  bool ready_for_body(std::uint64_t bytes, bool more) noexcept;
  PyObject* after_body(http::WriteState state, bool more) noexcept;
  bool start(std::optional<std::uint64_t> body_bytes) noexcept;
  // What calls to the exchange come to is looked at here, and nowhere else.
  bool refused(Errc code) noexcept;             // true with an exception set
  bool wrote(http::WriteState state) noexcept;  // false: the client is gone
  bool keep() noexcept;  // retains it, if it is still there; false with an exception set
  void lose() noexcept;
  void abort() noexcept;
  void finish() noexcept;
  void fail() noexcept;    // with an exception set: logs it, 500 or cut
  void settle() noexcept;  // the task is done: completes or aborts the answer
  void end_task() noexcept;
  bool end_without_task() noexcept;
  void log_without_head(bool disconnected) noexcept;
  bool over() const noexcept { return task_over_ && !exchange_; }

  AsgiApp& app_;
  AsgiHandler& handler_;
  http::Exchange* exchange_;    // null once it has ended
  const unsigned long thread_;  // the loop's
  AsgiKit* kit_ = nullptr;
  Ref task_;
  Ref watcher_;      // the task's done callback
  Ref scope_;        // for the log, once the exchange has ended
  Ref receivers_;    // futures of receive() calls that wait, in order; or none
  Ref drainers_;     // of send() calls that wait
  Buffer incoming_;  // body bytes not yet received, behind those of exchange_->body()
  Charge incoming_charge_;
  std::uint64_t length_ = 0;  // Content-Length of the answer
  std::uint64_t sent_ = 0;
  int sends_in_row_ = 0;  // body messages since the last wait
  bool has_length_ = false;
  bool bodyless_ = false;   // http::is_without_content()
  bool has_start_ = false;  // http.response.start was sent
  bool wants_trailers_ = false;
  bool offers_trailers_ = false;  // and the client takes them
  bool body_sent_ = false;        // the last body message, trailers follow
  bool finished_ = false;
  bool body_arrived_;           // the request's body has come to its end
  bool body_received_ = false;  // and the application has been told
  bool body_paused_ = false;
  bool gone_ = false;         // the client is, wholly
  bool half_closed_ = false;  // it sends no more, but may still read
  bool task_over_ = false;
  bool lost_ = false;  // somebody could not be woken
};

}  // namespace lanner::python
