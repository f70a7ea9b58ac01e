// python/module/engine.h: the parts of one lanner._core.Server: loop, logs, application, handler, server;
// connected once.

#pragma once

#include <array>
#include <memory>
#include <optional>

#include "log/access_log.h"
#include "log/log.h"
#include "log/log_writer.h"
#include "net/loop.h"
#include "process/board.h"
#include "python/asgi/app.h"
#include "python/asgi/handler.h"
#include "python/asyncio/poller_type.h"
#include "python/module/module_state.h"
#include "python/native/handler.h"
#include "python/native/native_app.h"
#include "python/wsgi/app.h"
#include "python/wsgi/handler.h"
#include "server/server.h"
#include "sys/signals.h"

namespace lanner::python {

// Every field of the mapping `options` of Server.__init__.
struct EngineOptions {
  server::Options server;
  http::TrustList trust;                           // of server.trust
  Ref root_path;                                   // str
  std::optional<log::AccessFormat> access_format;  // none: the default one
  Ref spool_directory;                             // bytes, or none
  Ref forwarded_names;  // str, or none; server.forwarded_names has views of it
  log::LogLevel log_level = log::LogLevel::info;
  int threads = 1;
  int access_log_fd = -1;
  int log_fd = 2;
  int board_fd = -1;
  int board_slot = 0;
  int board_wake_fd = -1;
  bool multiprocess = false;

  // Fills itself from a mapping; -1 with an exception that names the key.
  int parse(PyObject* mapping) noexcept;
};

class Engine final : public sys::StopTarget, public TurnGuest {
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

  void stop() noexcept;
  void on_stop_signal() noexcept override { stop(); }

  bool running() const noexcept { return running_; }
  int threads() const noexcept { return options_.threads; }
  // A handler thread or a task still has its exchange: this memory must not be freed while it may
  // be used.
  bool stuck() const noexcept;
  int traverse(visitproc visit, void* arg) noexcept;
  void clear() noexcept;

 private:
  static constexpr std::size_t kListenersMax = server::Server::kListenersMax;

  int open_logs() noexcept;
  int take_listeners(PyObject* listeners) noexcept;
  int make_server() noexcept;
  int make_asgi(ModuleState* state, PyObject* application, PyObject* loop,
                PyObject* native) noexcept;
  std::size_t suspended_count() const noexcept;
  void close_logs() noexcept;
  std::unique_ptr<sys::StopSignals> catch_signals(int how) noexcept;
  int listen() noexcept;

  EngineOptions options_;
  std::array<int, kListenersMax> listeners_{};
  std::size_t listener_count_ = 0;
  std::unique_ptr<net::Loop> own_loop_;
  net::Loop* loop_ = nullptr;  // our own, or the poller's
  std::unique_ptr<log::LogWriter> log_writer_;
  std::unique_ptr<log::LogWriter> access_writer_;
  std::unique_ptr<log::Log> log_;
  process::Board board_;
  WsgiApp app_;
  std::unique_ptr<LoopGil> gil_;  // WSGI: the loop's
  std::unique_ptr<WsgiHandler> handler_inline_;
  std::unique_ptr<server::RelayQueue> queue_;  // with handler threads
  AsgiApp asgi_app_;
  std::unique_ptr<AsgiHandler> handler_asgi_;
  Ref native_app_;  // a NativeApp, or none
  std::unique_ptr<NativeHandler> handler_native_;
  std::unique_ptr<sys::StopSignals> signals_;
  Ref poller_;
  Ref on_end_;
  std::unique_ptr<server::Server> server_;
  bool running_ = false;
  bool made_ = false;  // init() succeeded: own_listeners holds from then on
  bool ran_ = false;
  bool foreign_loop_ = false;  // another loop than ours gives the turns
};

}  // namespace lanner::python
