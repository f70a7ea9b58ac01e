#include "python/schema/validation_error.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>

#include "json/reader.h"
#include "python/json/decoder.h"
#include "python/object/call_method.h"
#include "python/object/slots.h"
#include "python/schema/builder.h"
#include "python/schema/entry.h"

namespace lanner::python {

namespace {

using schema::ErrorList;
using schema::ErrorRecord;
using schema::LocItem;
using schema::Slug;

struct ErrorObject {
  PyBaseExceptionObject base;
  PyObject* owner;
  PyObject* title;
  ErrorList* list;  // owned; null only while the object is made
};

ErrorObject* as_error(PyObject* object) noexcept {
  return reinterpret_cast<ErrorObject*>(object);  // SAFETY: only called for objects of our type
}

PyObject* to_str(std::string_view text) noexcept {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

PyObject* loc_of(const ErrorList& list, const ErrorRecord& error) noexcept {
  Ref loc = Ref::steal(PyTuple_New(error.loc_count));
  for (std::uint32_t i = 0; loc && i < error.loc_count; ++i) {
    const LocItem& item = list.loc(error)[i];
    PyObject* step = item.kind == LocItem::Kind::number ? PyLong_FromLongLong(item.number)
                                                        : to_str(list.loc_text(item));
    if (!step) return nullptr;
    PyTuple_SET_ITEM(loc.get(), static_cast<Py_ssize_t>(i), step);
  }
  return loc.release();
}

// What JSON text says; the text itself where it was cut or is no whole value.
PyObject* parsed(std::string_view text, bool cut, SchemaState* state) noexcept {
  constexpr std::string_view kCut = "...";
  char copy[schema::kInputTextMax + kCut.size()];  // with room for a NUL, or to say that it was cut
  std::memcpy(copy, text.data(), text.size());
  if (!cut) {
    copy[text.size()] = '\0';
    json::Reader reader{std::string_view(copy, text.size())};
    PyObject* value = nullptr;
    JsonDecoder decoder(reader, state->json.keys);
    if (decoder.read(json::skip_space(reader.begin()), 0, &value)) return value;
    if (reader.error().code == Errc::no_memory) return PyErr_NoMemory();
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) return nullptr;
    PyErr_Clear();
    return to_str(text);
  }
  std::memcpy(copy + text.size(), kCut.data(), kCut.size());
  return to_str({copy, text.size() + kCut.size()});
}

PyObject* input_of(const ErrorList& list, const ErrorRecord& error, SchemaState* state) noexcept {
  if (error.input) return share(static_cast<PyObject*>(error.input));
  return parsed(list.text(error.input_at, error.input_size), error.input_cut, state);
}

PyObject* message_of(const ErrorList& list, const ErrorRecord& error) noexcept {
  Buffer message;
  if (!list.write_message(error, &message)) return PyErr_NoMemory();
  return to_str(message.view());
}

// The dict `ctx`, or null without an exception when there is none.
PyObject* context_of(const ErrorList& list, const ErrorRecord& error) noexcept {
  auto* fixed = error.rule ? static_cast<PyObject*>(error.rule->context) : nullptr;
  Ref context;
  if (fixed) context = Ref::steal(PyDict_Copy(fixed));
  if (fixed && !context) return nullptr;
  const bool tag = error.slug == Slug::union_tag_invalid;  // which may be empty
  const bool length = error.slug == Slug::too_short || error.slug == Slug::too_long;
  const char* name = length ? "actual_length" : tag ? "tag" : "error";
  if (!length && !tag && !error.error_size) return context.release();
  if (!context) context = Ref::steal(PyDict_New());
  Ref value = Ref::steal(!length            ? to_str(list.text(error.error_at, error.error_size))
                         : error.number < 0 ? none()
                                            : PyLong_FromLongLong(error.number));
  if (!context || !value || PyDict_SetItemString(context.get(), name, value.get()) < 0)
    return nullptr;
  return context.release();
}

bool put(PyObject* dict, const char* key, PyObject* value) noexcept {
  Ref owned = Ref::steal(value);
  return owned && PyDict_SetItemString(dict, key, owned.get()) == 0;
}

// A pydantic error keeps its own type and message; only its place is ours.
PyObject* foreign_dict(const ErrorList& list, const ErrorRecord& error) noexcept {
  Ref dict = Ref::steal(PyDict_Copy(static_cast<PyObject*>(error.input)));
  return dict && put(dict.get(), "loc", loc_of(list, error)) ? dict.release() : nullptr;
}

PyObject* error_dict(const ErrorList& list, const ErrorRecord& error, SchemaState* state) noexcept {
  if (error.slug == Slug::foreign) return foreign_dict(list, error);
  Ref dict = Ref::steal(PyDict_New());
  if (!dict || !put(dict.get(), "type", to_str(schema::slug_name(error.slug))) ||
      !put(dict.get(), "loc", loc_of(list, error)) ||
      !put(dict.get(), "msg", message_of(list, error)) ||
      !put(dict.get(), "input", input_of(list, error, state))) {
    return nullptr;
  }
  Ref context = Ref::steal(context_of(list, error));
  if (context) return put(dict.get(), "ctx", context.release()) ? dict.release() : nullptr;
  return PyErr_Occurred() ? nullptr : dict.release();
}

PyObject* error_errors(PyObject* self, PyObject*) noexcept {
  const ErrorList& list = *as_error(self)->list;
  SchemaState* state = state_of_type<SchemaState>(Py_TYPE(self));
  Ref all = Ref::steal(PyList_New(0));
  for (const ErrorRecord& error : list) {
    Ref dict = Ref::steal(all ? error_dict(list, error, state) : nullptr);
    if (!dict || PyList_Append(all.get(), dict.get()) < 0) return nullptr;
  }
  return all.release();
}

bool append_number(std::int64_t number, Buffer* out) noexcept {
  char digits[24];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return out->append({digits, static_cast<std::size_t>(end - digits)});
}

bool append_all(std::initializer_list<std::string_view> texts, Buffer* out) noexcept {
  return std::all_of(texts.begin(), texts.end(),
                     [out](std::string_view text) { return out->append(text); });
}

// RFC 6901: "/" before each step; ~ and / within one are escaped. False: memory is out.
bool append_pointer(const ErrorList& list, const ErrorRecord& error, Buffer* out) noexcept {
  for (std::uint32_t i = 0; i < error.loc_count; ++i) {
    const LocItem& item = list.loc(error)[i];
    if (!out->append("/")) return false;
    if (item.kind == LocItem::Kind::number) {
      if (!append_number(item.number, out)) return false;
      continue;
    }
    for (const char& c : list.loc_text(item)) {
      const std::string_view escaped = c == '~' ? "~0" : c == '/' ? "~1" : std::string_view(&c, 1);
      if (!out->append(escaped)) return false;
    }
  }
  return true;
}

PyObject* error_pointers(PyObject* self, PyObject*) noexcept {
  const ErrorList& list = *as_error(self)->list;
  Ref all = Ref::steal(PyList_New(0));
  for (const ErrorRecord& error : list) {
    Buffer pointer;
    if (!append_pointer(list, error, &pointer)) return PyErr_NoMemory();
    Ref text = Ref::steal(to_str(pointer.view()));
    if (!all || !text || PyList_Append(all.get(), text.get()) < 0) return nullptr;
  }
  return all.release();
}

PyObject* error_json(PyObject* self, PyObject*) noexcept {
  Ref errors = Ref::steal(error_errors(self, nullptr));
  Ref module = Ref::steal(errors ? PyImport_ImportModule("lanner.schema._errors") : nullptr);
  Ref to_json = Ref::steal(module ? get_attribute(module.get(), "to_json") : nullptr);
  return to_json ? PyObject_CallOneArg(to_json.get(), errors.get()) : nullptr;
}

PyObject* error_count(PyObject* self, PyObject*) noexcept {
  return PyLong_FromSize_t(as_error(self)->list->size());
}

// `name` of an error that came from elsewhere, a dict. False with an exception set.
bool said_of(const ErrorRecord& error, const char* name, std::string_view* text) noexcept {
  PyObject* const said = get_item(static_cast<PyObject*>(error.input), name);
  if (said && PyUnicode_Check(said) && !utf8_view(said, text)) *text = "?";
  return !PyErr_Occurred();
}

// "64 of at least 65 errors for list[Card]". False with an exception set.
bool append_head(PyObject* self, Buffer* text) noexcept {
  const ErrorList& list = *as_error(self)->list;
  std::string_view title;
  if (!utf8_view(as_error(self)->title, &title)) {
    if (PyErr_Occurred()) return false;
    title = "";
  }
  bool whole = append_number(static_cast<std::int64_t>(list.size()), text);
  if (list.missed()) {
    whole = whole && text->append(" of at least ") &&
            append_number(static_cast<std::int64_t>(list.mark()), text);
  }
  whole = whole && append_all({list.mark() == 1 ? " error for " : " errors for ", title}, text);
  if (!whole) PyErr_NoMemory();
  return whole;
}

// A place as text shows it: a long one without its middle. False: memory is out.
bool append_place(std::string_view pointer, Buffer* text) noexcept {
  constexpr std::size_t kShown = 8;  // steps at either end
  std::size_t steps = 0;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/' && steps++ == kShown) cut = i;
  }
  if (pointer.empty()) return text->append("(the value itself)");
  if (steps <= 3 * kShown) return text->append(pointer);
  std::size_t rest = pointer.size();
  for (std::size_t i = 0; i < kShown; ++i) rest = pointer.rfind('/', rest - 1);
  return append_all({pointer.substr(0, cut), "/...", pointer.substr(rest)}, text);
}

PyObject* error_repr(PyObject* self) noexcept {
  Buffer text;
  if (!text.append("ValidationError(")) return PyErr_NoMemory();
  if (!append_head(self, &text)) return nullptr;
  return text.append(")") ? to_str(text.view()) : PyErr_NoMemory();
}

// "/items/0: Input should be a valid integer [int_type]". False with an exception set.
bool append_line(const ErrorList& list, const ErrorRecord& error, Buffer* text) noexcept {
  Buffer message;
  Buffer pointer;
  std::string_view type = schema::slug_name(error.slug);
  bool whole = append_pointer(list, error, &pointer);
  if (error.slug != Slug::foreign) {
    whole = whole && list.write_message(error, &message);
  } else {
    std::string_view said;
    if (!said_of(error, "msg", &said) || !said_of(error, "type", &type)) return false;
    whole = whole && message.append(said);
  }
  whole = whole && append_place(pointer.view(), text) &&
          append_all({": ", message.view(), " [", type, "]"}, text);
  if (!whole) PyErr_NoMemory();
  return whole;
}

PyObject* error_str(PyObject* self) noexcept {
  const ErrorList& list = *as_error(self)->list;
  Buffer text;
  if (!append_head(self, &text)) return nullptr;
  for (const ErrorRecord& error : list) {
    if (!text.append("\n  ")) return PyErr_NoMemory();
    if (!append_line(list, error, &text)) return nullptr;
  }
  return to_str(text.view());
}

int error_traverse(PyObject* self, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_error(self)->owner);
  Py_VISIT(as_error(self)->title);
  if (as_error(self)->list) {
    for (const ErrorRecord& error : *as_error(self)->list)
      Py_VISIT(static_cast<PyObject*>(error.input));
  }
  // SAFETY: the base of our type.
  return reinterpret_cast<PyTypeObject*>(PyExc_ValueError)->tp_traverse(self, visit, arg);
}

int error_clear(PyObject* self) noexcept {
  ErrorObject* error = as_error(self);
  if (error->list) {
    error->list->roll_back(0, [](void* object) { drop(static_cast<PyObject*>(object)); });
  }
  Py_CLEAR(error->owner);
  // SAFETY: the base of our type.
  return reinterpret_cast<PyTypeObject*>(PyExc_ValueError)->tp_clear(self);
}

void error_dealloc(PyObject* self) noexcept {
  PyObject_GC_UnTrack(self);
  (void)error_clear(self);
  ErrorObject* error = as_error(self);
  Py_CLEAR(error->title);
  delete error->list;
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

// (restore_validation_error, (title, errors(), how many more there were)): without the schema.
PyObject* error_reduce(PyObject* self, PyObject*) noexcept {
  Ref module = Ref::steal(PyImport_ImportModule("lanner._core"));
  Ref restore = Ref::steal(module ? PyObject_GetAttrString(module.get(), "restore_validation_error")
                                  : nullptr);
  Ref errors = Ref::steal(restore ? error_errors(self, nullptr) : nullptr);
  const auto missed = static_cast<Py_ssize_t>(as_error(self)->list->missed());
  return errors
             ? Py_BuildValue("O(OOn)", restore.get(), as_error(self)->title, errors.get(), missed)
             : nullptr;
}

PyMethodDef error_methods[] = {
    {"__reduce__", error_reduce, METH_NOARGS, PyDoc_STR("What pickle keeps: title and errors().")},
    {"errors", error_errors, METH_NOARGS,
     PyDoc_STR("errors() -> list[dict]\n\nEach error as {type, loc, msg, input} and, where there "
               "is more to say, ctx: "
               "pydantic's names and\nwords. From JSON, an input of more than 1 KiB of text is its "
               "beginning.")},
    {"pointers", error_pointers, METH_NOARGS,
     PyDoc_STR("pointers() -> list[str]\n\nWhere each error is, as JSON pointers (RFC 6901): "
               "\"/items/0/price\".")},
    {"json", error_json, METH_NOARGS,
     PyDoc_STR("json() -> str\n\nerrors() as JSON text; an input that JSON has no form for as its "
               "repr().")},
    {"error_count", error_count, METH_NOARGS, PyDoc_STR("error_count() -> int")},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* make_validation_error(SchemaState* state, ErrorList& errors, PyObject* owner,
                                PyObject* title) noexcept {
  // SAFETY: the base of our type; it makes the exception's part.
  auto* base = reinterpret_cast<PyTypeObject*>(PyExc_ValueError);
  Ref object =
      Ref::steal(base->tp_new(state->validation_error_type, state->names.empty_tuple, nullptr));
  auto* list = object ? new (std::nothrow) ErrorList(0) : nullptr;
  if (!list) {
    if (object) PyErr_NoMemory();
    drop_errors(errors);
    return nullptr;
  }
  list->swap(errors);
  as_error(object.get())->list = list;
  as_error(object.get())->owner = share(owner);
  as_error(object.get())->title = share(title);
  return object.release();
}

namespace {

// An error as errors() gives it. False with an exception set.
bool add_told(PyObject* told, ErrorList* errors) noexcept {
  PyObject* loc = PyDict_Check(told) ? get_item(told, "loc") : nullptr;
  if (PyErr_Occurred()) return false;
  if (!loc || !PyTuple_Check(loc)) {
    PyErr_SetString(PyExc_TypeError, "errors as ValidationError.errors() gives them");
    return false;
  }
  if (!errors->add(Slug::foreign, nullptr, {share(told), {}}, -1, {})) {
    drop(told);
    PyErr_NoMemory();
    return false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(loc); ++i) {
    PyObject* step = PyTuple_GET_ITEM(loc, i);
    std::string_view text;
    if (PyLong_Check(step)) {
      errors->add_number(PyLong_AsLongLong(step));
    } else if (PyUnicode_Check(step) && utf8_view(step, &text)) {
      errors->add_key(text);
    }
  }
  if (errors->no_memory()) PyErr_NoMemory();
  return !PyErr_Occurred();
}

PyObject* restore(PyObject* module, PyObject* args) noexcept {
  PyObject* title = nullptr;
  PyObject* told = nullptr;
  Py_ssize_t missed = 0;
  if (!PyArg_ParseTuple(args, "UO!|n", &title, &PyList_Type, &told, &missed)) return nullptr;
  const auto count = static_cast<std::uint32_t>(PyList_GET_SIZE(told));
  ErrorList errors(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (add_told(PyList_GET_ITEM(told, i), &errors)) continue;
    drop_errors(errors);
    return nullptr;
  }
  errors.set_missed(missed > 0 ? static_cast<std::size_t>(missed) : 0);
  return make_validation_error(state_of<SchemaState>(module), errors, Py_None, title);
}

PyMethodDef functions[] = {{"restore_validation_error", restore, METH_VARARGS,
                            PyDoc_STR("restore_validation_error(title, errors, missed=0) -> "
                                      "ValidationError\n\nWhat pickle calls.")},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void raise_validation_error(SchemaState* state, ErrorList&& errors, PyObject* owner,
                            PyObject* title) noexcept {
  Ref error = Ref::steal(make_validation_error(state, errors, owner, title));
  // SAFETY: PyTypeObject begins with PyObject.
  if (error)
    PyErr_SetObject(reinterpret_cast<PyObject*>(state->validation_error_type), error.get());
}

int add_validation_error_type(PyObject* module, SchemaState* state) noexcept {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(error_dealloc)},
      {Py_tp_traverse, slot(error_traverse)},
      {Py_tp_clear, slot(error_clear)},
      {Py_tp_str, slot(error_str)},
      {Py_tp_repr, slot(error_repr)},
      {Py_tp_methods, error_methods},
      {Py_tp_doc,
       const_cast<char*>("What is wrong with a value: all errors, up to the schema's bound.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner.schema.ValidationError", sizeof(ErrorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, PyExc_ValueError);
  state->validation_error_type =
      reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type, or null
  if (!type) return -1;
  if (PyModule_AddFunctions(module, functions) < 0) return -1;
  return PyModule_AddObjectRef(module, "ValidationError", type);
}

}  // namespace lanner::python
