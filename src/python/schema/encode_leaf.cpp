// python/schema/encode_leaf.cpp: scalars of a schema's type as JSON text: as pydantic's JSON mode
// has them.

#include <cmath>
#include <cstring>

#include "json/decimal.h"
#include "python/object/call_method.h"
#include "python/schema/encoder.h"
#include "python/schema/state.h"

namespace lanner::python {

using schema::Kind;
using schema::Node;

namespace {

constexpr Py_ssize_t kShortText = 4096;  // longer ones are written by pieces

PyObject* to_json_without(PyObject* serializer, PyObject* value,
                          const SchemaWriteOptions& options) noexcept {
  const Ref method = Ref::steal(get_attribute(serializer, "to_json_without"));
  const auto flag = [](bool on) noexcept { return on ? Py_True : Py_False; };
  return method ? PyObject_CallFunctionObjArgs(method.get(), value, flag(options.exclude_none),
                                               flag(options.exclude_unset),
                                               flag(options.exclude_defaults), nullptr)
                : nullptr;
}

json::Written write_long(json::Output& out, PyObject* text) noexcept {
  const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text));
  switch (PyUnicode_KIND(text)) {
    case PyUnicode_1BYTE_KIND:
      return json::write_string(out, PyUnicode_1BYTE_DATA(text), size);
    case PyUnicode_2BYTE_KIND:
      return json::write_string(out, PyUnicode_2BYTE_DATA(text), size);
    default:
      return json::write_string(out, PyUnicode_4BYTE_DATA(text), size);
  }
}

char* escape(const json::EscapeKernels& kernels, char* to, PyObject* text,
             std::size_t size) noexcept {
  switch (PyUnicode_KIND(text)) {
    case PyUnicode_1BYTE_KIND:
      if (!PyUnicode_IS_ASCII(text)) return kernels.latin1(to, PyUnicode_1BYTE_DATA(text), size);
      // SAFETY: one byte a character.
      return kernels.utf8(to, reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(text)), size);
    case PyUnicode_2BYTE_KIND:
      return kernels.ucs2(to, PyUnicode_2BYTE_DATA(text), size);
    default:
      return kernels.ucs4(to, PyUnicode_4BYTE_DATA(text), size);
  }
}

char* write_number(char* to, std::int64_t value, char unit) noexcept {
  if (value == 0) return to;
  to = json::write_int64(to, value);
  *to = unit;
  return to + 1;
}

}  // namespace

SchemaEncoder::Done SchemaEncoder::write_text(std::string_view text) noexcept {
  return out_.append(text) ? Done::yes : no_memory();
}

SchemaEncoder::Done SchemaEncoder::write_leaf(const Node& node, PyObject* value) noexcept {
  switch (node.kind) {
    case Kind::string:
      if (PyUnicode_Check(value)) return write_str(value);
      return wrong(node, value);
    case Kind::integer:
      if (PyLong_Check(value) && !PyBool_Check(value)) return write_int(value);
      return wrong(node, value);
    case Kind::floating:
      if (PyFloat_Check(value)) return write_float(PyFloat_AS_DOUBLE(value));
      if (PyLong_Check(value) && !PyBool_Check(value)) {
        const double number = PyLong_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred())
          return failed_with(PyExc_OverflowError, "the int is too large for a float");
        return write_float(number);
      }
      return wrong(node, value);
    case Kind::boolean:
      if (value == Py_True) return write_text("true,");
      if (value == Py_False) return write_text("false,");
      return wrong(node, value);
    case Kind::none:
      return value == Py_None ? write_text("null,") : wrong(node, value);
    case Kind::any:
      return write_any(value);
    default:
      return write_other_leaf(node, value);
  }
}

SchemaEncoder::Done SchemaEncoder::write_other_leaf(const Node& node, PyObject* value) noexcept {
  if (node.kind == Kind::choice) return write_choice(node, value);
  if (!fits(node, value)) return wrong(node, value);
  switch (node.kind) {
    case Kind::bytes: {
      Ref text = Ref::steal(
          PyUnicode_DecodeUTF8(PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value), nullptr));
      if (text) return write_str(text.get());
      return failed_with(PyExc_UnicodeDecodeError, "the bytes are no UTF-8");
    }
    case Kind::decimal:
      return write_decimal(node, value);
    case Kind::timedelta:
      return write_span(value);
    case Kind::delegate:
      return write_delegate(node, value);
    default:
      return write_any(value);
  }
}

SchemaEncoder::Done SchemaEncoder::write_str(PyObject* text) noexcept {
#if PY_VERSION_HEX < 0x030C0000
  if (PyUnicode_READY(text) < 0) return no_memory();
#endif
  const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
  const auto size = static_cast<std::size_t>(length);
  bool surrogate = false;
  if (length > kShortText) {
    const json::Written written = write_long(out_, text);
    if (written == json::Written::no_memory || !out_.append(",")) return no_memory();
    surrogate = written == json::Written::surrogate;
  } else {
    char* to = out_.reserve(json::escaped_room(size) + 3);
    if (!to) return no_memory();
    *to = '"';
    to = escape(kernels_, to + 1, text, size);
    surrogate = !to;
    if (to) {
      to[0] = '"';
      to[1] = ',';
      out_.commit(to + 2);
    }
  }
  if (!surrogate) return Done::yes;
  problem_ =
      Ref::steal(PyUnicode_FromString("the str has a lone surrogate, for which UTF-8 has no form"));
  return Done::failed;
}

SchemaEncoder::Done SchemaEncoder::write_int(PyObject* number) noexcept {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0) return write_any(number);
  char* to = out_.reserve(json::kIntegerRoom + 1);
  if (!to) return no_memory();
  to = json::write_int64(to, value);
  *to = ',';
  out_.commit(to + 1);
  return Done::yes;
}

SchemaEncoder::Done SchemaEncoder::write_float(double value) noexcept {
  if (!std::isfinite(value)) {
    problem_ = Ref::steal(PyUnicode_FromString("NaN and Infinity are no JSON numbers"));
    return Done::failed;
  }
  char* to = out_.reserve(json::kDoubleRoom + 1);
  if (!to) return no_memory();
  to = json::write_double(to, value);
  *to = ',';
  out_.commit(to + 1);
  return Done::yes;
}

// What is not finite is written where it is read: that is, as text.
SchemaEncoder::Done SchemaEncoder::write_decimal(const Node& node, PyObject* value) noexcept {
  Ref text = Ref::steal(PyObject_Str(value));
  if (!text) return Done::failed;
  const Py_ssize_t size = PyUnicode_GET_LENGTH(text.get());
  const Py_UCS4 last = size == 0 ? 0 : PyUnicode_READ_CHAR(text.get(), size - 1);
  if ((last >= '0' && last <= '9') || node.allow_inf_nan) return write_str(text.get());
  problem_ = Ref::steal(
      PyUnicode_FromString("a Decimal that is not finite is written with allow_inf_nan=True only"));
  return Done::failed;
}

// ISO 8601: "P1DT2H3M4.5S".
SchemaEncoder::Done SchemaEncoder::write_span(PyObject* value) noexcept {
  std::int64_t days = PyDateTime_DELTA_GET_DAYS(value);
  std::int64_t seconds = PyDateTime_DELTA_GET_SECONDS(value);
  std::int64_t micro = PyDateTime_DELTA_GET_MICROSECONDS(value);
  char text[96];
  char* to = text;
  *to++ = '"';
  if (days < 0) {
    *to++ = '-';
    std::int64_t all = -(days * 86400 + seconds);
    if (micro) {
      micro = 1'000'000 - micro;
      --all;
    }
    days = all / 86400;
    seconds = all % 86400;
  }
  *to++ = 'P';
  to = write_number(to, days / 365, 'Y');  // as pydantic: a year has 365 days
  to = write_number(to, days % 365, 'D');
  if (seconds || micro || days == 0) {
    *to++ = 'T';
    to = write_number(to, seconds / 3600, 'H');
    to = write_number(to, seconds / 60 % 60, 'M');
    const std::int64_t rest = seconds % 60;
    if (rest || micro || (days == 0 && seconds == 0)) {
      to = json::write_int64(to, rest);
      if (micro) {
        char digits[24];
        char* end = json::write_int64(digits, 1'000'000 + micro);  // 1dddddd
        while (end[-1] == '0') --end;
        *to++ = '.';
        std::memcpy(to, digits + 1, static_cast<std::size_t>(end - digits - 1));
        to += end - digits - 1;
      }
      *to++ = 'S';
    }
  }
  *to++ = '"';
  *to++ = ',';
  return write_text({text, static_cast<std::size_t>(to - text)});
}

SchemaEncoder::Done SchemaEncoder::write_choice(const Node& node, PyObject* value) noexcept {
  if (!fits(node, value)) return wrong(node, value);
  if (!node.choices->type) return write_any(value);
  Ref said = Ref::steal(get_attribute(value, "value"));
  return said ? write_any(said.get()) : Done::failed;
}

// A pydantic model: its own serializer, through lanner.schema._foreign.Foreign.
SchemaEncoder::Done SchemaEncoder::write_delegate(const Node& node, PyObject* value) noexcept {
  auto* serializer = static_cast<PyObject*>(node.encode);
  Ref written = Ref::steal(excludes_ && node.wrong_type == schema::Slug::model_type
                               ? to_json_without(serializer, value, options_)
                               : call_method(serializer, "to_json", value));
  if (!written) return Done::failed;
  if (!PyBytes_Check(written.get())) return wrong(node, value);
  const std::string_view text(PyBytes_AS_STRING(written.get()),
                              static_cast<std::size_t>(PyBytes_GET_SIZE(written.get())));
  return out_.append(text) && out_.append(",") ? Done::yes : no_memory();
}

SchemaEncoder::Done SchemaEncoder::write_any(PyObject* value) noexcept {
  JsonEncoder encoder(&state_->json, out_, json_options_);
  if (!encoder.write(value)) return Done::failed;
  return write_text(",");
}

}  // namespace lanner::python
