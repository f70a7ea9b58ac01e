// python/json/scalars.cpp: the plain values of Python as JSON: str, int, float, bool, None, and
// keys.

#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "json/decimal.h"
#include "python/json/encoder.h"

namespace lanner::python {

namespace {

constexpr long long kSafeMax = (1LL << 53) - 1;  // what a double, and so JavaScript, holds exactly
constexpr Py_ssize_t kShortText = 4096;          // longer ones are written by pieces
constexpr const char* kSurrogate =
    "the str has a lone surrogate, for which UTF-8 has no form; mend it, e.g. by "
    "value.encode('utf-8', 'replace').decode()";

const char* ascii_data(PyObject* text) noexcept {
  // SAFETY: a compact ASCII str has its bytes behind the head (PEP 393).
  return reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(text));
}

// The inside of the string; null at a surrogate.
char* escape(const json::EscapeKernels& kernels, char* to, PyObject* text, Py_ssize_t length) {
  const auto size = static_cast<std::size_t>(length);
  if (PyUnicode_IS_ASCII(text)) [[likely]]
    return kernels.utf8(to, ascii_data(text), size);
  switch (PyUnicode_KIND(text)) {
    case PyUnicode_1BYTE_KIND:
      return kernels.latin1(to, PyUnicode_1BYTE_DATA(text), size);
    case PyUnicode_2BYTE_KIND:
      return kernels.ucs2(to, PyUnicode_2BYTE_DATA(text), size);
    default:
      return kernels.ucs4(to, PyUnicode_4BYTE_DATA(text), size);
  }
}

json::Written write_long(json::Output& out, PyObject* text) noexcept {
  const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text));
  if (PyUnicode_IS_ASCII(text)) return json::write_string(out, {ascii_data(text), size});
  switch (PyUnicode_KIND(text)) {
    case PyUnicode_1BYTE_KIND:
      return json::write_string(out, PyUnicode_1BYTE_DATA(text), size);
    case PyUnicode_2BYTE_KIND:
      return json::write_string(out, PyUnicode_2BYTE_DATA(text), size);
    default:
      return json::write_string(out, PyUnicode_4BYTE_DATA(text), size);
  }
}

}  // namespace

JsonEncoder::Done JsonEncoder::no_memory() noexcept {
  if (!PyErr_Occurred()) PyErr_NoMemory();
  return Done::failed;
}

JsonEncoder::Done JsonEncoder::write_plain(PyObject* value) noexcept {
  PyTypeObject* const type = Py_TYPE(value);
  if (type == &PyUnicode_Type) return write_str(value);
  if (type == &PyLong_Type) return write_int(value);
  if (type == &PyFloat_Type) return write_float(PyFloat_AS_DOUBLE(value));
  if (value == Py_None) return write_word("null,");
  if (value == Py_True) return write_word("true,");
  if (value == Py_False) return write_word("false,");
  return Done::no;
}

JsonEncoder::Done JsonEncoder::write_word(std::string_view word) noexcept {
  char* to = out_->reserve(8);
  if (!to) return no_memory();
  std::memcpy(to, word.data(), word.size());
  out_->commit(to + word.size());
  return Done::yes;
}

JsonEncoder::Done JsonEncoder::write_str(PyObject* text) noexcept {
#if PY_VERSION_HEX < 0x030C0000
  if (PyUnicode_READY(text) < 0) return no_memory();
#endif
  const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
  if (length > kShortText) [[unlikely]]
    return write_long_str(text);
  char* to = out_->reserve(json::escaped_room(static_cast<std::size_t>(length)) + 3);
  if (!to) return no_memory();
  *to = '"';
  to = escape(kernels_, to + 1, text, length);
  if (!to) return problem(kSurrogate);
  to[0] = '"';
  to[1] = ',';
  out_->commit(to + 2);
  return Done::yes;
}

JsonEncoder::Done JsonEncoder::write_long_str(PyObject* text) noexcept {
  const json::Written written = write_long(*out_, text);
  if (written == json::Written::surrogate) return problem(kSurrogate);
  if (written == json::Written::no_memory || !out_->append(",")) return no_memory();
  return Done::yes;
}

JsonEncoder::Done JsonEncoder::write_int(PyObject* number) noexcept {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (options_->strict_integer && (overflow != 0 || value > kSafeMax || value < -kSafeMax)) {
    return problem("the integer has more than 53 bits, which strict_integer=True refuses");
  }
  if (overflow != 0) [[unlikely]]
    return write_big_int(number);
  char* to = out_->reserve(json::kIntegerRoom + 1);
  if (!to) return no_memory();
  to = json::write_int64(to, value);
  *to = ',';
  out_->commit(to + 1);
  return Done::yes;
}

JsonEncoder::Done JsonEncoder::write_big_int(PyObject* number) noexcept {
  // Not str(): a subclass may have its own.
  Ref digits = Ref::steal(PyNumber_ToBase(number, 10));
  if (!digits) {
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) return Done::failed;
    PyErr_Clear();
    return problem("the integer has more digits than sys.get_int_max_str_digits() allows");
  }
  const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(digits.get()));
  if (!out_->append({ascii_data(digits.get()), size}) || !out_->append(",")) return no_memory();
  return Done::yes;
}

JsonEncoder::Done JsonEncoder::write_float(double value) noexcept {
  if (!std::isfinite(value)) [[unlikely]] {
    if (options_->nan_as_null) return write_word("null,");
    return problem(
        "NaN and Infinity are no JSON numbers (RFC 8259, section 6); nan_as_null=True writes null");
  }
  char* to = out_->reserve(json::kDoubleRoom + 1);
  if (!to) return no_memory();
  to = json::write_double(to, value);
  *to = ',';
  out_->commit(to + 1);
  return Done::yes;
}

// The key and its colon. REQUIRES: an exact str.
bool JsonEncoder::write_key(PyObject* key) noexcept {
  // As a value; then its comma becomes a colon.
  if (write_str(key) != Done::yes) return false;
  char* to = out_->reserve(1);
  if (!to) {
    (void)no_memory();
    return false;
  }
  to[-1] = ':';
  if (options_->indent != 0) {
    *to = ' ';
    out_->commit(to + 1);
  }
  return true;
}

// What stands for a key: an exact str. Null: problem_, or an exception set.
Ref JsonEncoder::key_text(PyObject* key) noexcept {
  if (PyUnicode_CheckExact(key)) return Ref::borrow(key);
  if (PyUnicode_Check(key)) return Ref::steal(PyUnicode_FromObject(key));
  if (!options_->non_str_keys) {
    (void)problem("keys are str; non_str_keys=True also allows numbers, dates, UUIDs, enums, None");
    return {};
  }
  // What is passed through or refused are values: a key is text.
  JsonOptions options;
  options.fallback = options_->fallback;
  options.naive_utc = options_->naive_utc;
  options.utc_z = options_->utc_z;
  options.omit_microseconds = options_->omit_microseconds;
  options.nan_as_null = options_->nan_as_null;
  const JsonOptions* const usual = std::exchange(options_, &options);
  Ref text = odd_key_text(key);
  options_ = usual;
  return text;
}

Ref JsonEncoder::odd_key_text(PyObject* key) noexcept {
  // The key's own JSON, without its comma, and without quotes if it has any.
  const std::size_t begin = out_->size();
  const int depth = depth_;
  Ref value = Ref::borrow(key);
  Done done = Done::again;
  for (int turns = 0; done == Done::again && turns < json::kDepthMax; ++turns) {
    done = write_plain(value.get());
    if (done != Done::no) break;
    done = Py_TYPE(value.get()) == state_->raw_type ? Done::no : write_other(value);
  }
  if (done == Done::failed) return {};
  const bool array = done == Done::yes && depth_ == depth && out_->data()[begin] == '[';  // numpy's
  if (done != Done::yes || depth_ != depth || array) {
    if (depth_ != depth) pop();
    out_->truncate(begin);
    (void)problem("a key of this type has no form in JSON");
    return {};
  }
  std::string_view text(out_->data() + begin, out_->size() - begin - 1);
  const bool quoted = text.front() == '"';
  Ref made;
  if (quoted && PyUnicode_Check(value.get())) {
    made = Ref::steal(PyUnicode_FromObject(value.get()));  // not what it looks like escaped
  } else {
    if (quoted) text = text.substr(1, text.size() - 2);
    made =
        Ref::steal(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  }
  out_->truncate(begin);
  return made;
}

}  // namespace lanner::python
