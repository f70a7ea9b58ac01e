// python/object/app_log.h: logs what an application raised, with its traceback. The log's own thread
// writes the line, so that no request is blocked.

#pragma once

#include <string_view>

#include "http/exchange.h"
#include "log/log.h"

namespace lanner::python {

class AppLog final {
 public:
  void set_log(log::Log* log) noexcept { log_ = log; }
  // Logs the exception in flight and clears it. REQUIRES: the GIL, an exception set.
  // SystemExit and KeyboardInterrupt too, because an application must not end the server.
  // route, handler: who was called, where Lanner knows that.
  void exception(const char* event, const http::RequestHead& head, bool started,
                 std::string_view route = {}, std::string_view handler = {}) noexcept;
  // The exception in flight came after the client had gone: one line, at level debug; cleared.
  void after_disconnect(const http::RequestHead& head) noexcept;
  // A request that is refused; with a reason, so logged at most once a second.
  void refused(const char* event, const http::RequestHead& head, const char* why) noexcept;
  void mistake(const char* event, const http::RequestHead& head, const char* what) noexcept;

 private:
  log::Log* log_ = nullptr;
};

}  // namespace lanner::python
