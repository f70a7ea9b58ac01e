// python/asgi/app.h: an ASGI application and what its requests share: scope template, loop,
// reusable callables, released objects.

#pragma once

#include <cstdint>

#include "http/response_head.h"
#include "python/answer/released.h"
#include "python/asgi/scope.h"
#include "python/asgi/state.h"
#include "python/object/app_log.h"
#include "python/object/forked.h"
#include "python/object/ref.h"

namespace lanner::python {

class AsgiCall;

// The two callables of a request and the head of its answer; reused when the application did not
// keep them.
struct AsgiKit {
  Ref receive;
  Ref send;
  http::ResponseHead head;
  AsgiKit* next = nullptr;
};

class AsgiApp final {
 public:
  AsgiApp() noexcept = default;
  AsgiApp(const AsgiApp&) = delete;
  AsgiApp& operator=(const AsgiApp&) = delete;
  ~AsgiApp() { clear(); }

  // -1 with an exception set. loop: a running or soon running asyncio loop.
  int init(AsgiState* state, PyObject* application, PyObject* root_path, PyObject* loop,
           std::uint64_t response_head_bytes, log::Log* log) noexcept;
  void clear() noexcept;
  int traverse(visitproc visit, void* arg) noexcept;

  AsgiState* state() noexcept { return state_; }
  PyObject* application() noexcept { return application_.get(); }
  PyObject* loop() noexcept { return loop_.get(); }
  ScopeBuilder& scope() noexcept { return scope_; }
  Released& released() noexcept { return released_; }
  AppLog& log() noexcept { return log_; }
  std::uint64_t response_head_bytes() const noexcept { return response_head_bytes_; }

  // Null with an exception set.
  AsgiKit* take_kit(AsgiCall* call) noexcept;
  void give_back(AsgiKit* kit) noexcept;

  // An awaitable that is ready with None; the same object each time.
  PyObject* ready_none() noexcept { return share(ready_none_.get()); }
  // The awaitable of one receive() call; null with an exception set.
  PyObject* receiving(PyObject* receive) noexcept;
  // A task of the loop for a coroutine (taken over) in its own context, with its first step already
  // taken.
  PyObject* start_task(PyObject* coroutine) noexcept;

  // In a child that was forked from the process that serves.
  bool forked() const noexcept { return came_back(born_); }

 private:
  const std::uint32_t born_ = sys::fork_count();
  static constexpr std::size_t kKitsMax = 256;
  static PyObject* refuse(PyObject* result) noexcept;
  int make_task_arguments() noexcept;
  PyObject* task_of(PyObject* coroutine, PyObject* context) noexcept;

  AsgiState* state_ = nullptr;
  Ref application_;
  Ref loop_;
  Ref task_type_;
  Ref task_name_;
  Ref task_arguments_;  // a dict of keyword arguments, its context set anew for each task
  Ref ready_none_;
  Ref receiving_spare_;
  ScopeBuilder scope_;
  Released released_;
  AppLog log_;
  AsgiKit* kits_ = nullptr;
  std::size_t kit_count_ = 0;
  std::uint64_t response_head_bytes_ = 0;
  bool catches_steps_ = false;  // the loop is a LoopBase and this Python has no eager tasks
};

}  // namespace lanner::python
