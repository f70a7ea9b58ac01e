#include "python/schema/encoder.h"

#include <cstring>

#include "python/object/call_method.h"
#include "python/object/exception.h"
#include "python/schema/foreign.h"
#include "python/schema/state.h"

namespace lanner::python {

using schema::Kind;
using schema::Node;

namespace {

JsonOptions json_options(PyObject* fallback) noexcept {
  JsonOptions options;  // as pydantic's JSON mode
  options.fallback = fallback;
  options.utc_z = true;
  options.non_str_keys = true;
  return options;
}

bool is(PyObject* object, void* type) noexcept {
  return PyObject_TypeCheck(object, static_cast<PyTypeObject*>(type)) != 0;
}

}  // namespace

SchemaEncoder::SchemaEncoder(const SchemaClasses& classes, SchemaState* state, json::Output& out,
                             const SchemaWriteOptions& options) noexcept
    : classes_(classes),
      state_(state),
      out_(out),
      options_(options),
      kernels_(json::escape_kernels()),
      json_options_(json_options(options.fallback)),
      excludes_(options.exclude_none || options.exclude_unset || options.exclude_defaults),
      dict_entries_(state->json.dict_entries),
      walk_(walk_of()) {}

SchemaEncoder::Walk SchemaEncoder::walk_of() const noexcept {
  if (excludes_ || !dict_entries_) return nullptr;
#if defined(__x86_64__)
  if (simd_level() == SimdLevel::avx512) return &SchemaEncoder::walk<SimdLevel::avx512>;
  if (simd_level() == SimdLevel::avx2) return &SchemaEncoder::walk<SimdLevel::avx2>;
#endif
  return &SchemaEncoder::walk<SimdLevel::baseline>;
}

SchemaEncoder::~SchemaEncoder() {
  while (depth_ > 0) {
    Frame& frame = frames_[static_cast<std::size_t>(--depth_)];
    drop(frame.owner);
    drop(frame.key);
  }
}

bool SchemaEncoder::write(const Node& root, PyObject* value) noexcept {
  Done done = write_value(root, value);
  while (depth_ > 0 && done != Done::failed) {
    Frame& frame = frames_[static_cast<std::size_t>(depth_ - 1)];
    done = walks(*frame.node, frame.from) ? (this->*walk_)() : Done::left;
    if (done == Done::left) done = resume(frames_[static_cast<std::size_t>(depth_ - 1)]);
  }
  if (done == Done::failed) {
    raise();
    return false;
  }
  out_.truncate(out_.size() - 1);  // the last comma
  return true;
}

SchemaEncoder::Done SchemaEncoder::no_memory() noexcept {
  if (!PyErr_Occurred()) PyErr_NoMemory();
  return Done::failed;
}

SchemaEncoder::Done SchemaEncoder::wrong(const Node& node, PyObject* value) noexcept {
  if (PyErr_Occurred()) return Done::failed;
  const std::string_view name = schema::kind_name(node.kind);
  void* type = node.record ? node.record->type : node.object;
  if (type && PyType_Check(static_cast<PyObject*>(type))) {
    problem_ = Ref::steal(PyUnicode_FromFormat("%.100s expected, not %.100s",
                                               static_cast<PyTypeObject*>(type)->tp_name,
                                               Py_TYPE(value)->tp_name));
  } else {
    problem_ = Ref::steal(
        PyUnicode_FromFormat("%s expected, not %.100s", name.data(), Py_TYPE(value)->tp_name));
  }
  return Done::failed;
}

// "$[3].name: int expected, not str", as lanner.json.JSONEncodeError.
void SchemaEncoder::raise() noexcept {
  if (PyErr_Occurred() && !take_inner()) return;
  if (!problem_) return;
  const Ref where = path();
  Ref module = Ref::steal(where ? PyImport_ImportModule("lanner.json") : nullptr);
  Ref type = Ref::steal(module ? get_attribute(module.get(), "JSONEncodeError") : nullptr);
  Ref error = Ref::steal(
      type ? PyObject_CallFunctionObjArgs(type.get(), problem_.get(), where.get(), nullptr)
           : nullptr);
  if (error) PyErr_SetObject(type.get(), error.get());
}

// An error of what was written as any value is: its path goes on from here.
bool SchemaEncoder::take_inner() noexcept {
  if (depth_ == 0) return false;
  Raised raised;
  PyObject* const error = raised.value();
  const Ref module = Ref::steal(PyImport_ImportModule("lanner.json"));
  const Ref type = Ref::steal(module ? get_attribute(module.get(), "JSONEncodeError") : nullptr);
  if (error && type && PyObject_IsInstance(error, type.get()) > 0) {
    problem_ = Ref::steal(get_attribute(error, "msg"));
    inner_path_ = Ref::steal(get_attribute(error, "path"));
  }
  PyErr_Clear();
  if (problem_ && inner_path_) return true;
  raised.restore();
  return false;
}

SchemaEncoder::Done SchemaEncoder::failed_with(PyObject* error, const char* problem) noexcept {
  if (!PyErr_ExceptionMatches(error)) return Done::failed;
  PyErr_Clear();
  problem_ = Ref::steal(PyUnicode_FromString(problem));
  return Done::failed;
}

bool SchemaEncoder::is_circular(PyObject* value) const noexcept {
  for (int i = 0; i < depth_; ++i) {
    if (frames_[static_cast<std::size_t>(i)].owner == value) return true;
  }
  return false;
}

Ref SchemaEncoder::path() noexcept {
  constexpr int kShown = 8;  // steps at either end of a long path
  Ref path = Ref::steal(PyUnicode_FromString("$"));
  for (int i = 0; path && i < depth_; ++i) {
    if (i == kShown && depth_ > 3 * kShown) {
      i = depth_ - kShown;
      path = Ref::steal(PyUnicode_FromFormat("%U...", path.get()));
      if (!path) break;
    }
    const Frame& frame = frames_[static_cast<std::size_t>(i)];
    if (frame.node->kind == Kind::record && frame.at > 0) {
      const schema::Field& field =
          frame.node->record->fields[static_cast<std::size_t>(frame.at - 1)];
      path = Ref::steal(
          PyUnicode_FromFormat("%U.%.100U", path.get(), static_cast<PyObject*>(field.key)));
    } else if (frame.node->kind == Kind::dict && frame.key) {
      path = Ref::steal(PyUnicode_FromFormat("%U[%.100R]", path.get(), frame.key));
    } else if (frame.node->kind != Kind::record && frame.node->kind != Kind::dict) {
      path = Ref::steal(PyUnicode_FromFormat("%U[%zd]", path.get(), frame.at - 1));
    }
  }
  if (!path || !inner_path_) return path;
  const Ref rest = Ref::steal(PyUnicode_Substring(inner_path_.get(), 1, PY_SSIZE_T_MAX));
  return Ref::steal(rest ? PyUnicode_Concat(path.get(), rest.get()) : nullptr);
}

SchemaEncoder::Done SchemaEncoder::write_value(const Node& start, PyObject* value) noexcept {
  const Node* node = &start;
  Ref held;
  for (;;) {
    if (node->nullable && value == Py_None) return write_text("null,");
    if (schema::is_leaf(node->kind)) return write_leaf(*node, value);
    if (node->kind == Kind::custom) {
      if (auto* encode = static_cast<PyObject*>(node->encode)) {
        held = Ref::steal(PyObject_CallOneArg(encode, value));
        if (!held) return Done::failed;
        value = held.get();
      }
      node = node->children[0];
    } else if (node->kind == Kind::union_of || node->kind == Kind::tagged) {
      const Node* member = member_of(*node, value);
      if (!member) return wrong(*node, value);
      node = member;
    } else {
      return open(*node, value);
    }
  }
}

SchemaEncoder::Done SchemaEncoder::push(const Node& node, PyObject* owner, From from,
                                        bool braces) noexcept {
  Ref held = Ref::steal(owner);
  if (!held) return Done::failed;
  if (depth_ == json::kDepthMax) {
    problem_ = Ref::steal(PyUnicode_FromString(
        is_circular(held.get()) ? "a circular reference: the value contains itself"
                                : "the value is nested more than 128 deep"));
    return Done::failed;
  }
  char* to = out_.reserve(2);
  if (!to) return no_memory();
  *to = braces ? '{' : '[';
  out_.commit(to + 1);
  Frame& frame = frames_[static_cast<std::size_t>(depth_++)];
  frame = {&node, held.release(), nullptr, 0, 0, out_.size(), from, braces};
  frame.size = size_of(frame);
  return Done::opened;
}

Py_ssize_t SchemaEncoder::size_of(const Frame& frame) noexcept {
  if (PyDict_Check(frame.owner)) return PyDict_GET_SIZE(frame.owner);
  return PyList_Check(frame.owner) || PyTuple_Check(frame.owner) ? Py_SIZE(frame.owner) : 0;
}

// Whether what was called while its items were written has added some, maybe without end.
bool SchemaEncoder::has_grown(const Frame& frame) noexcept {
  if (size_of(frame) <= frame.size) [[likely]]
    return false;
  problem_ = Ref::steal(PyUnicode_FromString("the container grew while it was written"));
  return true;
}

SchemaEncoder::Done SchemaEncoder::open(const Node& node, PyObject* value) noexcept {
  switch (node.kind) {
    case Kind::record:
      return open_record(node, value);
    case Kind::dict:
      if (PyDict_Check(value)) return push(node, share(value), From::dict, true);
      if (is_of_class(node, value)) return push(node, as_dict(value).release(), From::dict, true);
      return wrong(node, value);
    case Kind::set:
    case Kind::frozenset:
      if (!PyAnySet_Check(value) && !is_of_class(node, value)) return wrong(node, value);
      return push(node, PySequence_List(value), From::list, false);
    default:
      if (PyList_Check(value)) return push(node, share(value), From::list, false);
      if (PyTuple_Check(value)) return push(node, share(value), From::tuple, false);
      if (is_of_class(node, value)) return push(node, as_list(value).release(), From::list, false);
      return wrong(node, value);
  }
}

SchemaEncoder::Done SchemaEncoder::open_record(const Node& node, PyObject* value) noexcept {
  const schema::Record& record = *node.record;
  if (record.make == schema::Make::mapping || !is(value, record.type)) {
    const bool may_be = record.make == schema::Make::mapping || !options_.exact_records;
    if (!may_be || !PyDict_Check(value)) return wrong(node, value);
    return push(node, share(value), From::dict, !record.from_array);
  }
  Done done = Done::opened;
  if (record.from_array) {
    done = push(node, share(value), From::tuple, false);
  } else {
    done = push(node, share(value),
                record.make == schema::Make::slots ? From::slots : From::attributes, true);
  }
  if (done == Done::opened && !record.tag.empty() && !out_.append(record.tag)) return no_memory();
  return done;
}

SchemaEncoder::Done SchemaEncoder::close(Frame& frame) noexcept {
  char* to = out_.reserve(2);
  if (!to) return no_memory();
  if (out_.size() != frame.begin) --to;  // in place of the last comma
  to[0] = frame.braces ? '}' : ']';
  to[1] = ',';
  out_.commit(to + 2);
  --depth_;
  drop(frame.key);
  drop(frame.owner);
  return Done::yes;
}

SchemaEncoder::Done SchemaEncoder::resume(Frame& frame) noexcept {
  if (frame.node->kind == Kind::record) return resume_record(frame);
  if (frame.node->kind == Kind::dict) return resume_dict(frame);
  return resume_items(frame);
}

SchemaEncoder::Done SchemaEncoder::resume_items(Frame& frame) noexcept {
  const Node& node = *frame.node;
  const bool fixed = node.kind == Kind::fixed;
  const bool once = walks(node, frame.from);  // the walk goes on behind each item
  for (;;) {
    const bool list = frame.from == From::list;
    const Py_ssize_t size = list ? PyList_GET_SIZE(frame.owner) : PyTuple_GET_SIZE(frame.owner);
    if (frame.at >= size) break;
    if (has_grown(frame)) return Done::failed;
    Ref item = Ref::borrow(list ? PyList_GET_ITEM(frame.owner, frame.at)
                                : PyTuple_GET_ITEM(frame.owner, frame.at));
    const auto i = static_cast<std::size_t>(frame.at++);
    if (fixed && i >= node.children.size()) return wrong(node, frame.owner);
    const Done done = write_value(*node.children[fixed ? i : 0], item.get());
    if (done != Done::yes || once) return done;
  }
  if (fixed && static_cast<std::size_t>(frame.at) < node.children.size()) {
    return wrong(node, frame.owner);
  }
  return close(frame);
}

bool SchemaEncoder::write_key(const Node& node, PyObject* key) noexcept {
  const std::size_t begin = out_.size();
  if (write_value(node, key) != Done::yes) return false;
  char* to = out_.reserve(3);
  if (!to) {
    (void)no_memory();
    return false;
  }
  if (out_.data()[begin] == '"') {
    to[-1] = ':';
    return true;
  }
  // A number, a boolean, null: in quotes.
  const std::size_t size = out_.size() - 1 - begin;
  std::memmove(to - size, to - size - 1, size);
  to[-static_cast<std::ptrdiff_t>(size) - 1] = '"';
  to[0] = '"';
  to[1] = ':';
  out_.commit(to + 2);
  return true;
}

SchemaEncoder::Done SchemaEncoder::resume_dict(Frame& frame) noexcept {
  const Node& key_node = *frame.node->children[0];
  const Node& value_node = *frame.node->children[1];
  const bool once = walks(*frame.node, frame.from);
  PyObject* key = nullptr;
  PyObject* item = nullptr;
  // As in json/encoder.cpp, the dict may be changed by what other items call.
  while (PyDict_Next(frame.owner, &frame.at, &key, &item)) {
    if (has_grown(frame)) return Done::failed;
    Ref value = Ref::borrow(item);
    drop(std::exchange(frame.key, share(key)));
    if (!write_key(key_node, frame.key)) return Done::failed;
    const Done done = write_value(value_node, value.get());
    if (done != Done::yes || once) return done;
  }
  return close(frame);
}

Ref SchemaEncoder::field_value(const Frame& frame, const schema::Field& field) noexcept {
  switch (frame.from) {
    case From::slots: {
      // SAFETY: the offset is that of a T_OBJECT_EX member of the owner's type.
      auto** slot =
          reinterpret_cast<PyObject**>(reinterpret_cast<char*>(frame.owner) + field.offset);
      return Ref::borrow(*slot);
    }
    case From::dict:
      return Ref::borrow(PyDict_GetItemWithError(
          frame.owner,
          static_cast<PyObject*>(frame.node->record->make == schema::Make::mapping ? field.attribute
                                                                                   : field.key)));
    case From::tuple:
      // A NamedTuple that tuple.__new__() made may be shorter.
      return Ref::borrow(frame.at <= PyTuple_GET_SIZE(frame.owner)
                             ? PyTuple_GET_ITEM(frame.owner, frame.at - 1)
                             : nullptr);
    default: {
      Ref value =
          Ref::steal(PyObject_GetAttr(frame.owner, static_cast<PyObject*>(field.attribute)));
      if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
      return value;
    }
  }
}

bool SchemaEncoder::left_out(const schema::Record& record, const schema::Field& field,
                             PyObject* value, bool* out) noexcept {
  *out = options_.exclude_none && value == Py_None;
  if (*out || !(options_.exclude_defaults || record.omit_defaults)) return true;
  Ref usual = Ref::borrow(static_cast<PyObject*>(field.default_value));
  if (!usual && field.factory) {
    usual = Ref::steal(PyObject_CallNoArgs(static_cast<PyObject*>(field.factory)));
    if (!usual) return false;
  }
  const int same = usual ? PyObject_RichCompareBool(value, usual.get(), Py_EQ) : 0;
  *out = same > 0;
  return same >= 0;
}

SchemaEncoder::Done SchemaEncoder::resume_record(Frame& frame) noexcept {
  const schema::Record& record = *frame.node->record;
  const auto count = static_cast<Py_ssize_t>(record.fields.size());
  const bool excludes = excludes_ || record.omit_defaults;
  const bool once = walks(*frame.node, frame.from);
  for (;;) {
    if (frame.at >= count) return close(frame);
    const schema::Field& field = record.fields[static_cast<std::size_t>(frame.at++)];
    Ref value = field_value(frame, field);
    if (!value) {
      if (PyErr_Occurred()) return Done::failed;
      if (!field.required || !field.is_kept || options_.exclude_unset) continue;
      problem_ = Ref::steal(PyUnicode_FromString("the field has no value"));
      return Done::failed;
    }
    if (value.get() == field.unset) continue;
    if (excludes) {
      bool out = false;
      if (!left_out(record, field, value.get(), &out)) return Done::failed;
      if (out) continue;
    }
    if (frame.braces && !out_.append(field.written)) return no_memory();
    const Done done = write_value(*field.node, value.get());
    if (done != Done::yes || once) return done;
  }
}

}  // namespace lanner::python
