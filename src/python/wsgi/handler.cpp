// python/wsgi/handler.cpp: runs a WSGI application on the loop thread, or on handler threads.

#include "python/wsgi/handler.h"

#include "python/object/exception.h"

namespace lanner::python {

void WsgiHandler::handle(http::Exchange& exchange) noexcept {
  if (!gil_.held()) {
    gil_.hold();
    app_.released().drop_all();  // what was written meanwhile: its memory serves the next answer
  }
  WsgiCall* call = calls_.make(app_, exchange, this);
  if (!call) return exchange.abort();
  if (call->run() == WsgiCall::Outcome::done) calls_.destroy(call);
}

void WsgiHandler::settle() noexcept {
  if (!app_.released().empty()) {
    gil_.hold();
    app_.released().drop_all();
  }
  gil_.rest();
}

void WsgiHandler::on_interrupt() noexcept {
  gil_.hold();
  interrupt_.check();
}

void ThreadedHandler::on_interrupt() noexcept {
  gil_.hold();
  interrupt_.check();
  gil_.rest();
}

void Interrupt::check() noexcept {
  if (PyErr_CheckSignals() == 0) return;
  exception_ = take_exception();
  if (target_) target_->on_stop_signal();
}

bool Interrupt::raise() noexcept {
  if (!exception_) return false;
  PyErr_SetObject(PyExceptionInstance_Class(exception_.get()), exception_.get());
  exception_.clear();
  return true;
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
