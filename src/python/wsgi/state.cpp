// python/wsgi/state.cpp: makes the keys of fields.

#include "python/wsgi/state.h"

#include <string_view>

namespace lanner::python {

namespace {

// "accept-encoding" -> "HTTP_ACCEPT_ENCODING", interned.
bool intern_key(PyObject** slot, std::string_view name) noexcept {
  char key[64] = "HTTP_";
  std::size_t size = 5;
  for (const char c : name) {
    if (size + 1 >= sizeof key) break;
    key[size++] = c == '-' ? '_' : (c >= 'a' && c <= 'z') ? static_cast<char>(c - 32) : c;
  }
  *slot = PyUnicode_InternFromString(key);
  return *slot != nullptr;
}

}  // namespace

int WsgiState::init() noexcept {
  for (std::size_t i = 1; i < http_keys.size(); ++i) {
    if (!intern_key(&http_keys[i], http::token_name(static_cast<http::Token>(i)))) return -1;
  }
  return 0;
}

}  // namespace lanner::python
