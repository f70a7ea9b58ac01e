// python/json/functions.cpp: json_dumps, json_dumpb and json_loads of the module: arguments in,
// errors out.

#include <Python.h>

#include <string_view>

#include "json/reader.h"
#include "json/utf8.h"
#include "python/json/decoder.h"
#include "python/json/document.h"
#include "python/json/encoder.h"
#include "python/json/error.h"
#include "python/json/output.h"
#include "python/json/state.h"
#include "python/object/dict_entries.h"
#include "python/object/slots.h"

namespace lanner::python {

namespace {

constexpr long kIndentMax = 16;
constexpr std::size_t kExpectedMax = std::size_t{1} << 20;

bool is_name(PyObject* name, PyObject* known) noexcept {
  return name == known || PyUnicode_Compare(name, known) == 0;
}

bool take_flag(PyObject* value, bool* flag) noexcept {
  const int truth = PyObject_IsTrue(value);
  *flag = truth > 0;
  return truth >= 0;
}

bool take_indent(PyObject* value, int* indent) noexcept {
  if (value == Py_None) return true;
  const long wanted = PyLong_AsLong(value);
  if (wanted == -1 && PyErr_Occurred()) return false;
  if (wanted < 0 || wanted > kIndentMax) {
    PyErr_SetString(PyExc_ValueError, "indent is 0 (one line) to 16 spaces a level");
    return false;
  }
  *indent = static_cast<int>(wanted);
  return true;
}

bool take_option(const JsonState& state, PyObject* name, PyObject* value,
                 JsonOptions* options) noexcept {
  if (is_name(name, state.names.default_)) {
    options->fallback = value == Py_None ? nullptr : value;
    return true;
  }
  if (is_name(name, state.names.indent)) return take_indent(value, &options->indent);
  struct Flag {
    PyObject* name;
    bool JsonOptions::*member;
  };
  const Flag flags[] = {{state.names.sort_keys, &JsonOptions::sort_keys},
                        {state.names.naive_utc, &JsonOptions::naive_utc},
                        {state.names.utc_z, &JsonOptions::utc_z},
                        {state.names.omit_microseconds, &JsonOptions::omit_microseconds},
                        {state.names.non_str_keys, &JsonOptions::non_str_keys},
                        {state.names.nan_as_null, &JsonOptions::nan_as_null},
                        {state.names.append_newline, &JsonOptions::append_newline},
                        {state.names.strict_integer, &JsonOptions::strict_integer},
                        {state.names.passthrough_subclass, &JsonOptions::passthrough_subclass},
                        {state.names.passthrough_datetime, &JsonOptions::passthrough_datetime},
                        {state.names.passthrough_dataclass, &JsonOptions::passthrough_dataclass},
                        {state.names.passthrough_set, &JsonOptions::passthrough_set},
                        {state.names.passthrough_decimal, &JsonOptions::passthrough_decimal}};
  for (const Flag& flag : flags) {
    if (is_name(name, flag.name)) return take_flag(value, &(options->*flag.member));
  }
  PyErr_Format(PyExc_TypeError,
               "no such argument: %R; there are default, sort_keys, indent, naive_utc, utc_z, "
               "omit_microseconds, non_str_keys, nan_as_null, append_newline, strict_integer, "
               "passthrough_subclass, passthrough_datetime, passthrough_dataclass, "
               "passthrough_set, passthrough_decimal",
               name);
  return false;
}

bool take_named(const JsonState& state, PyObject* const* values, PyObject* names,
                JsonOptions* options) noexcept {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    if (!take_option(state, PyTuple_GET_ITEM(names, i), values[i], options)) return false;
  }
  return true;
}

bool take_options(const JsonState& state, const char* function, PyObject* const* arguments,
                  Py_ssize_t count, PyObject* names, JsonOptions* options) noexcept {
  if (count != 1) {
    PyErr_Format(PyExc_TypeError, "%s() takes one value, and options by name; %zd were given",
                 function, count);
    return false;
  }
  return take_named(state, arguments + count, names, options);
}

// The text, in `out`; false with an exception set. *unchecked: it may be no UTF-8.
bool encode(JsonState* state, json::Output& out, PyObject* value, const JsonOptions& options,
            bool* unchecked) noexcept {
  JsonEncoder encoder(state, out, options);
  if (!encoder.write(value)) return false;
  *unchecked = encoder.wrote_unchecked();
  if (options.append_newline && !out.append("\n")) {
    if (!PyErr_Occurred()) PyErr_NoMemory();
    return false;
  }
  // An eighth more, and the room that the last string asks for.
  const std::size_t size = out.size();
  state->expected_bytes = size < kExpectedMax ? size + size / 8 + 1024 : kExpectedMax;
  return true;
}

PyObject* json_dumpb(PyObject* module, PyObject* const* arguments, Py_ssize_t count,
                     PyObject* names) noexcept {
  JsonState* state = state_of<JsonState>(module);
  JsonOptions options;
  if (!take_options(*state, "dumpb", arguments, count, names, &options)) return nullptr;
  BytesSpace space(state->expected_bytes);
  json::Output out(space);
  bool unchecked = false;  // the bytes may be anything
  if (!encode(state, out, arguments[0], options, &unchecked)) return nullptr;
  return space.finish(out.size());
}

PyObject* json_dump_into(PyObject* module, PyObject* const* arguments, Py_ssize_t count,
                         PyObject* names) noexcept {
  JsonState* state = state_of<JsonState>(module);
  if (count != 2 || !PyByteArray_Check(arguments[1])) {
    PyErr_SetString(PyExc_TypeError,
                    "dump_into() takes a value and a bytearray, and options by name");
    return nullptr;
  }
  JsonOptions options;
  if (!take_named(*state, arguments + 2, names, &options)) return nullptr;
  ByteArraySpace space(arguments[1], state->expected_bytes);
  json::Output out(space);
  bool unchecked = false;
  if (!encode(state, out, arguments[0], options, &unchecked) || !space.finish(out.size()))
    return nullptr;
  return PyLong_FromSize_t(out.size());
}

PyObject* json_dumps(PyObject* module, PyObject* const* arguments, Py_ssize_t count,
                     PyObject* names) noexcept {
  JsonState* state = state_of<JsonState>(module);
  JsonOptions options;
  if (!take_options(*state, "dumps", arguments, count, names, &options)) return nullptr;
  BytesSpace space(state->expected_bytes);
  json::Output out(space);
  bool unchecked = false;
  if (!encode(state, out, arguments[0], options, &unchecked)) return nullptr;
  const std::string_view text(out.data(), out.size());
  if (unchecked && !json::is_utf8(text)) {
    const Ref path = Ref::steal(PyUnicode_FromString("$"));
    raise_encode_error("a Raw(..., trusted=True) is no UTF-8; dumpb() writes it", path.get());
    return nullptr;
  }
  return json_str({text, json::shape_of(text).max == 0x7F, false});
}

// duplicate_keys: "last" or "reject". False with an exception set.
bool take_duplicates(const JsonState& state, PyObject* name, PyObject* value,
                     bool* refuse) noexcept {
  if (!is_name(name, state.names.duplicate_keys)) {
    PyErr_Format(PyExc_TypeError, "no such argument: %R; there is duplicate_keys", name);
    return false;
  }
  *refuse = PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "reject") == 0;
  if (*refuse || (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "last") == 0))
    return true;
  PyErr_SetString(PyExc_ValueError, "duplicate_keys is \"last\" or \"reject\"");
  return false;
}

PyObject* json_loads(PyObject* module, PyObject* const* arguments, Py_ssize_t count,
                     PyObject* names) noexcept {
  JsonState* state = state_of<JsonState>(module);
  if (count != 1) {
    PyErr_Format(PyExc_TypeError, "loads() takes one document, %zd were given", count);
    return nullptr;
  }
  bool refuse = false;
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    if (!take_duplicates(*state, PyTuple_GET_ITEM(names, i), arguments[1 + i], &refuse))
      return nullptr;
  }
  Ref held;
  std::string_view document;
  if (!document_of(arguments[0], &held, &document)) return nullptr;
  json::Reader reader(document);
  JsonDecoder decoder(reader, state->keys);
  if (refuse) decoder.refuse_repeated_keys();
  PyObject* value = nullptr;
  const char* at = decoder.read(json::skip_space(reader.begin()), 0, &value);
  Ref made = Ref::steal(value);
  if (at && reader.finish(at)) return made.release();
  if (!PyErr_Occurred()) raise_json_error(reader);
  return nullptr;
}

PyMethodDef json_methods[] = {
    {"json_dumps", method(json_dumps), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("json_dumps(value, **options) -> str\n\nSee lanner.json.dumps.")},
    {"json_dumpb", method(json_dumpb), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("json_dumpb(value, **options) -> bytes\n\nSee lanner.json.dumpb.")},
    {"json_dump_into", method(json_dump_into), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("json_dump_into(value, buffer, **options) -> int\n\nSee lanner.json.dump_into.")},
    {"json_loads", method(json_loads), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("json_loads(data, **options) -> object\n\nSee lanner.json.loads.")},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

int add_json_functions(PyObject* module, JsonState* state) noexcept {
  state->dict_entries = dict_entries_known();
  if (state->dict_entries) state->keys.shapes().enable();
  return PyModule_AddFunctions(module, json_methods);
}

}  // namespace lanner::python
