// python/app_log.cpp: what an application raised: a log line, and the traceback on sys.stderr.

#include "python/app_log.h"

#include "python/ref.h"

namespace lanner::python {

void AppLog::exception(const char* event, const http::RequestHead& head, bool started) noexcept {
  if (log_) {
    log_->line(server::LogLevel::error, event)
        .add("method", head.method_text)
        .add("target", head.target)
        .add("after_start", started)
        .send();
  }
  PyObject* type;
  PyObject* value;
  PyObject* traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value && traceback) (void)PyException_SetTraceback(value, traceback);
  if (type) PyErr_Display(type, value, traceback);
  drop(type);
  drop(value);
  drop(traceback);
  PyErr_Clear();
}

void AppLog::mistake(const char* event, const http::RequestHead& head, const char* what) noexcept {
  if (!log_) return;
  log_->line(server::LogLevel::error, event)
      .add("method", head.method_text)
      .add("target", head.target)
      .add("mistake", what)
      .send();
}

}  // namespace lanner::python
