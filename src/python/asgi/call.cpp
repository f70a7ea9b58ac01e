// python/asgi/call.cpp: one request of an ASGI application: life cycle, receive() and the engine's
// events.

#include "python/asgi/call.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "python/asgi/handler.h"
#include "python/asyncio/awaitable.h"
#include "python/object/exception.h"
#include "python/object/text.h"

namespace lanner::python {

namespace {
constexpr std::size_t kIncomingMax =
    262144;  // body bytes that wait for receive(); beyond, reading pauses
}

bool AsgiCall::begin() noexcept {
  kit_ = app_.take_kit(this);
  Ref scope = Ref::steal(kit_ ? app_.scope().build(*exchange_) : nullptr);
  PyObject* coroutine = nullptr;
  if (scope) {
    PyObject* args[] = {scope.get(), kit_->receive.get(), kit_->send.get()};
    coroutine = PyObject_Vectorcall(app_.application(), args, 3, nullptr);
  }
  scope_ = std::move(scope);
  if (coroutine) task_ = Ref::steal(app_.start_task(coroutine));
  if (app_.forked()) end_forked(task_.get());
  if (!task_) {
    fail();
    end_task();
    return over();
  }
  Ref done = Ref::steal(PyObject_CallMethodNoArgs(task_.get(), app_.state()->names.done));
  if (done.get() == Py_True) {
    settle();
    return over();
  }
  if (done) watcher_ = Ref::steal(handler_.watch_task(this, task_.get()));
  if (!watcher_) {  // nobody would tell of its end
    fail();
    cancel();
    end_task();
    return over();
  }
  if (exchange_ && !keep()) {
    fail();
    cancel();
  }
  return false;
}

bool AsgiCall::on_task_done() noexcept {
  settle();
  return over();
}

// The task is done: its exception is logged here and nowhere else, its answer is brought to an end.
void AsgiCall::settle() noexcept {
  AsgiState* state = app_.state();
  Ref error = Ref::steal(PyObject_CallMethodNoArgs(task_.get(), state->names.exception));
  if (!error) {  // it was cancelled
    PyErr_Clear();
    abort();
  } else if (error.get() != Py_None) {
    PyErr_SetObject(PyExceptionInstance_Class(error.get()), error.get());
    fail();
  } else if (exchange_ && gone_) {
    abort();  // it was told of the disconnect: nothing to say
  } else if (exchange_) {
    app_.log().mistake("app.no_response", exchange_->head(),
                       has_start_ ? "the application returned before its last http.response.body"
                                  : "the application returned without http.response.start");
    abort();
  }
  end_task();
}

void AsgiCall::end_task() noexcept {
  task_over_ = true;
  task_.clear();
  watcher_.clear();
  scope_.clear();
  wake(&receivers_);
  wake(&drainers_);
  if (kit_) app_.give_back(kit_);
  kit_ = nullptr;
}

void AsgiCall::fail() noexcept {
  // What is raised once the client has gone (an OSError, Starlette's ClientDisconnect) is rarely a
  // bug: one line.
  if (gone_) {
    if (exchange_) {
      app_.log().after_disconnect(exchange_->head());
    } else {
      log_without_head(true);
    }
  } else if (exchange_) {
    app_.log().exception("app.error", exchange_->head(), exchange_->started());
  } else {
    log_without_head(false);
  }
  abort();
}

// A 500 where nothing has been sent, else the connection is cut.
void AsgiCall::abort() noexcept {
  http::Exchange* exchange = exchange_;
  exchange_ = nullptr;
  if (!exchange) return;
  exchange->abort();
  handler_.wrote();
}

// Starlette and FastAPI answer 500 themselves and raise again: the usual way of a failing request.
// The head is gone with the exchange; the scope still says which request it was.
void AsgiCall::log_without_head(bool disconnected) noexcept {
  Raised raised;
  http::RequestHead head;
  std::string_view text;
  PyObject* scope = scope_.get();
  PyObject* method = scope ? PyDict_GetItemWithError(scope, app_.state()->names.method) : nullptr;
  if (method && latin1_view(method, &text)) head.method_text = text;
  PyObject* path = scope ? PyDict_GetItemWithError(scope, app_.state()->names.raw_path) : nullptr;
  if (path && PyBytes_Check(path)) {
    head.target = {PyBytes_AS_STRING(path), static_cast<std::size_t>(PyBytes_GET_SIZE(path))};
  }
  raised.restore();
  if (disconnected) return app_.log().after_disconnect(head);
  app_.log().exception("app.error_after_answer", head, true);
}

// A client that has left meanwhile is no error: it is as after on_disconnect(), exchange_ is null.
bool AsgiCall::keep() noexcept {
  const Result<void> kept = exchange_->retain(this);
  if (kept) return true;
  if (kept.code() != Errc::disconnected) return !refused(kept.code());
  lose();
  return true;
}

// Where the client is gone the next send() says so.
bool AsgiCall::wrote(http::WriteState state) noexcept {
  if (state == http::WriteState::closed && exchange_) lose();
  return exchange_ != nullptr;
}

void AsgiCall::lose() noexcept {
  gone_ = true;
  http::Exchange* exchange = exchange_;
  exchange_ = nullptr;
  wake(&receivers_);
  wake(&drainers_);
  if (exchange) exchange->abort();
}

void AsgiCall::cancel() noexcept {
  if (!task_) return;
  Ref done = Ref::steal(PyObject_CallMethodNoArgs(task_.get(), app_.state()->names.cancel));
  if (!done) PyErr_Clear();
}

void AsgiCall::finish() noexcept {
  finished_ = true;
  http::Exchange* exchange = exchange_;
  exchange_ = nullptr;
  (void)exchange->finish();  // what is wrong with it was said by send(), or is logged by the server
  handler_.wrote();
  wake(&receivers_);
}

// ---- receive()

PyObject* AsgiCall::take_message(PyObject** future) noexcept {
  AsgiState* state = app_.state();
  if (gone_ || !exchange_ || (body_received_ && half_closed_)) {
    Ref message = Ref::steal(PyDict_New());
    if (!message ||
        PyDict_SetItem(message.get(), state->names.type, state->names.http_disconnect) < 0) {
      return nullptr;
    }
    return message.release();
  }
  if (!body_received_) {
    if (body_waits()) return body_message();
    exchange_->want_body();
    handler_.wrote();
  }
  *future = add_future(&receivers_);
  return nullptr;
}

// A part of the body, or its end.
bool AsgiCall::body_waits() const noexcept {
  return body_arrived_ || !incoming_.empty() || exchange_->body().bytes_left() != 0;
}

// What came with the head, or a whole body, is in the exchange; what came later is here.
PyObject* AsgiCall::take_body() noexcept {
  http::Body& body = exchange_->body();
  const auto early = static_cast<std::size_t>(body.bytes_left().value_or(0));
  const std::size_t size = early + incoming_.size();
  if (size == 0) return share(app_.state()->names.empty_bytes);
  Ref bytes = Ref::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!bytes) return nullptr;
  char* const to = PyBytes_AS_STRING(bytes.get());
  for (std::size_t at = 0; at < early;) {
    const Result<std::size_t> got = body.read(to + at, early - at);
    if (!got || *got == 0) {
      PyErr_SetString(PyExc_OSError, "the request body could not be read back from disk");
      return nullptr;
    }
    at += *got;
  }
  if (!incoming_.empty()) std::memcpy(to + early, incoming_.data(), incoming_.size());
  return bytes.release();
}

PyObject* AsgiCall::body_message() noexcept {
  AsgiState* state = app_.state();
  Ref bytes = Ref::steal(take_body());
  Ref message = Ref::steal(bytes ? PyDict_New() : nullptr);
  if (!message || PyDict_SetItem(message.get(), state->names.type, state->names.http_request) < 0 ||
      PyDict_SetItem(message.get(), state->names.body, bytes.get()) < 0 ||
      PyDict_SetItem(message.get(), state->names.more_body, body_arrived_ ? Py_False : Py_True) <
          0) {
    return nullptr;
  }
  if (incoming_.capacity() > 0) {
    incoming_.release();
    incoming_charge_.set(0);
  }
  body_received_ = body_arrived_;
  if (body_paused_) {
    body_paused_ = false;
    exchange_->resume_body();
  }
  return message.release();
}

// A future that wakes when something has happened; who waited then asks again. Those that were
// cancelled meanwhile are dropped as the list grows: a handler may poll for as long as its request
// lives.
PyObject* AsgiCall::add_future(Ref* futures) noexcept {
  constexpr Py_ssize_t kMany = 8;
  Ref future =
      Ref::steal(PyObject_CallMethodNoArgs(app_.loop(), app_.state()->names.create_future));
  if (!*futures) *futures = Ref::steal(PyList_New(0));
  if (!future || !*futures) return nullptr;
  PyObject* list = futures->get();
  for (Py_ssize_t i = PyList_GET_SIZE(list) - 1; i >= 0 && PyList_GET_SIZE(list) >= kMany; --i) {
    Ref done =
        Ref::steal(PyObject_CallMethodNoArgs(PyList_GET_ITEM(list, i), app_.state()->names.done));
    if (!done) return nullptr;
    if (done.get() == Py_True && PyList_SetSlice(list, i, i + 1, nullptr) < 0) return nullptr;
  }
  return PyList_Append(list, future.get()) < 0 ? nullptr : future.release();
}

void AsgiCall::wake(Ref* futures) noexcept {
  Ref list = std::move(*futures);
  if (!list) return;
  AsgiState* state = app_.state();
  bool lost = false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    if (lost) PyErr_Clear();
    PyObject* future = PyList_GET_ITEM(list.get(), i);
    Ref done = Ref::steal(PyObject_CallMethodNoArgs(future, state->names.done));
    if (done.get() == Py_False) {
      done = Ref::steal(PyObject_CallMethodOneArg(future, state->names.set_result, Py_None));
    }
    lost = lost || !done;
  }
  if (!lost) return;
  if (!PyErr_Occurred()) (void)PyErr_NoMemory();
  fail();
  cancel();
  lost_ = true;
}

// A task that could not be woken sleeps for ever: the request ends without it. True: destroy this.
bool AsgiCall::end_without_task() noexcept {
  if (!lost_ || task_over_) return false;
  bind_asgi_callable(watcher_.get(), nullptr);
  bind_asgi_callable(kit_->receive.get(), nullptr);
  bind_asgi_callable(kit_->send.get(), nullptr);
  end_task();
  return over();
}

// ---- http::Observer

void AsgiCall::on_writable() noexcept {
  handler_.hold_gil();
  wake(&drainers_);
  if (end_without_task()) handler_.call_ended(this);
}

void AsgiCall::on_body(std::string_view piece) noexcept {
  handler_.hold_gil();
  // Near the budget nothing more is read before the application has received this.
  const std::size_t most = incoming_charge_.budget().near() ? 0 : kIncomingMax;
  if (!incoming_.append(piece)) {
    (void)PyErr_NoMemory();
    fail();
    gone_ = true;
  } else if (incoming_.size() > most && !body_paused_) {
    body_paused_ = true;
    exchange_->pause_body();
  }
  incoming_charge_.set(incoming_.capacity());
  wake(&receivers_);
  if (end_without_task()) handler_.call_ended(this);
}

void AsgiCall::on_body_end(Errc error) noexcept {
  handler_.hold_gil();
  body_arrived_ = true;
  if (error != Errc::ok) gone_ = true;  // a body that broke off is told as a disconnect
  wake(&receivers_);
  if (end_without_task()) handler_.call_ended(this);
}

void AsgiCall::on_half_close() noexcept {
  half_closed_ = true;
  if (!receivers_) return;
  handler_.hold_gil();
  wake(&receivers_);
  if (end_without_task()) handler_.call_ended(this);
}

void AsgiCall::on_disconnect() noexcept {
  handler_.hold_gil();
  lose();
  if (end_without_task() || over()) handler_.call_ended(this);
}

}  // namespace lanner::python
