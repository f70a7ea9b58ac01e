// python/json/walk_inl.h: writes plain values, lists, tuples and dicts in one loop, compiled once
// for each level of vector instructions (walk_level.h).

#pragma once

#include <utility>

#include "python/json/encoder.h"
#include "python/json/walk_level.h"
#include "python/json/walk_output_inl.h"
#include "python/json/written_keys_inl.h"
#include "python/object/dict_entries.h"

namespace lanner::python {

// One walk, from the frame at the encoder's top on.
//
// No Python code runs in it, so it needs no references to the containers: the frames from
// owned_end_ on borrow them, have no `items` and no `size`, and the top one has no key, until
// pin().
template <class Level>
class JsonWalk final {
 public:
  using Done = JsonEncoder::Done;
  using Frame = JsonEncoder::Frame;
  using Kind = JsonEncoder::Kind;

  // `keys` is not a member: its address is taken, which would force all members into memory.
  LANNER_WALK JsonWalk(JsonEncoder& encoder, WrittenKeys<typename Level::Plain>& keys) noexcept
      : encoder_(encoder),
        out_(*encoder.out_),
        top_(encoder.frames_.data() + encoder.depth_ - 1),
        owned_end_(top_ + 1),
        keys_(keys) {}
  JsonWalk(const JsonWalk&) = delete;
  JsonWalk& operator=(const JsonWalk&) = delete;

  // Done::yes: all frames above `outside` are closed. Done::no: *other, owned, is the next item of
  // the top frame, and nothing that this loop can write. Failed: an exception is set.
  LANNER_WALK Done run(int outside, PyObject** other) noexcept {
    const Frame* const last = encoder_.frames_.data() + outside;
    Done done = Done::again;
    while (done == Done::again) {
      const Kind kind = top_->kind;
      if (kind == Kind::dict) {
        done = run_dict(other);
      } else if (kind <= Kind::tuple) {
        done = run_array(other);
      } else {
        done = run_other(other);
      }
      if (done == Done::yes) {
        const bool all = top_ == last;
        done = !close() ? Done::failed : all ? Done::yes : Done::again;
      }
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

  // Passes the frames to the encoder with owned references, because other code may run.
  LANNER_WALK void pin() noexcept {
    encoder_.depth_ = static_cast<int>(top_ + 1 - encoder_.frames_.data());
    for (; owned_end_ <= top_; ++owned_end_) {
      (void)share(owned_end_->owner);
      owned_end_->size = JsonEncoder::size_of(*owned_end_);
      owned_end_->key = owned_end_ == top_ ? nullptr : share(owned_end_->key);
      owned_end_->items = nullptr;
    }
  }

  LANNER_WALK Done push(PyObject* owner, Kind kind, Py_ssize_t at, PyObject* key) noexcept {
    if (top_ == &encoder_.frames_.back()) {
      return rarely([e = &encoder_, owner] { return e->too_deep(owner); });
    }
    const Py_ssize_t size = kind == Kind::dict ? PyDict_GET_SIZE(owner) : Py_SIZE(owner);
    if (size == 0) return word(kind <= Kind::tuple ? "[]," : "{},", 3);
    (void)out_.word(kind <= Kind::tuple ? "[" : "{", 1);
    top_->at = at;
    top_->key = top_ < owned_end_ ? share(key) : key;
    ++top_;
    top_->owner = owner;
    top_->at = 0;
    top_->begin = out_.size();
    top_->kind = kind;
    return Done::again;
  }

  LANNER_WALK bool close() noexcept {
    if (!room()) return false;
    const Frame& frame = *top_--;
    if (out_.size() != frame.begin) out_.set_end(out_.end() - 1);  // the last item's comma
    (void)out_.word(frame.kind <= Kind::tuple ? "]," : "},", 2);
    if (top_ + 1 < owned_end_) {
      --owned_end_;
      // These may be the last references, and a destructor may run any code.
      rarely([f = &frame] {
        drop(f->key);
        drop(f->items);
        drop(f->owner);
      });
      keys_.forget();
    }
    return true;
  }

  // Any value. Done::again: a container, which is the frame at the top now. Done::no: neither plain
  // nor a container. Failed: encoder_.problem_, or an exception. REQUIRES: kRoom bytes, less a key.
  LANNER_WALK Done write(PyObject* value, Py_ssize_t at, PyObject* key) noexcept {
    PyTypeObject* const type = Py_TYPE(value);
    if (type == &PyUnicode_Type) [[likely]]
      return write_str(value);
    if (value == Py_None) return word("null,", 5);
    if (type == &PyLong_Type) return out_.integer(value) == Put::yes ? Done::yes : Done::no;
    if (type == &PyFloat_Type) return write_float(value);
    if (type == &PyBool_Type) return value == Py_True ? word("true,", 5) : word("false,", 6);
    if (type == &PyDict_Type) return push(value, Kind::dict, at, key);
    if (type == &PyList_Type) return push(value, Kind::list, at, key);
    if (type == &PyTuple_Type) return push(value, Kind::tuple, at, key);
    return Done::no;
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

  LANNER_WALK Done write_float(PyObject* value) noexcept {
    if (out_.real(value) == Put::yes) [[likely]]
      return Done::yes;
    out_.give();
    const Done done =
        rarely([e = &encoder_, value] { return e->write_float(PyFloat_AS_DOUBLE(value)); });
    out_.take();
    return done;
  }

  // Leaves the top frame at `at` with what write() could not do. Done::no: *other is `value`.
  LANNER_WALK Done leave(Done done, Py_ssize_t at, PyObject* key, PyObject* value,
                         PyObject** other) noexcept {
    top_->at = at;
    pin();
    if (done == Done::failed) {
      rarely([e = &encoder_, key] { e->raise(key); });
    } else {
      top_->key = share(key);
      *other = share(value);
    }
    return done;
  }

  // Checks whether default() or code called by an item has added to the top frame's container.
  LANNER_WALK Done grown() noexcept {
    pin();
    return rarely([e = &encoder_] {
      (void)e->has_grown(e->frames_[static_cast<std::size_t>(e->depth_ - 1)]);
      e->raise(nullptr);
      return Done::failed;
    });
  }

  LANNER_WALK Done run_array(PyObject** other) noexcept {
    // No call of this loop can change the list.
    PyObject* const owner = top_->owner;
    const bool list = top_->kind == Kind::list;
    const Py_ssize_t size = Py_SIZE(owner);
    if (top_ < owned_end_ && size > top_->size) [[unlikely]]
      return grown();
    PyObject* const* const items = list ? &PyList_GET_ITEM(owner, 0) : &PyTuple_GET_ITEM(owner, 0);
    for (Py_ssize_t at = top_->at; at < size; ++at) {
      PyObject* const item = items[at];
      if (!room()) return Done::failed;
      const Done done = write(item, at + 1, nullptr);
      if (done == Done::yes) [[likely]]
        continue;
      return done == Done::again ? done : leave(done, at + 1, nullptr, item, other);
    }
    return Done::yes;
  }

  LANNER_WALK Done run_dict(PyObject** other) noexcept {
    const Frame& frame = *top_;
    if (top_ < owned_end_) {
      if (PyDict_GET_SIZE(frame.owner) > frame.size) [[unlikely]]
        return grown();
      rarely([top = top_] { drop(std::exchange(top->key, nullptr)); });
    }
    const DictEntries entries = dict_entries(frame.owner);
    if (!entries.first) return run_other(other);
    for (Py_ssize_t at = frame.at; at < entries.count; ++at) {
      PyObject* const value = entries.value(at);
      if (!value) continue;
      PyObject* const key = entries.key(at);
      if (!room()) return Done::failed;
      char* const behind = keys_.write(out_.end(), key, out_.plain());
      if (behind) [[likely]] {
        out_.set_end(behind);
      } else {
        const Done done = write_odd_key(at + 1, key, value, other);
        if (done != Done::yes) return done;
      }
      const Done done = write(value, at + 1, key);
      if (done == Done::yes) [[likely]]
        continue;
      return done == Done::again ? done : leave(done, at + 1, key, value, other);
    }
    return Done::yes;
  }

  // Done::yes: the key stands there, its value does not. Done::again: both do, or are left out.
  LANNER_WALK Done write_odd_key(Py_ssize_t at, PyObject* key, PyObject* value,
                                 PyObject** other) noexcept {
    out_.give();
    if (PyUnicode_CheckExact(key)) {
      const bool ok = rarely([e = &encoder_, key] { return e->write_key(key); });
      out_.take();
      if (ok && room()) return Done::yes;
      return leave(Done::failed, at, nullptr, nullptr, other);
    }
    pin();
    top_->at = at;
    *other = value;
    const Done done = rarely([e = &encoder_, top = top_, key, other] {
      return e->write_item(*top, key, other);  // may run any code
    });
    out_.take();
    keys_.forget();
    return done == Done::yes ? Done::again : done;
  }

  // Writes the next item of a frame with the encoder's own functions, which may run any code.
  LANNER_WALK Done run_other(PyObject** other) noexcept {
    pin();
    out_.give();
    *other = rarely([e = &encoder_, top = top_] { return e->next_item(*top); });
    out_.take();
    keys_.forget();
    if (*other) return Done::no;
    return PyErr_Occurred() ? Done::failed : Done::yes;
  }

  JsonEncoder& encoder_;
  WalkOutput<Level> out_;
  Frame* top_;
  Frame* owned_end_;
  WrittenKeys<typename Level::Plain>& keys_;
};

namespace {

// Of one translation unit, and so is all that is made for it.
struct Level : WalkLevel<kWalkLevel> {};

}  // namespace

template <>
LANNER_WALK_TARGET JsonEncoder::Done JsonEncoder::walk<kWalkLevel>(int outside,
                                                                   PyObject** other) noexcept {
  WrittenKeys<Level::Plain> keys;
  JsonWalk<Level> walk(*this, keys);
  return walk.run(outside, other);
}

}  // namespace lanner::python
