// python/wsgi/handler.cpp: runs a WSGI application on the loop thread, or on handler threads.

#include "python/wsgi/handler.h"

namespace lanner::python {

void WsgiHandler::handle(http::Exchange& exchange, const http::Plan&) noexcept {
  gil_.hold_and_drop();
  WsgiCall* call = calls_.make(app_, exchange, this);
  if (!call) return exchange.abort();
  if (call->run() == WsgiCall::Outcome::done) calls_.destroy(call);
}

void run_handler_thread(WsgiApp& app, server::RelayQueue& queue) noexcept {
  for (;;) {
    app.released().drop_all();
    server::Relay* relay = queue.try_take();
    bool nudged = false;
    if (!relay) {
      Py_BEGIN_ALLOW_THREADS relay = queue.take(&nudged);
      Py_END_ALLOW_THREADS
    }
    if (relay) {
      WsgiCall call(app, *relay, nullptr);
      (void)call.run();
    } else if (!nudged) {
      return;
    }
  }
}

}  // namespace lanner::python
