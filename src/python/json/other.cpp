// python/json/other.cpp: what is neither plain nor a container as JSON: subclasses, enums,
// dataclasses, dates, UUIDs, arrays, and what default() makes of the rest.

#include <cstring>
#include <utility>

#include "python/json/array.h"
#include "python/json/encoder.h"
#include "python/json/raw.h"
#include "python/json/time.h"

namespace lanner::python {

namespace {

bool is_a(PyObject* value, PyTypeObject* type) noexcept {
  return PyObject_TypeCheck(value, type) != 0;
}

// Null without an exception: the type has no such attribute.
Ref type_attribute(PyObject* value, PyObject* name) noexcept {
  // SAFETY: PyTypeObject begins with PyObject; the C API itself casts so.
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
  Ref found = Ref::steal(PyObject_GetAttr(type, name));
  if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return found;
}

// The 16 bytes of uuid.UUID.int, the highest first. False: it is no such number.
bool uuid_bytes(PyObject* number, unsigned char* bytes) noexcept {
  if (!PyLong_Check(number)) return false;
#if PY_VERSION_HEX >= 0x030D0000
  constexpr int kFlags = Py_ASNATIVEBYTES_BIG_ENDIAN | Py_ASNATIVEBYTES_UNSIGNED_BUFFER |
                         Py_ASNATIVEBYTES_REJECT_NEGATIVE;
  const Py_ssize_t size = PyLong_AsNativeBytes(number, bytes, 16, kFlags);
  const bool fits = size >= 0 && size <= 16;
#elif !LANNER_LAYOUTS
  const Ref made = Ref::steal(PyObject_CallMethod(number, "to_bytes", "is", 16, "big"));
  const bool fits = static_cast<bool>(made);
  if (fits) std::memcpy(bytes, PyBytes_AS_STRING(made.get()), 16);
#else
  // SAFETY: it was found to be an int.
  const bool fits =
      _PyLong_AsByteArray(reinterpret_cast<PyLongObject*>(number), bytes, 16, 0, 0) == 0;
#endif
  PyErr_Clear();
  return fits;
}

char* write_uuid(char* to, const unsigned char* bytes) noexcept {
  constexpr char kHex[] = "0123456789abcdef";
  *to++ = '"';
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *to++ = '-';
    *to++ = kHex[bytes[i] >> 4];
    *to++ = kHex[bytes[i] & 15];
  }
  *to++ = '"';
  return to;
}

}  // namespace

JsonEncoder::Done JsonEncoder::write_raw(PyObject* value) noexcept {
  wrote_unchecked_ = wrote_unchecked_ || raw_is_unchecked(value);
  return out_->append(raw_text(value)) ? write_word(",") : no_memory();
}

JsonEncoder::Done JsonEncoder::write_other(Ref& value) noexcept {
  if (Py_TYPE(value.get()) == state_->raw_type) return write_raw(value.get());
  if (!state_->types.load()) return Done::failed;
  // SAFETY: as in type_attribute().
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(value.get()));
  // SAFETY: it was loaded as the type enum.EnumMeta.
  auto* const enum_type = reinterpret_cast<PyTypeObject*>(state_->types.enum_type);
  if (is_a(type, enum_type)) {
    value = Ref::steal(PyObject_GetAttr(value.get(), state_->names.value));
    return value ? Done::again : Done::failed;
  }
  if (is_a(type, state_->model_meta_type)) {
    value = Ref::steal(state_->model_to_dict(value.get()));
    return value ? open(value, Kind::dict) : Done::failed;  // never sorted, like dataclasses
  }
  Done done = options_->passthrough_subclass ? Done::no : write_subclass(value);
  if (done == Done::no) done = write_text_of(value.get());
  if (done == Done::no && !options_->passthrough_dataclass) {
    Ref fields = type_attribute(value.get(), state_->names.dataclass_fields);
    if (PyErr_Occurred()) return Done::failed;
    if (fields && PyDict_Check(fields.get())) return open(value, Kind::fields, fields.release());
  }
  if (done == Done::no && PyAnySet_Check(value.get())) done = write_set(value);
  if (done == Done::no && is_numpy(value.get())) done = write_numpy(value);
  if (done == Done::no && !options_->passthrough_decimal && state_->types.is_decimal(value.get())) {
    done = write_decimal(value.get());
  }
  if (PyErr_Occurred()) return Done::failed;
  return done == Done::no ? write_fallback(value) : done;
}

// An array, in the set's own order.
JsonEncoder::Done JsonEncoder::write_set(Ref& value) noexcept {
  if (options_->passthrough_set) return Done::no;
  Ref items = Ref::steal(PySequence_List(value.get()));
  return items ? open(items, Kind::list) : Done::failed;
}

// The digits as text, for a number would be read as a float by most.
JsonEncoder::Done JsonEncoder::write_decimal(PyObject* value) noexcept {
  const Ref text = Ref::steal(PyObject_Str(value));
  if (!text) return Done::failed;
  const Py_ssize_t size = PyUnicode_GET_LENGTH(text.get());
  const Py_UCS4 last = size == 0 ? 0 : PyUnicode_READ_CHAR(text.get(), size - 1);
  if (last >= '0' && last <= '9') return write_str(text.get());
  return write_float(Py_NAN);  // NaN, sNaN, Infinity
}

JsonEncoder::Done JsonEncoder::write_numpy(Ref& value) noexcept {
  switch (options_->strict_integer ? ArrayText::python
                                   : write_array(*out_, value.get(), *options_)) {
    case ArrayText::written:
      return write_word(",");
    case ArrayText::not_finite:
      return write_float(Py_NAN);
    case ArrayText::failed:
      return Done::failed;
    case ArrayText::python:
      break;
  }
  const char* wrong = nullptr;
  Ref made = Ref::steal(array_to_python(value.get(), &wrong));
  if (wrong) return options_->fallback ? Done::no : problem(wrong);
  if (!made) return Done::failed;
  if (is_numpy(made.get())) return Done::no;  // e.g. longdouble: Python has no such thing
  value = std::move(made);
  return Done::again;
}

// Subclasses of what is plain or a container, as what they are.
JsonEncoder::Done JsonEncoder::write_subclass(Ref& value) noexcept {
  if (PyUnicode_Check(value.get())) return write_str(value.get());
  if (PyLong_Check(value.get())) return write_int(value.get());
  if (PyFloat_Check(value.get())) return write_float(PyFloat_AS_DOUBLE(value.get()));
  if (PyDict_Check(value.get())) return open_dict(value);
  if (PyList_Check(value.get())) return open(value, Kind::list);
  if (PyTuple_Check(value.get())) return open(value, Kind::tuple);
  return Done::no;
}

// datetime, date, time and UUID.
JsonEncoder::Done JsonEncoder::write_text_of(PyObject* value) noexcept {
  const PyDateTime_CAPI& api = *state_->types.datetime;
  // SAFETY: it was loaded as the type uuid.UUID.
  auto* const uuid_type = reinterpret_cast<PyTypeObject*>(state_->types.uuid_type);
  unsigned char bytes[16];
  const bool datetime = is_a(value, api.DateTimeType);
  const bool date = !datetime && is_a(value, api.DateType);
  const bool time = is_a(value, api.TimeType);
  if (is_a(value, uuid_type)) {
    Ref number = Ref::steal(PyObject_GetAttr(value, state_->names.int_));
    if (!number) return Done::failed;
    if (!uuid_bytes(number.get(), bytes)) return problem("the UUID's int is no 128-bit number");
  } else if ((!datetime && !date && !time) || options_->passthrough_datetime) {
    return Done::no;
  }
  char text[kTimeRoom];
  char* end = text;
  TimeProblem wrong = nullptr;
  if (datetime) {
    wrong = write_datetime(&end, value, api, *options_);
  } else if (date) {
    write_date(&end, value);
  } else if (time) {
    wrong = write_time(&end, value, api, *options_);
  } else {
    end = write_uuid(text, bytes);
  }
  if (wrong == kTimeRaised) return Done::failed;
  if (wrong) return problem(wrong);
  *end++ = ',';
  if (!out_->append({text, static_cast<std::size_t>(end - text)})) return no_memory();
  return Done::yes;
}

JsonEncoder::Done JsonEncoder::write_fallback(Ref& value) noexcept {
  if (!options_->fallback) {
    PyOS_snprintf(problem_text_, sizeof problem_text_,
                  "%.100s has no form in JSON; default= may give a function that makes one",
                  Py_TYPE(value.get())->tp_name);
    return problem(problem_text_);
  }
  Ref made = Ref::steal(PyObject_CallOneArg(options_->fallback, value.get()));
  if (!made) return Done::failed;
  if (made.get() == Py_NotImplemented) {
    PyOS_snprintf(problem_text_, sizeof problem_text_, "%.100s has no form in JSON",
                  Py_TYPE(value.get())->tp_name);
    return problem(problem_text_);
  }
  value = std::move(made);
  return Done::again;
}

}  // namespace lanner::python
