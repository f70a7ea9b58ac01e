// python/native/handler.h: serves a native application on the loop's thread: routes, refuses without Python what no
// handler answers, and runs the handlers.

#pragma once

#include <cstdint>

#include "base/buffer.h"
#include "base/intrusive_list.h"
#include "base/slab.h"
#include "http/exchange.h"
#include "python/asgi/app.h"
#include "python/asgi/handler.h"
#include "python/native/blocking_look.h"
#include "python/native/call.h"
#include "python/native/native_app.h"
#include "python/native/text_refusal.h"
#include "python/object/gil.h"

namespace lanner::python {

class NativeHandler final : public http::Handler {
 public:
  // loop: how the event loop is told of tasks and writes; asgi: scopes, tasks and log. root: what paths may begin with
  // that routes do not have, percent-encoded; borrowed.
  NativeHandler(NativeApp& app, AsgiApp& asgi, AsgiHandler& loop, Gil& gil, std::string_view root,
                log::Log* log) noexcept;
  NativeHandler(const NativeHandler&) = delete;
  NativeHandler& operator=(const NativeHandler&) = delete;

  http::Plan plan(const http::RequestHead& head) noexcept override;
  void handle(http::Exchange& exchange, const http::Plan& plan) noexcept override;

  AsgiApp& asgi() noexcept { return asgi_; }
  void wrote() noexcept { loop_.wrote(); }
  void hold_gil() noexcept { gil_.hold(); }
  // Calls back when the task is done: a new reference; null with an exception set.
  PyObject* watch_task(NativeCall* call, PyObject* task) noexcept;
  void call_ended(NativeCall* call) noexcept;
  void cancel_all() noexcept;
  // began_ms: when the turn began (monotonic).
  void after_turn(std::uint64_t began_ms) noexcept { blocking_.after_turn(began_ms); }
  std::size_t suspended_count() const noexcept { return calls_.in_use(); }

 private:
  router::Target target_of(const http::RequestHead& head) const noexcept;
  void reject(http::Exchange& exchange, const router::Match& match) noexcept;
  void run(http::Exchange& exchange, const router::Match& match) noexcept;
  void reject_in_python(http::Exchange& exchange, const router::Match& match, int status,
                        std::string_view allow) noexcept;
  void take_gil() noexcept;
  void keep(NativeCall* call, bool done) noexcept;
  // 0, or the status that refuses it. The body is in body_, with a NUL behind it.
  int read_body(http::Exchange& exchange, const Operation& operation) noexcept;
  void refuse(http::Exchange& exchange, int status, std::string_view name,
              std::string_view value) noexcept;
  bool refuse_by_texts(http::Exchange& exchange, const router::Match& match) noexcept;
  // name, value: a field, or none. body: JSON, or empty.
  void answer(http::Exchange& exchange, int status, std::string_view name, std::string_view value,
              std::string_view body) noexcept;
  static void send(http::Exchange& exchange, const http::ResponseHead& head,
                   std::string_view body) noexcept;

  NativeApp& app_;
  AsgiApp& asgi_;
  AsgiHandler& loop_;
  Gil& gil_;
  std::string_view root_;
  Buffer body_;
  BlockingLook blocking_;
  TextRefusal refusal_;
  http::ResponseHead
      not_found_;  // of a 404 that Python does not hear of: as a route, the plan of such a request
  Slab<NativeCall> calls_;
  IntrusiveList<NativeCall, NativeCallTag> suspended_;
};

}  // namespace lanner::python
