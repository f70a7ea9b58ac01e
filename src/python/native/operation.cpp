#include "python/native/operation.h"

#include <algorithm>
#include <new>
#include <string_view>

#include "python/schema/entry.h"
#include "schema/text_check.h"

namespace lanner::python {

namespace {

constexpr std::uint64_t kHeadBytesMax = 4096;  // of Content-Type

struct Named {
  const char* name;
  Source source;
};
constexpr Named kSources[] = {
    {"path", Source::path},       {"query", Source::query},       {"header", Source::header},
    {"cookie", Source::cookie},   {"body", Source::body},         {"member", Source::member},
    {"request", Source::request}, {"response", Source::response}, {"tasks", Source::tasks},
};
constexpr const char* kKinds[] = {"json", "text", "made", "empty"};

// Borrowed; null without an exception: not there, or None.
PyObject* get(PyObject* dict, const char* key) noexcept {
  PyObject* value = PyDict_GetItemString(dict, key);
  return value == Py_None ? nullptr : value;
}

bool is_true(PyObject* dict, const char* key) noexcept {
  PyObject* value = get(dict, key);
  return value && PyObject_IsTrue(value) > 0;
}

int wrong(const char* what) noexcept {
  PyErr_Format(PyExc_TypeError, "description of a native handler: %s", what);
  return -1;
}

bool has_parameter(PyObject* pattern) noexcept {
  return pattern && PyUnicode_Check(pattern) &&
         PyUnicode_FindChar(pattern, '{', 0, PyUnicode_GET_LENGTH(pattern), 1) >= 0;
}

int take_schema(NativeState* state, PyObject* dict, Ref* to) noexcept {
  PyObject* schema = get(dict, "schema");
  if (!schema) return 0;
  if (!is_schema(&state->schema, schema)) return wrong("schema is none");
  *to = Ref::borrow(schema);
  return 0;
}

// A str, or nothing. False with an exception set.
bool take_text(PyObject* dict, const char* key, Ref* object, std::string_view* to) noexcept {
  PyObject* value = get(dict, key);
  if (!value) return true;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (!text) return false;
  *object = Ref::borrow(value);
  *to = {text, static_cast<std::size_t>(size)};
  return true;
}

// names: a tuple of pairs of str.
int take_headers(PyObject* names, Argument* to) noexcept {
  if (!PyTuple_Check(names)) return wrong("headers");
  to->names = Ref::borrow(names);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    const char* field = nullptr;
    const char* wire = nullptr;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(names, i), "ss", &field, &wire)) return -1;
    to->headers.push_back({field, wire});
  }
  return 0;
}

schema::LocItem step(std::string_view name) noexcept {
  schema::LocItem item;
  item.name = name.data();
  item.size = static_cast<std::uint32_t>(name.size());
  return item;
}

}  // namespace

int Operation::init(NativeState* state, PyObject* description) noexcept {
  if (!PyDict_Check(description)) return wrong("a dict");
  PyObject* function = get(description, "function");
  PyObject* arguments = get(description, "arguments");
  if (!function || !PyCallable_Check(function) || !arguments || !PyList_Check(arguments))
    return wrong("function and arguments");
  function_ = Ref::borrow(function);
  runs_inline_ = is_true(description, "inline");
  if (!take_text(description, "title", &title_object_, &title_) ||
      !take_text(description, "path", &route_object_, &route_))
    return -1;
  PyObject* keywords = get(description, "keywords");
  if (keywords && PyTuple_Check(keywords) && PyTuple_GET_SIZE(keywords) > 0)
    keywords_ = Ref::borrow(keywords);
  if (take_arguments(state, arguments) < 0) return -1;
  positional_ =
      count_ - (keywords_ ? static_cast<std::size_t>(PyTuple_GET_SIZE(keywords_.get())) : 0);
  if (PyObject* body = get(description, "body")) {
    if (take_schema(state, body, &body_schema_) < 0) return -1;
    body_whole_ = is_true(body, "whole");
    body_required_ = is_true(body, "required");
  }
  has_checkable_texts_ = !body_schema_ && reads_checkable_texts();
  takes_body_ = takes_body_ || body_schema_;
  // A handler may read the path's parameters by its request alone.
  PyObject* path = get(description, "path");
  PyObject* host = get(description, "host");
  path_is_fixed_ = !has_parameter(path) && !has_parameter(host);
  PyObject* limit = get(description, "body_limit");
  if (!limit) return wrong("body_limit");
  body_limit_ = PyLong_AsUnsignedLongLong(limit);
  if (PyErr_Occurred()) return -1;
  return take_answer(state, description);
}

// At least one, and what else it asks for is made by type.
bool Operation::reads_checkable_texts() const noexcept {
  bool any = false;
  for (std::size_t i = 0; i < count_; ++i) {
    const Argument& argument = arguments_[i];
    if (argument.source >= Source::request) continue;
    if (!argument.plan || argument.source >= Source::body) return false;
    any = true;
  }
  return any;
}

int Operation::take_arguments(NativeState* state, PyObject* list) noexcept {
  count_ = static_cast<std::size_t>(PyList_GET_SIZE(list));
  arguments_.reset(new (std::nothrow) Argument[count_ + 1]);
  order_.reset(new (std::nothrow) std::size_t[count_ + 1]);
  if (!arguments_ || !order_) {
    (void)PyErr_NoMemory();
    return -1;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    PyObject* item = PyList_GET_ITEM(list, static_cast<Py_ssize_t>(i));
    if (!PyDict_Check(item) || take_argument(state, item, &arguments_[i]) < 0)
      return PyErr_Occurred() ? -1 : wrong("an argument is a dict");
    order_[i] = i;
  }
  // As FastAPI lists them: path, query, header, cookie, body.
  std::stable_sort(order_.get(), order_.get() + count_, [this](std::size_t a, std::size_t b) {
    return arguments_[a].source < arguments_[b].source;
  });
  return 0;
}

int Operation::take_argument(NativeState* state, PyObject* description, Argument* to) noexcept {
  PyObject* source = get(description, "source");
  bool known = false;
  for (const Named& named : kSources) {
    if (!source || PyUnicode_CompareWithASCIIString(source, named.name) != 0) continue;
    to->source = named.source;
    to->loc[0] = step(named.source == Source::member ? "body" : named.name);
    known = true;
  }
  if (!known) return wrong("source");
  takes_body_ = takes_body_ || to->source == Source::request;
  if (to->source >= Source::request) return 0;
  to->many = is_true(description, "many");
  to->whole = is_true(description, "whole");
  to->in_order = is_true(description, "in_order");
  PyObject* key = get(description, "name");
  Py_ssize_t size = 0;
  const char* text = key ? PyUnicode_AsUTF8AndSize(key, &size) : nullptr;
  if (!text) return PyErr_Occurred() ? -1 : wrong("name");
  to->key = Ref::borrow(key);
  to->name = {text, static_cast<std::size_t>(size)};
  to->loc[1] = step(to->name);
  if (to->source == Source::header) to->token = http::token_from_name(to->name);
  if (PyObject* index = get(description, "path_index"))
    to->path_index = static_cast<std::uint8_t>(PyLong_AsLong(index));
  if (PyObject* names = get(description, "headers")) {
    if (take_headers(names, to) < 0) return -1;
  }
  if (take_schema(state, description, &to->schema) < 0) return -1;
  if (!to->schema && to->source != Source::member) return wrong("an argument has no schema");
  if (to->schema && !to->many && !to->whole && schema::is_text_checkable(plan_of(to->schema.get())))
    to->plan = &plan_of(to->schema.get());
  if (PyObject* fallback = PyDict_GetItemString(description, "default"))
    to->fallback = Ref::borrow(fallback);
  if (PyObject* factory = get(description, "factory")) to->factory = Ref::borrow(factory);
  return PyErr_Occurred() ? -1 : 0;
}

int Operation::take_answer(NativeState* state, PyObject* description) noexcept {
  PyObject* answer = get(description, "answer");
  PyObject* kind = answer && PyDict_Check(answer) ? get(answer, "kind") : nullptr;
  PyObject* status = kind ? get(answer, "status") : nullptr;
  if (!status) return wrong("answer");
  bool known = false;
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    if (PyUnicode_CompareWithASCIIString(kind, kKinds[i]) != 0) continue;
    kind_ = static_cast<AnswerKind>(i);
    known = true;
  }
  if (!known) return wrong("kind of answer");
  status_ = static_cast<int>(PyLong_AsLong(status));
  if (PyErr_Occurred() || take_schema(state, answer, &answer_schema_) < 0) return -1;
  options_.exclude_none = is_true(answer, "exclude_none");
  options_.exclude_unset = is_true(answer, "exclude_unset");
  options_.exclude_defaults = is_true(answer, "exclude_defaults");
  if (PyObject* maker = get(answer, "maker")) maker_ = Ref::borrow(maker);
  if (PyObject* convert = get(answer, "convert")) convert_ = Ref::borrow(convert);
  options_.exact_records = static_cast<bool>(convert_);
  if (PyObject* fallback = get(answer, "fallback")) fallback_ = Ref::borrow(fallback);
  options_.fallback = fallback_.get();
  if (kind_ == AnswerKind::made && !maker_) return wrong("maker");
  if (!head_.set_status(status_, {})) return wrong("status");
  PyObject* media_type = get(answer, "media_type");
  if (!media_type) return PyErr_Occurred() ? -1 : 0;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(media_type, &size);
  if (!text) return -1;
  if (head_.add("content-type", {text, static_cast<std::size_t>(size)}, kHeadBytesMax)) return 0;
  return wrong("media_type");
}

int Operation::traverse(visitproc visit, void* arg) const noexcept {
  for (const Ref* ref :
       {&function_, &keywords_, &body_schema_, &answer_schema_, &maker_, &convert_, &fallback_}) {
    if (const int code = ref->traverse(visit, arg)) return code;
  }
  for (std::size_t i = 0; arguments_ && i < count_; ++i) {
    for (const Ref* ref :
         {&arguments_[i].schema, &arguments_[i].fallback, &arguments_[i].factory}) {
      if (const int code = ref->traverse(visit, arg)) return code;
    }
  }
  return 0;
}

}  // namespace lanner::python
