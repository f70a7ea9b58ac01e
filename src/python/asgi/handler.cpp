// python/asgi/handler.cpp: runs an ASGI application on the loop thread, inside an asyncio loop.

#include "python/asgi/handler.h"

#include <string_view>

#include "http/list.h"
#include "python/asyncio/poller_type.h"
#include "websocket/handshake.h"

namespace lanner::python {

AsgiHandler::AsgiHandler(AsgiApp& app, PyObject* poller, Budget& budget) noexcept
    : app_(app), poller_(poller), gil_(poller_gil(poller)), budget_(budget) {}

http::Plan AsgiHandler::plan(const http::RequestHead& head) noexcept {
  // Who waits for 100 Continue gets it when the application asks for the body (RFC 9110,
  // section 10.1.1).
  const bool small = head.framing == http::BodyFraming::length &&
                     head.content_length <= kWholeBodyBytesMax && !head.expect_continue;
  return {.body_mode = small ? http::BodyMode::whole : http::BodyMode::stream};
}

void AsgiHandler::handle(http::Exchange& exchange, const http::Plan&) noexcept {
  const http::RequestHead& head = exchange.head();
  // The server has refused malformed handshakes already (websocket/handshake.h).
  if (websocket::asks_for_websocket(head)) {
    return refuse_websocket(exchange);
  }
  if (!gil_.held()) {
    gil_.hold();
    app_.released().drop_all();
  }
  AsgiCall* call = calls_.make(app_, *this, budget_, exchange);
  if (!call) return exchange.abort();
  if (call->begin()) {
    call_ended(call);
  } else {
    suspended_.push_back(*call);
  }
}

// Until the engine speaks WebSocket: said once to the client, once in the log.
void AsgiHandler::refuse_websocket(http::Exchange& exchange) noexcept {
  constexpr std::string_view kBody = "501 Not Implemented: WebSocket is not served yet\n";
  app_.log().refused("websocket.refused", exchange.head(), "not_served_yet");
  http::ResponseHead head;
  const bool built = head.set_status(501, {}) && head.add("Content-Type", "text/plain", 256) &&
                     head.add("Connection", "close", 256);
  if (!built || !exchange.start(head, kBody.size())) return exchange.abort();
  (void)exchange.write({kBody, nullptr, nullptr});
  (void)exchange.finish();
}

void AsgiHandler::call_ended(AsgiCall* call) noexcept {
  if (call->linked()) call->unlink();
  calls_.destroy(call);
}

void AsgiHandler::wrote() noexcept {
  if (!flush_callback_ || flush_asked_ || poller_in_turn(poller_)) return;
  flush_asked_ = true;
  Ref asked = Ref::steal(PyObject_CallNoArgs(flush_callback_.get()));
  if (asked) return;
  flush_asked_ = false;  // the next answer asks again
  PyErr_WriteUnraisable(flush_callback_.get());
}

void AsgiHandler::cancel_all() noexcept {
  suspended_.for_each([](AsgiCall& call) { call.cancel(); });
}

}  // namespace lanner::python
