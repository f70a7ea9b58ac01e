// python/native/native_app.h: lanner._core.NativeApp: the routes of an app and their handlers, frozen, and what the
// engine asks Python for.

#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>

#include "python/native/answer.h"
#include "python/native/operation.h"
#include "python/native/refusal.h"
#include "python/native/state.h"
#include "python/object/ref.h"
#include "router/router.h"

namespace lanner::python {

// What is Python's: functions of lanner/native/engine.py.
struct NativeHooks {
  Ref request;        // (scope, body, route, values) -> Request
  Ref response;       // () -> Response, for a handler to set fields on
  Ref tasks;          // () -> BackgroundTasks
  Ref response_type;  // Response
  Ref failed;     // (error, request) -> (Response or awaitable, whether nobody expected the error)
  Ref malformed;  // (JSONDecodeError, body) -> the exception that says so
  Ref invalid;  // (ValidationError, body) -> the exception that a handler is registered for; or none
  Ref rejected;  // (status, fields) -> the exception of a 404 or 405; none: answered without Python
  Ref background;  // (callable): runs it after the answer
  Ref together;    // (callable, callable) -> one that calls both
};

class NativeApp final {
 public:
  NativeApp() noexcept = default;
  NativeApp(const NativeApp&) = delete;
  NativeApp& operator=(const NativeApp&) = delete;

  // -1 with an exception set.
  int init(NativeState* state, PyObject* routes, PyObject* hooks) noexcept;
  int traverse(visitproc visit, void* arg) const noexcept;
  void clear() noexcept;

  NativeState& state() noexcept { return *state_; }
  const router::Router& router() const noexcept { return *router_; }
  Operation& operation(std::uint32_t route) noexcept { return operations_[route]; }
  std::uint32_t number_of(const Operation& operation) const noexcept {
    return static_cast<std::uint32_t>(&operation - operations_.get());
  }
  std::uint32_t route_count() const noexcept { return count_; }
  const NativeHooks& hooks() const noexcept { return hooks_; }
  PyTypeObject* response_type() const noexcept {
    // SAFETY: init() checked that it is a type.
    return reinterpret_cast<PyTypeObject*>(hooks_.response_type.get());
  }
  std::uint32_t errors_max() const noexcept { return errors_max_; }
  const Refusals& refusals() const noexcept { return *refusals_; }
  TextSpare& spare() noexcept { return spare_; }

 private:
  int take_hooks(PyObject* hooks) noexcept;
  int take_routes(PyObject* routes, PyObject* hooks) noexcept;

  NativeState* state_ = nullptr;
  std::unique_ptr<const router::Router> router_;
  std::unique_ptr<Operation[]> operations_;
  std::uint32_t count_ = 0;
  NativeHooks hooks_;
  std::uint32_t errors_max_ = 64;
  const Refusals* refusals_ = &kPlainRefusals;
  TextSpare spare_;
};

// Null with an exception set: not a NativeApp. `object` keeps it alive.
NativeApp* native_app_of(NativeState* state, PyObject* object) noexcept;

// The path that routes are written for: without what a proxy in front has its own routes by. "/" for the root itself.
std::string_view below_root(std::string_view path, std::string_view root) noexcept;

// The values of a path's and a host's parameters as str, for Request.path_params: a new tuple.
PyObject* values_tuple(const router::Match& match) noexcept;

}  // namespace lanner::python
