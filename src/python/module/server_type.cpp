// python/module/server_type.cpp: lanner._core.Server: one worker, as Python starts and stops it. See
// lanner/_core.pyi.

#include <new>

#include "python/module/engine.h"
#include "python/module/module_state.h"
#include "python/object/slots.h"

namespace lanner::python {

namespace {

struct ServerObject {
  PyObject_HEAD
  Engine* engine;
};

Engine* engine_of(PyObject* object) noexcept {
  // SAFETY: only called for objects of our type.
  return reinterpret_cast<ServerObject*>(object)->engine;
}

PyObject* server_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) noexcept {
  static const char* const names[] = {"app",  "listeners", "options", "poller",
                                      "loop", "native",    nullptr};
  PyObject* application = nullptr;
  PyObject* listeners = nullptr;
  PyObject* options = Py_None;
  PyObject* poller = Py_None;
  PyObject* loop = Py_None;
  PyObject* native = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|OOOO:Server", const_cast<char**>(names),
                                   &application, &listeners, &options, &poller, &loop, &native)) {
    return nullptr;
  }
  if ((poller == Py_None) != (loop == Py_None)) {
    PyErr_SetString(PyExc_TypeError,
                    "Server(): poller and loop go together (ASGI), or neither (WSGI)");
    return nullptr;
  }
  ModuleState* state = state_of_type<ModuleState>(type);
  Ref object = Ref::steal(type->tp_alloc(type, 0));
  if (!state || !object) return nullptr;
  Engine* engine = new (std::nothrow) Engine;
  if (!engine) return PyErr_NoMemory();
  reinterpret_cast<ServerObject*>(object.get())->engine = engine;  // SAFETY: just allocated as such
  PyObject* const given = poller == Py_None ? nullptr : poller;
  if (engine->init(state, application, listeners, options, given, loop, native) < 0) return nullptr;
  return object.release();
}

PyObject* server_run(PyObject* object, PyObject* args, PyObject* kwargs) noexcept {
  static const char* const names[] = {"signals", "on_ready", nullptr};
  int signals = 1;
  PyObject* on_ready = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|iO:run", const_cast<char**>(names), &signals,
                                   &on_ready)) {
    return nullptr;
  }
  if (engine_of(object)->asgi()) {
    PyErr_SetString(PyExc_RuntimeError,
                    "an ASGI server is started by start() and driven by its loop");
    return nullptr;
  }
  Ref self = Ref::borrow(object);
  const int result = engine_of(object)->run(signals, on_ready);
  return result < 0 ? nullptr : PyBool_FromLong(result);
}

PyObject* server_start(PyObject* object, PyObject* args, PyObject* kwargs) noexcept {
  static const char* const names[] = {"on_end", "signals", "flush_callback", nullptr};
  PyObject* on_end = nullptr;
  int signals = 1;
  PyObject* flush_callback = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|iO:start", const_cast<char**>(names), &on_end,
                                   &signals, &flush_callback)) {
    return nullptr;
  }
  if (!engine_of(object)->asgi()) {
    PyErr_SetString(PyExc_RuntimeError, "start() is for ASGI; a WSGI server is run by run()");
    return nullptr;
  }
  return engine_of(object)->start(signals, on_end, flush_callback) < 0 ? nullptr : none();
}

PyObject* server_set_state(PyObject* object, PyObject* state) noexcept {
  if (!engine_of(object)->asgi() || !PyDict_Check(state)) {
    PyErr_SetString(PyExc_TypeError, "set_state() takes a dict, and an ASGI server");
    return nullptr;
  }
  return engine_of(object)->set_state(state) < 0 ? nullptr : none();
}

PyObject* server_run_thread(PyObject* object, PyObject*) noexcept {
  Engine* engine = engine_of(object);
  if (engine->threads() < 2 || engine->asgi()) {
    PyErr_SetString(PyExc_RuntimeError, "run_thread() needs the option threads > 1");
    return nullptr;
  }
  Ref self = Ref::borrow(object);
  engine->run_thread();
  return none();
}

PyObject* server_stop(PyObject* object, PyObject*) noexcept {
  engine_of(object)->stop();
  return none();
}

int server_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  Engine* engine = engine_of(object);
  return engine && !engine->running() ? engine->traverse(visit, arg) : 0;
}

int server_clear(PyObject* object) noexcept {
  Engine* engine = engine_of(object);
  if (engine && !engine->running() && !engine->stuck()) engine->clear();
  return 0;
}

void server_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Engine* engine = engine_of(object);
  // A handler thread that hangs in the application still points into the engine: better leaked than
  // freed under it.
  if (engine && !engine->stuck()) delete engine;
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

}  // namespace

int add_server_type(PyObject* module, ModuleState* state) noexcept {
  static PyMethodDef methods[] = {
      {"run", method(server_run), METH_VARARGS | METH_KEYWORDS,
       PyDoc_STR("run(signals=True, on_ready=None) -> bool\n\nServes until stopped and drained; "
                 "True: every "
                 "request was finished.")},
      {"start", method(server_start), METH_VARARGS | METH_KEYWORDS,
       PyDoc_STR("start(on_end, signals=True, flush_callback=None)\n\nASGI: begins to serve inside "
                 "the poller's "
                 "turns; on_end(drained) is called once at the end.")},
      {"set_state", server_set_state, METH_O,
       PyDoc_STR(
           "set_state(state)\n\nASGI: the lifespan's state; each request gets a shallow copy.")},
      {"run_thread", server_run_thread, METH_NOARGS,
       PyDoc_STR("run_thread()\n\nThe body of one handler thread (option threads > 1).")},
      {"stop", server_stop, METH_NOARGS,
       PyDoc_STR("stop()\n\nBegins the drain; a second call cuts what is left. Any thread.")},
      {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_new, slot(server_new)},
      {Py_tp_dealloc, slot(server_dealloc)},
      {Py_tp_traverse, slot(server_traverse)},
      {Py_tp_clear, slot(server_clear)},
      {Py_tp_methods, methods},
      {Py_tp_doc,
       const_cast<char*>("Server(app, listeners, options=None)\n\nOne worker: the engine with one "
                         "application on it. Options: see lanner/_core.pyi.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.Server", sizeof(ServerObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->server_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type
  if (!type) return -1;
  return PyModule_AddObjectRef(module, "Server", type);
}

}  // namespace lanner::python
