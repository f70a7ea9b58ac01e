// python/wsgi/environ.h: the WSGI environ of a request: a copy of a template, filled in (PEP 3333,
// "environ Variables").
//
// Rules beyond the PEP: a field whose name has '_' is dropped, because it could be mistaken for
// another one (as in nginx); repeated fields are joined by "," (Cookie by "; "); RAW_URI is the
// target as sent; REMOTE_ADDR and REMOTE_PORT (absent where unknown) are the client's;
// wsgi.input_terminated is true: reading to the end of wsgi.input is always safe. A
// chunked body that has arrived whole (on the loop's thread) has CONTENT_LENGTH, and no
// HTTP_TRANSFER_ENCODING.

#pragma once

#include "http/exchange.h"
#include "python/object/ref.h"
#include "python/object/text_cache.h"
#include "python/wsgi/state.h"

namespace lanner::python {

struct EnvironOptions {
  bool multithread = false;
  bool multiprocess = false;
};

class EnvironBuilder final {
 public:
  // -1 with an exception set. `root_path`: a str, SCRIPT_NAME.
  int init(WsgiState* state, PyObject* root_path, const EnvironOptions& options) noexcept;
  // A new dict, or null with an exception set.
  PyObject* build(http::Exchange& exchange, PyObject* input, PyObject* early_hints) noexcept;
  void clear() noexcept;
  int traverse(visitproc visit, void* arg) noexcept;

 private:
  int add_request(PyObject* environ, const http::RequestHead& head) noexcept;
  int add_fields(PyObject* environ, const http::RequestHead& head, bool sized) noexcept;
  int add_size(PyObject* environ, http::Exchange& exchange) noexcept;
  int add_field(PyObject* environ, const http::Field& field, bool repeated) noexcept;
  int add_endpoints(PyObject* environ, http::Exchange& exchange) noexcept;
  PyObject* path_info(const http::RequestHead& head) noexcept;

  WsgiState* state_ = nullptr;
  Ref template_;
  Ref root_path_;
  TextCache texts_;
};

}  // namespace lanner::python
