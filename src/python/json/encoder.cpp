// python/json/encoder.cpp: any Python value as JSON text, without recursion: the walk.

#include "python/json/encoder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "python/json/error.h"
#include "python/object/exception.h"

namespace lanner::python {

namespace {

struct Pair {
  PyObject* key;  // owned, an exact str
  PyObject* value;
};

constexpr const char* kGrown =
    "the container grew while it was written: default= or an item added to it";

struct Free {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

}  // namespace

JsonEncoder::~JsonEncoder() {
  while (depth_ > 0) pop();
}

void JsonEncoder::pop() noexcept {
  const Frame& frame = frames_[static_cast<std::size_t>(--depth_)];
  drop(frame.owner);
  drop(frame.key);
  drop(frame.items);
}

bool JsonEncoder::write(PyObject* root) noexcept {
  const int outside = depth_;
  Ref value = Ref::borrow(root);
  for (;;) {
    Done done = Done::again;
    for (int turns = 0; done == Done::again; ++turns) {
      if (turns == json::kDepthMax) {
        done = problem("default() or an enum's value gave a new value 128 times: a loop");
      } else {
        done = write_value(value);
      }
    }
    if (done == Done::failed) {
      raise(nullptr);
      return false;
    }
    bool all = false;
    value = Ref::steal(next(outside, &all));
    if (value) continue;
    if (all) out_->truncate(out_->size() - 1);  // the comma
    return all;
  }
}

PyObject* JsonEncoder::next(int outside, bool* done) noexcept {
  *done = depth_ == outside;
  if (*done) return nullptr;
  if (walk_) {
    PyObject* other = nullptr;
    const Done walked = (this->*walk_)(outside, &other);
    *done = walked == Done::yes;
    return walked == Done::no ? other : nullptr;
  }
  while (depth_ != outside) {
    PyObject* item = next_item(frames_[static_cast<std::size_t>(depth_ - 1)]);
    if (item) return item;
    if (PyErr_Occurred() || !close()) return nullptr;
  }
  *done = true;
  return nullptr;
}

JsonEncoder::Walk JsonEncoder::walk_of(const JsonState& state,
                                       const JsonOptions& options) noexcept {
  if (!state.dict_entries || options.indent != 0 || options.sort_keys || options.strict_integer)
    return nullptr;
#if defined(__x86_64__)
  if (simd_level() == SimdLevel::avx512) return &JsonEncoder::walk<SimdLevel::avx512>;
  if (simd_level() == SimdLevel::avx2) return &JsonEncoder::walk<SimdLevel::avx2>;
#endif
  return &JsonEncoder::walk<SimdLevel::baseline>;
}

JsonEncoder::Done JsonEncoder::write_value(Ref& value) noexcept {
  const Done done = write_plain(value.get());
  if (done != Done::no) return done;
  PyTypeObject* const type = Py_TYPE(value.get());
  if (type == &PyDict_Type) return open_dict(value);
  if (type == &PyList_Type) return open(value, Kind::list);
  if (type == &PyTuple_Type) return open(value, Kind::tuple);
  return write_other(value);
}

// Takes `owner`, and `items`, also on failure.
JsonEncoder::Done JsonEncoder::open(Ref& owner, Kind kind, PyObject* items) noexcept {
  Ref held = Ref::steal(items);
  if (depth_ == json::kDepthMax) return too_deep(owner.get());
  char* to = out_->reserve(1);
  if (!to) return no_memory();
  *to = kind <= Kind::tuple ? '[' : '{';
  out_->commit(to + 1);
  Frame& frame = frames_[static_cast<std::size_t>(depth_++)];
  frame = {owner.release(), nullptr, held.release(), 0, 0, out_->size(), kind};
  frame.size = size_of(frame);
  return Done::yes;
}

JsonEncoder::Done JsonEncoder::open_dict(Ref& dict) noexcept {
  if (!options_->sort_keys) return open(dict, Kind::dict);
  const auto count = static_cast<std::size_t>(PyDict_GET_SIZE(dict.get()));
  const std::unique_ptr<Pair, Free> pairs(
      static_cast<Pair*>(std::malloc((count + 1) * sizeof(Pair))));
  Ref sorted = Ref::steal(PyList_New(0));
  if (!pairs || !sorted) return no_memory();
  std::size_t size = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  bool ok = true;
  for (Py_ssize_t at = 0; ok && size < count && PyDict_Next(dict.get(), &at, &key, &value);) {
    Ref held = Ref::borrow(value);  // making the key's text may run any code
    Ref text = key_text(key);
    ok = static_cast<bool>(text);
    if (ok) pairs.get()[size++] = {text.release(), held.release()};
  }
  if (ok && static_cast<std::size_t>(PyDict_GET_SIZE(dict.get())) > count) {
    (void)problem(kGrown);
    ok = false;
  }
  std::sort(pairs.get(), pairs.get() + size, [](const Pair& left, const Pair& right) {
    return PyUnicode_Compare(left.key, right.key) < 0;
  });
  for (std::size_t i = 0; i < size; ++i) {
    const Pair& pair = pairs.get()[i];
    ok = ok && PyList_Append(sorted.get(), pair.key) == 0 &&
         PyList_Append(sorted.get(), pair.value) == 0;
    drop(pair.key);
    drop(pair.value);
  }
  return ok ? open(dict, Kind::sorted, sorted.release()) : Done::failed;
}

bool JsonEncoder::close() noexcept {
  const Frame frame = frames_[static_cast<std::size_t>(--depth_)];
  drop(frame.owner);
  drop(frame.items);
  if (out_->size() != frame.begin) {
    out_->truncate(out_->size() - 1);  // the last item's comma
    if (options_->indent != 0 && !begin_line(depth_)) return false;
  }
  char* to = out_->reserve(2);
  if (!to) {
    (void)no_memory();
    return false;
  }
  to[0] = frame.kind <= Kind::tuple ? ']' : '}';
  to[1] = ',';
  out_->commit(to + 2);
  return true;
}

bool JsonEncoder::begin_line(int depth) noexcept {
  const auto spaces = static_cast<std::size_t>(depth * options_->indent);
  char* to = out_->reserve(1 + spaces);
  if (!to) {
    (void)no_memory();
    return false;
  }
  *to = '\n';
  std::memset(to + 1, ' ', spaces);
  out_->commit(to + 1 + spaces);
  return true;
}

PyObject* JsonEncoder::next_item(Frame& frame) noexcept {
  PyObject* old = std::exchange(frame.key, nullptr);
  drop(old);
  switch (frame.kind) {
    case Kind::dict:
      return next_of_dict(frame);
    case Kind::sorted:
      return next_of_sorted(frame);
    case Kind::fields:
      return next_field(frame);
    default:
      return next_of_array(frame);
  }
}

Py_ssize_t JsonEncoder::size_of(const Frame& frame) noexcept {
  switch (frame.kind) {
    case Kind::dict:
      return PyDict_GET_SIZE(frame.owner);
    case Kind::sorted:
      return PyList_GET_SIZE(frame.items);
    case Kind::fields:
      return PyDict_GET_SIZE(frame.items);
    default:
      return Py_SIZE(frame.owner);
  }
}

bool JsonEncoder::has_grown(const Frame& frame) noexcept {
  if (size_of(frame) <= frame.size) [[likely]]
    return false;
  problem_ = kGrown;
  return true;
}

// The item at frame.at, and those behind it, as far as they are plain: these run no code.
PyObject* JsonEncoder::next_of_array(Frame& frame) noexcept {
  const bool list = frame.kind == Kind::list;
  if (has_grown(frame)) {
    raise(nullptr);
    return nullptr;
  }
  const Py_ssize_t size = Py_SIZE(frame.owner);
  while (frame.at < size) {
    PyObject* item =
        list ? PyList_GET_ITEM(frame.owner, frame.at) : PyTuple_GET_ITEM(frame.owner, frame.at);
    ++frame.at;
    if (options_->indent != 0 && !begin_line(depth_)) return nullptr;
    const Done done = write_plain(item);
    if (done == Done::yes) [[likely]]
      continue;
    if (done == Done::no) return share(item);
    raise(nullptr);
    return nullptr;
  }
  return nullptr;
}

PyObject* JsonEncoder::next_of_dict(Frame& frame) noexcept {
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (!has_grown(frame) && PyDict_Next(frame.owner, &frame.at, &key, &value)) {
    const Done done = write_item(frame, key, &value);
    if (done != Done::yes) return done == Done::no ? value : nullptr;
  }
  raise(nullptr);  // if it has
  return nullptr;
}

PyObject* JsonEncoder::next_of_sorted(Frame& frame) noexcept {
  while (frame.at < PyList_GET_SIZE(frame.items)) {
    PyObject* value = PyList_GET_ITEM(frame.items, frame.at + 1);
    const Done done = write_item(frame, PyList_GET_ITEM(frame.items, frame.at), &value);
    frame.at += 2;
    if (done != Done::yes) return done == Done::no ? value : nullptr;
  }
  return nullptr;
}

PyObject* JsonEncoder::next_field(Frame& frame) noexcept {
  PyObject* key = nullptr;
  PyObject* field = nullptr;
  while (!has_grown(frame) && PyDict_Next(frame.items, &frame.at, &key, &field)) {
    Ref name = Ref::borrow(key);
    Ref held = Ref::borrow(field);
    Ref kind = Ref::steal(PyObject_GetAttr(field, state_->names.field_type));
    if (!kind) return nullptr;
    if (kind.get() != state_->types.field_kind) continue;
    Ref value = Ref::steal(PyObject_GetAttr(frame.owner, name.get()));
    if (!value) {
      raise_no_attribute(name.get());
      return nullptr;
    }
    PyObject* item = value.get();
    const Done done = write_item(frame, name.get(), &item);
    if (done != Done::yes) return done == Done::no ? item : nullptr;
  }
  raise(nullptr);  // if it has
  return nullptr;
}

// The error that a field has no value, out of the AttributeError that is set.
void JsonEncoder::raise_no_attribute(PyObject* name) noexcept {
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return;
  Raised cause;
  (void)problem("the field has no value: the object has no such attribute");
  raise(name);
  Raised error;
  if (error.value() && cause.value()) PyException_SetCause(error.value(), share(cause.value()));
  error.restore();
}

// A key and its value. Done::no: only the key, and *value is owned now. Failed: an exception is
// set.
JsonEncoder::Done JsonEncoder::write_item(Frame& frame, PyObject* key, PyObject** value) noexcept {
  if (!PyUnicode_CheckExact(key)) [[unlikely]]
    return write_odd_item(frame, key, value);
  if (options_->indent != 0 && !begin_line(depth_)) return Done::failed;
  if (!write_key(key)) {
    raise(nullptr);
    return Done::failed;
  }
  return write_value_of(frame, key, *value, value);
}

// What write_item() does once the key stands there.
JsonEncoder::Done JsonEncoder::write_value_of(Frame& frame, PyObject* key, PyObject* value,
                                              PyObject** other) noexcept {
  const Done done = write_plain(value);
  if (done == Done::yes) [[likely]]
    return done;
  if (done == Done::no) {
    frame.key = share(key);
    *other = share(value);
    return done;
  }
  raise(key);
  return Done::failed;
}

// The same with a key that is no exact str: what it calls may be any code.
JsonEncoder::Done JsonEncoder::write_odd_item(Frame& frame, PyObject* key,
                                              PyObject** value) noexcept {
  Ref held = Ref::borrow(*value);
  Ref text = key_text(key);
  if (!text) {
    raise(nullptr);
    return Done::failed;
  }
  return write_item(frame, text.get(), value);
}

// "$.items[3]" of what is being written, `key` in the top frame.
Ref JsonEncoder::path(PyObject* key) const noexcept {
  Ref all = Ref::steal(PyUnicode_FromString("$"));
  for (int i = 0; all && i < depth_; ++i) {
    if (const int skipped = skipped_steps(i, depth_)) {
      all = Ref::steal(PyUnicode_FromFormat("%U...", all.get()));
      i += skipped - 1;
      continue;
    }
    const Frame& frame = frames_[static_cast<std::size_t>(i)];
    PyObject* name = i == depth_ - 1 && key ? key : frame.key;
    if (frame.kind <= Kind::tuple) {
      all = Ref::steal(PyUnicode_FromFormat("%U[%zd]", all.get(), frame.at - 1));
    } else if (name && PyUnicode_Check(name) && PyUnicode_IsIdentifier(name)) {
      all = Ref::steal(PyUnicode_FromFormat("%U.%.100U", all.get(), name));
    } else if (name) {
      all = Ref::steal(PyUnicode_FromFormat("%U[%.100R]", all.get(), name));
    }
  }
  return all;
}

void JsonEncoder::raise(PyObject* key) noexcept {
  const char* what = std::exchange(problem_, nullptr);
  if (!what || PyErr_Occurred()) return;
  const Ref where = path(key);
  raise_encode_error(what, where.get());
}

JsonEncoder::Done JsonEncoder::too_deep(PyObject* container) noexcept {
  for (const Frame& frame : frames_) {
    if (frame.owner == container) return problem("a circular reference: the value contains itself");
  }
  return problem("nested more than 128 deep");
}

}  // namespace lanner::python
