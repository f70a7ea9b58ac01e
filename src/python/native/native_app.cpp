#include "python/native/native_app.h"

#include <array>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "router/builder.h"

namespace lanner::python {

namespace {

struct HookName {
  const char* name;
  Ref NativeHooks::*member;
  bool needed;
};
constexpr HookName kHooks[] = {
    {"request", &NativeHooks::request, true},
    {"response", &NativeHooks::response, true},
    {"tasks", &NativeHooks::tasks, true},
    {"response_type", &NativeHooks::response_type, true},
    {"failed", &NativeHooks::failed, true},
    {"malformed", &NativeHooks::malformed, true},
    {"invalid", &NativeHooks::invalid, false},
    {"rejected", &NativeHooks::rejected, false},
    {"background", &NativeHooks::background, true},
    {"together", &NativeHooks::together, true},
};

// A str of a dict; "" where it is None or not there. False with an exception set.
bool text_of(PyObject* dict, const char* key, std::string_view* to) noexcept {
  PyObject* value = PyDict_GetItemString(dict, key);
  *to = {};
  if (!value || value == Py_None) return true;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text) *to = {text, static_cast<std::size_t>(size)};
  return text != nullptr;
}

int wrong(const std::string& why) noexcept {
  PyErr_SetString(PyExc_ValueError, why.c_str());
  return -1;
}

// False with an exception set.
bool add_route(router::RouterBuilder& builder, PyObject* route) noexcept {
  router::RouteSpec spec;
  PyObject* methods = PyDict_GetItemString(route, "methods");
  if (!text_of(route, "path", &spec.path) || !text_of(route, "host", &spec.host) ||
      !text_of(route, "name", &spec.name))
    return false;
  std::vector<std::string_view> names;
  for (Py_ssize_t i = 0; methods && PyTuple_Check(methods) && i < PyTuple_GET_SIZE(methods); ++i) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(methods, i), &size);
    if (!text) return false;
    names.emplace_back(text, static_cast<std::size_t>(size));
  }
  spec.methods = names;
  std::string why;
  if (builder.add(spec, &why)) return true;
  (void)wrong(why);
  return false;
}

}  // namespace

int NativeApp::init(NativeState* state, PyObject* routes, PyObject* hooks) noexcept {
  state_ = state;
  return take_hooks(hooks) < 0 ? -1 : take_routes(routes, hooks);
}

int NativeApp::take_hooks(PyObject* hooks) noexcept {
  for (const HookName& hook : kHooks) {
    PyObject* value = PyDict_GetItemString(hooks, hook.name);
    if (value && value != Py_None) {
      hooks_.*hook.member = Ref::borrow(value);
    } else if (hook.needed) {
      PyErr_Format(PyExc_TypeError, "NativeApp: no hook %s", hook.name);
      return -1;
    }
  }
  if (!PyType_Check(hooks_.response_type.get()))
    return wrong("NativeApp: response_type is a class");
  if (PyDict_GetItemString(hooks, "problem_details") == Py_True) refusals_ = &kProblems;
  PyObject* most = PyDict_GetItemString(hooks, "errors_max");
  errors_max_ = most ? static_cast<std::uint32_t>(PyLong_AsUnsignedLong(most)) : errors_max_;
  return PyErr_Occurred() ? -1 : 0;
}

int NativeApp::take_routes(PyObject* routes, PyObject* hooks) noexcept {
  router::Options options;
  std::string_view slashes;
  if (!text_of(hooks, "slashes", &slashes)) return -1;
  if (slashes == "strict") options.slash = router::SlashPolicy::strict;
  if (slashes == "ignore") options.slash = router::SlashPolicy::ignore;
  options.first_wins = PyDict_GetItemString(hooks, "first_wins") == Py_True;
  router::RouterBuilder builder(options);
  count_ = static_cast<std::uint32_t>(PyList_GET_SIZE(routes));
  operations_.reset(new (std::nothrow) Operation[count_ + 1]);
  if (!operations_) return PyErr_NoMemory() ? 0 : -1;
  for (std::uint32_t i = 0; i < count_; ++i) {
    PyObject* route = PyList_GET_ITEM(routes, i);
    if (!PyDict_Check(route)) return wrong("NativeApp: a route is a dict");
    if (!add_route(builder, route) || operations_[i].init(state_, route) < 0) return -1;
  }
  router_ = builder.freeze();
  if (router_) return 0;
  (void)PyErr_NoMemory();
  return -1;
}

int NativeApp::traverse(visitproc visit, void* arg) const noexcept {
  for (const HookName& hook : kHooks) {
    if (const int code = (hooks_.*hook.member).traverse(visit, arg)) return code;
  }
  for (std::uint32_t i = 0; operations_ && i < count_; ++i) {
    if (const int code = operations_[i].traverse(visit, arg)) return code;
  }
  return 0;
}

void NativeApp::clear() noexcept {
  count_ = 0;
  operations_.reset();
  for (const HookName& hook : kHooks) (hooks_.*hook.member).clear();
}

std::string_view below_root(std::string_view path, std::string_view root) noexcept {
  if (root.empty() || !path.starts_with(root)) return path;
  if (path.size() == root.size()) return "/";
  return path[root.size()] == '/' ? path.substr(root.size()) : path;
}

PyObject* values_tuple(const router::Match& match) noexcept {
  Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(match.count)));
  Buffer text;
  for (std::uint32_t i = 0; tuple && i < match.count; ++i) {
    const router::Value& value = match.slots[i];
    text.clear();
    char* to = text.reserve(value.bytes + 1);
    if (!to) return PyErr_NoMemory();
    PyObject* made = PyUnicode_DecodeUTF8(
        to, static_cast<Py_ssize_t>(router::write_value(value, to)), "replace");
    if (!made) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), made);
  }
  return tuple.release();
}

}  // namespace lanner::python
