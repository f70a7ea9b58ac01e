// python/native/native_app_type.cpp: the type lanner._core.NativeApp. The engine serves it; under other servers Python
// does, by its methods.

#define PY_SSIZE_T_CLEAN  // lengths in "#" formats are Py_ssize_t (Python 3.11 and 3.12 ask for it)

#include <new>
#include <string>
#include <vector>

#include "http/media_type.h"
#include "http/token.h"
#include "python/native/arguments.h"
#include "python/native/native_app.h"
#include "python/object/slots.h"
#include "python/schema/entry.h"
#include "router/location.h"

namespace lanner::python {

namespace {

struct NativeAppObject {
  PyObject_HEAD
  NativeApp* app;  // owned
  NativeState* state;
};

NativeAppObject* as_object_of(PyObject* object) noexcept {
  return reinterpret_cast<NativeAppObject*>(object);  // SAFETY: only called for objects of our type
}
NativeApp& app_of(PyObject* object) noexcept { return *as_object_of(object)->app; }

PyObject* bytes_of(std::string_view text) noexcept {
  return PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}
std::string_view view_of(PyObject* bytes) noexcept {
  return {PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes))};
}

PyObject* app_new(PyTypeObject* type, PyObject* args, PyObject*) noexcept {
  PyObject* routes = nullptr;
  PyObject* hooks = nullptr;
  if (!PyArg_ParseTuple(args, "O!O!:NativeApp", &PyList_Type, &routes, &PyDict_Type, &hooks))
    return nullptr;
  Ref object = Ref::steal(type->tp_alloc(type, 0));
  if (!object) return nullptr;
  NativeAppObject* self = as_object_of(object.get());
  self->state = state_of_type<NativeState>(type);
  self->app = new (std::nothrow) NativeApp();
  if (!self->app) return PyErr_NoMemory();
  return self->app->init(self->state, routes, hooks) < 0 ? nullptr : object.release();
}

// match(method, path, host, query, root) -> (200, route, raw values, values) or (status, field, value)
PyObject* app_match(PyObject* object, PyObject* args) noexcept {
  const char* method = nullptr;
  Py_ssize_t method_size = 0;
  PyObject* path = nullptr;
  PyObject* host = nullptr;
  PyObject* query = nullptr;
  PyObject* root = nullptr;
  if (!PyArg_ParseTuple(args, "s#O!O!O!O!:match", &method, &method_size, &PyBytes_Type, &path,
                        &PyBytes_Type, &host, &PyBytes_Type, &query, &PyBytes_Type, &root))
    return nullptr;
  const NativeApp& app = app_of(object);
  router::Target target;
  target.method_text = {method, static_cast<std::size_t>(method_size)};
  target.method = http::method_from_text(target.method_text);
  target.path = below_root(view_of(path), view_of(root));
  target.host = view_of(host);
  target.has_escapes = target.path.find('%') != target.path.npos;
  router::Match match;
  app.router().match(target, &match);
  router::AllowText allow;
  switch (match.outcome) {
    case router::Outcome::matched: {
      Ref values = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(match.count)));
      for (std::uint32_t i = 0; values && i < match.count; ++i) {
        PyObject* raw = bytes_of(match.slots[i].raw());
        if (!raw) return nullptr;
        PyTuple_SET_ITEM(values.get(), static_cast<Py_ssize_t>(i), raw);
      }
      Ref texts = Ref::steal(values ? values_tuple(match) : nullptr);
      if (!texts) return nullptr;
      return Py_BuildValue("(iIOO)", 200, match.route, values.get(), texts.get());
    }
    case router::Outcome::method_not_allowed:
    case router::Outcome::automatic_options: {
      const std::string_view text = app.router().allow(match.allowed, &allow);
      const int status = match.outcome == router::Outcome::automatic_options ? 204 : 405;
      return Py_BuildValue("(iss#)", status, "allow", text.data(),
                           static_cast<Py_ssize_t>(text.size()));
    }
    case router::Outcome::redirect: {
      const bool below = target.path.data() != view_of(path).data();
      const router::Redirected from{below ? view_of(root) : std::string_view(), target.path,
                                    view_of(query), PyBytes_GET_SIZE(query) > 0};
      std::string text(router::location_bytes_bound(from), '\0');
      char* end = router::write_location(from, text.data());
      return Py_BuildValue("(iss#)", 307, "location", text.data(),
                           static_cast<Py_ssize_t>(end - text.data()));
    }
    default:
      return Py_BuildValue("(iOO)", 404, Py_None, Py_None);
  }
}

// takes_type(route, content_type) -> bool
PyObject* app_takes_type(PyObject* object, PyObject* args) noexcept {
  unsigned int route = 0;
  PyObject* type = nullptr;
  if (!PyArg_ParseTuple(args, "IO!:takes_type", &route, &PyBytes_Type, &type)) return nullptr;
  NativeApp& app = app_of(object);
  const bool takes =
      route < app.route_count() && (!app.operation(route).body_schema() ||
                                    PyBytes_GET_SIZE(type) == 0 || http::is_json(view_of(type)));
  return PyBool_FromLong(takes);
}

// What a handler asks for by type, made by Python before.
class GivenObjects final : public Given {
 public:
  GivenObjects(PyObject* request, PyObject* response, PyObject* tasks) noexcept
      : request_(request), response_(response), tasks_(tasks) {}
  PyObject* request() noexcept override { return share(request_); }
  PyObject* response() noexcept override { return share(response_); }
  PyObject* tasks() noexcept override { return share(tasks_); }

 private:
  PyObject* request_;
  PyObject* response_;
  PyObject* tasks_;
};

bool take_fields(PyObject* list, std::vector<http::Field>* to) noexcept {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    Ref pair = Ref::steal(PySequence_Tuple(PyList_GET_ITEM(list, i)));
    if (!pair) return false;
    PyObject* name = PyTuple_GET_SIZE(pair.get()) == 2 ? PyTuple_GET_ITEM(pair.get(), 0) : nullptr;
    PyObject* value = name ? PyTuple_GET_ITEM(pair.get(), 1) : nullptr;
    if (!value || !PyBytes_Check(name) || !PyBytes_Check(value)) {
      PyErr_SetString(PyExc_TypeError, "fields are pairs of bytes");
      return false;
    }
    // The list keeps the bytes while they are read.
    to->push_back({view_of(name), view_of(value), http::token_from_name(view_of(name))});
  }
  return true;
}

// arguments(route, values, query, fields, body, request, response, tasks) -> tuple
PyObject* app_arguments(PyObject* object, PyObject* args) noexcept {
  unsigned int route = 0;
  PyObject *values = nullptr, *query = nullptr, *fields = nullptr, *body = nullptr;
  PyObject *request = nullptr, *response = nullptr, *tasks = nullptr;
  if (!PyArg_ParseTuple(args, "IO!O!O!O!OOO:arguments", &route, &PyTuple_Type, &values,
                        &PyBytes_Type, &query, &PyList_Type, &fields, &PyBytes_Type, &body,
                        &request, &response, &tasks))
    return nullptr;
  NativeApp& app = app_of(object);
  if (route >= app.route_count()) return PyErr_Format(PyExc_IndexError, "no route %u", route);
  std::vector<http::Field> heads;
  std::vector<router::Value> raw;
  if (!take_fields(fields, &heads)) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values); ++i) {
    const std::string_view text = view_of(PyTuple_GET_ITEM(values, i));
    raw.push_back(
        {text.data(), static_cast<std::uint32_t>(text.size()), text.find('%') != text.npos, false});
  }
  http::RequestHead head;
  head.query = view_of(query);
  head.fields = heads;
  const NativeRequest source{head, raw, view_of(body)};
  GivenObjects given(request, response, tasks);
  const Operation& operation = app.operation(route);
  Arguments arguments(operation, source, given, app.errors_max());
  switch (arguments.read()) {
    case Arguments::Outcome::ready: {
      Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(operation.count())));
      for (std::size_t i = 0; tuple && i < operation.count(); ++i)
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), share(arguments.data()[i]));
      return tuple.release();
    }
    case Arguments::Outcome::errors: {
      Ref title = Ref::steal(PyUnicode_FromString("request"));
      Ref error = Ref::steal(title ? make_validation_error(&app.state().schema, arguments.errors(),
                                                           object, title.get())
                                   : nullptr);
      // SAFETY: PyTypeObject begins with PyObject.
      if (error) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
      return nullptr;
    }
    default:
      return nullptr;
  }
}

PyObject* answer_tuple(const Answer& answer) noexcept {
  Ref fields = Ref::steal(PyList_New(0));
  for (std::size_t i = 0; fields && i < answer.head->field_count(); ++i) {
    const http::ResponseHead::FieldView field = answer.head->field(i);
    Ref pair = Ref::steal(
        Py_BuildValue("(y#y#)", field.name.data(), static_cast<Py_ssize_t>(field.name.size()),
                      field.value.data(), static_cast<Py_ssize_t>(field.value.size())));
    if (!pair || PyList_Append(fields.get(), pair.get()) < 0) return nullptr;
  }
  if (!fields) return nullptr;
  PyObject* background = answer.background ? answer.background.get() : Py_None;
  return Py_BuildValue("(iOy#O)", answer.head->status(), fields.get(),
                       answer.body.empty() ? "" : answer.body.data(),
                       static_cast<Py_ssize_t>(answer.body.size()), background);
}

// answer(route, value, response, tasks) -> (status, fields, body, background)
PyObject* app_answer(PyObject* object, PyObject* args) noexcept {
  unsigned int route = 0;
  PyObject *value = nullptr, *response = nullptr, *tasks = nullptr;
  if (!PyArg_ParseTuple(args, "IOOO:answer", &route, &value, &response, &tasks)) return nullptr;
  NativeApp& app = app_of(object);
  if (route >= app.route_count()) return PyErr_Format(PyExc_IndexError, "no route %u", route);
  TextSpace space(app.spare());
  Answer made;
  if (!make_answer(app, app.operation(route), value, response == Py_None ? nullptr : response,
                   tasks == Py_None ? nullptr : tasks, space, &made))
    return nullptr;
  return answer_tuple(made);
}

// url_for(name, {parameter: text}) -> (host, path)
PyObject* app_url_for(PyObject* object, PyObject* args) noexcept {
  const char* name = nullptr;
  PyObject* given = nullptr;
  if (!PyArg_ParseTuple(args, "sO!:url_for", &name, &PyDict_Type, &given)) return nullptr;
  std::vector<router::Argument> arguments;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(given, &at, &key, &value);) {
    Py_ssize_t key_size = 0;
    Py_ssize_t value_size = 0;
    const char* key_text = PyUnicode_AsUTF8AndSize(key, &key_size);
    const char* value_text = key_text ? PyUnicode_AsUTF8AndSize(value, &value_size) : nullptr;
    if (!value_text) return nullptr;
    arguments.push_back({{key_text, static_cast<std::size_t>(key_size)},
                         {value_text, static_cast<std::size_t>(value_size)}});
  }
  router::Url url;
  std::string why;
  if (app_of(object).router().url_for(name, arguments, &url, &why))
    return Py_BuildValue("(s#s#)", url.host.data(), static_cast<Py_ssize_t>(url.host.size()),
                         url.path.data(), static_cast<Py_ssize_t>(url.path.size()));
  PyErr_SetString(PyExc_LookupError, why.c_str());
  return nullptr;
}

int app_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  return as_object_of(object)->app ? app_of(object).traverse(visit, arg) : 0;
}

int app_clear(PyObject* object) noexcept {
  if (as_object_of(object)->app) app_of(object).clear();
  return 0;
}

void app_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  delete as_object_of(object)->app;
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

PyObject* route_problem(PyObject*, PyObject* args) noexcept {
  const char* path = nullptr;
  const char* host = nullptr;
  Py_ssize_t path_size = 0;
  Py_ssize_t host_size = 0;
  if (!PyArg_ParseTuple(args, "s#s#:route_problem", &path, &path_size, &host, &host_size))
    return nullptr;
  router::Pattern pattern;
  std::string why;
  if (router::parse_path({path, static_cast<std::size_t>(path_size)}, &pattern, &why) &&
      router::parse_host({host, static_cast<std::size_t>(host_size)}, &pattern, &why))
    return none();
  return PyUnicode_FromStringAndSize(why.data(), static_cast<Py_ssize_t>(why.size()));
}

PyMethodDef functions[] = {
    {"route_problem", route_problem, METH_VARARGS,
     PyDoc_STR(
         "route_problem(path, host) -> str | None\n\nWhat is wrong with a route's patterns.")},
    {nullptr, nullptr, 0, nullptr}};

PyMethodDef methods[] = {
    {"match", app_match, METH_VARARGS,
     PyDoc_STR(
         "match(method, path, host, query, root) -> (status, ...)\n\n(200, route, raw values, "
         "values) or a refusal: "
         "(status, field, value). Bytes, as they were sent.")},
    {"takes_type", app_takes_type, METH_VARARGS,
     PyDoc_STR("takes_type(route, content_type) -> bool\n\nFalse: a 415.")},
    {"arguments", app_arguments, METH_VARARGS,
     PyDoc_STR("arguments(route, values, query, fields, body, request, response, tasks) -> "
               "tuple\n\nRaises "
               "ValidationError, JSONDecodeError.")},
    {"answer", app_answer, METH_VARARGS,
     PyDoc_STR(
         "answer(route, value, response, tasks) -> (status, fields, body, background)\n\nRaises "
         "JSONEncodeError.")},
    {"url_for", app_url_for, METH_VARARGS,
     PyDoc_STR("url_for(name, parameters) -> (host, path)\n\nRaises LookupError.")},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

NativeApp* native_app_of(NativeState* state, PyObject* object) noexcept {
  if (PyObject_TypeCheck(object, state->app_type)) return &app_of(object);
  PyErr_Format(PyExc_TypeError, "a lanner._core.NativeApp is needed, not %.100s",
               Py_TYPE(object)->tp_name);
  return nullptr;
}

int add_native_app_type(PyObject* module, NativeState* state) noexcept {
  PyType_Slot slots[] = {
      {Py_tp_new, slot(app_new)},
      {Py_tp_dealloc, slot(app_dealloc)},
      {Py_tp_traverse, slot(app_traverse)},
      {Py_tp_clear, slot(app_clear)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("NativeApp(routes, hooks): an app's routes, frozen.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.NativeApp", sizeof(NativeAppObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->app_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type, or null
  if (!type || PyModule_AddFunctions(module, functions) < 0) return -1;
  return PyModule_AddObjectRef(module, "NativeApp", type);
}

}  // namespace lanner::python
