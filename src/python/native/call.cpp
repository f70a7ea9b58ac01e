#include "python/native/call.h"

#include <cstdlib>

#include "python/native/handler.h"
#include "python/object/exception.h"
#include "python/object/forked.h"
#include "python/object/text.h"
#include "python/schema/entry.h"

namespace lanner::python {

namespace {

void free_text(void* memory) noexcept { std::free(memory); }

}  // namespace

bool NativeCall::begin(std::string_view body) noexcept {
  body_ = body;
  const NativeRequest request{exchange_->head(), match_.values(), body};
  Operation& called = operation();
  Arguments arguments(called, request, *this, app_.errors_max());
  bool done = false;
  switch (arguments.read()) {
    case Arguments::Outcome::ready: {
      PyObject** const values = arguments.data();
      Ref value = Ref::steal(
          PyObject_Vectorcall(called.function(), values, called.positional(), called.keywords()));
      if (handler_.asgi().forked()) end_forked();
      done = value ? take_result(std::move(value)) : fail();
      break;
    }
    case Arguments::Outcome::errors:
      done = refuse(arguments.errors());
      break;
    case Arguments::Outcome::not_json: {
      done = fail_as(app_.hooks().malformed.get(), take_exception());
      break;
    }
    case Arguments::Outcome::failed:
      done = fail();
      break;
  }
  body_ = {};
  return done;
}

bool NativeCall::begin_rejected(int status, std::string_view allow) noexcept {
  Ref error = Ref::steal(
      allow.empty() ? PyObject_CallFunction(app_.hooks().rejected.get(), "iO", status, Py_None)
                    : PyObject_CallFunction(app_.hooks().rejected.get(), "i{sN}", status, "Allow",
                                            latin1_str(allow)));
  if (error) raise_exception(std::move(error));
  return fail();
}

bool NativeCall::take_result(Ref value) noexcept {
  if (PyCoro_CheckExact(value.get())) return start_task(std::move(value));
  return answer(value.get());
}

// A coroutine in a task of its own, whose first step is taken at once.
bool NativeCall::start_task(Ref coroutine) noexcept {
  task_ = Ref::steal(handler_.asgi().start_task(coroutine.release()));
  if (handler_.asgi().forked()) end_forked(task_.get());
  if (!task_) return fail();
  Ref done = Ref::steal(PyObject_CallMethodNoArgs(task_.get(), app_.state().names.done));
  if (done.get() == Py_True) return on_task_done();
  if (done) watcher_ = Ref::steal(handler_.watch_task(this, task_.get()));
  if (watcher_ && !retained_) {
    retained_ = bool(exchange_->retain(this));
    if (!retained_) (void)PyErr_NoMemory();
  }
  if (watcher_ && retained_) return false;
  Ref cancelled = Ref::steal(PyObject_CallMethodNoArgs(task_.get(), app_.state().names.cancel));
  if (!cancelled) PyErr_Clear();
  (void)fail();
  // The watcher still refers to this: it is destroyed when the task ends.
  return !watcher_;
}

bool NativeCall::on_task_done() noexcept {
  Ref task = std::move(task_);
  watcher_.clear();
  Ref error = Ref::steal(PyObject_CallMethodNoArgs(task.get(), app_.state().names.exception));
  if (!error) {  // it was cancelled
    PyErr_Clear();
    lose();
    return true;
  }
  if (error.get() != Py_None) {
    raise_exception(std::move(error));
    return fail();
  }
  Ref value = Ref::steal(PyObject_CallMethod(task.get(), "result", nullptr));
  return value ? answer(value.get()) : fail();
}

void NativeCall::cancel() noexcept {
  Ref done = Ref::steal(task_ ? PyObject_CallMethodNoArgs(task_.get(), app_.state().names.cancel)
                              : none());
  if (!done) PyErr_Clear();
}

void NativeCall::on_disconnect() noexcept {
  // The handler goes on, as under other servers: only its answer has nobody to go to.
  handler_.hold_gil();
  lose();
}

// Nobody waits for the answer any more.
void NativeCall::lose() noexcept {
  if (http::Exchange* exchange = std::exchange(exchange_, nullptr)) exchange->abort();
}

bool NativeCall::answer(PyObject* value) noexcept {
  Answer made;
  TextSpace space(app_.spare());
  const bool fine =
      failing_ ? take_response(app_, value, nullptr, &made)
               : make_answer(app_, operation(), value, response_.get(), tasks_.get(), space, &made);
  return fine ? send(made, made.in_space ? &space : nullptr) : fail();
}

bool NativeCall::send(const Answer& answer, TextSpace* space) noexcept {
  http::Exchange* exchange = exchange_;
  if (exchange) {
    if (!exchange->start(*answer.head, answer.body.size())) {
      lose();
      return true;
    }
    http::Payload payload{answer.body, nullptr, nullptr};
    if (space && answer.body.size() >= http::kReferenceBytesMin) {
      payload.owner = space->take();
      payload.release = free_text;
    }
    if (!answer.body.empty()) (void)exchange->write(payload);  // a lost client is told by nobody
    (void)exchange->finish();                                  // the body is as long as was said
    exchange_ = nullptr;
    handler_.wrote();
  }
  after(answer);
  return true;
}

// What is to be done after the answer, also if the client has gone.
void NativeCall::after(const Answer& answer) noexcept {
  if (!answer.background) return;
  Ref begun =
      Ref::steal(PyObject_CallOneArg(app_.hooks().background.get(), answer.background.get()));
  if (!begun) PyErr_WriteUnraisable(answer.background.get());
}

// 422, by the exception handler that is registered for it, or at once.
bool NativeCall::refuse(schema::ErrorList& errors) noexcept {
  Ref title = Ref::steal(PyUnicode_FromString("request"));
  Ref error = Ref::steal(title ? make_validation_error(&app_.state().schema, errors,
                                                       operation().function(), title.get())
                               : nullptr);
  if (!error) return fail();
  if (app_.hooks().invalid) return fail_as(app_.hooks().invalid.get(), std::move(error));
  Ref text = Ref::steal(PyObject_CallMethod(error.get(), "json", nullptr));
  Py_ssize_t size = 0;
  const char* list = text ? PyUnicode_AsUTF8AndSize(text.get(), &size) : nullptr;
  Answer made;
  TextSpace space(app_.spare());
  json::Output out(space);
  const bool fine = list && out.append(app_.refusals().errors_begin) &&
                    out.append({list, static_cast<std::size_t>(size)}) && out.append("}") &&
                    made.own.set_status(422, {}) &&
                    made.own.add("content-type", app_.refusals().media_type, 256);
  if (!fine) return fail();
  made.head = &made.own;
  made.body = {out.data(), out.size()};
  return send(made, nullptr);
}

// Raises what the hook makes of an error and of the body.
bool NativeCall::fail_as(PyObject* hook, Ref error) noexcept {
  Ref body =
      Ref::steal(PyBytes_FromStringAndSize(body_.data(), static_cast<Py_ssize_t>(body_.size())));
  Ref raised = Ref::steal(
      body ? PyObject_CallFunctionObjArgs(hook, error.get(), body.get(), nullptr) : nullptr);
  if (raised) raise_exception(std::move(raised));
  return fail();
}

bool NativeCall::fail() noexcept {
  Ref error = take_exception();
  // SAFETY: PyTypeObject begins with PyObject.
  const bool usual =
      error && PyObject_TypeCheck(error.get(), reinterpret_cast<PyTypeObject*>(PyExc_Exception));
  if (failing_ || !usual) return give_up(std::move(error));
  failing_ = true;
  Ref request = Ref::steal(this->request());
  Ref made = Ref::steal(request ? PyObject_CallFunctionObjArgs(app_.hooks().failed.get(),
                                                               error.get(), request.get(), nullptr)
                                : nullptr);
  if (!made) {
    give_up(std::move(error));
    return true;
  }
  if (!PyTuple_Check(made.get()) || PyTuple_GET_SIZE(made.get()) != 2)
    return give_up(std::move(error));
  if (PyTuple_GET_ITEM(made.get(), 1) == Py_True && exchange_) {
    Raised none_raised;
    raise_exception(std::move(error));
    log_exception();
  }
  return take_result(Ref::borrow(PyTuple_GET_ITEM(made.get(), 0)));
}

// The one in flight, and who raised it. REQUIRES: exchange_.
void NativeCall::log_exception() noexcept {
  const bool matched = match_.outcome == router::Outcome::matched;
  handler_.asgi().log().exception("app.error", exchange_->head(), false,
                                  matched ? operation().route() : std::string_view(),
                                  matched ? operation().title() : std::string_view());
}

// An exception of an exception handler, or one that is no Exception: logged, and a 500 of the server's own.
bool NativeCall::give_up(Ref error) noexcept {
  if (PyErr_Occurred()) {  // raised while `error` was answered
    if (exchange_) log_exception();
    PyErr_Clear();
  } else if (error) {
    raise_exception(std::move(error));
    if (exchange_) log_exception();
    PyErr_Clear();
  }
  lose();
  handler_.wrote();
  return true;
}

PyObject* NativeCall::request() noexcept {
  if (request_) return share(request_.get());
  if (!exchange_) {
    PyErr_SetString(PyExc_RuntimeError, "the request has ended");
    return nullptr;
  }
  Ref scope = Ref::steal(handler_.asgi().scope().build(*exchange_));
  Ref body =
      Ref::steal(PyBytes_FromStringAndSize(body_.data(), static_cast<Py_ssize_t>(body_.size())));
  const bool found = match_.outcome == router::Outcome::matched;
  Ref values = Ref::steal(found ? values_tuple(match_) : PyTuple_New(0));
  Ref route = Ref::steal(found ? PyLong_FromUnsignedLong(match_.route) : none());
  if (!scope || !body || !values || !route) return nullptr;
  request_ = Ref::steal(PyObject_CallFunctionObjArgs(
      app_.hooks().request.get(), scope.get(), body.get(), route.get(), values.get(), nullptr));
  return request_ ? share(request_.get()) : nullptr;
}

PyObject* NativeCall::response() noexcept {
  if (!response_) response_ = Ref::steal(PyObject_CallNoArgs(app_.hooks().response.get()));
  return response_ ? share(response_.get()) : nullptr;
}

PyObject* NativeCall::tasks() noexcept {
  if (!tasks_) tasks_ = Ref::steal(PyObject_CallNoArgs(app_.hooks().tasks.get()));
  return tasks_ ? share(tasks_.get()) : nullptr;
}

}  // namespace lanner::python
