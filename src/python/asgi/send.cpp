// python/asgi/send.cpp: one request of an ASGI application: send() and its messages.

#include <string_view>

#include "http/list.h"
#include "http/status.h"
#include "python/answer/held_bytes.h"
#include "python/asgi/call.h"
#include "python/asgi/fields.h"
#include "python/asgi/handler.h"
#include "python/asgi/scope.h"
#include "python/asyncio/awaitable.h"
#include "python/object/text.h"
#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::python {

namespace {

constexpr int kSendsPerTurn = 64;  // body messages without a wait, then others have their turn

// A borrowed value of a message, or null without an exception when there is none.
PyObject* get(PyObject* message, PyObject* key) noexcept {
  PyObject* value = PyDict_GetItemWithError(message, key);
  if (!value && PyErr_Occurred()) PyErr_Clear();
  return value;
}

bool is_text(PyObject* value, PyObject* wanted) noexcept {
  std::string_view text;
  std::string_view other;
  return value == wanted ||
         (value && latin1_view(value, &text) && latin1_view(wanted, &other) && text == other);
}

// message["more_body"] and the like; false with an exception set.
bool get_flag(PyObject* message, PyObject* key, bool* flag) noexcept {
  PyObject* value = get(message, key);
  const int truth = value ? PyObject_IsTrue(value) : 0;
  *flag = truth > 0;
  return truth >= 0;
}

// A count or offset; `*given` false when it is missing or None. False with an exception set.
bool get_number(PyObject* message, PyObject* key, std::uint64_t* number, bool* given) noexcept {
  PyObject* value = get(message, key);
  *given = value && value != Py_None;
  if (!*given) return true;
  const long long wide = PyLong_Check(value) ? PyLong_AsLongLong(value) : -1;
  if (wide < 0) {
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%U must be an integer from 0 on, not %R", key, value);
    return false;
  }
  *number = static_cast<std::uint64_t>(wide);
  return true;
}

}  // namespace

PyObject* AsgiCall::send(PyObject* message) noexcept {
  AsgiState* state = app_.state();
  if (!PyDict_Check(message)) {
    return PyErr_Format(PyExc_TypeError, "send() takes a message as a dict, not %.100s",
                        Py_TYPE(message)->tp_name);
  }
  PyObject* type = get(message, state->names.type);
  if (finished_) {
    return PyErr_Format(
        PyExc_RuntimeError,
        "send() of %R after the answer was complete: the last http.response.body had no "
        "more_body",
        type ? type : Py_None);
  }
  if (gone_ || !exchange_) {
    gone_ = true;
    PyErr_SetString(PyExc_ConnectionResetError, "send(): the client has disconnected");
    return nullptr;
  }
  if (is_text(type, state->names.response_start)) {
    return parse_start(message) ? app_.ready_none() : nullptr;
  }
  if (is_text(type, state->names.response_body)) return send_body(message);
  if (is_text(type, state->names.response_pathsend)) return send_path(message);
  if (is_text(type, state->names.response_zerocopysend)) return send_file(message);
  if (is_text(type, state->names.response_trailers)) return send_trailers(message);
  if (is_text(type, state->names.response_early_hint)) return send_early_hint(message);
  if (is_text(type, state->names.response_debug))
    return app_.ready_none();  // for tests of applications
  if (!type) {
    PyErr_SetString(PyExc_RuntimeError, "send() of a message without \"type\"");
    return nullptr;
  }
  return PyErr_Format(PyExc_RuntimeError,
                      "send() of %R: an HTTP request is answered by http.response.start, then "
                      "http.response.body",
                      type);
}

bool AsgiCall::parse_start(PyObject* message) noexcept {
  AsgiState* state = app_.state();
  if (has_start_) {
    PyErr_SetString(PyExc_RuntimeError, "http.response.start was sent twice");
    return false;
  }
  kit_->head.clear();
  if (!set_asgi_status(get(message, state->names.status), &kit_->head) ||
      !add_asgi_fields(get(message, state->names.headers), app_.response_head_bytes(),
                       &kit_->head) ||
      !get_flag(message, state->names.trailers, &wants_trailers_)) {
    return false;
  }
  bodyless_ = http::is_without_content(exchange_->head().method, kit_->head.status());
  if (const std::optional<std::uint64_t> length = kit_->head.content_length()) {
    has_length_ = true;
    length_ = *length;
  }
  offers_trailers_ = wants_trailers_ && http::takes_trailers(exchange_->head());
  has_start_ = true;
  return true;
}

bool AsgiCall::start(std::optional<std::uint64_t> body_bytes) noexcept {
  if (exchange_->started()) return true;
  // HEAD: an empty body says nothing about the size that GET would have (RFC 9110, section 8.6).
  if (body_bytes == 0 && exchange_->head().method == http::Method::head) body_bytes.reset();
  return !refused(exchange_->start(kit_->head, body_bytes).code());
}

bool AsgiCall::refused(Errc code) noexcept {
  if (code == Errc::ok) return false;
  if (code == Errc::disconnected) {
    gone_ = true;
    PyErr_SetString(PyExc_ConnectionResetError, "send(): the client has disconnected");
  } else if (code == Errc::no_memory) {
    (void)PyErr_NoMemory();
  } else {
    PyErr_SetString(PyExc_ValueError, error_text(code).data());
  }
  return true;
}

bool AsgiCall::ready_for_body(std::uint64_t bytes, bool more) noexcept {
  if (!has_start_) {
    PyErr_SetString(PyExc_RuntimeError, "http.response.body was sent before http.response.start");
    return false;
  }
  if (body_sent_) {
    PyErr_SetString(
        PyExc_RuntimeError,
        "http.response.body was sent after the last one: http.response.trailers follow");
    return false;
  }
  const std::uint64_t total = sent_ + bytes;
  if (has_length_ && !bodyless_ && (total > length_ || (!more && total < length_))) {
    PyErr_Format(PyExc_RuntimeError,
                 "the answer's body is %llu bytes %s, its Content-Length says %llu",
                 static_cast<unsigned long long>(total), more ? "so far" : "long",
                 static_cast<unsigned long long>(length_));
    return false;
  }
  std::optional<std::uint64_t> known;
  if (!more && !offers_trailers_) known = bytes;
  if (!start(known)) return false;
  sent_ = total;
  return true;
}

PyObject* AsgiCall::after_body(http::WriteState state, bool more) noexcept {
  if (!wrote(state)) return app_.ready_none();
  if (!more && !wants_trailers_) {
    finish();
    return app_.ready_none();
  }
  body_sent_ = !more;
  // A stream that never has to wait would hold the loop for ever: now and then it gives up a turn.
  const bool gives_way = more && ++sends_in_row_ >= kSendsPerTurn;
  if (state == http::WriteState::full || gives_way) {
    // No observer yet in the first step: retaining is what makes on_writable() come.
    if (!keep()) return nullptr;
    if (!exchange_) return app_.ready_none();
    if (state != http::WriteState::full) exchange_->yield();
    sends_in_row_ = 0;
    handler_.wrote();
    Ref future = Ref::steal(add_future(&drainers_));
    return future ? new_waiting(&app_.state()->asyncio, future.get()) : nullptr;
  }
  handler_.wrote();
  return app_.ready_none();
}

PyObject* AsgiCall::send_body(PyObject* message) noexcept {
  AsgiState* state = app_.state();
  Ref body = Ref::borrow(get(message, state->names.body));
  if (!body) body = Ref::borrow(state->names.empty_bytes);
  if (!PyBytes_Check(body.get())) {
    if (!PyByteArray_Check(body.get()) && !PyMemoryView_Check(body.get())) {
      return PyErr_Format(PyExc_TypeError, "http.response.body: body must be bytes, not %.100s",
                          Py_TYPE(body.get())->tp_name);
    }
    body = Ref::steal(PyBytes_FromObject(body.get()));
    if (!body) return nullptr;
  }
  bool more = false;
  const Py_ssize_t size = PyBytes_GET_SIZE(body.get());
  if (!get_flag(message, state->names.more_body, &more) ||
      !ready_for_body(static_cast<std::uint64_t>(size), more)) {
    return nullptr;
  }
  http::WriteState wrote = http::WriteState::ok;
  if (size > 0 && !bodyless_) wrote = exchange_->write(hold_bytes(body.get(), &app_.released()));
  return after_body(wrote, more);
}

PyObject* AsgiCall::send_path(PyObject* message) noexcept {
  AsgiState* state = app_.state();
  PyObject* value = get(message, state->names.path);
  PyObject* encoded = nullptr;
  if (!value || !PyUnicode_FSConverter(value, &encoded)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, "http.response.pathsend: path is missing");
    return nullptr;
  }
  Ref path = Ref::steal(encoded);
  Result<int> file = sys::open_regular(PyBytes_AS_STRING(path.get()));
  if (!file) {
    errno = static_cast<int>(file.error().detail);
    return PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, value);
  }
  Result<std::uint64_t> size = sys::file_size(*file);
  PyObject* result = nullptr;
  if (size && ready_for_body(*size, false)) {
    http::WriteState wrote = http::WriteState::ok;
    if (*size > 0 && !bodyless_) wrote = exchange_->write_file({*file, 0, *size});
    result = after_body(wrote, false);
  }
  sys::close(*file);
  return result;
}

PyObject* AsgiCall::send_file(PyObject* message) noexcept {
  AsgiState* state = app_.state();
  PyObject* value = get(message, state->names.file);
  const int fd = value ? PyObject_AsFileDescriptor(value) : -1;
  if (fd < 0) {
    if (!value) PyErr_SetString(PyExc_TypeError, "http.response.zerocopysend: file is missing");
    return nullptr;
  }
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
  bool has_offset = false;
  bool has_count = false;
  bool more = false;
  if (!get_number(message, state->names.offset, &offset, &has_offset) ||
      !get_number(message, state->names.count, &count, &has_count) ||
      !get_flag(message, state->names.more_body, &more)) {
    return nullptr;
  }
  Result<std::uint64_t> size = sys::file_size(fd);
  if (!size || !sys::is_regular_file(fd)) {
    PyErr_SetString(PyExc_ValueError, "http.response.zerocopysend: file must be a regular file");
    return nullptr;
  }
  if (!has_offset) offset = sys::file_position(fd);
  const std::uint64_t left = *size > offset ? *size - offset : 0;
  if (!has_count || count > left) count = left;
  if (!ready_for_body(count, more)) return nullptr;
  http::WriteState wrote = http::WriteState::ok;
  if (count > 0 && !bodyless_) wrote = exchange_->write_file({fd, offset, count});
  if (!has_offset) sys::set_file_position(fd, offset + count);
  return after_body(wrote, more);
}

PyObject* AsgiCall::send_trailers(PyObject* message) noexcept {
  AsgiState* state = app_.state();
  if (!wants_trailers_ || !body_sent_) {
    PyErr_SetString(PyExc_RuntimeError,
                    "http.response.trailers come after the last http.response.body, and only if "
                    "http.response.start had trailers=True");
    return nullptr;
  }
  bool more = false;
  kit_->head.clear();
  if (!add_asgi_fields(get(message, state->names.headers), app_.response_head_bytes(),
                       &kit_->head) ||
      !get_flag(message, state->names.more_trailers, &more)) {
    return nullptr;
  }
  // Only to a client that asked for them (RFC 9110, section 6.5.1).
  if (offers_trailers_ && refused(exchange_->add_trailers(kit_->head).code())) return nullptr;
  if (!more) finish();
  return app_.ready_none();
}

PyObject* AsgiCall::send_early_hint(PyObject* message) noexcept {
  AsgiState* state = app_.state();
  if (has_start_) {
    PyErr_SetString(PyExc_RuntimeError,
                    "http.response.early_hint was sent after http.response.start");
    return nullptr;
  }
  http::ResponseHead head;
  if (!head.set_status(103, "Early Hints")) return PyErr_NoMemory();
  if (!add_links(get(message, state->names.links), app_.response_head_bytes(), &head))
    return nullptr;
  if (refused(exchange_->inform(head).code())) return nullptr;
  if (wrote(exchange_->flush())) handler_.wrote();
  return app_.ready_none();
}

}  // namespace lanner::python
