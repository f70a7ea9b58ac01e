#include "python/native/answer.h"

#include <algorithm>

#include "python/json/encoder.h"
#include "python/native/native_app.h"
#include "python/object/exception.h"
#include "python/object/str_bytes.h"
#include "python/object/text.h"
#include "python/schema/entry.h"

namespace lanner::python {

namespace {

constexpr std::size_t kExpectedMax = 1 << 20;  // bytes taken in advance, at most
constexpr std::uint64_t kHeadBytesMax = 65536;

// A field's name or value: latin-1 (RFC 9110, section 5.5). False with an exception set.
bool field_text(PyObject* text, std::string_view* to) noexcept {
  if (latin1_view(text, to)) return true;
  PyErr_Format(PyExc_ValueError, "a field of the answer has a character beyond latin-1: %R", text);
  return false;
}

// pairs: Response.headers.raw. False with an exception set.
bool add_fields(PyObject* headers, http::ResponseHead* to) noexcept {
  Ref raw = Ref::steal(PyObject_GetAttrString(headers, "raw"));
  if (!raw) return false;
  if (!PyList_Check(raw.get())) {
    PyErr_SetString(PyExc_TypeError, "Response.headers.raw is a list of pairs");
    return false;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(raw.get()); ++i) {
    PyObject* pair = PyList_GET_ITEM(raw.get(), i);
    std::string_view name;
    std::string_view value;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
      PyErr_SetString(PyExc_TypeError, "Response.headers.raw is a list of pairs");
      return false;
    }
    if (!field_text(PyTuple_GET_ITEM(pair, 0), &name) ||
        !field_text(PyTuple_GET_ITEM(pair, 1), &value))
      return false;
    const Result<void> added = to->add(name, value, kHeadBytesMax);
    if (added) continue;
    PyErr_Format(PyExc_ValueError, "%R of an answer: %s", pair,
                 error_text(added.error().code).data());
    return false;
  }
  return true;
}

bool set_status(int status, http::ResponseHead* to) noexcept {
  if (to->set_status(status, {})) return true;
  PyErr_Format(PyExc_ValueError, "status %d of an answer: 100 to 599", status);
  return false;
}

// The operation's head, or a copy with what was set on the injected Response.
bool take_head(const Operation& operation, PyObject* injected, Answer* to) noexcept {
  to->head = &operation.head();
  if (!injected) return true;
  Ref status = Ref::steal(PyObject_GetAttrString(injected, "status_code"));
  Ref headers = Ref::steal(PyObject_GetAttrString(injected, "headers"));
  if (!status || !headers) return false;
  const long code = status.get() == Py_None ? operation.status() : PyLong_AsLong(status.get());
  if (PyErr_Occurred() || !set_status(static_cast<int>(code), &to->own)) return false;
  for (std::size_t i = 0; i < operation.head().field_count(); ++i) {
    const http::ResponseHead::FieldView field = operation.head().field(i);
    if (!to->own.add(field.name, field.value, kHeadBytesMax)) return PyErr_NoMemory() != nullptr;
  }
  to->head = &to->own;
  return add_fields(headers.get(), &to->own);
}

bool write_text(PyObject* value, Answer* to) noexcept {
  to->holder = Ref::borrow(value);
  if (PyBytes_Check(value)) {
    to->body = {PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value))};
    return true;
  }
  if (PyUnicode_Check(value)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(value, &size);
    to->body = {text, static_cast<std::size_t>(text ? size : 0)};
    return text != nullptr;
  }
  PyErr_Format(PyExc_TypeError, "a text answer is str or bytes, not %.200s",
               Py_TYPE(value)->tp_name);
  return false;
}

bool write_value(NativeApp& app, Operation& operation, PyObject* value,
                 json::Output& out) noexcept {
  if (PyObject* schema = operation.answer_schema())
    return write_json(schema, value, out, operation.options());
  JsonOptions options;
  options.fallback = operation.options().fallback;
  options.non_str_keys = true;
  JsonEncoder encoder(&app.state().json, out, options);
  return encoder.write(value);
}

// Writes what Python makes of a value that is not of the type, if it can make anything of it.
bool write_converted(NativeApp& app, Operation& operation, PyObject* value,
                     json::Output& out) noexcept {
  const Ref error = take_exception();
  Ref made =
      Ref::steal(PyObject_CallFunctionObjArgs(operation.convert(), value, error.get(), nullptr));
  out.truncate(0);
  return made && write_value(app, operation, made.get(), out);
}

bool write_json_text(NativeApp& app, Operation& operation, PyObject* value, TextSpace& space,
                     Answer* to) noexcept {
  space.expect(operation.expected_bytes);
  json::Output out(space);
  if (!write_value(app, operation, value, out) &&
      !(operation.convert() && write_converted(app, operation, value, out)))
    return false;
  operation.expected_bytes = std::min(out.size() + out.size() / 8 + 256, kExpectedMax);
  to->body = {out.data(), out.size()};
  to->in_space = true;
  return true;
}

}  // namespace

TextSpace::~TextSpace() {
  if (!memory_) return;
  if (spare_.memory || capacity_ > kSpareMax) {
    std::free(memory_);
    return;
  }
  spare_.memory = memory_;
  spare_.capacity = capacity_;
}

char* TextSpace::grow(char*, std::size_t used, std::size_t more, std::size_t* capacity) noexcept {
  if (!memory_ && spare_.memory) {
    memory_ = std::exchange(spare_.memory, nullptr);
    capacity_ = std::exchange(spare_.capacity, 0);
  }
  const std::size_t wanted = std::max({used + more, used * 2, expected_, std::size_t{1024}});
  if (!memory_ || used + more > capacity_) {
    char* memory = static_cast<char*>(std::realloc(memory_, wanted));
    if (!memory) {
      (void)PyErr_NoMemory();
      return nullptr;
    }
    memory_ = memory;
    capacity_ = wanted;
  }
  *capacity = capacity_;
  return memory_;
}

bool take_response(NativeApp& app, PyObject* response, PyObject* injected, Answer* to) noexcept {
  Ref status = Ref::steal(PyObject_GetAttrString(response, "status_code"));
  Ref headers = Ref::steal(PyObject_GetAttrString(response, "headers"));
  Ref body = Ref::steal(PyObject_GetAttrString(response, "body"));
  Ref background = Ref::steal(PyObject_GetAttrString(response, "background"));
  if (!status || !headers || !body || !background) return false;
  const long code = PyLong_AsLong(status.get());
  if (PyErr_Occurred() || !set_status(static_cast<int>(code), &to->own)) return false;
  if (!add_fields(headers.get(), &to->own)) return false;
  if (injected) {
    Ref more = Ref::steal(PyObject_GetAttrString(injected, "headers"));
    if (!more || !add_fields(more.get(), &to->own)) return false;
  }
  to->head = &to->own;
  if (background.get() != Py_None) to->background = std::move(background);
  (void)app;
  return write_text(body.get(), to);
}

namespace {

// What is to be done after the answer, behind what is there already. more: None, or null with an exception set.
bool add_background(NativeApp& app, Ref more, Answer* to) noexcept {
  if (!more || more.get() == Py_None) return static_cast<bool>(more);
  to->background =
      !to->background ? std::move(more)
                      : Ref::steal(PyObject_CallFunctionObjArgs(
                            app.hooks().together.get(), to->background.get(), more.get(), nullptr));
  return static_cast<bool>(to->background);
}

}  // namespace

bool make_answer(NativeApp& app, Operation& operation, PyObject* value, PyObject* injected,
                 PyObject* tasks, TextSpace& space, Answer* to) noexcept {
  const bool itself = PyObject_TypeCheck(value, app.response_type());
  if (itself) {
    if (!take_response(app, value, injected, to)) return false;
  } else if (operation.kind() == AnswerKind::made) {
    Ref made = Ref::steal(PyObject_CallOneArg(operation.maker(), value));
    if (!made || !take_response(app, made.get(), injected, to)) return false;
  } else {
    if (!take_head(operation, injected, to)) return false;
    if (operation.kind() == AnswerKind::text && !write_text(value, to)) return false;
    if (operation.kind() == AnswerKind::json && !write_json_text(app, operation, value, space, to))
      return false;
  }
  if (tasks && !add_background(app, Ref::borrow(tasks), to)) return false;
  return !injected ||
         add_background(app, Ref::steal(PyObject_GetAttrString(injected, "background")), to);
}

}  // namespace lanner::python
