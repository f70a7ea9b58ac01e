// python/json/decoder.cpp: JSON values as Python objects, in one pass over the text and without
// recursion.

#include "python/json/decoder.h"

#include <cstdlib>
#include <cstring>

#include "base/cpu.h"
#include "json/number_avx2.h"
#include "python/json/text_avx512.h"
#include "python/object/new_list.h"

namespace lanner::python {

namespace {

// '-' or a digit. A table: a branch on the sign mispredicts.
bool is_number_start(char byte) noexcept {
  constexpr unsigned kAllButPointAndSlash = 0x1FF9;
  const unsigned place = static_cast<unsigned char>(byte - '-');
  return place <= '9' - '-' && (kAllButPointAndSlash >> place & 1) != 0;
}

PyObject* new_dict(std::size_t pairs) noexcept {
#if LANNER_LAYOUTS && PY_VERSION_HEX < 0x030D0000
  if (pairs > 5) return _PyDict_NewPresized(static_cast<Py_ssize_t>(pairs));
#endif
  static_cast<void>(pairs);
  return PyDict_New();
}

}  // namespace

PyObject* big_integer(std::string_view digits) noexcept {
  char text[json::kIntegerDigitsMax + 2];  // a sign, a NUL
  std::memcpy(text, digits.data(), digits.size());
  text[digits.size()] = '\0';
  return PyLong_FromString(text, nullptr, 10);
}

JsonDecoder::~JsonDecoder() {
  drop_values(0);
  if (values_ != inline_values_) std::free(values_);
}

void JsonDecoder::drop_values(std::size_t first) noexcept {
  while (size_ > first) drop(values_[--size_]);
}

bool JsonDecoder::grow() noexcept {
  const std::size_t bytes = capacity_ * 2 * sizeof(PyObject*);
  void* grown = std::realloc(values_ == inline_values_ ? nullptr : values_, bytes);
  if (!grown) {
    PyErr_NoMemory();
    return false;
  }
  if (values_ == inline_values_) std::memcpy(grown, inline_values_, sizeof inline_values_);
  values_ = static_cast<PyObject**>(grown);
  capacity_ *= 2;
  return true;
}

// Takes `value`, also on failure.
bool JsonDecoder::push(PyObject* value) noexcept {
  if (size_ == capacity_ && !grow()) [[unlikely]] {
    drop(value);
    return false;
  }
  values_[size_++] = value;
  return true;
}

#if defined(__x86_64__)
LANNER_AVX512_TARGET bool JsonDecoder::is_expected_avx512(const char* at, PyObject* key,
                                                          std::size_t size) const noexcept {
  // SAFETY: the text of an ASCII str.
  const auto* text = reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(key));
  return is_text_at(at, reader_->end(), text, size);
}
#endif

// Is the text at `at` that of the key, with its closing quote?
bool JsonDecoder::is_expected(const char* at, PyObject* key, std::size_t size) const noexcept {
#if defined(__x86_64__)
  if (avx512_) return is_expected_avx512(at, key, size);
#endif
  return reader_->end() - at > static_cast<std::ptrdiff_t>(size) && at[size] == '"' &&
         std::memcmp(at, PyUnicode_1BYTE_DATA(key), size) == 0;
}

// Reads a key and its colon; returns where the value begins.
const char* JsonDecoder::key(const char* at) noexcept {
  if (*at != '"') return reader_->fail(at, Errc::json_key_expected);
  PyObject* made = keys_->expected();
  const std::size_t size = made ? static_cast<std::size_t>(PyUnicode_GET_LENGTH(made)) : 0;
  if (made && is_expected(at + 1, made, size)) [[likely]] {
    made = keys_->take_expected();
    at += size + 2;
  } else {
    json::String text;
    at = reader_->string(at + 1, &text);
    if (!at) return nullptr;
    made = keys_->get(text);
  }
  if (!made || !push(made)) return nullptr;
  if (*at != ':') [[unlikely]] {
    at = json::skip_space(at, reader_->end());
    if (*at != ':') return reader_->fail(at, Errc::json_colon_expected);
  }
  return json::skip_space(at + 1, reader_->end());
}

#if defined(__x86_64__)
// What number() does, with the digits read in place; null: number() shall. In an array the numbers
// that follow are read, too, and all but the last one pushed.
LANNER_AVX2_TARGET const char* JsonDecoder::numbers_avx2(const char* at, bool in_array,
                                                         PyObject** out) noexcept {
  json::ShortNumber number;
  at = json::read_short_number(at, reader_->end(), &number);
  if (!at) return nullptr;
  for (;;) {
    *out = number.is_real ? PyFloat_FromDouble(number.real) : PyLong_FromLong(number.int64);
    if (!in_array || *at != ',' || !is_number_start(at[1]) || !*out) return at;
    const char* const behind = json::read_short_number(at + 1, reader_->end(), &number);
    if (!behind) return at;
    if (!push(*out)) {
      *out = nullptr;
      return at;
    }
    at = behind;
  }
}
#endif

#if defined(__x86_64__)
LANNER_AVX512_TARGET const char* JsonDecoder::text_avx512(const char* at, PyObject** out) noexcept {
  return read_short_text(at, reader_->end(), out);
}
#endif

const char* JsonDecoder::number(const char* at, bool in_array, PyObject** out) noexcept {
#if defined(__x86_64__)
  if (avx2_) {
    if (const char* behind = numbers_avx2(at, in_array, out)) [[likely]]
      return *out ? behind : nullptr;
  }
#endif
  json::Number number;
  at = reader_->number(at, &number);
  if (!at) return nullptr;
  switch (number.kind) {
    case json::NumberKind::int64:
      *out = PyLong_FromLongLong(number.int64);
      break;
    case json::NumberKind::uint64:
      *out = PyLong_FromUnsignedLongLong(number.uint64);
      break;
    case json::NumberKind::big:
      *out = big_integer(number.text);
      if (!*out && PyErr_ExceptionMatches(PyExc_ValueError)) {  // sys.set_int_max_str_digits()
        PyErr_Clear();
        return reader_->fail(number.text.data(), Errc::json_integer_too_long);
      }
      break;
    case json::NumberKind::real:
      *out = PyFloat_FromDouble(number.real);
      break;
  }
  return *out ? at : nullptr;
}

const char* JsonDecoder::scalar(const char* at, bool in_array, PyObject** out) noexcept {
  if (is_number_start(*at)) return number(at, in_array, out);
  switch (*at) {
    case '"': {
#if defined(__x86_64__)
      if (avx512_) {
        if (const char* behind = text_avx512(at + 1, out)) return *out ? behind : nullptr;
      }
#endif
      json::String text;
      at = reader_->string(at + 1, &text);
      if (!at) return nullptr;
      *out = json_str(text);
      return *out ? at : nullptr;
    }
    case 't':
      at = reader_->literal(at, "true");
      if (at) *out = share(Py_True);
      return at;
    case 'f':
      at = reader_->literal(at, "false");
      if (at) *out = share(Py_False);
      return at;
    case 'n':
      at = reader_->literal(at, "null");
      if (at) *out = none();
      return at;
    default:
      return reader_->fail(at, Errc::json_value_expected);
  }
}

const char* JsonDecoder::open(const char* at, int depth) noexcept {
  if (open_ + depth >= json::kDepthMax) return reader_->fail(at, Errc::json_too_deep);
  frames_[static_cast<std::size_t>(open_++)] = {at, size_, *at == '{'};
  return json::skip_space(at + 1, reader_->end());
}

PyObject* JsonDecoder::close() noexcept {
  const Frame& frame = frames_[static_cast<std::size_t>(--open_)];
  if (!frame.object) return close_array(frame.first);
  const std::size_t pairs = (size_ - frame.first) / 2;
  PyObject* dict = close_object(frame.first);
  if (dict && refuse_repeated_ && static_cast<std::size_t>(PyDict_GET_SIZE(dict)) != pairs) {
    drop(dict);
    fail_at_repeated_key(frame.begin);
    return nullptr;
  }
  return dict;
}

PyObject* JsonDecoder::close_array(std::size_t first) noexcept {
  PyObject* list = new_list(values_ + first, size_ - first);
  if (!list) return nullptr;
  size_ = first;
  return list;
}

PyObject* JsonDecoder::close_object(std::size_t first) noexcept {
  PyObject** const pairs = values_ + first;
  const std::size_t count = (size_ - first) / 2;
  JsonShapes& shapes = keys_->shapes();
  if (PyObject* copy = shapes.make(pairs, count)) [[likely]] {
    size_ = first;
    return copy;
  }
  if (PyErr_Occurred()) return nullptr;
  Ref dict = Ref::steal(new_dict(count));
  if (!dict) return nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (PyDict_SetItem(dict.get(), pairs[2 * i], pairs[2 * i + 1]) < 0) return nullptr;
  }
  shapes.learn(dict.get(), pairs, count);
  drop_values(first);
  return dict.release();
}

// Goes over the object's keys once more: the error shall stand where the second one is.
void JsonDecoder::fail_at_repeated_key(const char* object) noexcept {
  Ref seen = Ref::steal(PySet_New(nullptr));
  const char* at = json::skip_space(object + 1);
  while (seen) {
    const char* const begin = at;
    json::String text;
    at = reader_->string(at + 1, &text);
    Ref name = Ref::steal(at ? json_str(text) : nullptr);
    if (!name) return;
    const int known = PySet_Contains(seen.get(), name.get());
    if (known > 0) reader_->fail(begin, Errc::json_key_repeated);
    if (known != 0 || PySet_Add(seen.get(), name.get()) < 0) return;
    at = json::skip_space(json::skip_space(at) + 1);
    at = reader_->skip_value(at, open_ + 1);
    if (!at) return;
    at = json::skip_space(json::skip_space(at) + 1);
  }
}

const char* JsonDecoder::read(const char* at, int depth, PyObject** out) noexcept {
  const int outside = open_;
  for (;;) {
    // A value begins at `at`.
    PyObject* made = nullptr;
    if (*at == '[' || *at == '{') {
      const bool object = *at == '{';
      if (!(at = open(at, depth))) return nullptr;
      if (*at != (object ? '}' : ']')) {
        if (object && !(at = key(at))) return nullptr;
        continue;
      }
      ++at;
      made = close();
    } else {
      const bool in_array =
          open_ != outside && !frames_[static_cast<std::size_t>(open_ - 1)].object;
      if (!(at = scalar(at, in_array, &made))) return nullptr;
    }
    // A value ended before `at`.
    for (;;) {
      if (!made) return nullptr;
      if (open_ == outside) {
        *out = made;
        return at;
      }
      if (!push(made)) return nullptr;
      at = json::skip_space(at, reader_->end());
      if (*at == ',') break;
      const bool object = frames_[static_cast<std::size_t>(open_ - 1)].object;
      if (*at != (object ? '}' : ']')) {
        return reader_->fail(
            at, object ? Errc::json_object_end_expected : Errc::json_array_end_expected);
      }
      ++at;
      made = close();
    }
    at = json::skip_space(at + 1, reader_->end());
    if (frames_[static_cast<std::size_t>(open_ - 1)].object && !(at = key(at))) return nullptr;
  }
}

}  // namespace lanner::python
