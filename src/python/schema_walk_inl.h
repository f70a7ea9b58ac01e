// python/schema_walk_inl.h: plain values of a schema's type in one loop: items of a list, fields of
// records in slots or in dicts. Compiled once for each kind of vector instructions:
// schema_walk_*.cpp, which say LANNER_WALK_TARGET.

#pragma once

#include "python/dict_entries.h"
#include "python/schema_encoder.h"
#include "python/walk_output_inl.h"

namespace lanner::python {

// No Python code runs in it, so nothing that it meets needs a reference of its own.
template <class Level>
class SchemaWalk final {
 public:
  using Done = SchemaEncoder::Done;
  using Frame = SchemaEncoder::Frame;
  using From = SchemaEncoder::From;
  using Kind = schema::Kind;
  using Node = schema::Node;

  LANNER_WALK explicit SchemaWalk(SchemaEncoder& encoder) noexcept
      : encoder_(encoder), out_(encoder.out_) {}
  SchemaWalk(const SchemaWalk&) = delete;
  SchemaWalk& operator=(const SchemaWalk&) = delete;

  // Items of a list or tuple, from frame.at on. Done::yes: frame.at is the end, or an item for
  // others. Done::opened: a record at the top is, from its `at` on. Failed: problem_ or an
  // exception.
  LANNER_WALK Done run_items(Frame& frame, const Node& node) noexcept {
    const bool list = frame.from == From::list;
    const Py_ssize_t size = list ? PyList_GET_SIZE(frame.owner) : PyTuple_GET_SIZE(frame.owner);
    const From from = records_of(node);
    Done done = Done::yes;
    Put put = Put::yes;
    for (; frame.at < size && done == Done::yes && put == Put::yes; ++frame.at) {
      PyObject* const item =
          list ? PyList_GET_ITEM(frame.owner, frame.at) : PyTuple_GET_ITEM(frame.owner, frame.at);
      if (from == From::slots) {
        done = put_record<From::slots>(node, item, &put);
      } else if (from == From::dict) {
        done = put_record<From::dict>(node, item, &put);
      } else {
        put = out_.room(kRoom) ? put_value(node.kind, node.nullable, item, &done) : Put::no_memory;
      }
    }
    if (put != Put::yes) --frame.at;
    return finish(done, put);
  }

  // Fields of a record in slots, from frame.at on; none of the encoder's options may be set.
  // Done::yes: frame.at is the end, or a field for others.
  LANNER_WALK Done run_fields(Frame& frame) noexcept {
    const schema::Record& record = *frame.node->record;
    auto i = static_cast<std::size_t>(frame.at);
    Done done = Done::yes;
    const Put put = put_fields<From::slots>(record, frame.owner, &i, &done);
    frame.at = static_cast<Py_ssize_t>(i) + (done == Done::failed);
    return finish(done, put);
  }

 private:
  static constexpr std::size_t kRoom = WalkOutput<Level>::kRoom;

  // How run_items() writes records of the node; From::items: it does not.
  LANNER_WALK From records_of(const Node& node) noexcept {
    if (node.kind != Kind::record || encoder_.depth_ == json::kDepthMax) return From::items;
    if (node.record->omit_defaults) return From::items;
    if (node.record->make == schema::Make::slots) return From::slots;
    if (node.record->make == schema::Make::mapping && encoder_.dict_entries_) return From::dict;
    return From::items;
  }

  LANNER_WALK Done finish(Done done, Put put) noexcept {
    out_.give();
    return put == Put::no_memory ? encoder_.no_memory() : done;
  }

  // Put::no: a record for others. What only a field of it is for others gets a frame.
  template <From kFrom>
  LANNER_WALK Done put_record(const Node& node, PyObject* value, Put* put) noexcept {
    const schema::Record& record = *node.record;
    const auto* type = static_cast<const PyTypeObject*>(
        kFrom == From::slots ? record.type : static_cast<const void*>(&PyDict_Type));
    *put = Py_TYPE(value) == type ? Put::yes : Put::no;
    if (*put == Put::no) return Done::yes;
    if (!out_.room(kRoom + record.tag.size())) {
      *put = Put::no_memory;
      return Done::yes;
    }
    (void)out_.word("{", 1);
    const std::size_t begin = out_.size();
    if (!record.tag.empty()) (void)out_.word(record.tag.data(), record.tag.size());
    std::size_t i = 0;
    Done done = Done::yes;
    const Put fields = put_fields<kFrom>(record, value, &i, &done);
    if (done == Done::yes && fields == Put::yes) [[likely]] {
      if (!out_.room(kRoom)) {
        *put = Put::no_memory;
        return done;
      }
      if (out_.size() != begin) out_.set_end(out_.end() - 1);  // the last field's comma
      (void)out_.word("},", 2);
      return done;
    }
    if (fields == Put::no_memory) {
      *put = fields;
      return done;
    }
    const auto at = static_cast<Py_ssize_t>(i) + (done == Done::failed);
    encoder_.frames_[static_cast<std::size_t>(encoder_.depth_++)] = {
        &node, share(value), nullptr, at, begin, kFrom, true};
    return done == Done::failed ? done : Done::opened;
  }

  // Fields from *i on. Put::no: field *i is for others. *done: failed, at *i.
  template <From kFrom>
  LANNER_WALK Put put_fields(const schema::Record& record, PyObject* owner, std::size_t* i,
                             Done* done) noexcept {
    const std::size_t count = record.rows.size();
    const schema::FieldRow* const rows = record.rows.data();
    DictEntries entries;
    if constexpr (kFrom == From::dict) {
      entries = dict_entries(owner);
      if (!entries.first || entries.count != static_cast<Py_ssize_t>(count)) return Put::no;
    }
    Put put = Put::yes;
    for (; *i < count; ++*i) {
      const schema::FieldRow& row = rows[*i];
      const auto at = static_cast<Py_ssize_t>(*i);
      PyObject* value = nullptr;
      if constexpr (kFrom == From::slots) {
        // SAFETY: the offset is that of a T_OBJECT_EX member of the owner's type.
        value = *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(owner) + row.offset);
      } else if (entries.key(at) == row.attribute) {
        value = entries.value(at);
      }
      if (!value || row.key_size == 0) return Put::no;
      if (!out_.room(kRoom)) return Put::no_memory;
      char* const to = out_.end();
      std::memcpy(to, row.key, 32);
      if (row.key_size > 32) std::memcpy(to + 32, row.key + 32, 32);
      out_.set_end(to + row.key_size);
      put = put_value(row.kind, row.nullable, value, done);
      if (put != Put::yes) {
        out_.set_end(out_.end() - row.key_size);
        return put;
      }
      if (*done == Done::failed) return put;
    }
    return put;
  }

  // Put::no: not plain, or it does not fit the type. *done: failed.
  LANNER_WALK Put put_value(Kind kind, bool nullable, PyObject* value, Done* done) noexcept {
    PyTypeObject* const type = Py_TYPE(value);
    if (type == &PyUnicode_Type) [[likely]] {
      return kind == Kind::string || kind == Kind::any ? put_str(value, done) : Put::no;
    }
    if (value == Py_None) {
      if (!nullable && kind != Kind::any && kind != Kind::none) return Put::no;
      return out_.word("null,", 5);
    }
    if (type == &PyLong_Type) {
      return kind == Kind::integer || kind == Kind::any ? out_.integer(value) : Put::no;
    }
    if (type == &PyFloat_Type) {
      if (kind != Kind::floating && kind != Kind::any) return Put::no;
      return out_.real(value) == Put::yes ? Put::yes : out_.word("null,", 5);
    }
    if (type != &PyBool_Type || (kind != Kind::boolean && kind != Kind::any)) return Put::no;
    return value == Py_True ? out_.word("true,", 5) : out_.word("false,", 6);
  }

  LANNER_WALK Put put_str(PyObject* value, Done* done) noexcept {
    const Put put = out_.text(value);
    if (put != Put::no) [[likely]]
      return put;
    out_.give();
    *done = encoder_.write_str(value);
    out_.take();
    return Put::yes;
  }

  SchemaEncoder& encoder_;
  WalkOutput<Level> out_;
};

}  // namespace lanner::python
