// python/json_walk_inl.h: plain values, lists, tuples and dicts written in one loop, compiled once
// for each kind of vector instructions: json_walk_*.cpp, which say LANNER_WALK_TARGET.

#pragma once

#include <cmath>
#include <cstring>

#include "json/decimal.h"
#include "python/dict_entries.h"
#include "python/json_encoder.h"
#include "python/small_integer.h"
#include "python/str_bytes.h"

// Inlined whatever the compiler thinks: the loop's state is to stay in registers.
#define LANNER_WALK LANNER_WALK_TARGET __attribute__((always_inline)) inline

namespace lanner::python {

// The written form of keys met before, by the object: the rows of a table have the same ones.
// Borrows them: forget() when one may have died.
template <class Plain>
class WrittenKeys final {
 public:
  static constexpr std::size_t kBytesMax = 64;  // of "key":

  WrittenKeys() noexcept { forget(); }
  WrittenKeys(const WrittenKeys&) = delete;
  WrittenKeys& operator=(const WrittenKeys&) = delete;

  void forget() noexcept { std::memset(keys_, 0, sizeof keys_); }

  // Writes the key and returns the end. Null: none of kBytesMax that needs no escape.
  LANNER_WALK char* write(char* to, PyObject* key, const Plain& plain) noexcept {
    // SAFETY: only a number; its bits differ from 4 on.
    const auto number = reinterpret_cast<std::uintptr_t>(key);
    const std::size_t index = (number >> 4 ^ number >> 10) % kSlots;
    if (keys_[index] != key && !learn(index, key, plain)) [[unlikely]]
      return nullptr;
    const std::size_t size = sizes_[index];
    std::memcpy(to, slots_[index].text, 32);
    if (size > 32) std::memcpy(to + 32, slots_[index].text + 32, 32);
    return to + size;
  }

 private:
  static constexpr std::size_t kSlots = 64;
  struct Slot {
    char text[2 * kBytesMax];  // half of it for what a copy writes behind the text
  };

  LANNER_WALK bool learn(std::size_t index, PyObject* key, const Plain& plain) noexcept {
    StrBytes bytes;
    if (Py_TYPE(key) != &PyUnicode_Type || !utf8_inside(key, &bytes)) return false;
    if (bytes.size > kBytesMax - 3) return false;
    char* text = slots_[index].text;
    keys_[index] = nullptr;
    if (!plain.copy(text + 1, bytes.data, bytes.size)) return false;
    text[0] = '"';
    std::memcpy(text + 1 + bytes.size, "\":", 2);
    keys_[index] = key;
    sizes_[index] = static_cast<std::uint8_t>(bytes.size + 3);
    return true;
  }

  PyObject* keys_[kSlots];
  std::uint8_t sizes_[kSlots];
  alignas(64) Slot slots_[kSlots];
};

// One walk, from the frame at the encoder's top on.
//
// No Python code runs in it, so the containers it meets need no references of its own: their
// frames from owned_ on borrow them, until pin().
//
// Level::Plain copies text that needs no escape, Level::Doubles writes doubles.
template <class Level>
class JsonWalk final {
 public:
  using Done = JsonEncoder::Done;
  using Frame = JsonEncoder::Frame;
  using Kind = JsonEncoder::Kind;

  LANNER_WALK explicit JsonWalk(JsonEncoder& encoder) noexcept
      : encoder_(encoder), out_(*encoder.out_), owned_(encoder.depth_) {
    take_output();
  }
  JsonWalk(const JsonWalk&) = delete;
  JsonWalk& operator=(const JsonWalk&) = delete;

  // Done::yes: all frames above `outside` are closed. Done::no: *other, owned, is the next item of
  // the top frame, and nothing that this loop can write. Failed: an exception is set.
  LANNER_WALK Done run(int outside, PyObject** other) noexcept {
    Done done = Done::again;
    while (done == Done::again) {
      const Kind kind = top().kind;
      if (kind == Kind::dict) {
        done = run_dict(other);
      } else if (kind <= Kind::tuple) {
        done = run_array(other);
      } else {
        done = run_other(other);
      }
      if (done == Done::yes) {
        done = close() ? Done::again : Done::failed;
        if (encoder_.depth_ == outside) done = Done::yes;
      }
    }
    pin();
    give_output();
    return done;
  }

 private:
  // A key, what copies and numbers write behind their end, punctuation.
  static constexpr std::size_t kRoom = WrittenKeys<typename Level::Plain>::kBytesMax + 2 * 64;

  LANNER_WALK Frame& top() noexcept {
    return encoder_.frames_[static_cast<std::size_t>(encoder_.depth_ - 1)];
  }
  LANNER_WALK void take_output() noexcept {
    to_ = out_.end();
    limit_ = out_.limit();
  }
  LANNER_WALK void give_output() noexcept { out_.commit(to_); }
  LANNER_WALK bool room(std::size_t bytes) noexcept {
    if (static_cast<std::size_t>(limit_ - to_) >= bytes) [[likely]]
      return true;
    give_output();
    if (!out_.reserve(bytes)) {
      (void)encoder_.no_memory();
      return false;
    }
    take_output();
    return true;
  }
  LANNER_WALK Done put(const char* word, std::size_t size) noexcept {
    std::memcpy(to_, word, size);
    to_ += size;
    return Done::yes;
  }

  // Takes references for the frames that this walk has put there: other code may run.
  LANNER_WALK void pin() noexcept {
    for (; owned_ < encoder_.depth_; ++owned_) {
      const Frame& frame = encoder_.frames_[static_cast<std::size_t>(owned_)];
      (void)share(frame.owner);
      (void)share(frame.key);
    }
  }

  LANNER_WALK Done push(PyObject* owner, Kind kind, Py_ssize_t at, PyObject* key) noexcept {
    if (encoder_.depth_ == json::kDepthMax) {
      return encoder_.problem("nested more than 128 deep, or in a circle");
    }
    Frame& below = top();
    below.at = at;
    below.key = encoder_.depth_ == owned_ ? share(key) : key;
    *to_++ = kind <= Kind::tuple ? '[' : '{';
    Frame& frame = encoder_.frames_[static_cast<std::size_t>(encoder_.depth_++)];
    frame.owner = owner;
    frame.key = nullptr;
    frame.items = nullptr;
    frame.at = 0;
    frame.begin = static_cast<std::size_t>(to_ - out_.data());
    frame.kind = kind;
    return Done::again;
  }

  LANNER_WALK bool close() noexcept {
    if (!room(kRoom)) return false;
    const Frame& frame = top();
    if (to_ != out_.data() + frame.begin) --to_;  // the last item's comma
    std::memcpy(to_, frame.kind <= Kind::tuple ? "]," : "},", 2);
    to_ += 2;
    --encoder_.depth_;
    if (encoder_.depth_ < owned_) {
      owned_ = encoder_.depth_;
      drop(frame.key);
      drop(frame.items);
      drop(frame.owner);  // may be the last one, and what dies may run any code
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
    if (value == Py_None) return put("null,", 5);
    if (type == &PyLong_Type) return write_int(value);
    if (type == &PyFloat_Type) return write_float(value);
    if (type == &PyDict_Type) return push(value, Kind::dict, at, key);
    if (type == &PyList_Type) return push(value, Kind::list, at, key);
    if (value == Py_True) return put("true,", 5);
    if (value == Py_False) return put("false,", 6);
    if (type == &PyTuple_Type) return push(value, Kind::tuple, at, key);
    return Done::no;
  }

  LANNER_WALK Done write_str(PyObject* value) noexcept {
    StrBytes text;
    if (utf8_inside(value, &text)) [[likely]] {
      if (!room(text.size + kRoom)) return Done::failed;
      *to_ = '"';
      if (plain_.copy(to_ + 1, text.data, text.size)) [[likely]] {
        to_ += text.size + 1;
        return put("\",", 2);
      }
    }
    give_output();
    const Done done = encoder_.write_str(value);
    take_output();
    return done;
  }

  LANNER_WALK Done write_int(PyObject* value) noexcept {
    std::int64_t number = 0;
    if (!small_integer(value, &number)) {
      int overflow = 0;
      number = PyLong_AsLongLongAndOverflow(value, &overflow);
      if (overflow != 0) return Done::no;  // str() of a very long one may run Python code
    }
    to_ = json::write_int64(to_, number);
    return put(",", 1);
  }

  LANNER_WALK Done write_float(PyObject* value) noexcept {
    const double number = PyFloat_AS_DOUBLE(value);
    if (std::isfinite(number)) [[likely]] {
      to_ = doubles_.write(to_, number);
      return put(",", 1);
    }
    give_output();
    const Done done = encoder_.write_float(number);
    take_output();
    return done;
  }

  // Leaves the top frame at `at` with what write() could not do. Done::no: *other is `value`.
  LANNER_WALK Done leave(Done done, Py_ssize_t at, PyObject* key, PyObject* value,
                         PyObject** other) noexcept {
    top().at = at;
    pin();
    if (done == Done::failed) {
      encoder_.raise(key);
    } else {
      top().key = share(key);
      *other = share(value);
    }
    return done;
  }

  LANNER_WALK Done run_array(PyObject** other) noexcept {
    const Frame& frame = top();
    const bool list = frame.kind == Kind::list;
    const Py_ssize_t size = list ? PyList_GET_SIZE(frame.owner) : PyTuple_GET_SIZE(frame.owner);
    for (Py_ssize_t at = frame.at; at < size; ++at) {
      PyObject* const item =
          list ? PyList_GET_ITEM(frame.owner, at) : PyTuple_GET_ITEM(frame.owner, at);
      if (!room(kRoom)) return Done::failed;
      const Done done = write(item, at + 1, nullptr);
      if (done == Done::yes) [[likely]]
        continue;
      return done == Done::again ? done : leave(done, at + 1, nullptr, item, other);
    }
    return Done::yes;
  }

  LANNER_WALK Done run_dict(PyObject** other) noexcept {
    Frame& frame = top();
    PyObject* const last_key = std::exchange(frame.key, nullptr);
    if (encoder_.depth_ == owned_) drop(last_key);
    const DictEntries entries = dict_entries(frame.owner);
    if (!entries.first) return run_other(other);
    for (Py_ssize_t at = frame.at; at < entries.count; ++at) {
      PyObject* const value = entries.value(at);
      if (!value) continue;
      PyObject* const key = entries.key(at);
      if (!room(kRoom)) return Done::failed;
      char* const behind = keys_.write(to_, key, plain_);
      if (behind) [[likely]] {
        to_ = behind;
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
    give_output();
    if (PyUnicode_CheckExact(key)) {
      const bool ok = encoder_.write_key(key);
      take_output();
      if (ok && room(kRoom)) return Done::yes;
      return leave(Done::failed, at, nullptr, nullptr, other);
    }
    pin();
    Frame& frame = top();
    frame.at = at;
    *other = value;
    const Done done = encoder_.write_item(frame, key, other);  // may run any code
    take_output();
    keys_.forget();
    return done == Done::yes ? Done::again : done;
  }

  // The next item of a frame by the encoder's own functions, which may run any code.
  LANNER_WALK Done run_other(PyObject** other) noexcept {
    pin();
    give_output();
    *other = encoder_.next_item(top());
    take_output();
    keys_.forget();
    if (*other) return Done::no;
    return PyErr_Occurred() ? Done::failed : Done::yes;
  }

  JsonEncoder& encoder_;
  json::Output& out_;
  char* to_ = nullptr;
  char* limit_ = nullptr;
  int owned_;  // frames below it have references of their own
  const typename Level::Plain plain_;
  const typename Level::Doubles doubles_;
  WrittenKeys<typename Level::Plain> keys_;
};

}  // namespace lanner::python
