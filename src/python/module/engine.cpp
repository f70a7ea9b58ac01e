// python/module/engine.cpp: what one lanner._core.Server is made of, wired once.

#include "python/module/engine.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "http/target.h"
#include "python/object/text.h"
#include "sys/sockets.h"

namespace lanner::python {

namespace {

// A loop that is not ours does not say when it waits; it gives a turn each 100 ms (lanner/asgi/driver.py).
constexpr std::uint64_t kForeignTurnMs = 100;

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
  if (poller_ && running_) set_poller_guest(poller_.get(), nullptr);
  worker_.drop_server();
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
  return handler_asgi_->suspended_count() +
         (handler_native_ ? handler_native_->suspended_count() : 0);
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
  if (!worker_.serves()) poller_.clear();  // its loop is the server's
}

int Engine::init(ModuleState* state, PyObject* application, PyObject* listeners, PyObject* options,
                 PyObject* poller, PyObject* loop, PyObject* native) noexcept {
  if (!PyCallable_Check(application)) {
    PyErr_Format(PyExc_TypeError, "the application must be callable, not %R", application);
    return -1;
  }
  if (options_.parse(options) < 0 || take_listeners(listeners) < 0) return -1;
  options_.worker.server.spool_directory = spool_directory(options_);
  net::Loop* given = nullptr;
  if (poller) {
    given = poller_loop(&state->asyncio, poller);
    if (!given) return -1;
    if (given->turn_observer()) {
      PyErr_SetString(
          PyExc_ValueError,
          "this event loop serves an application already: start the second one in another loop");
      return -1;
    }
    poller_ = Ref::borrow(poller);
  }
  Result<void> opened = worker_.open(options_.worker, given);
  if (!opened) return raise_error(opened.error(), worker_.failed_part());
  return poller ? make_asgi(state, application, loop, native) : make_wsgi(state, application);
}

int Engine::serve(http::Handler& handler) noexcept {
  Result<void> served = worker_.serve(handler);
  return served ? 0 : raise_error(served.error(), worker_.failed_part());
}

int Engine::make_asgi(ModuleState* state, PyObject* application, PyObject* loop,
                      PyObject* native) noexcept {
  if (asgi_app_.init(&state->asgi, application, options_.root_path.get(), loop,
                     options_.worker.server.limits.response_head_bytes, worker_.log()) < 0) {
    return -1;
  }
  handler_asgi_.reset(new (std::nothrow)
                          AsgiHandler(asgi_app_, poller_.get(), worker_.loop().budget()));
  if (!handler_asgi_) return raise_error({Errc::no_memory, 0}, "server");
  if (!native || native == Py_None) return serve(*handler_asgi_);
  NativeApp* app = native_app_of(&state->native, native);
  if (!app) return -1;
  native_app_ = Ref::borrow(native);
  if (take_root() < 0) return -1;
  handler_native_.reset(new (std::nothrow) NativeHandler(*app, asgi_app_, *handler_asgi_,
                                                         poller_gil(poller_.get()),
                                                         native_root_.view(), worker_.log()));
  return handler_native_ ? serve(*handler_native_) : raise_error({Errc::no_memory, 0}, "server");
}

// The root path as it is in paths.
int Engine::take_root() noexcept {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(options_.root_path.get(), &size);
  if (!text) return -1;
  std::string_view root(text, static_cast<std::size_t>(size));
  while (root.ends_with('/')) root.remove_suffix(1);
  return http::percent_encode_path(root, &native_root_)
             ? 0
             : raise_error({Errc::no_memory, 0}, "root_path");
}

int Engine::take_listeners(PyObject* listeners) noexcept {
  Ref sequence =
      Ref::steal(PySequence_Fast(listeners, "listeners must be a sequence of descriptors"));
  if (!sequence) return -1;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.get());
  if (count == 0 || count > static_cast<Py_ssize_t>(worker::Worker::kListenersMax)) {
    PyErr_Format(PyExc_ValueError, "from 1 to %zu listeners are served, not %zd",
                 worker::Worker::kListenersMax, count);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    const int fd = PyObject_AsFileDescriptor(PySequence_Fast_GET_ITEM(sequence.get(), i));
    if (fd < 0) return -1;
    if (worker_.add_listener(fd)) continue;
    PyErr_Format(PyExc_ValueError, "descriptor %d is not a listening stream socket", fd);
    return -1;
  }
  return 0;
}

int Engine::make_wsgi(ModuleState* state, PyObject* application) noexcept {
  const EnvironOptions environ{options_.threads > 1, options_.multiprocess};
  if (app_.init(&state->wsgi, application, options_.root_path.get(), environ,
                options_.worker.server.limits.response_head_bytes, worker_.log()) < 0) {
    return -1;
  }
  http::Handler* handler = nullptr;
  gil_.reset(new (std::nothrow) LoopGil(worker_.loop(), app_.released()));
  if (gil_ && options_.threads > 1) {
    queue_.reset(new (std::nothrow)
                     server::RelayQueue(worker_.loop(), options_.worker.server.limits));
    handler = queue_.get();
    gil_->set_threads(queue_.get());
  } else if (gil_) {
    handler_inline_.reset(new (std::nothrow) WsgiHandler(app_, *gil_));
    handler = handler_inline_.get();
  }
  if (!handler) return raise_error({Errc::no_memory, 0}, "server");
  gil_->interrupt().set_target(&worker_);
  return serve(*handler);
}

int Engine::listen() noexcept {
  Result<void> listening = worker_.listen();
  return listening ? 0 : raise_error(listening.error(), worker_.failed_part());
}

// 0: none. 1: the first drains, a second one ends the process. 2: the first drains, more change
// nothing: a supervisor decides when to be impatient. 4 more: SIGHUP drains, too.
std::unique_ptr<sys::StopSignals> Engine::catch_signals(int how) noexcept {
  return worker_.catch_signals(static_cast<worker::Worker::Signals>(how & 3), (how & 4) != 0);
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
  worker_.server().before_wait();
  const bool tasks_left = suspended_count() > 0 && !worker_.server().cut_asked();
  return !worker_.server().over() || tasks_left;
}

// The end: every connection is closed, and no request's task is left (background work after the
// answer counts too) or the drain's time is over: then what is left is cancelled.
bool Engine::after_turn() noexcept {
  asgi_app_.released().drop_all();
  if (handler_native_) handler_native_->after_turn(worker_.loop().now_ms());
  if (!worker_.server().after_turn()) {
    if (foreign_loop_) worker_.board().set_working(worker_.loop().now_ms() + kForeignTurnMs);
    if (worker_.server().has_work())
      handler_asgi_->wrote();  // another loop than ours gives no turn by itself
    return true;
  }
  const bool tasks_left = suspended_count() > 0;
  if (tasks_left && !worker_.server().cut_asked()) return true;
  if (tasks_left) handler_asgi_->cancel_all();
  if (tasks_left && handler_native_) handler_native_->cancel_all();
  set_poller_guest(poller_.get(), nullptr);
  worker_.server().detach();
  running_ = false;
  signals_.reset();
  Py_BEGIN_ALLOW_THREADS worker_.close_logs();
  Py_END_ALLOW_THREADS Ref on_end = std::move(on_end_);
  PyObject* drained = worker_.server().was_cut() || tasks_left ? Py_False : Py_True;
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
      drained = worker_.run();  // lets go of the GIL
      if (queue_) queue_->close();
      worker_.close_logs();
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

}  // namespace lanner::python
