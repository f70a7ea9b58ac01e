#include "python/schema/schema_type.h"

#include <algorithm>
#include <cstddef>
#include <new>

#include "json/reader.h"
#include "python/json/error.h"
#include "python/json/output.h"
#include "python/object/call_method.h"
#include "python/object/slots.h"
#include "python/schema/compile.h"
#include "python/schema/encoder.h"
#include "python/schema/object_input.h"
#include "python/schema/state.h"
#include "python/schema/text_values.h"
#include "python/schema/validation_error.h"
#include "schema/json_input.h"

namespace lanner::python {

namespace {

using schema::ErrorList;
using schema::Profile;

constexpr std::size_t kExpectedMax = 1 << 20;  // bytes that encode() takes in advance, at most

SchemaObject* as_schema(PyObject* object) noexcept {
  return reinterpret_cast<SchemaObject*>(object);  // SAFETY: only called for objects of our type
}

const SchemaObject* made(PyObject* self) noexcept {
  if (as_schema(self)->plan) return as_schema(self);
  PyErr_SetString(PyExc_TypeError, "this schema was not made: call Schema(type)");
  return nullptr;
}

// What a machine that returned null leaves: an exception.
PyObject* raise(PyObject* self, ErrorList& errors) noexcept {
  const SchemaObject* schema = as_schema(self);
  if (PyErr_Occurred()) {
    errors.roll_back(0, [](void* object) { drop(static_cast<PyObject*>(object)); });
    return nullptr;
  }
  if (errors.no_memory()) {
    errors.roll_back(0, [](void* object) { drop(static_cast<PyObject*>(object)); });
    return PyErr_NoMemory();
  }
  raise_validation_error(schema->state, std::move(errors), self, schema->title);
  return nullptr;
}

PyObject* validate_as(PyObject* self, const schema::Node& node, PyObject* value) noexcept {
  const SchemaObject* schema = as_schema(self);
  SchemaBuilder builder(schema->made_of, *schema->state);
  ObjectInput input(schema->made_of, builder);
  ErrorList errors(schema->plan->errors_max);
  schema::Machine<ObjectInput, SchemaBuilder> machine(*schema->plan, input, builder, errors);
  PyObject* result = machine.run(node, value);
  return result ? result : raise(self, errors);
}

PyObject* schema_validate(PyObject* self, PyObject* value) noexcept {
  const SchemaObject* schema = made(self);
  return schema ? validate_as(self, *schema->plan->root, value) : nullptr;
}

PyObject* decode_as(PyObject* self, const schema::Node& node, std::string_view document) noexcept {
  const SchemaObject* schema = as_schema(self);
  json::Reader reader(document);
  SchemaBuilder builder(schema->made_of, *schema->state);
  schema::JsonInput<SchemaBuilder> input(reader, builder);
  ErrorList errors(schema->plan->errors_max);
  schema::Machine<schema::JsonInput<SchemaBuilder>, SchemaBuilder> machine(*schema->plan, input,
                                                                           builder, errors);
  Ref result = Ref::steal(machine.run(node, input.first()));
  const bool read = !machine.aborted() && input.finish();
  if (result && read) return result.release();
  if (!PyErr_Occurred() && reader.error().code != Errc::ok) {
    errors.roll_back(0, [](void* object) { drop(static_cast<PyObject*>(object)); });
    raise_json_error(reader);
    return nullptr;
  }
  return raise(self, errors);
}

PyObject* decode_text(PyObject* self, std::string_view document) noexcept {
  return decode_as(self, *as_schema(self)->plan->root, document);
}

PyObject* schema_decode(PyObject* self, PyObject* data) noexcept {
  if (!made(self)) return nullptr;
  if (PyBytes_Check(data)) {
    return decode_text(self,
                       {PyBytes_AS_STRING(data), static_cast<std::size_t>(PyBytes_GET_SIZE(data))});
  }
  if (PyUnicode_Check(data)) {
    Py_ssize_t size = 0;
    const char* utf8 = PyUnicode_AsUTF8AndSize(data, &size);
    if (utf8) return decode_text(self, {utf8, static_cast<std::size_t>(size)});
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return nullptr;
    PyErr_Clear();  // lone surrogates: bytes that the reader refuses, with their place
    const Ref raw = Ref::steal(PyUnicode_AsEncodedString(data, "utf-8", "surrogatepass"));
    return raw ? schema_decode(self, raw.get()) : nullptr;
  }
  // Others may change while user code runs: a copy.
  Ref copy = Ref::steal(PyObject_CheckBuffer(data) ? PyBytes_FromObject(data) : nullptr);
  if (copy) return schema_decode(self, copy.get());
  if (!PyErr_Occurred()) {
    PyErr_Format(PyExc_TypeError, "decode() takes bytes, bytearray, memoryview or str, not %.100s",
                 Py_TYPE(data)->tp_name);
  }
  return nullptr;
}

// The one value of a call, and empty_as_none=. False with an exception set.
bool take_text_arguments(const char* function, PyObject* const* args, Py_ssize_t count,
                         PyObject* names, bool* empty_as_none) noexcept {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  const bool known =
      named == 0 || (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0),
                                                                    "empty_as_none") == 0);
  if (count != 1 || !known) {
    PyErr_Format(PyExc_TypeError, "%s() takes one argument, and empty_as_none= by name", function);
    return false;
  }
  const int truth = named == 0 ? 0 : PyObject_IsTrue(args[1]);
  *empty_as_none = truth > 0;
  return truth >= 0;
}

PyObject* read_text(PyObject* self, const schema::TextValue* values, std::uint32_t count,
                    bool pairs, bool empty_as_none) noexcept {
  using Input = schema::TextInput<SchemaBuilder>;
  const SchemaObject* schema = as_schema(self);
  SchemaBuilder builder(schema->made_of, *schema->state);
  Input input(builder, empty_as_none);
  ErrorList errors(schema->plan->errors_max);
  schema::Machine<Input, SchemaBuilder> machine(*schema->plan, input, builder, errors);
  const Input::Shape shape = pairs ? Input::Shape::pairs : Input::Shape::values;
  PyObject* result = machine.run(*schema->plan->root, {values, count, shape});
  return result ? result : raise(self, errors);
}

PyObject* schema_decode_text(PyObject* self, PyObject* const* args, Py_ssize_t count,
                             PyObject* names) noexcept {
  bool empty_as_none = false;
  if (!made(self) || !take_text_arguments("decode_text", args, count, names, &empty_as_none))
    return nullptr;
  if (PyBytes_Check(args[0])) {  // as most are: nothing to gather
    const schema::TextValue value{
        {}, {PyBytes_AS_STRING(args[0]), static_cast<std::size_t>(PyBytes_GET_SIZE(args[0]))}};
    return read_text(self, &value, 1, false, empty_as_none);
  }
  TextValues values;
  if (!values.add_values(args[0])) return nullptr;
  return read_text(self, values.data(), values.size(), false, empty_as_none);
}

PyObject* schema_decode_pairs(PyObject* self, PyObject* const* args, Py_ssize_t count,
                              PyObject* names) noexcept {
  bool empty_as_none = false;
  TextValues values;
  if (!made(self) || !take_text_arguments("decode_pairs", args, count, names, &empty_as_none) ||
      !values.add_pairs(args[0])) {
    return nullptr;
  }
  return read_text(self, values.data(), values.size(), true, empty_as_none);
}

// exclude_none=, exclude_unset=, exclude_defaults=
bool take_options(PyObject* const* values, PyObject* names, SchemaWriteOptions* options) noexcept {
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    const int truth = PyObject_IsTrue(values[i]);
    if (truth < 0) return false;
    if (PyUnicode_CompareWithASCIIString(name, "exclude_none") == 0) {
      options->exclude_none = truth > 0;
    } else if (PyUnicode_CompareWithASCIIString(name, "exclude_unset") == 0) {
      options->exclude_unset = truth > 0;
    } else if (PyUnicode_CompareWithASCIIString(name, "exclude_defaults") == 0) {
      options->exclude_defaults = truth > 0;
    } else {
      PyErr_Format(
          PyExc_TypeError,
          "encode() has no argument %R; there are exclude_none, exclude_unset, exclude_defaults",
          name);
      return false;
    }
  }
  return true;
}

PyObject* schema_encode(PyObject* self, PyObject* const* args, Py_ssize_t count,
                        PyObject* names) noexcept {
  const SchemaObject* schema = made(self);
  if (!schema) return nullptr;
  if (count != 1) {
    PyErr_Format(PyExc_TypeError, "encode() takes one value, and options by name; %zd were given",
                 count);
    return nullptr;
  }
  SchemaWriteOptions options;
  if (names && !take_options(args + 1, names, &options)) return nullptr;
  BytesSpace space(as_schema(self)->encoded_bytes);
  json::Output out(space);
  SchemaEncoder encoder(schema->made_of, schema->state, out, options);
  if (!encoder.write(*schema->plan->root, args[0])) return nullptr;
  // An eighth more than now is expected next time, and the room that the last string asks for.
  as_schema(self)->encoded_bytes = std::min(out.size() + out.size() / 8 + 1024, kExpectedMax);
  return space.finish(out.size());
}

PyObject* schema_encode_into(PyObject* self, PyObject* const* args, Py_ssize_t count,
                             PyObject* names) noexcept {
  const SchemaObject* schema = made(self);
  if (!schema) return nullptr;
  if (count != 2 || !PyByteArray_Check(args[1])) {
    PyErr_SetString(PyExc_TypeError,
                    "encode_into() takes a value and a bytearray, and options by name");
    return nullptr;
  }
  SchemaWriteOptions options;
  if (names && !take_options(args + 2, names, &options)) return nullptr;
  ByteArraySpace space(args[1], schema->encoded_bytes);
  json::Output out(space);
  SchemaEncoder encoder(schema->made_of, schema->state, out, options);
  if (!encoder.write(*schema->plan->root, args[0]) || !space.finish(out.size())) return nullptr;
  as_schema(self)->encoded_bytes = std::min(out.size() + out.size() / 8 + 1024, kExpectedMax);
  return PyLong_FromSize_t(out.size());
}

// (number of a node, value), as the methods that end in _as take them. Null with an exception set.
const schema::Node* node_argument(PyObject* self, PyObject* const* args,
                                  Py_ssize_t count) noexcept {
  const SchemaObject* schema = made(self);
  if (!schema) return nullptr;
  const Py_ssize_t i = count == 2 && PyLong_Check(args[0]) ? PyLong_AsSsize_t(args[0]) : -1;
  if (i >= 0 && static_cast<std::size_t>(i) < schema->plan->nodes.size())
    return schema->plan->nodes[static_cast<std::size_t>(i)].get();
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a node's number and a value expected");
  return nullptr;
}

PyObject* schema_validate_as(PyObject* self, PyObject* const* args, Py_ssize_t count) noexcept {
  const schema::Node* node = node_argument(self, args, count);
  return node ? validate_as(self, *node, args[1]) : nullptr;
}

PyObject* schema_decode_as(PyObject* self, PyObject* const* args, Py_ssize_t count) noexcept {
  const schema::Node* node = node_argument(self, args, count);
  if (!node) return nullptr;
  if (PyBytes_Check(args[1])) {
    return decode_as(
        self, *node,
        {PyBytes_AS_STRING(args[1]), static_cast<std::size_t>(PyBytes_GET_SIZE(args[1]))});
  }
  return PyErr_Format(PyExc_TypeError, "bytes expected, not %.100s", Py_TYPE(args[1])->tp_name);
}

PyObject* schema_encode_as(PyObject* self, PyObject* const* args, Py_ssize_t count) noexcept {
  const schema::Node* node = node_argument(self, args, count);
  if (!node) return nullptr;
  BytesSpace space(0);
  json::Output out(space);
  SchemaEncoder encoder(as_schema(self)->made_of, as_schema(self)->state, out, {});
  return encoder.write(*node, args[1]) ? space.finish(out.size()) : nullptr;
}

// REQUIRES: classes is (uuid.UUID, decimal.Decimal, errors_of).
bool find_classes(PyObject* classes, SchemaClasses* out) noexcept {
  // PyCapsule_Import() takes a lack of memory for a lack of the module.
  const Ref module = Ref::steal(PyImport_ImportModule("datetime"));
  const Ref capsule = Ref::steal(module ? get_attribute(module.get(), "datetime_CAPI") : nullptr);
  if (!capsule) return false;
  out->datetime =
      static_cast<PyDateTime_CAPI*>(PyCapsule_GetPointer(capsule.get(), PyDateTime_CAPSULE_NAME));
  out->uuid = PyTuple_GET_ITEM(classes, 0);
  out->decimal = PyTuple_GET_ITEM(classes, 1);
  out->errors_of = PyTuple_GET_ITEM(classes, 2);
  return out->datetime != nullptr;
}

// Of this type, or of the base that is ours.
SchemaState* state_of_schema(PyTypeObject* type) noexcept {
  for (; type; type = type->tp_base) {
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) break;
    PyObject* module = PyType_GetModule(type);
    if (module) return state_of<SchemaState>(module);
    PyErr_Clear();  // a class made in Python
  }
  PyErr_SetString(PyExc_TypeError, "not a subclass of lanner._core.Schema");
  return nullptr;
}

PyObject* schema_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) noexcept {
  static const char* const names[] = {
      "nodes",           "root", "title", "classes", "profile", "errors_max", "reject_duplicates",
      "from_attributes", nullptr};
  PyObject* nodes = nullptr;
  Py_ssize_t root = 0;
  PyObject* title = nullptr;
  PyObject* classes = nullptr;
  int profile = 0;
  unsigned errors_max = 64;
  int reject = 0;
  int attributes = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!nUO!|iIpp:Schema", const_cast<char**>(names),
                                   &PyList_Type, &nodes, &root, &title, &PyTuple_Type, &classes,
                                   &profile, &errors_max, &reject, &attributes)) {
    return nullptr;
  }
  Ref object = Ref::steal(type->tp_alloc(type, 0));
  if (!object) return nullptr;
  SchemaObject* self = as_schema(object.get());
  self->nodes = share(nodes);
  self->title = share(title);
  self->classes = share(classes);
  self->plan = new (std::nothrow) schema::Plan();
  if (!self->plan) return PyErr_NoMemory();
  self->plan->profile = static_cast<Profile>(profile);
  self->plan->errors_max = errors_max ? errors_max : 1;
  self->plan->reject_duplicates = reject != 0;
  self->plan->from_attributes = attributes != 0;
  self->state = state_of_schema(type);
  if (!self->state || !find_classes(classes, &self->made_of) ||
      !compile_plan(nodes, root, self->plan))
    return nullptr;
  return object.release();
}

int schema_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(as_schema(object)->nodes);
  Py_VISIT(as_schema(object)->classes);
  return 0;
}

int schema_clear(PyObject* object) noexcept {
  delete std::exchange(as_schema(object)->plan, nullptr);  // it borrows from the description
  Py_CLEAR(as_schema(object)->nodes);
  Py_CLEAR(as_schema(object)->classes);
  Py_CLEAR(as_schema(object)->title);
  return 0;
}

void schema_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  (void)schema_clear(object);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

PyMethodDef schema_methods[] = {
    {"validate", schema_validate, METH_O,
     PyDoc_STR("validate(value)\n\nThe value as the schema's type, made of dicts, lists and "
               "scalars, or of objects that "
               "are it already.\nRaises ValidationError.")},
    {"decode", schema_decode, METH_O,
     PyDoc_STR("decode(data)\n\nThe JSON document (RFC 8259) as the schema's type, in one pass "
               "over the bytes.\nRaises "
               "JSONDecodeError when it is no JSON, ValidationError when it does not fit.")},
    {"decode_text", method(schema_decode_text), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR(
         "decode_text(values, *, empty_as_none=False)\n\nA text value of a path, query, "
         "header, cookie or form (bytes, bytearray, memoryview, str), or a list of all values "
         "of one name.\nRaises ValidationError.")},
    {"decode_pairs", method(schema_decode_pairs), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("decode_pairs(pairs, *, empty_as_none=False)\n\nA record or dict out of "
               "(name, value) pairs of text.\nRaises ValidationError.")},
    {"encode", method(schema_encode), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("encode(value, *, exclude_none=False, exclude_unset=False, "
               "exclude_defaults=False)\n\nThe value as JSON "
               "(bytes). What the type does not have is left out.\nRaises "
               "lanner.json.JSONEncodeError when the value is "
               "not of the type.")},
    {"encode_into", method(schema_encode_into), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("encode_into(value, buffer, *, exclude_none=False, exclude_unset=False, "
               "exclude_defaults=False) -> int\n\nencode() behind what a bytearray holds; how many "
               "bytes were written.")},
    {"validate_as", method(schema_validate_as), METH_FASTCALL,
     PyDoc_STR("validate_as(node, value)\n\nvalidate() by one of the nodes.")},
    {"decode_as", method(schema_decode_as), METH_FASTCALL,
     PyDoc_STR("decode_as(node, data)\n\ndecode() of bytes by one of the nodes.")},
    {"encode_as", method(schema_encode_as), METH_FASTCALL,
     PyDoc_STR("encode_as(node, value)\n\nencode() by one of the nodes.")},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

int add_schema_type(PyObject* module, SchemaState* state) noexcept {
  PyType_Slot slots[] = {
      {Py_tp_new, slot(schema_new)},
      {Py_tp_dealloc, slot(schema_dealloc)},
      {Py_tp_traverse, slot(schema_traverse)},
      {Py_tp_clear, slot(schema_clear)},
      {Py_tp_methods, schema_methods},
      {Py_tp_doc, const_cast<char*>("A compiled type: the base of lanner.schema.Schema.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.Schema", sizeof(SchemaObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->schema_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type, or null
  return type ? PyModule_AddObjectRef(module, "Schema", type) : -1;
}

}  // namespace lanner::python
