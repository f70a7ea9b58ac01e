// python/object/app_log.cpp: what an application raised: a log line with its traceback.

#include "python/object/app_log.h"

#include <string_view>

#include "base/buffer.h"
#include "python/object/exception.h"
#include "python/object/ref.h"

namespace lanner::python {

namespace {

// traceback.format_exception() as one bytes object; null without an exception when even that fails.
Ref format(PyObject* exception) noexcept {
  Ref module = Ref::steal(PyImport_ImportModule("traceback"));
  Ref lines = Ref::steal(
      module ? PyObject_CallMethod(module.get(), "format_exception", "O", exception) : nullptr);
  Ref empty = Ref::steal(lines ? PyUnicode_FromString("") : nullptr);
  Ref text = Ref::steal(empty ? PyUnicode_Join(empty.get(), lines.get()) : nullptr);
  Ref bytes = Ref::steal(text ? PyUnicode_AsEncodedString(text.get(), "utf-8", "backslashreplace")
                              : nullptr);
  if (!bytes) PyErr_Clear();
  return bytes;
}

// Control characters as \\xNN: a message may hold what a client sent, and logs are read on
// terminals.
bool append_safe(std::string_view text, Buffer* to) noexcept {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 0x20 && byte != 0x7F) || c == '\n' || c == '\t';
    const char escaped[4] = {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    if (!to->append(plain ? std::string_view(&c, 1) : std::string_view(escaped, 4))) return false;
  }
  return true;
}

}  // namespace

void AppLog::exception(const char* event, const http::RequestHead& head, bool started,
                       std::string_view route, std::string_view handler) noexcept {
  const Ref exception = take_exception();
  if (!log_ || !exception) return;
  const Ref bytes = format(exception.get());
  Buffer traceback;
  if (bytes) {
    const std::string_view text(PyBytes_AS_STRING(bytes.get()),
                                static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
    if (!append_safe(text, &traceback)) traceback.clear();
  }
  log::LogLine line = log_->line(log::LogLevel::error, event);
  line.add("error", Py_TYPE(exception.get())->tp_name)
      .add("method", head.method_text)
      .add("target", head.target)
      .add("after_start", started);
  if (!handler.empty()) line.add("route", route).add("handler", handler);
  line.send_with(traceback.view());
}

void AppLog::after_disconnect(const http::RequestHead& head) noexcept {
  const Ref exception = take_exception();
  if (!log_ || !exception) return;
  log_->line(log::LogLevel::debug, "app.error_after_disconnect")
      .add("reason", Py_TYPE(exception.get())->tp_name)
      .add("method", head.method_text)
      .add("target", head.target)
      .send();
}

void AppLog::refused(const char* event, const http::RequestHead& head, const char* why) noexcept {
  if (!log_) return;
  log_->line(log::LogLevel::warning, event)
      .add("reason", why)
      .add("method", head.method_text)
      .add("target", head.target)
      .send();
}

void AppLog::mistake(const char* event, const http::RequestHead& head, const char* what) noexcept {
  if (!log_) return;
  log_->line(log::LogLevel::error, event)
      .add("method", head.method_text)
      .add("target", head.target)
      .add("mistake", what)
      .send();
}

}  // namespace lanner::python
