#include "python/native/handler.h"

#include <cstring>
#include <memory>
#include <new>

#include "http/media_type.h"
#include "http/response_head.h"
#include "python/object/callable_type.h"
#include "router/location.h"
#include "sys/clock.h"

namespace lanner::python {

namespace {

constexpr std::uint64_t kHeadBytesMax = 65536;
constexpr std::size_t kReadBytes = 65536;
// As a route: the plan of a request whose body is too large.
constexpr char kTooLarge = 0;

// What asyncio calls when a task is done.
struct DoneCallback {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  NativeCall* call;  // null: told already
  NativeHandler* handler;
};

DoneCallback* as_callback(PyObject* object) noexcept {
  return reinterpret_cast<DoneCallback*>(object);  // SAFETY: only called for objects of our type
}

PyObject* call_done(PyObject* object, PyObject* const*, size_t, PyObject*) noexcept {
  NativeCall* call = as_callback(object)->call;
  as_callback(object)->call = nullptr;
  if (call && call->on_task_done()) as_callback(object)->handler->call_ended(call);
  return none();
}

void dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

}  // namespace

router::Target NativeHandler::target_of(const http::RequestHead& head) const noexcept {
  router::Target target = router::Target::of(head);
  target.path = below_root(target.path, root_);
  return target;
}

NativeHandler::NativeHandler(NativeApp& app, AsgiApp& asgi, AsgiHandler& loop, Gil& gil,
                             std::string_view root, log::Log* log) noexcept
    : app_(app),
      asgi_(asgi),
      loop_(loop),
      gil_(gil),
      root_(root),
      blocking_(log),
      refusal_(app.refusals(), app.errors_max()) {
  if (!app.hooks().rejected && not_found_.set_status(404, {}) &&
      !not_found_.add("content-type", app.refusals().media_type, kHeadBytesMax))
    not_found_.clear();
}

// The route, and how much of a body it takes: none for a handler that reads none, or for nobody.
http::Plan NativeHandler::plan(const http::RequestHead& head) noexcept {
  router::Match match;
  app_.router().match(target_of(head), &match);
  http::Plan plan;
  if (match.outcome == router::Outcome::not_found && not_found_.field_count() > 0)
    plan.route = &not_found_;
  if (match.outcome != router::Outcome::matched) return plan;
  Operation& operation = app_.operation(match.route);
  plan.route = &operation;
  if (!operation.takes_body()) return plan;
  plan.body_bytes_max = operation.body_limit();
  if (head.framing != http::BodyFraming::length || head.content_length <= operation.body_limit())
    return plan;
  // Refused in the application's words, and not read. A chunked body that grows too long is the server's to refuse.
  plan.route = &kTooLarge;
  plan.body_mode = http::BodyMode::stream;
  plan.body_bytes_max = http::Plan::kUnlimited;
  return plan;
}

void NativeHandler::handle(http::Exchange& exchange, const http::Plan& plan) noexcept {
  if (plan.route == &not_found_) return send(exchange, not_found_, app_.refusals().not_found);
  if (plan.route == &kTooLarge) return refuse(exchange, 413, {}, {});
  const auto* planned = static_cast<const Operation*>(plan.route);
  router::Match match;
  if (planned && planned->path_is_fixed()) {
    match.outcome = router::Outcome::matched;
    match.route = app_.number_of(*planned);
    match.count = 0;
    return run(exchange, match);
  }
  // Again: the head may have moved since, and the values are views of it.
  app_.router().match(target_of(exchange.head()), &match);
  if (match.outcome == router::Outcome::matched) return run(exchange, match);
  reject(exchange, match);
}

// 404, 405, a redirect, or OPTIONS: without Python.
void NativeHandler::reject(http::Exchange& exchange, const router::Match& match) noexcept {
  const http::RequestHead& head = exchange.head();
  router::AllowText allow;
  switch (match.outcome) {
    case router::Outcome::method_not_allowed:
      if (app_.hooks().rejected)
        return reject_in_python(exchange, match, 405, app_.router().allow(match.allowed, &allow));
      return refuse(exchange, 405, "allow", app_.router().allow(match.allowed, &allow));
    case router::Outcome::automatic_options:
      return refuse(exchange, 204, "allow", app_.router().allow(match.allowed, &allow));
    case router::Outcome::redirect: {
      const std::string_view path = below_root(head.path, root_);
      const bool below = path.data() != head.path.data();
      const router::Redirected from{below ? root_ : std::string_view(), path, head.query,
                                    head.has_query};
      const std::unique_ptr<char[]> text(
          new (std::nothrow) char[router::location_bytes_bound(from)]);
      if (!text) return exchange.abort();
      char* end = router::write_location(from, text.get());
      return refuse(exchange, 307, "location",
                    {text.get(), static_cast<std::size_t>(end - text.get())});
    }
    default:
      if (app_.hooks().rejected) return reject_in_python(exchange, match, 404, {});
      return refuse(exchange, 404, {}, {});
  }
}

void NativeHandler::refuse(http::Exchange& exchange, int status, std::string_view name,
                           std::string_view value) noexcept {
  answer(exchange, status, name, value, app_.refusals().body_of(status));
}

void NativeHandler::answer(http::Exchange& exchange, int status, std::string_view name,
                           std::string_view value, std::string_view body) noexcept {
  http::ResponseHead head;
  const bool built =
      head.set_status(status, {}) && (name.empty() || head.add(name, value, kHeadBytesMax)) &&
      (body.empty() || head.add("content-type", app_.refusals().media_type, kHeadBytesMax));
  if (!built) return exchange.abort();
  send(exchange, head, body);
}

void NativeHandler::send(http::Exchange& exchange, const http::ResponseHead& head,
                         std::string_view body) noexcept {
  if (!exchange.start(head, body.size())) return exchange.abort();
  if (!body.empty())
    (void)exchange.write({body, nullptr, nullptr});  // nobody tells of a lost client
  (void)exchange.finish();                           // the body is as long as was said
}

int NativeHandler::read_body(http::Exchange& exchange, const Operation& operation) noexcept {
  body_.clear();
  const http::RequestHead& head = exchange.head();
  if (head.framing != http::BodyFraming::none && operation.takes_body()) {
    const http::Field* type = head.find(http::Token::content_type);
    if (operation.body_schema() && type && !http::is_json(type->value)) return 415;
    http::Body& body = exchange.body();
    for (;;) {
      char* to = body_.reserve(kReadBytes);
      if (!to) return 503;
      const Result<std::size_t> read = body.read(to, kReadBytes);
      if (!read) return 400;
      if (*read == 0) break;
      body_.commit(*read);
    }
  }
  if (!body_.append(std::string_view("\0", 1))) return 503;
  return 0;
}

void NativeHandler::take_gil() noexcept {
  if (gil_.held()) return;
  gil_.hold();
  asgi_.released().drop_all();
}

void NativeHandler::reject_in_python(http::Exchange& exchange, const router::Match& match,
                                     int status, std::string_view allow) noexcept {
  take_gil();
  NativeCall* call = calls_.make(*this, app_, exchange, match);
  if (!call) return exchange.abort();
  keep(call, call->begin_rejected(status, allow));
}

void NativeHandler::run(http::Exchange& exchange, const router::Match& match) noexcept {
  const int refused = read_body(exchange, app_.operation(match.route));
  if (refused) return refuse(exchange, refused, {}, {});
  if (!gil_.held() && refuse_by_texts(exchange, match)) return;
  take_gil();
  NativeCall* call = calls_.make(*this, app_, exchange, match);
  if (!call) return exchange.abort();
  Buffer body = std::move(body_);  // a handler may serve another request meanwhile
  Operation& operation = app_.operation(match.route);
  blocking_.note(operation);
  const std::uint64_t began_ms = blocking_.timing() ? sys::monotonic_ms() : 0;
  const bool done = call->begin({body.data(), body.size() - 1});
  if (began_ms) blocking_.timed(operation, sys::monotonic_ms() - began_ms);
  body_ = std::move(body);
  keep(call, done);
}

// True: it is answered with a 422. Where the GIL is held already, Python finds the same.
bool NativeHandler::refuse_by_texts(http::Exchange& exchange, const router::Match& match) noexcept {
  const Operation& operation = app_.operation(match.route);
  if (!operation.has_checkable_texts() || app_.hooks().invalid) return false;
  const NativeRequest request{exchange.head(), match.values(), {}};
  if (!refusal_.finds(operation, request)) return false;
  send(exchange, refusal_.head(), refusal_.body());
  return true;
}

void NativeHandler::keep(NativeCall* call, bool done) noexcept {
  if (done) {
    call_ended(call);
  } else {
    suspended_.push_back(*call);
  }
}

void NativeHandler::call_ended(NativeCall* call) noexcept {
  if (call->linked()) call->unlink();
  calls_.destroy(call);
}

void NativeHandler::cancel_all() noexcept {
  suspended_.for_each([](NativeCall& call) { call.cancel(); });
}

PyObject* NativeHandler::watch_task(NativeCall* call, PyObject* task) noexcept {
  PyTypeObject* type = app_.state().done_type;
  Ref callback = Ref::steal(type->tp_alloc(type, 0));
  if (!callback) return nullptr;
  as_callback(callback.get())->vectorcall = call_done;
  as_callback(callback.get())->call = call;
  as_callback(callback.get())->handler = this;
  Ref added = Ref::steal(
      PyObject_CallMethodOneArg(task, app_.state().names.add_done_callback, callback.get()));
  return added ? callback.release() : nullptr;
}

int add_native_done_type(PyObject* module, NativeState* state) noexcept {
  state->done_type =
      make_callable_type<DoneCallback>(module, "lanner._core.NativeDone",
                                       "Tells the engine that a request's task is done.", dealloc);
  return state->done_type ? 0 : -1;
}

}  // namespace lanner::python
