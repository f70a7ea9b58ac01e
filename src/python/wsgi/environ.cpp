// python/wsgi/environ.cpp: the WSGI environ of a request: a copy of a template, filled in.

#include "python/wsgi/environ.h"

#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "http/target.h"
#include "python/object/text.h"

namespace lanner::python {

namespace {

// Takes over `value`; -1 with an exception set.
int set(PyObject* dict, PyObject* key, PyObject* value) noexcept {
  if (!value) return -1;
  const int code = PyDict_SetItem(dict, key, value);
  drop(value);
  return code;
}

// "X-Trace-Id" -> "HTTP_X_TRACE_ID"; null with an exception set.
PyObject* key_of(std::string_view name) noexcept {
  PyObject* key = PyUnicode_New(static_cast<Py_ssize_t>(name.size() + 5), 127);
  if (!key) return nullptr;
  Py_UCS1* to = PyUnicode_1BYTE_DATA(key);
  for (const char c : std::string_view("HTTP_")) *to++ = static_cast<Py_UCS1>(c);
  for (const char c : name) {
    *to++ = static_cast<Py_UCS1>(c == '-' ? '_' : (c >= 'a' && c <= 'z') ? c - 32 : c);
  }
  return key;
}

bool worth_caching(http::Token token) noexcept {
  return token != http::Token::cookie && token != http::Token::authorization &&
         token != http::Token::content_length;
}

}  // namespace

int EnvironBuilder::init(WsgiState* state, PyObject* root_path,
                         const EnvironOptions& options) noexcept {
  state_ = state;
  Py_ssize_t root_bytes = 0;
  const char* root_utf8 = PyUnicode_AsUTF8AndSize(root_path, &root_bytes);
  if (!root_utf8) return -1;
  // Its bytes as latin-1, as all text of an environ (PEP 3333, "Unicode Issues").
  root_path_ = Ref::steal(PyUnicode_DecodeLatin1(root_utf8, root_bytes, nullptr));
  if (!root_path_) return -1;
  template_ = Ref::steal(PyDict_New());
  if (!template_) return -1;
  PyObject* dict = template_.get();
  PyObject* errors = PySys_GetObject("stderr");
  const auto flag = [](bool on) noexcept { return share(on ? Py_True : Py_False); };
  // Keys that every request sets stand here too, so that setting them later inserts nothing.
  PyObject* const placeholders[] = {state->names.REQUEST_METHOD, state->names.PATH_INFO,
                                    state->names.QUERY_STRING,   state->names.RAW_URI,
                                    state->names.REMOTE_ADDR,    state->names.REMOTE_PORT,
                                    state->names.SERVER_NAME,    state->names.SERVER_PORT,
                                    state->names.wsgi_input,     state->names.wsgi_early_hints};
  for (PyObject* key : placeholders) {
    if (PyDict_SetItem(dict, key, state->names.empty) < 0) return -1;
  }
  if (set(dict, state->names.SCRIPT_NAME, share(root_path_.get())) < 0 ||
      set(dict, state->names.SERVER_PROTOCOL, share(state->names.http_1_1)) < 0 ||
      set(dict, state->names.SERVER_SOFTWARE, PyUnicode_FromString("lanner/" LANNER_VERSION)) < 0 ||
      set(dict, state->names.wsgi_version, Py_BuildValue("(ii)", 1, 0)) < 0 ||
      set(dict, state->names.wsgi_url_scheme, PyUnicode_InternFromString("http")) < 0 ||
      set(dict, state->names.wsgi_errors, share(errors ? errors : Py_None)) < 0 ||
      set(dict, state->names.wsgi_multithread, flag(options.multithread)) < 0 ||
      set(dict, state->names.wsgi_multiprocess, flag(options.multiprocess)) < 0 ||
      set(dict, state->names.wsgi_run_once, flag(false)) < 0 ||
      // SAFETY: PyTypeObject begins with PyObject.
      set(dict, state->names.wsgi_file_wrapper,
          share(reinterpret_cast<PyObject*>(state->file_wrapper_type))) < 0 ||
      set(dict, state->names.wsgi_input_terminated, flag(true)) < 0) {
    return -1;
  }
  return 0;
}

PyObject* EnvironBuilder::build(http::Exchange& exchange, PyObject* input,
                                PyObject* early_hints) noexcept {
  Ref environ = Ref::steal(PyDict_Copy(template_.get()));
  if (!environ) return nullptr;
  const http::RequestHead& head = exchange.head();
  const bool sized = head.framing == http::BodyFraming::chunked && !exchange.blocking();
  if (PyDict_SetItem(environ.get(), state_->names.wsgi_input, input) < 0 ||
      PyDict_SetItem(environ.get(), state_->names.wsgi_early_hints, early_hints) < 0 ||
      add_request(environ.get(), head) < 0 || add_endpoints(environ.get(), exchange) < 0 ||
      add_fields(environ.get(), head, sized) < 0 ||
      (sized && add_size(environ.get(), exchange) < 0)) {
    return nullptr;
  }
  return environ.release();
}

PyObject* EnvironBuilder::path_info(const http::RequestHead& head) noexcept {
  std::string_view path = head.path;
  char decoded[2048];
  Buffer large;
  if (head.path_has_escapes) {
    char* to = decoded;
    if (path.size() > sizeof decoded) {
      to = large.reserve(path.size());
      if (!to) return PyErr_NoMemory();
    }
    path = {to, http::percent_decode(path, to)};
  }
  std::string_view prefix;
  (void)latin1_view(root_path_.get(), &prefix);
  if (!prefix.empty() && path.starts_with(prefix) &&
      (path.size() == prefix.size() || path[prefix.size()] == '/')) {
    path.remove_prefix(prefix.size());
  }
  return texts_.get(path);
}

int EnvironBuilder::add_request(PyObject* environ, const http::RequestHead& head) noexcept {
  PyObject* method = state_->names.methods[static_cast<std::size_t>(head.method)];
  method = method ? share(method) : latin1_str(head.method_text);
  if (set(environ, state_->names.REQUEST_METHOD, method) < 0) return -1;
  PyObject* raw_uri = texts_.get(head.target);
  if (set(environ, state_->names.RAW_URI, raw_uri) < 0) return -1;
  const bool same = head.path.size() == head.target.size() && !head.path_has_escapes &&
                    PyUnicode_GET_LENGTH(root_path_.get()) == 0;
  PyObject* path = same ? share(raw_uri) : path_info(head);
  if (set(environ, state_->names.PATH_INFO, path) < 0) return -1;
  if (!head.query.empty() && set(environ, state_->names.QUERY_STRING, texts_.get(head.query)) < 0) {
    return -1;
  }
  if (head.minor_version == 0 &&
      PyDict_SetItem(environ, state_->names.SERVER_PROTOCOL, state_->names.http_1_0) < 0) {
    return -1;
  }
  if (head.secure &&
      PyDict_SetItem(environ, state_->names.wsgi_url_scheme, state_->names.https) < 0)
    return -1;
  return 0;
}

int EnvironBuilder::add_endpoints(PyObject* environ, http::Exchange& exchange) noexcept {
  const http::Endpoint client = exchange.client();
  // REMOTE_ADDR stays "" for a unix socket's peer: it has no address.
  if (!client.unix_socket && set(environ, state_->names.REMOTE_ADDR, texts_.get(client.host)) < 0) {
    return -1;
  }
  if (client.port == 0) {  // none, or a proxy does not say
    if (PyDict_DelItem(environ, state_->names.REMOTE_PORT) < 0) return -1;
  } else if (set(environ, state_->names.REMOTE_PORT, texts_.get_number(client.port)) < 0) {
    return -1;
  }
  const http::Endpoint server = exchange.server();
  const bool named = !server.unix_socket && !server.host.empty();
  if (set(environ, state_->names.SERVER_NAME, texts_.get(named ? server.host : "localhost")) < 0 ||
      set(environ, state_->names.SERVER_PORT, texts_.get_number(named ? server.port : 80u)) < 0) {
    return -1;
  }
  return 0;
}

int EnvironBuilder::add_field(PyObject* environ, const http::Field& field, bool repeated) noexcept {
  Ref made;
  PyObject* key;
  if (field.token == http::Token::unknown) {
    made = Ref::steal(key_of(field.name));
    key = made.get();
    if (!key) return -1;
    repeated = true;  // perhaps
  } else if (field.token == http::Token::content_type) {
    key = state_->names.CONTENT_TYPE;
  } else if (field.token == http::Token::content_length) {
    key = state_->names.CONTENT_LENGTH;
  } else {
    key = state_->http_keys[static_cast<std::size_t>(field.token)];
  }
  Ref value =
      Ref::steal(worth_caching(field.token) ? texts_.get(field.value) : latin1_str(field.value));
  if (!value) return -1;
  if (repeated) {
    PyObject* first = PyDict_GetItemWithError(environ, key);  // borrowed
    if (!first && PyErr_Occurred()) return -1;
    if (first) {
      const char* format = field.token == http::Token::cookie ? "%U; %U" : "%U,%U";
      value = Ref::steal(PyUnicode_FromFormat(format, first, value.get()));
      if (!value) return -1;
    }
  }
  return PyDict_SetItem(environ, key, value.get());
}

// A chunked body that is here whole has a size, and no coding any more.
int EnvironBuilder::add_size(PyObject* environ, http::Exchange& exchange) noexcept {
  const std::uint64_t bytes = exchange.body().bytes_left().value_or(0);
  return set(environ, state_->names.CONTENT_LENGTH,
             PyUnicode_FromFormat("%llu", static_cast<unsigned long long>(bytes)));
}

int EnvironBuilder::add_fields(PyObject* environ, const http::RequestHead& head,
                               bool sized) noexcept {
  static_assert(static_cast<std::size_t>(http::Token::count) <= 128);
  std::uint64_t seen[2] = {0, 0};
  for (const http::Field& field : head.fields) {
    const auto token = static_cast<std::size_t>(field.token);
    const std::uint64_t bit = std::uint64_t{1} << (token & 63);
    const bool repeated = (seen[token >> 6] & bit) != 0;
    seen[token >> 6] |= bit;
    if (field.token == http::Token::unknown && field.name.find('_') != std::string_view::npos) {
      continue;
    }
    if (sized && field.token == http::Token::transfer_encoding) continue;
    if (add_field(environ, field, repeated) < 0) return -1;
  }
  return 0;
}

void EnvironBuilder::clear() noexcept {
  template_.clear();
  root_path_.clear();
  texts_.clear();
}

int EnvironBuilder::traverse(visitproc visit, void* arg) noexcept {
  if (int code = template_.traverse(visit, arg)) return code;
  return root_path_.traverse(visit, arg);
}

}  // namespace lanner::python
