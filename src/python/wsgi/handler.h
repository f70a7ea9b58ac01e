// python/wsgi/handler.h: runs a WSGI application on the loop thread (--threads 1), or on handler
// threads.

#pragma once

#include "base/slab.h"
#include "http/exchange.h"
#include "python/object/gil.h"
#include "python/wsgi/app.h"
#include "python/wsgi/call.h"
#include "server/relay_queue.h"
#include "sys/signals.h"

namespace lanner::python {

// An exception that a Python signal handler raised (KeyboardInterrupt) while the loop was waiting:
// it stops the server and is raised from Server.run().
class Interrupt final {
 public:
  // REQUIRES: the GIL. Runs pending Python signal handlers.
  void check() noexcept;
  void set_target(sys::StopTarget* target) noexcept { target_ = target; }
  // Raises it; false when there is none.
  bool raise() noexcept;

 private:
  sys::StopTarget* target_ = nullptr;
  Ref exception_;
};

// Runs the application on the loop's thread (--threads 1). A request starts when its body is
// complete, so that no slow client can block the loop ("The path of a request" in
// docs/architecture.md).
class WsgiHandler final : public http::Handler {
 public:
  // REQUIRES: the GIL.
  explicit WsgiHandler(WsgiApp& app) noexcept : app_(app) {}
  WsgiHandler(const WsgiHandler&) = delete;
  WsgiHandler& operator=(const WsgiHandler&) = delete;

  http::BodyMode body_mode(const http::RequestHead&) noexcept override {
    return http::BodyMode::whole;
  }
  void handle(http::Exchange& exchange) noexcept override;
  void rest() noexcept override { gil_.rest(); }
  void settle() noexcept override;
  void on_interrupt() noexcept override;

  // For calls that were paused.
  void hold_gil() noexcept { gil_.hold(); }
  void call_ended(WsgiCall* call) noexcept { calls_.destroy(call); }
  Interrupt& interrupt() noexcept { return interrupt_; }

 private:
  WsgiApp& app_;
  Gil gil_;
  Interrupt interrupt_;
  Slab<WsgiCall> calls_;
};

// The handler of --threads N: exchanges go to a queue. The loop thread takes the GIL only for a
// signal.
class ThreadedHandler final : public http::Handler {
 public:
  ThreadedHandler(WsgiApp& app, net::Loop& loop, const http::Limits& limits) noexcept
      : app_(app), queue_(loop, limits) {}
  ThreadedHandler(const ThreadedHandler&) = delete;
  ThreadedHandler& operator=(const ThreadedHandler&) = delete;

  http::BodyMode body_mode(const http::RequestHead&) noexcept override {
    return http::BodyMode::stream;
  }
  void handle(http::Exchange& exchange) noexcept override { queue_.handle(exchange); }
  void rest() noexcept override { gil_.rest(); }
  // Objects that were released while writing are dropped by a handler thread.
  void settle() noexcept override {
    if (!app_.released().empty()) queue_.nudge();
  }
  void on_interrupt() noexcept override;

  server::RelayQueue& queue() noexcept { return queue_; }
  void hold_gil() noexcept { gil_.hold(); }
  Interrupt& interrupt() noexcept { return interrupt_; }

 private:
  WsgiApp& app_;
  server::RelayQueue queue_;
  Gil gil_;
  Interrupt interrupt_;
};

// The body of one handler thread: takes exchanges until the queue is closed. REQUIRES: the GIL;
// returns with it.
void run_handler_thread(WsgiApp& app, server::RelayQueue& queue) noexcept;

}  // namespace lanner::python
