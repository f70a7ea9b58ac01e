// python/module/module_state.cpp: what one instance of the module owns: its types and interned names.

#include "python/module/module_state.h"

#include <cstddef>
#include <string_view>

#include "http/method.h"

namespace lanner::python {

namespace {

int intern(PyObject** slot, const char* text) noexcept {
  *slot = PyUnicode_InternFromString(text);
  return *slot ? 0 : -1;
}

// "accept-encoding" -> "HTTP_ACCEPT_ENCODING", interned.
int intern_key(PyObject** slot, std::string_view name) noexcept {
  char key[64] = "HTTP_";
  std::size_t size = 5;
  for (const char c : name) {
    if (size + 1 >= sizeof key) break;
    key[size++] = c == '-' ? '_' : (c >= 'a' && c <= 'z') ? static_cast<char>(c - 32) : c;
  }
  return intern(slot, key);
}

template <class F>
int each_object(ModuleState* s, F&& f) noexcept {
  PyTypeObject** types[] = {&s->server_type,      &s->input_type,       &s->start_response_type,
                            &s->write_type,       &s->early_hints_type, &s->file_wrapper_type,
                            &s->poller_type,      &s->loop_base_type,   &s->awaitable_type,
                            &s->receive_type,     &s->send_type,        &s->task_done_type,
                            &s->registry_type,    &s->stream_hub_type,  &s->stream_transport_type,
                            &s->thread_pool_type, &s->schema_type,      &s->validation_error_type,
                            &s->model_meta_type,  &s->json_raw_type};
  for (PyTypeObject** type : types) {
    // SAFETY: PyTypeObject begins with PyObject; the C API itself casts so.
    if (int code = f(reinterpret_cast<PyObject**>(type))) return code;
  }
  PyObject** names[] = {
#define LANNER_NAME(name, text) &s->name,
#include "python/object/names.def"
#undef LANNER_NAME
      &s->empty_bytes,
      &s->empty_tuple,
      &s->loop_keyword,
      &s->json_types.enum_type,
      &s->json_types.uuid_type,
      &s->json_types.field_kind,
      &s->json_types.decimal_type};
  for (PyObject** name : names) {
    if (int code = f(name)) return code;
  }
  for (PyObject*& method : s->methods) {
    if (int code = f(&method)) return code;
  }
  for (PyObject*& key : s->http_keys) {
    if (int code = f(&key)) return code;
  }
  for (PyObject*& name : s->field_names) {
    if (int code = f(&name)) return code;
  }
  return 0;
}

}  // namespace

int ModuleState::make_names() noexcept {
#define LANNER_NAME(name, text) \
  if (intern(&name, text) < 0) return -1;
#include "python/object/names.def"
#undef LANNER_NAME
  empty_bytes = PyBytes_FromStringAndSize(nullptr, 0);
  loop_keyword = Py_BuildValue("(O)", loop);
  empty_tuple = PyTuple_New(0);
  if (!empty_tuple) return -1;
  if (!empty_bytes || !loop_keyword) return -1;
  for (std::size_t i = 1; i <= static_cast<std::size_t>(http::Method::patch); ++i) {
    const std::string_view text = http::method_text(static_cast<http::Method>(i));
    methods[i] = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    if (!methods[i]) return -1;
    PyUnicode_InternInPlace(&methods[i]);
  }
  for (std::size_t i = 1; i < http_keys.size(); ++i) {
    const auto token = static_cast<http::Token>(i);
    const std::string_view name = http::token_name(token);
    if (intern_key(&http_keys[i], name) < 0) return -1;
    field_names[i] = PyBytes_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
    if (!field_names[i]) return -1;
  }
  return 0;
}

int ModuleState::traverse(visitproc visit, void* arg) noexcept {
  if (int code = asyncio.traverse(visit, arg)) return code;
  return each_object(this, [&](PyObject** slot) { return *slot ? visit(*slot, arg) : 0; });
}

void ModuleState::clear() noexcept {
  asyncio.clear();
  loop_spares.clear();
  (void)each_object(this, [](PyObject** slot) {
    PyObject* old = *slot;
    *slot = nullptr;
    drop(old);
    return 0;
  });
  json_keys.clear();
}

}  // namespace lanner::python
