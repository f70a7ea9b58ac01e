// python/json/array.cpp: numpy's arrays and scalars as JSON, read through the buffer protocol.

#include "python/json/array.h"

#include <cmath>
#include <cstring>
#include <string_view>

#include "json/decimal.h"
#include "python/object/call_method.h"
#include "python/object/ref.h"

namespace lanner::python {

namespace {

constexpr int kDimensionsMax = 64;  // PyBUF_MAX_NDIM
constexpr std::size_t kElementRoom = json::kDoubleRoom + 1;

// The buffer of an array while it is read.
class Elements final {
 public:
  Elements() noexcept = default;
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  ~Elements() {
    if (view_.obj) PyBuffer_Release(&view_);
  }
  // False without an exception: not to be had.
  bool open(PyObject* array) noexcept {
    // Scalars of these give their bytes, as if they were small numbers.
    const std::string_view type = Py_TYPE(array)->tp_name;
    if (type == "numpy.datetime64" || type == "numpy.timedelta64") return false;
    if (PyObject_GetBuffer(array, &view_, PyBUF_FORMAT | PyBUF_STRIDED_RO) == 0) return true;
    view_.obj = nullptr;
    PyErr_Clear();
    return false;
  }
  const Py_buffer& view() const noexcept { return view_; }
  // The one letter of the format; 0: more than that, or not this machine's byte order.
  char code() const noexcept {
    std::string_view format = view_.format ? view_.format : "B";
    if (format.size() == 2 && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
      format.remove_prefix(1);
    const bool shaped = view_.ndim == 0 || (view_.shape && view_.strides);
    return format.size() == 1 && shaped && view_.ndim <= kDimensionsMax ? format[0] : '\0';
  }

 private:
  Py_buffer view_{};
};

template <class T>
T load(const char* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
char* write_whole(char* to, const char* at) noexcept {
  if constexpr (std::is_signed_v<T>) {
    return json::write_int64(to, load<T>(at));
  } else {
    return json::write_uint64(to, load<T>(at));
  }
}

// IEEE 754 binary16 is exact in a float.
float half_to_float(std::uint16_t half) noexcept {
  const int exponent = half >> 10 & 0x1F;
  const int fraction = half & 0x3FF;
  float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  if (exponent == 0x1F) value = fraction == 0 ? INFINITY : NAN;
  return (half & 0x8000) != 0 ? -value : value;
}

char* write_word(char* to, std::string_view word) noexcept {
  std::memcpy(to, word.data(), word.size());
  return to + word.size();
}

// Null: not finite.
char* write_real(char* to, double value) noexcept {
  return std::isfinite(value) ? json::write_double(to, value) : nullptr;
}
char* write_real(char* to, float value) noexcept {
  return std::isfinite(value) ? json::write_float(to, value) : nullptr;
}

bool is_known(char code) noexcept {
  return code != 0 && std::string_view("?bBhHiIlLqQefd").find(code) != std::string_view::npos;
}

char* write_element(char* to, const char* at, char code) noexcept {
  switch (code) {
    case '?':
      return write_word(to, *at != 0 ? "true" : "false");
    case 'b':
      return write_whole<signed char>(to, at);
    case 'B':
      return write_whole<unsigned char>(to, at);
    case 'h':
      return write_whole<short>(to, at);
    case 'H':
      return write_whole<unsigned short>(to, at);
    case 'i':
      return write_whole<int>(to, at);
    case 'I':
      return write_whole<unsigned int>(to, at);
    case 'l':
      return write_whole<long>(to, at);
    case 'L':
      return write_whole<unsigned long>(to, at);
    case 'q':
      return write_whole<long long>(to, at);
    case 'Q':
      return write_whole<unsigned long long>(to, at);
    case 'e':
      return write_real(to, half_to_float(load<std::uint16_t>(at)));
    case 'f':
      return write_real(to, load<float>(at));
    default:
      return write_real(to, load<double>(at));
  }
}

// `count` elements, `stride` bytes apart, each with a comma.
ArrayText write_row(json::Output& out, const char* at, Py_ssize_t count, Py_ssize_t stride,
                    char code, bool nan_as_null) noexcept {
  for (; count > 0; --count, at += stride) {
    char* const to = out.reserve(kElementRoom);
    if (!to) return ArrayText::failed;
    char* end = write_element(to, at, code);
    if (!end && !nan_as_null) return ArrayText::not_finite;
    if (!end) end = write_word(to, "null");
    *end = ',';
    out.commit(end + 1);
  }
  return ArrayText::written;
}

bool put(json::Output& out, char byte) noexcept {
  char* to = out.reserve(1);
  if (!to) return false;
  *to = byte;
  out.commit(to + 1);
  return true;
}

// All dimensions, the last one fastest; an odometer of indices in the place of recursion.
ArrayText write_rows(json::Output& out, const Py_buffer& view, char code,
                     bool nan_as_null) noexcept {
  Py_ssize_t index[kDimensionsMax] = {};
  const auto* at = static_cast<const char*>(view.buf);
  int level = 0;
  if (!put(out, '[')) return ArrayText::failed;
  for (;;) {
    if (index[level] == view.shape[level]) {
      if (view.shape[level] != 0) out.truncate(out.size() - 1);
      if (!put(out, ']')) return ArrayText::failed;
      if (level == 0) return ArrayText::written;
      at -= index[level] * view.strides[level];
      --level;
      ++index[level];
      at += view.strides[level];
      if (!put(out, ',')) return ArrayText::failed;
    } else if (level + 1 < view.ndim) {
      index[++level] = 0;
      if (!put(out, '[')) return ArrayText::failed;
    } else {
      const ArrayText row =
          write_row(out, at, view.shape[level], view.strides[level], code, nan_as_null);
      if (row != ArrayText::written) return row;
      index[level] = view.shape[level];
      at += index[level] * view.strides[level];
    }
  }
}

bool is_text(PyObject* text, const char* expected) noexcept {
  return PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, expected) == 0;
}

// Null with an exception set.
Ref in_microseconds(PyObject* dates) noexcept {
  const Ref unit = Ref::steal(PyUnicode_FromString("datetime64[us]"));
  return Ref::steal(unit ? call_method(dates, "astype", unit.get()) : nullptr);
}

// tolist() of one dimension; null with an exception set.
Ref flat_list(PyObject* array) noexcept {
  const Ref length = Ref::steal(PyLong_FromLong(-1));  // as many as there are
  const Ref row = Ref::steal(length ? call_method(array, "reshape", length.get()) : nullptr);
  return Ref::steal(row ? call_method(row.get(), "tolist") : nullptr);
}

// Whether all dates are in the years that Python has: tolist() makes integers of the others, and of
// all that are finer than microseconds. In these, however, a unit that counts years would overflow.
// False with or without an exception set.
bool are_datetimes(PyObject* dates, PyObject* dtype) noexcept {
  const Ref name = Ref::steal(get_attribute(dtype, "name"));  // "datetime64[ns]"
  const char* text = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  if (!text) return false;
  const std::string_view unit = text;
  const bool fine = unit.ends_with("ns]") || unit.ends_with("ps]") || unit.ends_with("fs]") ||
                    unit.ends_with("as]");
  const Ref exact = fine ? in_microseconds(dates) : Ref::borrow(dates);
  const Ref flat = exact ? flat_list(exact.get()) : Ref();
  if (!flat || !PyList_Check(flat.get())) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(flat.get()); ++i) {
    if (PyLong_Check(PyList_GET_ITEM(flat.get(), i))) return false;
  }
  return true;
}

}  // namespace

bool is_numpy(PyObject* value) noexcept {
  return std::string_view(Py_TYPE(value)->tp_name).starts_with("numpy.");
}

ArrayText write_array(json::Output& out, PyObject* array, const JsonOptions& options) noexcept {
  Elements elements;
  if (options.indent != 0 || !elements.open(array)) return ArrayText::python;
  const char code = elements.code();
  if (!is_known(code)) return ArrayText::python;
  const Py_buffer& view = elements.view();
  ArrayText done = ArrayText::written;
  if (view.ndim == 0) {
    done = write_row(out, static_cast<const char*>(view.buf), 1, 0, code, options.nan_as_null);
    if (done == ArrayText::written) out.truncate(out.size() - 1);
  } else {
    done = write_rows(out, view, code, options.nan_as_null);
  }
  if (done == ArrayText::failed && !PyErr_Occurred()) PyErr_NoMemory();
  return done;
}

PyObject* array_to_python(PyObject* array, const char** problem) noexcept {
  *problem = nullptr;
  const Ref dtype = Ref::steal(get_attribute(array, "dtype"));
  const Ref kind = Ref::steal(dtype ? get_attribute(dtype.get(), "kind") : nullptr);
  if (!kind) return nullptr;
  if (is_text(kind.get(), "m")) {
    *problem = "numpy.timedelta64 has no form in JSON; default= may give a function that makes one";
    return nullptr;
  }
  if (!is_text(kind.get(), "M")) return call_method(array, "tolist");
  if (!are_datetimes(array, dtype.get())) {
    if (!PyErr_Occurred())
      *problem = "a numpy.datetime64 outside years 1 to 9999 has no form in RFC 3339";
    return nullptr;
  }
  const Ref exact = in_microseconds(array);
  return exact ? call_method(exact.get(), "tolist") : nullptr;
}

}  // namespace lanner::python
