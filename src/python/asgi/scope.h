// python/asgi/scope.h: the scope of an HTTP request (ASGI HTTP 2.5, "HTTP Connection Scope"): a
// copy of a template, filled in.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "http/exchange.h"
#include "python/asgi/state.h"
#include "python/object/ref.h"
#include "python/object/text_cache.h"

namespace lanner::python {

class ScopeBuilder final {
 public:
  // -1 with an exception set. root_path: a str.
  int init(AsgiState* state, PyObject* root_path) noexcept;
  // The lifespan's state: each request gets a shallow copy. A dict, or null: no "state" in the
  // scope.
  int set_state(PyObject* state) noexcept;
  // A new dict, or null with an exception set.
  PyObject* build(http::Exchange& exchange) noexcept;
  void clear() noexcept;
  int traverse(visitproc visit, void* arg) noexcept;

 private:
  PyObject* field_list(const http::RequestHead& head) noexcept;
  struct Pair {
    PyObject* made = nullptr;  // (host, port)
    std::uint16_t port = 0;
  };
  PyObject* endpoint(const http::Endpoint& endpoint, bool is_server) noexcept;
  PyObject* pair_of(const http::Endpoint& endpoint, Pair* kept) noexcept;
  bool lacks_root_path(const http::RequestHead& head, std::string_view path) const noexcept;
  int make_all_extensions() noexcept;
  int add_path(PyObject* scope, const http::RequestHead& head) noexcept;
  int add_target(PyObject* scope, const http::RequestHead& head) noexcept;

  AsgiState* state_ = nullptr;
  Ref template_;
  Ref asgi_;
  Ref no_options_;  // {}: what each extension says of itself
  Ref plain_extensions_;
  Ref trailer_extensions_;  // for clients that take trailers
  Ref lifespan_state_;
  Ref root_path_;
  Ref root_path_raw_;                // bytes, percent-encoded
  const char* root_path_utf8_ = "";  // of root_path_
  TextCache texts_;
  std::array<Pair, 256> clients_{};  // of recent connections, by port
  Pair server_;
};

}  // namespace lanner::python
