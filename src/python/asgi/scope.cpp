// python/asgi/scope.cpp: the scope of an HTTP request: a copy of a template, filled in.

#include "python/asgi/scope.h"

#include <cstring>
#include <string_view>

#include "base/buffer.h"
#include "http/ascii.h"
#include "http/list.h"
#include "http/target.h"
#include "python/object/text.h"

namespace lanner::python {

namespace {

int set(PyObject* dict, PyObject* key, PyObject* value) noexcept {
  if (!value) return -1;
  const int code = PyDict_SetItem(dict, key, value);
  drop(value);
  return code;
}

PyObject* bytes_of(std::string_view text) noexcept {
  return PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject* lower_bytes(std::string_view text) noexcept {
  PyObject* bytes = bytes_of(text);
  if (!bytes) return nullptr;
  char* to = PyBytes_AS_STRING(bytes);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (to[i] >= 'A' && to[i] <= 'Z') to[i] = static_cast<char>(to[i] + 32);
  }
  return bytes;
}

PyObject* make_extensions(PyObject* nothing, bool trailers) noexcept {
  Ref all = Ref::steal(
      Py_BuildValue("{sOsOsOsO}", "http.response.pathsend", nothing, "http.response.zerocopysend",
                    nothing, "http.response.early_hint", nothing, "http.response.debug", nothing));
  if (all && trailers && PyDict_SetItemString(all.get(), "http.response.trailers", nothing) < 0) {
    return nullptr;
  }
  return all.release();
}

PyObject* percent_encoded(std::string_view path) noexcept {
  Buffer encoded;
  if (!http::percent_encode_path(path, &encoded)) return PyErr_NoMemory();
  return bytes_of(encoded.view());
}

}  // namespace

int ScopeBuilder::init(AsgiState* state, PyObject* root_path) noexcept {
  state_ = state;
  root_path_ = Ref::borrow(root_path);
  root_path_utf8_ = PyUnicode_AsUTF8(root_path);
  if (!root_path_utf8_) return -1;
  root_path_raw_ = Ref::steal(percent_encoded(root_path_utf8_));
  if (!root_path_raw_) return -1;
  asgi_ = Ref::steal(Py_BuildValue("{ssss}", "version", "3.0", "spec_version", "2.5"));
  template_ = Ref::steal(PyDict_New());
  if (!asgi_ || !template_ || make_all_extensions() < 0) return -1;
  PyObject* dict = template_.get();
  if (set(dict, state->names.type, share(state->names.http)) < 0 ||
      set(dict, state->names.asgi, none()) < 0 ||
      set(dict, state->names.http_version, share(state->names.version_1_1)) < 0 ||
      set(dict, state->names.method,
          share(state->names.methods[static_cast<std::size_t>(http::Method::get)])) < 0 ||
      set(dict, state->names.scheme, share(state->names.http)) < 0 ||
      set(dict, state->names.path, share(state->names.empty)) < 0 ||
      set(dict, state->names.raw_path, share(state->names.empty_bytes)) < 0 ||
      set(dict, state->names.query_string, share(state->names.empty_bytes)) < 0 ||
      set(dict, state->names.root_path, share(root_path)) < 0 ||
      set(dict, state->names.headers, none()) < 0 || set(dict, state->names.client, none()) < 0 ||
      set(dict, state->names.server, none()) < 0 ||
      set(dict, state->names.extensions, none()) < 0) {
    return -1;
  }
  return 0;
}

// The extensions' own dicts are empty, and one for all; an application that has put something in
// gets it replaced.
int ScopeBuilder::make_all_extensions() noexcept {
  no_options_ = Ref::steal(PyDict_New());
  if (!no_options_) return -1;
  plain_extensions_ = Ref::steal(make_extensions(no_options_.get(), false));
  trailer_extensions_ = Ref::steal(make_extensions(no_options_.get(), true));
  return plain_extensions_ && trailer_extensions_ ? 0 : -1;
}

int ScopeBuilder::set_state(PyObject* state) noexcept {
  lifespan_state_ = Ref::borrow(state);
  return PyDict_SetItem(template_.get(), state_->names.state, Py_None);
}

PyObject* ScopeBuilder::field_list(const http::RequestHead& head) noexcept {
  Ref list = Ref::steal(PyList_New(static_cast<Py_ssize_t>(head.fields.size())));
  if (!list) return nullptr;
  Py_ssize_t index = 0;
  for (const http::Field& field : head.fields) {
    PyObject* pair = PyTuple_New(2);
    if (!pair) return nullptr;
    PyList_SET_ITEM(list.get(), index++, pair);
    PyObject* name = field.token == http::Token::unknown
                         ? lower_bytes(field.name)
                         : share(state_->field_names[static_cast<std::size_t>(field.token)]);
    PyTuple_SET_ITEM(pair, 0, name ? name : none());
    PyObject* value = bytes_of(field.value);
    PyTuple_SET_ITEM(pair, 1, value ? value : none());
    if (!name || !value) return nullptr;
  }
  return list.release();
}

// [host, port]; for a unix socket [path, None] as server and None as client.
PyObject* ScopeBuilder::endpoint(const http::Endpoint& endpoint, bool is_server) noexcept {
  if (endpoint.unix_socket) {
    if (!is_server) return none();
    PyObject* text = PyUnicode_DecodeFSDefaultAndSize(
        endpoint.host.data(), static_cast<Py_ssize_t>(endpoint.host.size()));
    return text ? Py_BuildValue("(NO)", text, Py_None) : nullptr;
  }
  if (endpoint.host.empty()) return none();
  return pair_of(endpoint, is_server ? &server_ : &clients_[endpoint.port % clients_.size()]);
}

// Tuples are not changed by anybody, so the last one of that port serves again if the address is
// the same.
PyObject* ScopeBuilder::pair_of(const http::Endpoint& endpoint, Pair* kept) noexcept {
  std::string_view host;
  if (kept->made && kept->port == endpoint.port &&
      latin1_view(PyTuple_GET_ITEM(kept->made, 0), &host) && host == endpoint.host) {
    return share(kept->made);
  }
  PyObject* text = texts_.get(endpoint.host);
  PyObject* made = text ? Py_BuildValue("(Ni)", text, static_cast<int>(endpoint.port)) : nullptr;
  if (!made) return nullptr;
  PyObject* old = kept->made;
  *kept = {share(made), endpoint.port};
  drop(old);
  return made;
}

// With --root-path, `path` always begins with it (ASGI: root_path is what SCRIPT_NAME is), whether
// the proxy in front left it in or took it off. `path`: percent-decoded, as the prefix is.
bool ScopeBuilder::lacks_root_path(const http::RequestHead& head,
                                   std::string_view path) const noexcept {
  const std::string_view prefix = root_path_utf8_;
  if (prefix.empty() || head.form == http::TargetForm::asterisk) return false;
  return !(path.starts_with(prefix) &&
           (path.size() == prefix.size() || path[prefix.size()] == '/'));
}

// path: percent-decoded, then UTF-8; what is not UTF-8 becomes U+FFFD (ASGI: "path").
int ScopeBuilder::add_path(PyObject* scope, const http::RequestHead& head) noexcept {
  Buffer room;
  std::string_view path = head.path;
  if (head.path_has_escapes) {
    char* to = room.reserve(path.size());
    if (!to) {
      (void)PyErr_NoMemory();
      return -1;
    }
    path = {to, http::percent_decode(path, to)};
  }
  const bool prefixed = lacks_root_path(head, path);
  PyObject* raw = bytes_of(head.path);
  if (prefixed) {
    PyObject* whole = root_path_raw_.get() ? share(root_path_raw_.get()) : nullptr;
    PyBytes_ConcatAndDel(&whole, raw);
    raw = whole;
  }
  if (set(scope, state_->names.raw_path, raw) < 0) return -1;
  Ref text = Ref::steal(
      head.path_has_escapes
          ? PyUnicode_DecodeUTF8(path.data(), static_cast<Py_ssize_t>(path.size()), "replace")
          : texts_.get(path));
  if (text && prefixed) text = Ref::steal(PyUnicode_Concat(root_path_.get(), text.get()));
  return set(scope, state_->names.path, text.release());
}

int ScopeBuilder::add_target(PyObject* scope, const http::RequestHead& head) noexcept {
  if (head.method != http::Method::get) {  // which the template has
    PyObject* method = state_->names.methods[static_cast<std::size_t>(head.method)];
    method = method ? share(method) : latin1_str(head.method_text);
    if (set(scope, state_->names.method, method) < 0) return -1;
  }
  if (add_path(scope, head) < 0) return -1;
  if (!head.query.empty() && set(scope, state_->names.query_string, bytes_of(head.query)) < 0)
    return -1;
  if (head.secure && PyDict_SetItem(scope, state_->names.scheme, state_->names.https) < 0)
    return -1;
  if (head.minor_version == 0) {
    return PyDict_SetItem(scope, state_->names.http_version, state_->names.version_1_0);
  }
  return 0;
}

PyObject* ScopeBuilder::build(http::Exchange& exchange) noexcept {
  const http::RequestHead& head = exchange.head();
  Ref scope = Ref::steal(PyDict_Copy(template_.get()));
  if (!scope || add_target(scope.get(), head) < 0 ||
      set(scope.get(), state_->names.headers, field_list(head)) < 0 ||
      set(scope.get(), state_->names.client, endpoint(exchange.client(), false)) < 0 ||
      set(scope.get(), state_->names.server, endpoint(exchange.server(), true)) < 0) {
    return nullptr;
  }
  if (PyDict_GET_SIZE(no_options_.get()) != 0 && make_all_extensions() < 0) return nullptr;
  // Copies: what middleware changes in them must not reach the next request.
  PyObject* extensions =
      http::takes_trailers(head) ? trailer_extensions_.get() : plain_extensions_.get();
  if (set(scope.get(), state_->names.extensions, PyDict_Copy(extensions)) < 0 ||
      set(scope.get(), state_->names.asgi, PyDict_Copy(asgi_.get())) < 0) {
    return nullptr;
  }
  if (lifespan_state_ &&
      set(scope.get(), state_->names.state, PyDict_Copy(lifespan_state_.get())) < 0) {
    return nullptr;
  }
  return scope.release();
}

void ScopeBuilder::clear() noexcept {
  template_.clear();
  asgi_.clear();
  no_options_.clear();
  root_path_raw_.clear();
  plain_extensions_.clear();
  trailer_extensions_.clear();
  lifespan_state_.clear();
  root_path_.clear();
  texts_.clear();
  for (Pair* pair = clients_.data(); pair != clients_.data() + clients_.size(); ++pair) {
    drop(pair->made);
    pair->made = nullptr;
  }
  drop(server_.made);
  server_.made = nullptr;
}

int ScopeBuilder::traverse(visitproc visit, void* arg) noexcept {
  for (const Ref* ref :
       {&template_, &asgi_, &plain_extensions_, &trailer_extensions_, &lifespan_state_}) {
    if (int code = ref->traverse(visit, arg)) return code;
  }
  return 0;
}

}  // namespace lanner::python
