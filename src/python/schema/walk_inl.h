// python/schema/walk_inl.h: writes plain values of a schema's type in one loop: lists, dicts,
// records in slots or in dicts, and scalars. Compiled once for each level of vector instructions
// (python/json/walk_level.h).

#pragma once

#include <utility>

#include "python/json/walk_level.h"
#include "python/json/walk_output_inl.h"
#include "python/json/written_keys_inl.h"
#include "python/object/dict_entries.h"
#include "python/schema/encoder.h"

namespace lanner::python {

// One walk, from the frame at the encoder's top on.
//
// No Python code runs in it, so it needs no references to the containers: the frames from
// owned_end_ on borrow them, and the top one has no key, until pin().
template <class Level>
class SchemaWalk final {
 public:
  using Done = SchemaEncoder::Done;
  using Frame = SchemaEncoder::Frame;
  using From = SchemaEncoder::From;
  using Kind = schema::Kind;
  using Node = schema::Node;

  // `keys` is not a member: its address is taken, which would force all members into memory.
  LANNER_WALK SchemaWalk(SchemaEncoder& encoder, WrittenKeys<typename Level::Plain>& keys) noexcept
      : encoder_(encoder),
        out_(encoder.out_),
        top_(encoder.frames_.data() + encoder.depth_ - 1),
        owned_end_(top_ + 1),
        keys_(keys) {}
  SchemaWalk(const SchemaWalk&) = delete;
  SchemaWalk& operator=(const SchemaWalk&) = delete;

  // Done::yes: all frames are closed. Done::left: the top frame continues with a value for other
  // code. Failed: as the encoder's functions have it.
  LANNER_WALK Done run() noexcept {
    Done done = Done::yes;
    while (done != Done::left && done != Done::failed) {
      const Node& node = *top_->node;
      const From from = top_->from;
      if (!encoder_.walks(node, from)) {
        done = Done::left;
      } else if (node.kind == Kind::record && from == From::slots) {
        done = run_record<From::slots>(*node.record);
      } else if (node.kind == Kind::record) {
        done = run_record<From::dict>(*node.record);
      } else if (node.kind == Kind::dict) {
        done = run_dict(*node.children[1]);
      } else if (has_rows(*node.children[0])) {
        done = run_records(*node.children[0]);
      } else {
        done = run_items(*node.children[0]);
      }
      if (done != Done::yes) continue;
      const bool all = top_ == encoder_.frames_.data();
      if (!close()) done = Done::failed;
      if (all) break;
    }
    pin();
    out_.give();
    return done;
  }

 private:
  static constexpr std::size_t kRoom = WalkOutput<Level>::kRoom;

  LANNER_WALK bool room() noexcept {
    if (out_.room(kRoom)) [[likely]]
      return true;
    rarely([e = &encoder_] { return e->no_memory(); });
    return false;
  }
  LANNER_WALK Done word(const char* word, std::size_t size) noexcept {
    (void)out_.word(word, size);
    return Done::yes;
  }
  static LANNER_WALK Done done_of(Put put) noexcept {
    return put == Put::yes ? Done::yes : Done::left;
  }

  // Passes the frames to the encoder with owned references, because other code may run.
  LANNER_WALK void pin() noexcept {
    encoder_.depth_ = static_cast<int>(top_ + 1 - encoder_.frames_.data());
    for (; owned_end_ <= top_; ++owned_end_) {
      (void)share(owned_end_->owner);
      owned_end_->size = SchemaEncoder::size_of(*owned_end_);
      owned_end_->key = owned_end_ == top_ ? nullptr : share(owned_end_->key);
    }
  }

  LANNER_WALK Done push(const Node& node, PyObject* owner, From from, Py_ssize_t at,
                        PyObject* key) noexcept {
    if (top_ == &encoder_.frames_.back() || !encoder_.walks(node, from)) return Done::left;
    (void)out_.word(from == From::dict || from == From::slots ? "{" : "[", 1);
    top_->at = at;
    top_->key = top_ < owned_end_ ? share(key) : key;
    begin_frame(node, owner, from, out_.size());
    top_->at = 0;
    return Done::opened;
  }

  LANNER_WALK void begin_frame(const Node& node, PyObject* owner, From from,
                               std::size_t begin) noexcept {
    ++top_;
    top_->node = &node;
    top_->owner = owner;
    top_->begin = begin;
    top_->from = from;
    top_->braces = from == From::dict || from == From::slots;
  }

  LANNER_WALK bool close() noexcept {
    if (!room()) return false;
    const Frame& frame = *top_--;
    if (out_.size() != frame.begin) out_.set_end(out_.end() - 1);  // the last item's comma
    (void)out_.word(frame.braces ? "}," : "],", 2);
    if (top_ + 1 < owned_end_) {
      --owned_end_;
      // These may be the last references, and a destructor may run any code.
      rarely([f = &frame] {
        drop(f->key);
        drop(f->owner);
      });
      keys_.forget();
    }
    return true;
  }

  // A value of the node, `kind` and `nullable` its own. Done::left: nothing is written.
  LANNER_WALK Done write(Kind kind, bool nullable, const Node* node, PyObject* value, Py_ssize_t at,
                         PyObject* key) noexcept {
    const Done done = write_scalar(kind, nullable, value);
    return done == Done::left ? write_container(*node, Py_TYPE(value), value, at, key) : done;
  }

  LANNER_WALK Done write_scalar(Kind kind, bool nullable, PyObject* value) noexcept {
    PyTypeObject* const type = Py_TYPE(value);
    if (type == &PyUnicode_Type) [[likely]] {
      return kind == Kind::string || kind == Kind::any ? write_str(value) : Done::left;
    }
    if (value == Py_None) {
      if (!nullable && kind != Kind::any && kind != Kind::none) return Done::left;
      return word("null,", 5);
    }
    if (type == &PyLong_Type) {
      return kind == Kind::integer || kind == Kind::any ? done_of(out_.integer(value)) : Done::left;
    }
    if (type == &PyFloat_Type) {
      if (kind != Kind::floating && kind != Kind::any) return Done::left;
      return done_of(out_.real(value));
    }
    if (type != &PyBool_Type || (kind != Kind::boolean && kind != Kind::any)) return Done::left;
    return value == Py_True ? word("true,", 5) : word("false,", 6);
  }

  LANNER_WALK Done write_container(const Node& node, const PyTypeObject* type, PyObject* value,
                                   Py_ssize_t at, PyObject* key) noexcept {
    if (node.kind == Kind::record) {
      const schema::Record& record = *node.record;
      if (record.from_array || !record.tag.empty()) return Done::left;
      if (record.make == schema::Make::slots && type == record.type) {
        return push(node, value, From::slots, at, key);
      }
      if (record.make != schema::Make::mapping || type != &PyDict_Type) return Done::left;
      return push(node, value, From::dict, at, key);
    }
    if (node.kind == Kind::dict) {
      return type == &PyDict_Type ? push(node, value, From::dict, at, key) : Done::left;
    }
    if (node.kind != Kind::list && node.kind != Kind::tuple) return Done::left;
    if (type == &PyList_Type) return push(node, value, From::list, at, key);
    return type == &PyTuple_Type ? push(node, value, From::tuple, at, key) : Done::left;
  }

  LANNER_WALK Done write_str(PyObject* value) noexcept {
    const Put put = out_.text(value);
    if (put == Put::yes) [[likely]]
      return Done::yes;
    if (put == Put::no_memory) return rarely([e = &encoder_] { return e->no_memory(); });
    out_.give();
    const Done done = rarely([e = &encoder_, value] { return e->write_str(value); });
    out_.take();
    return done;
  }

  // Leaves the fast loop at the item `at`, and undoes the `key_size` bytes of its key that have
  // been written.
  LANNER_WALK Done leave(Done done, Py_ssize_t at, std::size_t key_size, PyObject* key) noexcept {
    if (done == Done::opened) return done;
    top_->at = done == Done::failed ? at + 1 : at;
    if (done == Done::left) {
      out_.set_end(out_.end() - key_size);
      return done;
    }
    pin();
    rarely([top = top_, key] { drop(std::exchange(top->key, share(key))); });
    return done;
  }

  // Records in slots: those of plain fields need no frame.
  LANNER_WALK Done run_records(const Node& node) noexcept {
    const schema::Record& record = *node.record;
    const auto count = static_cast<Py_ssize_t>(record.rows.size());
    const schema::FieldRow* const rows = record.rows.data();
    PyObject* const list = top_->owner;
    const Py_ssize_t size = Py_SIZE(list);
    PyObject* const* const items = items_of(list);
    for (Py_ssize_t at = top_->at; at < size; ++at) {
      PyObject* const owner = items[at];
      top_->at = at;
      if (Py_TYPE(owner) != record.type || top_ == &encoder_.frames_.back()) return Done::left;
      if (!room()) return Done::failed;
      (void)out_.word("{", 1);
      const std::size_t begin = out_.size();
      Py_ssize_t i = 0;
      Done done = Done::yes;
      for (; i < count && done == Done::yes; ++i) {
        // SAFETY: the offset is that of a T_OBJECT_EX member of the owner's type.
        auto* const value =
            *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(owner) + rows[i].offset);
        if (!write_name(rows[i])) return Done::failed;
        done = value ? write_scalar(rows[i].kind, rows[i].nullable, value) : Done::left;
      }
      if (done == Done::yes) [[likely]] {
        if (!room()) return Done::failed;
        if (out_.size() != begin) out_.set_end(out_.end() - 1);
        (void)out_.word("},", 2);
        continue;
      }
      top_->at = at + 1;
      top_->key = nullptr;
      begin_frame(node, owner, From::slots, begin);
      return leave(done, i - 1, rows[i - 1].key_size, nullptr) == Done::failed ? Done::failed
                                                                               : Done::opened;
    }
    return Done::yes;
  }

  LANNER_WALK PyObject* const* items_of(PyObject* owner) const noexcept {
    return top_->from == From::list ? &PyList_GET_ITEM(owner, 0) : &PyTuple_GET_ITEM(owner, 0);
  }

  // False: memory is out.
  LANNER_WALK bool write_name(const schema::FieldRow& row) noexcept {
    if (!room()) return false;
    char* const to = out_.end();
    std::memcpy(to, row.key, 32);
    if (row.key_size > 32) std::memcpy(to + 32, row.key + 32, 32);
    out_.set_end(to + row.key_size);
    return true;
  }

  static LANNER_WALK bool has_rows(const Node& node) noexcept {
    return node.kind == Kind::record && node.record->make == schema::Make::slots &&
           node.record->all_rows && !node.record->omit_defaults && !node.record->from_array &&
           node.record->tag.empty();
  }

  LANNER_WALK Done run_items(const Node& node) noexcept {
    // No call of this loop can change the list.
    PyObject* const owner = top_->owner;
    const Py_ssize_t size = Py_SIZE(owner);
    PyObject* const* const items = items_of(owner);
    const Kind kind = node.kind;
    const bool nullable = node.nullable;
    Py_ssize_t at = top_->at;
    if (kind == Kind::integer) {
      while (at < size && Py_TYPE(items[at]) == &PyLong_Type && room() &&
             out_.integer(items[at]) == Put::yes) {
        ++at;
      }
    }
    for (; at < size; ++at) {
      if (!room()) return Done::failed;
      const Done done = write(kind, nullable, &node, items[at], at + 1, nullptr);
      if (done == Done::yes) [[likely]]
        continue;
      return leave(done, at, 0, nullptr);
    }
    return Done::yes;
  }

  LANNER_WALK Done run_dict(const Node& node) noexcept {
    PyObject* const owner = top_->owner;
    if (top_ < owned_end_) rarely([top = top_] { drop(std::exchange(top->key, nullptr)); });
    const DictEntries entries = dict_entries(owner);
    if (!entries.first) return Done::left;
    for (Py_ssize_t at = top_->at; at < entries.count; ++at) {
      PyObject* const value = entries.value(at);
      if (!value) continue;
      PyObject* const key = entries.key(at);
      if (!room()) return Done::failed;
      char* const behind = keys_.write(out_.end(), key, out_.plain());
      if (!behind) return leave(Done::left, at, 0, nullptr);
      const auto key_size = static_cast<std::size_t>(behind - out_.end());
      out_.set_end(behind);
      const Done done = write(node.kind, node.nullable, &node, value, at + 1, key);
      if (done == Done::yes) [[likely]]
        continue;
      return leave(done, at, key_size, key);
    }
    return Done::yes;
  }

  template <From kFrom>
  LANNER_WALK Done run_record(const schema::Record& record) noexcept {
    PyObject* const owner = top_->owner;
    const auto count = static_cast<Py_ssize_t>(record.rows.size());
    const schema::FieldRow* const rows = record.rows.data();
    DictEntries entries;
    if constexpr (kFrom == From::dict) {
      entries = dict_entries(owner);
      if (!entries.first) return Done::left;
    }
    for (Py_ssize_t at = top_->at; at < count; ++at) {
      const schema::FieldRow& row = rows[at];
      PyObject* value = nullptr;
      if constexpr (kFrom == From::slots) {
        // SAFETY: the offset is that of a T_OBJECT_EX member of the owner's type.
        value = *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(owner) + row.offset);
      } else {
        value = find(entries, owner, at, row);
      }
      if (!value || row.key_size == 0) return leave(Done::left, at, 0, nullptr);
      if (!write_name(row)) return Done::failed;
      const Done done = write(row.kind, row.nullable, row.node, value, at + 1, nullptr);
      if (done == Done::yes) [[likely]]
        continue;
      return leave(done, at, row.key_size, nullptr);
    }
    return Done::yes;
  }

  // Null: there is no such key, or other code must search it. Most dicts have their keys in the
  // order of the fields.
  LANNER_WALK PyObject* find(const DictEntries& entries, PyObject* dict, Py_ssize_t at,
                             const schema::FieldRow& row) noexcept {
    auto* const name = static_cast<PyObject*>(row.attribute);
    if (at < entries.count && is_same(entries.key(at), name)) [[likely]]
      return entries.value(at);
    // Compares str with str: no other code, and no error.
    return entries.only_str ? rarely([dict, name] { return PyDict_GetItemWithError(dict, name); })
                            : nullptr;
  }

  // The same str, or another one of the same ASCII text.
  static LANNER_WALK bool is_same(PyObject* key, PyObject* name) noexcept {
    if (key == name) return true;
    StrBytes one;
    StrBytes other;
    return Py_TYPE(key) == &PyUnicode_Type && utf8_inside(key, &one) && utf8_inside(name, &other) &&
           one.size == other.size && std::memcmp(one.data, other.data, one.size) == 0;
  }

  SchemaEncoder& encoder_;
  WalkOutput<Level> out_;
  Frame* top_;
  Frame* owned_end_;
  WrittenKeys<typename Level::Plain>& keys_;
};

namespace {

// Of one translation unit, and so is all that is made for it.
struct Level {
  using Plain = WalkLevel<kWalkLevel>::Plain;
  using Numbers = WalkLevel<kWalkLevel>::CalledNumbers;
};

}  // namespace

template <>
LANNER_WALK_TARGET SchemaEncoder::Done SchemaEncoder::walk<kWalkLevel>() noexcept {
  WrittenKeys<Level::Plain> keys;
  SchemaWalk<Level> walk(*this, keys);
  return walk.run();
}

}  // namespace lanner::python
