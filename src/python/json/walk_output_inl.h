// python/json/walk_output_inl.h: the output of a loop over plain values: its end is in a register, and
// str, int and float are written by inlined code. Compiled once for each level of
// vector instructions (walk_level.h).

#pragma once

#include <cmath>
#include <cstring>

#include "json/output.h"
#include "python/json/walk_level.h"
#include "python/object/small_integer.h"
#include "python/object/str_bytes.h"

// Always inlined, so that the loop's state stays in registers.
#define LANNER_WALK LANNER_WALK_TARGET __attribute__((always_inline)) inline

namespace lanner::python {

// Makes a rare call: the compiler then keeps the loop's state in registers, although the call
// clobbers them. `call` captures by value.
template <class Call>
[[gnu::cold, gnu::noinline]] auto rarely(Call call) noexcept {
  return call();
}

enum class Put : std::uint8_t {
  yes,
  no,  // not by this code; nothing is written
  no_memory,
};

// Level::Plain copies text that needs no escape, Level::Numbers writes numbers. Each value is
// followed by a comma.
template <class Level>
class WalkOutput final {
 public:
  // Room for a short key, for bytes that copies and numbers write past their end, and for
  // punctuation.
  static constexpr std::size_t kRoom = 3 * 64;

  LANNER_WALK explicit WalkOutput(json::Output& out) noexcept : out_(out) { take(); }
  WalkOutput(const WalkOutput&) = delete;
  WalkOutput& operator=(const WalkOutput&) = delete;

  // Between give() and take() others may write.
  LANNER_WALK void take() noexcept {
    to_ = out_.end();
    limit_ = out_.limit();
  }
  LANNER_WALK void give() noexcept { out_.commit(to_); }

  LANNER_WALK char* end() const noexcept { return to_; }
  LANNER_WALK void set_end(char* to) noexcept { to_ = to; }
  LANNER_WALK std::size_t size() const noexcept {
    return static_cast<std::size_t>(to_ - out_.data());
  }
  const typename Level::Plain& plain() const noexcept { return plain_; }

  // False: memory is out.
  LANNER_WALK bool room(std::size_t bytes) noexcept {
    if (static_cast<std::size_t>(limit_ - to_) >= bytes) [[likely]]
      return true;
    give();
    if (!rarely([out = &out_, bytes] { return out->reserve(bytes); })) return false;
    take();
    return true;
  }

  // These need room for what they write.
  LANNER_WALK Put word(const char* word, std::size_t size) noexcept {
    std::memcpy(to_, word, size);
    to_ += size;
    return Put::yes;
  }
  // An exact str. Put::no: it needs escapes, or has no UTF-8 in it.
  LANNER_WALK Put text(PyObject* value) noexcept {
    StrBytes text;
    if (!utf8_inside(value, &text)) [[unlikely]]
      return Put::no;
    if (!room(text.size + kRoom)) return Put::no_memory;
    *to_ = '"';
    if (!plain_.copy(to_ + 1, text.data, text.size)) [[unlikely]]
      return Put::no;
    to_ += text.size + 1;
    return word("\",", 2);
  }
  // An exact int. Put::no: more than 64 bits.
  LANNER_WALK Put integer(PyObject* value) noexcept {
    std::int64_t number = 0;
    if (!small_integer(value, &number)) {
      const Wide wide = rarely([value] { return wide_integer(value); });
      if (wide.overflow != 0) return Put::no;  // str() of a very long one may run Python code
      number = wide.number;
    }
    to_ = numbers_.write(to_, number);
    return word(",", 1);
  }
  // A float. Put::no: it is not finite.
  LANNER_WALK Put real(PyObject* value) noexcept {
    const double number = PyFloat_AS_DOUBLE(value);
    if (!std::isfinite(number)) [[unlikely]]
      return Put::no;
    to_ = numbers_.write(to_, number);
    return word(",", 1);
  }

 private:
  struct Wide {
    long long number;
    int overflow;
  };
  static Wide wide_integer(PyObject* value) noexcept {
    Wide wide{};
    wide.number = PyLong_AsLongLongAndOverflow(value, &wide.overflow);
    return wide;
  }

  json::Output& out_;
  char* to_ = nullptr;
  char* limit_ = nullptr;
  const typename Level::Plain plain_{};
  const typename Level::Numbers numbers_{};
};

}  // namespace lanner::python
