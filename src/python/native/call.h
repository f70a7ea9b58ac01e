// python/native/call.h: one request of a native application: from its arguments to the last byte of the answer.
//
//   begin() -> arguments -> the function -> answer -> done
//                               \-> a task -> on_task_done() -> answer -> done
//
// A request whose handler is done at once lives on the stack of the handler; one that waits is kept by it.

#pragma once

#include <Python.h>

#include "base/intrusive_list.h"
#include "http/exchange.h"
#include "python/native/answer.h"
#include "python/native/arguments.h"
#include "python/native/native_app.h"
#include "python/object/ref.h"

namespace lanner::python {

class NativeHandler;
struct NativeCallTag;

class NativeCall final : public http::Observer, public ListNode<NativeCallTag>, private Given {
 public:
  NativeCall(NativeHandler& handler, NativeApp& app, http::Exchange& exchange,
             const router::Match& match) noexcept
      : handler_(handler), app_(app), exchange_(&exchange), match_(match) {}
  NativeCall(const NativeCall&) = delete;
  NativeCall& operator=(const NativeCall&) = delete;

  // REQUIRES: the GIL; `body` has a NUL behind it. True: the request is answered, destroy this.
  bool begin(std::string_view body) noexcept;
  // The same for a 404 or 405 that an exception handler wants to see.
  bool begin_rejected(int status, std::string_view allow) noexcept;
  // Its task has ended. True: destroy this.
  bool on_task_done() noexcept;
  // For the drain's end.
  void cancel() noexcept;

  // http::Observer
  void on_writable() noexcept override {}
  void on_disconnect() noexcept override;
  void on_half_close() noexcept override {}
  void on_body(std::string_view) noexcept override {}
  void on_body_end(Errc) noexcept override {}

 private:
  // Given
  PyObject* request() noexcept override;
  PyObject* response() noexcept override;
  PyObject* tasks() noexcept override;

  Operation& operation() noexcept { return app_.operation(match_.route); }
  // With a value: answers, or starts its task. Null: an exception is set.
  bool take_result(Ref value) noexcept;
  bool start_task(Ref coroutine) noexcept;
  bool answer(PyObject* value) noexcept;
  bool send(const Answer& answer, TextSpace* space) noexcept;
  bool refuse(schema::ErrorList& errors) noexcept;
  bool fail() noexcept;  // the exception in flight becomes an answer
  bool fail_as(PyObject* hook, Ref error) noexcept;
  bool give_up(Ref error) noexcept;
  void log_exception() noexcept;
  void lose() noexcept;
  void after(const Answer& answer) noexcept;

  NativeHandler& handler_;
  NativeApp& app_;
  http::Exchange* exchange_;  // null once it has ended
  router::Match match_;
  std::string_view body_;  // during begin()
  Ref request_;
  Ref response_;
  Ref tasks_;
  Ref task_;
  Ref watcher_;           // the task's done callback
  bool failing_ = false;  // an exception handler is what runs
  bool retained_ = false;
};

}  // namespace lanner::python
