// python/asgi_scope.h: the scope of an HTTP request (ASGI HTTP 2.5, "HTTP Connection Scope"): a copy of a template, filled in.

#pragma once

#include <string_view>

#include "http/exchange.h"
#include "python/module_state.h"
#include "python/ref.h"
#include "python/text_cache.h"

namespace lanner::python {

class ScopeBuilder final {
 public:
  // -1 with an exception set. root_path: a str.
  int init(ModuleState* state, PyObject* root_path) noexcept;
  // The lifespan's state: each request gets a shallow copy. A dict, or null: no "state" in the scope.
  int set_state(PyObject* state) noexcept;
  // A new dict, or null with an exception set.
  PyObject* build(http::Exchange& exchange) noexcept;
  void clear() noexcept;
  int traverse(visitproc visit, void* arg) noexcept;

 private:
  PyObject* field_list(const http::RequestHead& head) noexcept;
  PyObject* path(const http::RequestHead& head) noexcept;
  PyObject* endpoint(const http::Endpoint& endpoint, bool is_server) noexcept;
  bool lacks_root_path(std::string_view path) const noexcept;
  int add_target(PyObject* scope, const http::RequestHead& head) noexcept;

  ModuleState* state_ = nullptr;
  Ref template_;
  Ref plain_extensions_;    // shared by all requests, as servers do: applications only read it
  Ref trailer_extensions_;  // for clients that take trailers
  Ref lifespan_state_;
  Ref root_path_;
  const char* root_path_utf8_ = "";  // of root_path_
  TextCache texts_;
};

}  // namespace lanner::python
