// python/module/engine.cpp: what one lanner._core.Server is made of, wired once.

#include "python/module/engine.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "python/object/text.h"
#include "sys/sockets.h"

namespace lanner::python {

namespace {

constexpr int kLogCloseMs = 1000;
// A loop that is not ours does not say when it waits; it gives a turn each 100 ms (lanner/asgi/driver.py).
constexpr std::uint64_t kForeignTurnMs = 100;
constexpr std::uint64_t kHardEndMs =
    5000;  // beyond the drain, for an application that never returns

int raise_error(Error error, const char* what) noexcept {
  if (error.code == Errc::os_error) {
    errno = static_cast<int>(error.detail);
    (void)PyErr_SetFromErrnoWithFilename(PyExc_OSError, what);
    return -1;
  }
  const std::string_view text = error_text(error.code);
  PyErr_Format(error.code == Errc::no_memory ? PyExc_MemoryError : PyExc_RuntimeError, "%s: %s",
               what, text.data());
  return -1;
}

const char* spool_directory(const EngineOptions& options) noexcept {
  if (options.spool_directory) return PyBytes_AS_STRING(options.spool_directory.get());
  const char* given = std::getenv("TMPDIR");
  return given && *given ? given : "/tmp";
}

}  // namespace

Engine::~Engine() {
  const bool unused = made_ && !ran_ && options_.server.own_listeners;
  for (std::size_t i = 0; unused && i < listener_count_; ++i) sys::close(listeners_[i]);
  if (poller_ && running_) set_poller_guest(poller_.get(), nullptr);
  server_.reset();
  handler_inline_.reset();
  queue_.reset();
  handler_native_.reset();
  handler_asgi_.reset();
  gil_.reset();
  clear();
}

bool Engine::stuck() const noexcept {
  if (handler_asgi_) return suspended_count() > 0;
  return queue_ && queue_->relay_count() > 0;
}

// Of requests: tasks that have not ended.
std::size_t Engine::suspended_count() const noexcept {
  return handler_asgi_->suspended_count() + (handler_native_ ? handler_native_->suspended_count() : 0);
}

int Engine::traverse(visitproc visit, void* arg) noexcept {
  for (const Ref* ref : {&poller_, &on_end_, &native_app_}) {
    if (int code = ref->traverse(visit, arg)) return code;
  }
  if (int code = asgi_app_.traverse(visit, arg)) return code;
  return app_.traverse(visit, arg);
}

void Engine::clear() noexcept {
  app_.clear();
  asgi_app_.clear();
  on_end_.clear();
  if (!server_) poller_.clear();  // its loop is the server's
}

int Engine::init(ModuleState* state, PyObject* application, PyObject* listeners, PyObject* options,
                 PyObject* poller, PyObject* loop, PyObject* native) noexcept {
  if (!PyCallable_Check(application)) {
    PyErr_Format(PyExc_TypeError, "the application must be callable, not %R", application);
    return -1;
  }
  if (options_.parse(options) < 0 || take_listeners(listeners) < 0) return -1;
  if (poller) {
    loop_ = poller_loop(&state->asyncio, poller);
    if (!loop_) return -1;
    if (loop_->turn_observer()) {
      PyErr_SetString(
          PyExc_ValueError,
          "this event loop serves an application already: start the second one in another loop");
      return -1;
    }
    poller_ = Ref::borrow(poller);
  } else {
    Result<std::unique_ptr<net::Loop>> made = net::Loop::create();
    if (!made) return raise_error(made.error(), "event loop");
    own_loop_ = std::move(*made);
    loop_ = own_loop_.get();
  }
  if (open_logs() < 0) return -1;
  if (options_.board_fd >= 0) {
    Result<process::Board> board = process::Board::open(
        options_.board_fd, static_cast<unsigned>(options_.board_slot), options_.board_wake_fd);
    if (!board) return raise_error(board.error(), "board_fd");
    board_ = std::move(*board);
    options_.server.board = &board_;
  }
  options_.server.spool_directory = spool_directory(options_);
  if (poller) return make_asgi(state, application, loop, native);
  const EnvironOptions environ{options_.threads > 1, options_.multiprocess};
  if (app_.init(&state->wsgi, application, options_.root_path.get(), environ,
                options_.server.limits.response_head_bytes, log_.get()) < 0) {
    return -1;
  }
  return make_server();
}

int Engine::make_asgi(ModuleState* state, PyObject* application, PyObject* loop,
                      PyObject* native) noexcept {
  if (asgi_app_.init(&state->asgi, application, options_.root_path.get(), loop,
                     options_.server.limits.response_head_bytes, log_.get()) < 0) {
    return -1;
  }
  handler_asgi_.reset(new (std::nothrow) AsgiHandler(asgi_app_, poller_.get(), loop_->budget()));
  if (!handler_asgi_) return raise_error({Errc::no_memory, 0}, "server");
  http::Handler* handler = handler_asgi_.get();
  if (native && native != Py_None) {
    NativeApp* app = native_app_of(&state->native, native);
    if (!app) return -1;
    native_app_ = Ref::borrow(native);
    handler_native_.reset(new (std::nothrow) NativeHandler(*app, asgi_app_, *handler_asgi_,
                                                           poller_gil(poller_.get())));
    if (!handler_native_) return raise_error({Errc::no_memory, 0}, "server");
    handler = handler_native_.get();
  }
  server_ = server::Server::create(*loop_, *handler, options_.server);
  made_ = server_ != nullptr;
  return made_ ? 0 : raise_error({Errc::no_memory, 0}, "server");
}

int Engine::take_listeners(PyObject* listeners) noexcept {
  Ref sequence =
      Ref::steal(PySequence_Fast(listeners, "listeners must be a sequence of descriptors"));
  if (!sequence) return -1;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.get());
  if (count == 0 || count > static_cast<Py_ssize_t>(kListenersMax)) {
    PyErr_Format(PyExc_ValueError, "from 1 to %zu listeners are served, not %zd", kListenersMax,
                 count);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    const int fd = PyObject_AsFileDescriptor(PySequence_Fast_GET_ITEM(sequence.get(), i));
    if (fd < 0) return -1;
    if (!sys::is_listening_socket(fd)) {
      PyErr_Format(PyExc_ValueError, "descriptor %d is not a listening stream socket", fd);
      return -1;
    }
    listeners_[listener_count_++] = fd;
  }
  return 0;
}

int Engine::open_logs() noexcept {
  if (options_.log_fd >= 0) {
    log_writer_.reset(new (std::nothrow) log::LogWriter(options_.log_fd));
    if (!log_writer_ || !log_writer_->start()) return raise_error({Errc::no_memory, 0}, "log");
  }
  log_.reset(new (std::nothrow) log::Log(log_writer_.get(), options_.log_level));
  if (!log_) return raise_error({Errc::no_memory, 0}, "log");
  options_.server.log = log_.get();
  if (options_.access_log_fd < 0) return 0;
  if (!options_.access_format) {
    Result<log::AccessFormat> format = log::AccessFormat::compile(log::AccessFormat::kDefault);
    if (!format) return raise_error(format.error(), "access log");
    options_.access_format = std::move(*format);
  }
  access_writer_.reset(new (std::nothrow) log::LogWriter(options_.access_log_fd));
  if (!access_writer_) return raise_error({Errc::no_memory, 0}, "access log");
  access_writer_->report_to(log_->enabled(log::LogLevel::warning) ? log_writer_.get() : nullptr);
  options_.server.access_format = &*options_.access_format;
  options_.server.access_writer = access_writer_.get();
  return 0;
}

int Engine::make_server() noexcept {
  http::Handler* handler = nullptr;
  gil_.reset(new (std::nothrow) LoopGil(*loop_, app_.released()));
  if (gil_ && options_.threads > 1) {
    queue_.reset(new (std::nothrow) server::RelayQueue(*loop_, options_.server.limits));
    handler = queue_.get();
    gil_->set_threads(queue_.get());
  } else if (gil_) {
    handler_inline_.reset(new (std::nothrow) WsgiHandler(app_, *gil_));
    handler = handler_inline_.get();
  }
  if (handler) server_ = server::Server::create(*loop_, *handler, options_.server);
  if (!server_) return raise_error({Errc::no_memory, 0}, "server");
  gil_->interrupt().set_target(this);
  made_ = true;
  return 0;
}

int Engine::listen() noexcept {
  for (std::size_t i = 0; i < listener_count_; ++i) {
    Result<void> listening = server_->listen(listeners_[i]);
    if (!listening) return raise_error(listening.error(), "listener");
  }
  return 0;
}

void Engine::close_logs() noexcept {
  if (access_writer_) access_writer_->close(kLogCloseMs);
  if (log_writer_) log_writer_->close(kLogCloseMs);
}

// 0: none. 1: the first drains, a second one ends the process. 2: the first drains, more change
// nothing: a supervisor decides when to be impatient. 4 more: SIGHUP drains, too.
std::unique_ptr<sys::StopSignals> Engine::catch_signals(int how) noexcept {
  const bool hangup = (how & 4) != 0;
  how &= 3;
  if (how == 0 || !sys::is_main_thread()) return nullptr;
  const bool patient = how == 2;
  return std::unique_ptr<sys::StopSignals>(new (std::nothrow) sys::StopSignals(
      *this, patient ? 0 : options_.server.limits.drain_ms + kHardEndMs,
      patient ? ~std::uint64_t{0} : sys::StopSignals::kRepeatMs, patient, hangup));
}

int Engine::set_state(PyObject* state) noexcept { return asgi_app_.scope().set_state(state); }

int Engine::start(int signals, PyObject* on_end, PyObject* flush_callback) noexcept {
  if (ran_) {
    PyErr_SetString(PyExc_RuntimeError, "a Server runs once: make another one");
    return -1;
  }
  if (listen() < 0) return -1;
  running_ = ran_ = true;
  on_end_ = Ref::borrow(on_end);
  foreign_loop_ = flush_callback != Py_None;
  if (foreign_loop_) handler_asgi_->set_flush_callback(flush_callback);
  signals_ = catch_signals(signals);
  set_poller_guest(poller_.get(), this);
  return 0;
}

bool Engine::before_wait() noexcept {
  handler_asgi_->flushed();
  server_->before_wait();
  const bool tasks_left = suspended_count() > 0 && !server_->cut_asked();
  return !server_->over() || tasks_left;
}

// The end: every connection is closed, and no request's task is left (background work after the
// answer counts too) or the drain's time is over: then what is left is cancelled.
bool Engine::after_turn() noexcept {
  asgi_app_.released().drop_all();
  if (!server_->after_turn()) {
    if (foreign_loop_) board_.set_working(loop_->now_ms() + kForeignTurnMs);
    if (server_->has_work())
      handler_asgi_->wrote();  // another loop than ours gives no turn by itself
    return true;
  }
  const bool tasks_left = suspended_count() > 0;
  if (tasks_left && !server_->cut_asked()) return true;
  if (tasks_left) handler_asgi_->cancel_all();
  if (tasks_left && handler_native_) handler_native_->cancel_all();
  set_poller_guest(poller_.get(), nullptr);
  server_->detach();
  running_ = false;
  signals_.reset();
  Py_BEGIN_ALLOW_THREADS close_logs();
  Py_END_ALLOW_THREADS Ref on_end = std::move(on_end_);
  PyObject* drained = server_->was_cut() || tasks_left ? Py_False : Py_True;
  return bool(Ref::steal(PyObject_CallOneArg(on_end.get(), drained)));
}

int Engine::run(int signals, PyObject* on_ready) noexcept {
  if (ran_) {
    PyErr_SetString(PyExc_RuntimeError, "a Server runs once: make another one");
    return -1;
  }
  running_ = ran_ = true;
  bool drained = false;
  int result = listen();
  if (result == 0) {
    const std::unique_ptr<sys::StopSignals> handlers = catch_signals(signals);
    if (on_ready != Py_None && !Ref::steal(PyObject_CallNoArgs(on_ready))) result = -1;
    if (result == 0) {
      drained = server_->run();  // lets go of the GIL
      if (queue_) queue_->close();
      close_logs();
      gil_->hold();
    }
  }
  if (app_.forked()) end_forked();
  running_ = false;
  app_.released().drop_all();
  if (result < 0 || gil_->interrupt().raise()) return -1;
  return drained ? 1 : 0;
}

void Engine::run_thread() noexcept { run_handler_thread(app_, *queue_); }

void Engine::stop() noexcept {
  if (server_) server_->request_stop();
}

}  // namespace lanner::python
