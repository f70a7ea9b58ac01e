// python/wsgi/app.h: a WSGI application and what its calls share: environ template, reusable
// objects, released objects.

#pragma once

#include <cstdint>

#include "base/buffer.h"
#include "http/exchange.h"
#include "http/response_head.h"
#include "python/answer/released.h"
#include "python/object/app_log.h"
#include "python/object/forked.h"
#include "python/object/ref.h"
#include "python/wsgi/environ.h"
#include "python/wsgi/state.h"

namespace lanner::python {

class WsgiCall;

// The Python objects that a call passes to the application; reused when the application did not
// keep them.
struct WsgiKit {
  Ref start_response;
  Ref write;
  Ref early_hints;
  Ref input;
  http::ResponseHead head;
  WsgiKit* next = nullptr;
};

class WsgiApp final {
 public:
  WsgiApp() noexcept = default;
  WsgiApp(const WsgiApp&) = delete;
  WsgiApp& operator=(const WsgiApp&) = delete;
  ~WsgiApp() { clear(); }

  // -1 with an exception set.
  int init(WsgiState* state, PyObject* application, PyObject* root_path,
           const EnvironOptions& options, std::uint64_t response_head_bytes,
           log::Log* log) noexcept;
  void clear() noexcept;
  int traverse(visitproc visit, void* arg) noexcept;

  WsgiState* state() noexcept { return state_; }
  PyObject* application() noexcept { return application_.get(); }
  EnvironBuilder& environ() noexcept { return environ_; }
  Released& released() noexcept { return released_; }
  AppLog& log() noexcept { return log_; }
  // In a child that was forked from the process that serves.
  bool forked() const noexcept { return came_back(born_); }
  std::uint64_t response_head_bytes() const noexcept { return response_head_bytes_; }

  // Null with an exception set.
  WsgiKit* take_kit(WsgiCall* call, http::Exchange& exchange) noexcept;
  // The call has ended: its objects raise an error from now on.
  void give_back(WsgiKit* kit) noexcept;

 private:
  static constexpr std::size_t kKitsMax = 64;

  const std::uint32_t born_ = sys::fork_count();

  WsgiState* state_ = nullptr;
  Ref application_;
  EnvironBuilder environ_;
  Released released_;
  WsgiKit* kits_ = nullptr;
  std::size_t kit_count_ = 0;
  std::uint64_t response_head_bytes_ = 0;
  AppLog log_;
};

}  // namespace lanner::python
