// python/wsgi/call.cpp: one call of a WSGI application, from its environ to close() (PEP 3333).

#include "python/wsgi/call.h"

#include <string_view>

#include "http/status.h"
#include "python/answer/held_bytes.h"
#include "python/answer/response_fields.h"
#include "python/wsgi/file_wrapper.h"
#include "python/wsgi/handler.h"
#include "python/wsgi/input.h"
#include "sys/clock.h"

namespace lanner::python {

namespace {
constexpr int kBlocksPerTurn = 64;     // then other connections have their turn
constexpr std::uint64_t kTurnMs = 10;  // or after this time, however few they were
}  // namespace

WsgiCall::Outcome WsgiCall::run() noexcept {
  kit_ = app_.take_kit(this, *exchange_);
  if (!kit_) return fail();
  environ_ =
      Ref::steal(app_.environ().build(*exchange_, kit_->input.get(), kit_->early_hints.get()));
  if (!environ_) return fail();
  PyObject* args[] = {environ_.get(), kit_->start_response.get()};
  result_ = Ref::steal(PyObject_Vectorcall(app_.application(), args, 2, nullptr));
  if (app_.forked()) end_forked();
  if (!result_) return fail();
  return answer();
}

WsgiCall::Outcome WsgiCall::answer() noexcept {
  PyObject* result = result_.get();
  if (PyList_CheckExact(result) || PyTuple_CheckExact(result)) return answer_list();
  if (Py_TYPE(result) == app_.state()->file_wrapper_type) {
    Outcome outcome;
    if (answer_file(&outcome)) return outcome;
  }
  if (PyBytes_Check(result) || PyUnicode_Check(result)) {
    PyErr_Format(
        PyExc_TypeError,
        "the WSGI application returned %.100s: it must return an iterable of bytes, such as a "
        "list with one bytes object (PEP 3333)",
        Py_TYPE(result)->tp_name);
    return fail();
  }
  iterator_ = Ref::steal(PyObject_GetIter(result));
  if (!iterator_) return fail();
  return iterate();
}

// A list or tuple is complete: its size is the answer's, and nothing of the application's runs
// between the blocks.
WsgiCall::Outcome WsgiCall::answer_list() noexcept {
  PyObject* const* blocks = PySequence_Fast_ITEMS(result_.get());
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(result_.get());
  std::uint64_t bytes = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!PyBytes_Check(blocks[i])) {
      PyErr_Format(PyExc_TypeError, "the WSGI application's block %zd is %.100s, not bytes", i,
                   Py_TYPE(blocks[i])->tp_name);
      return fail();
    }
    bytes += static_cast<std::uint64_t>(PyBytes_GET_SIZE(blocks[i]));
  }
  if (!exchange_->started()) {
    if (!begin(bytes)) return fail();
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (put(blocks[i]) == http::WriteState::closed) break;
  }
  return finish();
}

bool WsgiCall::answer_file(Outcome* outcome) noexcept {
  http::FilePart part;
  if (exchange_->started() || !file_part(result_.get(), app_.state(), &part)) return false;
  if (!begin(part.count)) {
    *outcome = fail();
    return true;
  }
  if (!bodyless() && part.count > 0) (void)exchange_->write_file(part);
  *outcome = finish();
  return true;
}

WsgiCall::Outcome WsgiCall::iterate() noexcept {
  const std::uint64_t began_ms = handler_ ? sys::monotonic_ms() : 0;
  for (int blocks = 0;; ++blocks) {
    const bool turn_over = blocks == kBlocksPerTurn ||
                           (blocks > 0 && handler_ && sys::monotonic_ms() - began_ms >= kTurnMs);
    if (turn_over && handler_) {
      exchange_->yield();
      return pause();
    }
    switch (next_block()) {
      case Step::more:
        break;
      case Step::end:
        return finish();
      case Step::failed:
        return fail();
      case Step::paused:
        return pause();
    }
  }
}

WsgiCall::Outcome WsgiCall::pause() noexcept {
  const Result<void> kept = exchange_->retain(this);
  if (kept) return Outcome::paused;
  if (kept.code() != Errc::disconnected) {
    (void)PyErr_NoMemory();
    return fail();
  }
  gone_ = true;
  return finish();
}

// Each block is on its way before the application runs again (PEP 3333, "Buffering and Streaming").
WsgiCall::Step WsgiCall::next_block() noexcept {
  Ref block = Ref::steal(Py_TYPE(iterator_.get())->tp_iternext(iterator_.get()));
  if (app_.forked()) end_forked();
  if (!block) {
    if (PyErr_Occurred()) {
      if (!PyErr_ExceptionMatches(PyExc_StopIteration)) return Step::failed;
      PyErr_Clear();
    }
    if (!exchange_->started() && !begin(0)) return Step::failed;
    return Step::end;
  }
  if (!PyBytes_Check(block.get())) {
    PyErr_Format(PyExc_TypeError, "the WSGI application's iterable gave %.100s, not bytes",
                 Py_TYPE(block.get())->tp_name);
    return Step::failed;
  }
  if (PyBytes_GET_SIZE(block.get()) == 0) {
    // Nothing to write, so nothing would tell that the client has left.
    if (exchange_->blocking()) (void)flush();
    return gone_ ? Step::end : Step::more;
  }
  if (!exchange_->started() && !begin(std::nullopt)) return Step::failed;
  if (bodyless()) return Step::end;  // nobody will see the rest
  if (put(block.get()) == http::WriteState::closed) return Step::end;
  block.clear();
  const http::WriteState state = flush();
  app_.released().drop_all();
  if (state == http::WriteState::closed) return Step::end;
  return state == http::WriteState::full ? Step::paused : Step::more;
}

bool WsgiCall::bodyless() const noexcept {
  return http::is_without_content(exchange_->head().method, kit_->head.status());
}

bool WsgiCall::begin(std::optional<std::uint64_t> body_bytes) noexcept {
  if (!has_head_) {
    PyErr_SetString(PyExc_AssertionError,
                    "the WSGI application gave its body without having called start_response()");
    return false;
  }
  // HEAD: an empty body says nothing about the size that GET would have (RFC 9110, section 8.6).
  if (body_bytes == 0 && exchange_->head().method == http::Method::head) body_bytes.reset();
  Result<void> begun = exchange_->start(kit_->head, body_bytes);
  if (begun) return true;
  if (begun.code() == Errc::disconnected) {
    gone_ = true;
    PyErr_SetString(PyExc_ConnectionResetError, "the client has disconnected");
    return false;
  }
  const std::string_view text = error_text(begun.code());
  PyErr_Format(begun.code() == Errc::no_memory ? PyExc_MemoryError : PyExc_ValueError, "%s",
               text.data());
  return false;
}

http::WriteState WsgiCall::put(PyObject* block) noexcept {
  const http::WriteState state = exchange_->write(hold_bytes(block, &app_.released()));
  if (state == http::WriteState::closed) gone_ = true;
  return state;
}

http::WriteState WsgiCall::flush() noexcept {
  http::WriteState state;
  Py_BEGIN_ALLOW_THREADS state = exchange_->flush();
  Py_END_ALLOW_THREADS if (state == http::WriteState::closed) gone_ = true;
  return state;
}

WsgiCall::Outcome WsgiCall::finish() noexcept {
  close_result();
  end();
  (void)exchange_->finish();  // too many or too few bytes: the server has logged it
  return Outcome::done;
}

WsgiCall::Outcome WsgiCall::fail() noexcept {
  // What a broken body or a lost client made the application raise is not a bug of its own.
  const bool theirs = gone_ || (kit_ && input_failed(kit_->input.get()));
  if (theirs && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OSError)) {
    PyErr_Clear();
  } else {
    app_.log().exception("app.error", exchange_->head(), exchange_->started());
  }
  close_result();
  end();
  exchange_->abort();
  return Outcome::done;
}

// close() exactly once, whatever happened (PEP 3333, "Specification Details").
void WsgiCall::close_result() noexcept {
  PyObject* result = result_.get();
  if (!result) return;
  if (!PyList_CheckExact(result) && !PyTuple_CheckExact(result)) {
    PyObject* close = nullptr;
    if (optional_attribute(result, app_.state()->names.close, &close) < 0) {
      app_.log().exception("app.close_failed", exchange_->head(), exchange_->started());
    } else if (close) {
      Ref done = Ref::steal(PyObject_CallNoArgs(close));
      drop(close);
      if (app_.forked()) end_forked();
      if (!done) app_.log().exception("app.close_failed", exchange_->head(), exchange_->started());
    }
  }
  iterator_.clear();
  result_.clear();
}

void WsgiCall::end() noexcept {
  environ_.clear();
  if (kit_) app_.give_back(kit_);
  kit_ = nullptr;
}

void WsgiCall::on_writable() noexcept {
  handler_->hold_gil();
  if (iterate() == Outcome::done) handler_->call_ended(this);
}

void WsgiCall::on_disconnect() noexcept {
  if (!result_) return;  // inside finish() or fail(): they see it by themselves
  handler_->hold_gil();
  gone_ = true;
  (void)finish();
  handler_->call_ended(this);
}

// ---- what the application calls

PyObject* WsgiCall::start_response(PyObject* status, PyObject* headers,
                                   PyObject* exc_info) noexcept {
  const bool with_error = exc_info && exc_info != Py_None;
  if (with_error) {
    if (!PyTuple_Check(exc_info) || PyTuple_GET_SIZE(exc_info) != 3) {
      PyErr_SetString(PyExc_TypeError, "exc_info must be the tuple that sys.exc_info() returns");
      return nullptr;
    }
    if (exchange_->started()) {
      // Too late for another head: the error goes on (PEP 3333, "The start_response() Callable").
      PyObject* traceback = PyTuple_GET_ITEM(exc_info, 2);
      PyErr_Restore(share(PyTuple_GET_ITEM(exc_info, 0)), share(PyTuple_GET_ITEM(exc_info, 1)),
                    traceback == Py_None ? nullptr : share(traceback));
      return nullptr;
    }
  } else if (has_head_) {
    PyErr_SetString(PyExc_AssertionError,
                    "start_response() was called twice: give exc_info to replace the headers of an "
                    "answer that failed (PEP 3333)");
    return nullptr;
  }
  kit_->head.clear();
  has_head_ = set_head(status, headers);
  return has_head_ ? status : nullptr;
}

bool WsgiCall::set_head(PyObject* status, PyObject* headers) noexcept {
  return set_status_line(status, &kit_->head) &&
         add_fields(headers, app_.response_head_bytes(), &kit_->head);
}

PyObject* WsgiCall::write(PyObject* bytes) noexcept {
  if (!PyBytes_Check(bytes)) {
    PyErr_Format(PyExc_TypeError, "write() takes bytes, not %.100s", Py_TYPE(bytes)->tp_name);
    return nullptr;
  }
  if (PyBytes_GET_SIZE(bytes) == 0) return none();
  if (!exchange_->started() && !begin(std::nullopt)) return nullptr;
  const std::string_view view(PyBytes_AS_STRING(bytes),
                              static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
  http::WriteState state = http::WriteState::ok;
  if (exchange_->blocking()) {
    state = put(bytes);
  } else {
    state = exchange_->write_spooled(
        view);  // nobody may stop the loop: what does not fit goes to a file
  }
  if (state != http::WriteState::closed) state = flush();
  if (state != http::WriteState::closed) return none();
  gone_ = true;
  PyErr_SetString(PyExc_ConnectionResetError, "write(): the client has disconnected");
  return nullptr;
}

PyObject* WsgiCall::early_hints(PyObject* headers) noexcept {
  http::ResponseHead head;
  if (!head.set_status(103, "Early Hints") ||
      !add_fields(headers, app_.response_head_bytes(), &head)) {
    if (!PyErr_Occurred()) (void)PyErr_NoMemory();
    return nullptr;
  }
  Result<void> sent = exchange_->inform(head);
  if (sent.code() == Errc::response_started) {
    PyErr_SetString(PyExc_RuntimeError, "wsgi.early_hints was called after the answer had started");
    return nullptr;
  }
  if (sent) (void)flush();
  return none();  // a client that is gone misses its hints
}

}  // namespace lanner::python
