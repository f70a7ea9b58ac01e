// python/asgi/state.cpp: makes the names of fields.

#include "python/asgi/state.h"

#include <string_view>

namespace lanner::python {

int AsgiState::init() noexcept {
  for (std::size_t i = 1; i < field_names.size(); ++i) {
    const std::string_view name = http::token_name(static_cast<http::Token>(i));
    field_names[i] = PyBytes_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
    if (!field_names[i]) return -1;
  }
  return 0;
}

}  // namespace lanner::python
