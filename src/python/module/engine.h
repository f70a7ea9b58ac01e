// python/module/engine.h: the parts of one lanner._core.Server: a worker, the application and its handler; connected
// once.

#pragma once

#include <memory>

#include "base/buffer.h"
#include "python/asgi/app.h"
#include "python/asgi/handler.h"
#include "python/asyncio/poller_type.h"
#include "python/module/module_state.h"
#include "python/native/handler.h"
#include "python/native/native_app.h"
#include "python/wsgi/app.h"
#include "python/wsgi/handler.h"
#include "sys/signals.h"
#include "worker/worker.h"

namespace lanner::python {

// Every field of the mapping `options` of Server.__init__.
struct EngineOptions {
  static constexpr int kThreadsMax = 4096;
  worker::Options worker;
  Ref root_path;        // str
  Ref spool_directory;  // bytes, or none
  Ref forwarded_names;  // str, or none; worker.server.forwarded_names has views of it
  int threads = 1;
  bool multiprocess = false;

  // Fills itself from a mapping; -1 with an exception that names the key.
  int parse(PyObject* mapping) noexcept;
};

class Engine final : public TurnGuest {
 public:
  Engine() noexcept = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();  // REQUIRES: the GIL, !running(), !stuck()

  // -1 with an exception set. Listeners are borrowed descriptors. poller and loop: a Poller and the
  // asyncio loop that drives it, for ASGI; both null for WSGI.
  int init(ModuleState* state, PyObject* application, PyObject* listeners, PyObject* options,
           PyObject* poller, PyObject* loop, PyObject* native) noexcept;
  // 1 = drained, 0 = some requests were cut, -1 with an exception set.
  int run(int signals, PyObject* on_ready) noexcept;
  void run_thread() noexcept;
  // ASGI: begins to serve inside the poller's turns. on_end(drained: bool) is called once when it
  // is over; flush_callback() when another loop than ours must run a turn soon (None: ours does
  // anyway). -1 with an exception set.
  int start(int signals, PyObject* on_end, PyObject* flush_callback) noexcept;
  // ASGI: the lifespan's state, a dict.
  int set_state(PyObject* state) noexcept;
  bool asgi() const noexcept { return handler_asgi_ != nullptr; }

  // TurnGuest
  bool before_wait() noexcept override;
  bool after_turn() noexcept override;

  void stop() noexcept { worker_.stop(); }

  bool running() const noexcept { return running_; }
  int threads() const noexcept { return options_.threads; }
  // A handler thread or a task still has its exchange: this memory must not be freed while it may
  // be used.
  bool stuck() const noexcept;
  int traverse(visitproc visit, void* arg) noexcept;
  void clear() noexcept;

 private:
  int take_root() noexcept;
  int take_listeners(PyObject* listeners) noexcept;
  int make_wsgi(ModuleState* state, PyObject* application) noexcept;
  int serve(http::Handler& handler) noexcept;
  int make_asgi(ModuleState* state, PyObject* application, PyObject* loop,
                PyObject* native) noexcept;
  std::size_t suspended_count() const noexcept;
  std::unique_ptr<sys::StopSignals> catch_signals(int how) noexcept;
  int listen() noexcept;

  EngineOptions options_;
  worker::Worker worker_;  // outlives the handlers
  WsgiApp app_;
  std::unique_ptr<LoopGil> gil_;  // WSGI: the loop's
  std::unique_ptr<WsgiHandler> handler_inline_;
  std::unique_ptr<server::RelayQueue> queue_;  // with handler threads
  AsgiApp asgi_app_;
  std::unique_ptr<AsgiHandler> handler_asgi_;
  Ref native_app_;      // a NativeApp, or none
  Buffer native_root_;  // options_.root_path, percent-encoded
  std::unique_ptr<NativeHandler> handler_native_;
  std::unique_ptr<sys::StopSignals> signals_;
  Ref poller_;
  Ref on_end_;
  bool running_ = false;
  bool ran_ = false;
  bool foreign_loop_ = false;  // another loop than ours gives the turns
};

}  // namespace lanner::python
