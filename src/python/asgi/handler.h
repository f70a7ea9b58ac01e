// python/asgi/handler.h: runs an ASGI application on the loop thread, inside an asyncio loop.

#pragma once

#include <cstdint>

#include "base/budget.h"
#include "base/intrusive_list.h"
#include "base/slab.h"
#include "http/exchange.h"
#include "python/asgi/app.h"
#include "python/asgi/call.h"
#include "python/object/gil.h"
#include "python/object/ref.h"

namespace lanner::python {

// A body up to this size, known from the head, is complete before the application starts, so that
// its first receive() never waits.
inline constexpr std::uint64_t kWholeBodyBytesMax = 65536;

class AsgiHandler final : public http::Handler {
 public:
  // `poller`: borrowed; its GIL state is used, and it says whether a turn is running.
  // `budget`: of the loop that it drives.
  AsgiHandler(AsgiApp& app, PyObject* poller, Budget& budget) noexcept;
  AsgiHandler(const AsgiHandler&) = delete;
  AsgiHandler& operator=(const AsgiHandler&) = delete;

  http::Plan plan(const http::RequestHead& head) noexcept override;
  void handle(http::Exchange& exchange, const http::Plan& plan) noexcept override;

  // For calls.
  void hold_gil() noexcept { gil_.hold(); }
  void call_ended(AsgiCall* call) noexcept;
  // Arranges that the call is notified when its task is done. Returns a new reference to the done
  // callback; null with an exception set.
  PyObject* watch_task(AsgiCall* call, PyObject* task) noexcept;
  // Something was written: outside an iteration of our own loop, a flush must be requested.
  void wrote() noexcept;

  // For an event loop that drives the poller: a Python callable that is called when there is
  // something to write.
  void set_flush_callback(PyObject* callback) noexcept { flush_callback_ = Ref::borrow(callback); }
  void flushed() noexcept { flush_asked_ = false; }
  // At the end of the drain: cancels the tasks of suspended requests.
  void cancel_all() noexcept;
  std::size_t suspended_count() const noexcept { return calls_.in_use(); }
  void clear() noexcept { flush_callback_.clear(); }

 private:
  void refuse_websocket(http::Exchange& exchange) noexcept;

  AsgiApp& app_;
  PyObject* poller_;  // borrowed: the server object holds it
  Gil& gil_;
  Budget& budget_;
  Ref flush_callback_;
  bool flush_asked_ = false;
  Slab<AsgiCall> calls_;
  IntrusiveList<AsgiCall, SuspendedTag> suspended_;
};

// Binds a callable or done callback to a call; null unbinds it.
void bind_asgi_callable(PyObject* callable, AsgiCall* call) noexcept;
PyObject* new_receive(AsgiState* state) noexcept;
PyObject* new_send(AsgiState* state) noexcept;

}  // namespace lanner::python
