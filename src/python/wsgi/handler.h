// python/wsgi/handler.h: runs a WSGI application on the loop thread (--threads 1), or on handler
// threads, which a server::RelayQueue feeds.

#pragma once

#include "base/slab.h"
#include "http/exchange.h"
#include "python/wsgi/app.h"
#include "python/wsgi/call.h"
#include "python/wsgi/loop_gil.h"
#include "server/relay_queue.h"

namespace lanner::python {

// Runs the application on the loop's thread (--threads 1). A request starts when its body is
// complete, so that no slow client can block the loop ("The path of a request" in
// docs/architecture.md).
class WsgiHandler final : public http::Handler {
 public:
  WsgiHandler(WsgiApp& app, LoopGil& gil) noexcept : app_(app), gil_(gil) {}
  WsgiHandler(const WsgiHandler&) = delete;
  WsgiHandler& operator=(const WsgiHandler&) = delete;

  http::Plan plan(const http::RequestHead&) noexcept override { return {}; }
  void handle(http::Exchange& exchange, const http::Plan& plan) noexcept override;

  // For calls that were paused.
  void hold_gil() noexcept { gil_.hold(); }
  void call_ended(WsgiCall* call) noexcept { calls_.destroy(call); }

 private:
  WsgiApp& app_;
  LoopGil& gil_;
  Slab<WsgiCall> calls_;
};

// The body of one handler thread (--threads N): takes exchanges until the queue is closed. REQUIRES: the GIL;
// returns with it.
void run_handler_thread(WsgiApp& app, server::RelayQueue& queue) noexcept;

}  // namespace lanner::python
