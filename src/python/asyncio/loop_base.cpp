// python/asyncio/loop_base.cpp: lanner._core.LoopBase: the base in C of Lanner's asyncio loop.

#include "python/asyncio/loop_base.h"

#include "python/asyncio/loop_arguments.h"
#include "python/asyncio/loop_core.h"
#include "python/object/slots.h"

namespace lanner::python {

namespace {

struct LoopBase {
  PyObject_HEAD
  LoopCore* core;
  PyObject* caught;
  bool catching;
};

LoopBase* as_loop(PyObject* object) noexcept {
  return reinterpret_cast<LoopBase*>(object);  // SAFETY: only called for objects of our type
}

// Null with an exception set: made, open and, in debug mode, called in its own thread, if
// `own_thread`, for something that can be called.
LoopCore* usable(PyObject* object, const char* method, PyObject* callback,
                 bool own_thread) noexcept {
  LoopCore* core = as_loop(object)->core;
  if (!core) {
    PyErr_SetString(PyExc_RuntimeError, "the loop's __init__() has not been called");
    return nullptr;
  }
  if (core->closed) {
    PyErr_SetString(PyExc_RuntimeError, "Event loop is closed");
    return nullptr;
  }
  if (!core->debugging) return core;
  if (own_thread && !Ref::steal(PyObject_CallMethod(object, "_check_thread", nullptr))) {
    return nullptr;
  }
  Ref checked = Ref::steal(PyObject_CallMethod(object, "_check_callback", "Os", callback, method));
  return checked ? core : nullptr;
}

int loop_init(PyObject* object, PyObject* args, PyObject* names) noexcept {
  LoopBase* self = as_loop(object);
  static const char* const keywords[] = {"poller", nullptr};
  PyObject* poller = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, names, "O:LoopBase", const_cast<char**>(keywords),
                                   &poller)) {
    return -1;
  }
  if (self->core) {
    PyErr_SetString(PyExc_RuntimeError, "a loop is initialized once");
    return -1;
  }
  PyObject* module = module_of(Py_TYPE(object));
  if (!module) return -1;
  AsyncioState* state = state_of<AsyncioState>(module);
  if (!state->parts.loaded() && state->parts.load(module) < 0) {
    state->parts.clear();
    return -1;
  }
  self->core = LoopCore::create(state, object, poller);
  return self->core ? 0 : -1;
}

// ---- call_soon and its kind

PyObject* call_soon(PyObject* object, PyObject* const* args, Py_ssize_t count,
                    PyObject* names) noexcept {
  LoopBase* self = as_loop(object);
  if (self->catching && count == 1 && self->core && self->core->in_own_thread()) {
    self->catching = false;
    self->caught = share(args[0]);
    return none();
  }
  CallArguments given;
  if (!given.parse("call_soon", 0, args, count, names)) return nullptr;
  LoopCore* core = usable(object, "call_soon", given.callback, true);
  return core ? core->call_soon(given.callback, given.rest(), given.context) : nullptr;
}

PyObject* call_soon_threadsafe(PyObject* object, PyObject* const* args, Py_ssize_t count,
                               PyObject* names) noexcept {
  CallArguments given;
  if (!given.parse("call_soon_threadsafe", 0, args, count, names)) return nullptr;
  LoopCore* core = usable(object, "call_soon_threadsafe", given.callback, false);
  PyObject* handle = core ? core->call_soon(given.callback, given.rest(), given.context) : nullptr;
  if (handle) core->wake();
  return handle;
}

PyObject* call_at(PyObject* object, PyObject* const* args, Py_ssize_t count,
                  PyObject* names) noexcept {
  CallArguments given;
  if (!given.parse("call_at", 1, args, count, names)) return nullptr;
  if (args[0] == Py_None) {
    PyErr_SetString(PyExc_TypeError, "when cannot be None");
    return nullptr;
  }
  LoopCore* core = usable(object, "call_at", given.callback, true);
  return core ? core->call_at(args[0], given.callback, given.rest(), given.context) : nullptr;
}

PyObject* call_later(PyObject* object, PyObject* const* args, Py_ssize_t count,
                     PyObject* names) noexcept {
  CallArguments given;
  if (!given.parse("call_later", 1, args, count, names)) return nullptr;
  if (args[0] == Py_None) {
    PyErr_SetString(PyExc_TypeError, "delay must not be None");
    return nullptr;
  }
  // Debug mode names call_at(), as asyncio's does.
  LoopCore* core = usable(object, "call_at", given.callback, true);
  Ref when = Ref::steal(core ? core->after(args[0]) : nullptr);
  return when ? core->call_at(when.get(), given.callback, given.rest(), given.context) : nullptr;
}

// A handle that exists: of a signal, or of a reader.
PyObject* add_callback(PyObject* object, PyObject* handle) noexcept {
  LoopCore* core = as_loop(object)->core;
  if (!core) return none();
  Ref cancelled = Ref::steal(PyObject_GetAttrString(handle, "_cancelled"));
  const int truth = cancelled ? PyObject_IsTrue(cancelled.get()) : -1;
  if (truth < 0) return nullptr;
  return truth || core->add_ready(handle) ? none() : nullptr;
}

PyObject* add_callback_signalsafe(PyObject* object, PyObject* handle) noexcept {
  PyObject* done = add_callback(object, handle);
  if (done && as_loop(object)->core) as_loop(object)->core->wake();
  return done;
}

PyObject* write_to_self(PyObject* object, PyObject*) noexcept {
  LoopCore* core = as_loop(object)->core;
  if (core && !core->closed) core->wake();
  return none();
}

// ---- descriptors

PyObject* add_watch(PyObject* object, PyObject* const* args, Py_ssize_t count,
                    LoopWatches::Side side, const char* method) noexcept {
  CallArguments given;
  if (!given.parse(method, 1, args, count, nullptr)) return nullptr;
  LoopCore* core = as_loop(object)->core;
  if (!core || core->closed) return PyErr_Format(PyExc_RuntimeError, "Event loop is closed");
  if (!core->check_thread(method + 1)) return nullptr;  // without its '_'
  Ref handle = Ref::steal(make_handle(core->state(), object, core->debugging, given.callback,
                                      given.rest(), nullptr, nullptr));
  if (!handle || core->watches().add(args[0], side, handle.get()) < 0) return nullptr;
  return handle.release();
}

PyObject* add_reader(PyObject* object, PyObject* const* args, Py_ssize_t count) noexcept {
  return add_watch(object, args, count, LoopWatches::Side::read, "_add_reader");
}

PyObject* add_writer(PyObject* object, PyObject* const* args, Py_ssize_t count) noexcept {
  return add_watch(object, args, count, LoopWatches::Side::write, "_add_writer");
}

PyObject* remove_watch(PyObject* object, PyObject* file, LoopWatches::Side side,
                       const char* method) noexcept {
  LoopCore* core = as_loop(object)->core;
  if (!core || core->closed) return share(Py_False);
  if (!core->check_thread(method)) return nullptr;
  const int removed = core->watches().remove(file, side);
  return removed < 0 ? nullptr : PyBool_FromLong(removed);
}

PyObject* remove_reader(PyObject* object, PyObject* file) noexcept {
  return remove_watch(object, file, LoopWatches::Side::read, "remove_reader");
}

PyObject* remove_writer(PyObject* object, PyObject* file) noexcept {
  return remove_watch(object, file, LoopWatches::Side::write, "remove_writer");
}

PyObject* add_pool(PyObject* object, PyObject* pool) noexcept {
  LoopCore* core = as_loop(object)->core;
  if (!core || !Py_IS_TYPE(pool, core->state()->thread_pool_type)) {
    return PyErr_Format(PyExc_TypeError, "%R is no ThreadPool", pool);
  }
  return core->add_pool(pool) ? none() : nullptr;
}

PyObject* list_watches(PyObject* object, PyObject*) noexcept {
  LoopCore* core = as_loop(object)->core;
  return core ? core->watches().list() : PyDict_New();
}

// ---- time, state, the turn

PyObject* loop_time(PyObject*, PyObject*) noexcept {
  return PyFloat_FromDouble(LoopCore::monotonic_s());
}

PyObject* create_future(PyObject* object, PyObject*) noexcept {
  LoopCore* core = as_loop(object)->core;
  if (!core) return PyErr_Format(PyExc_RuntimeError, "the loop's __init__() has not been called");
  PyObject* args[] = {object};
  AsyncioState* state = core->state();
  return PyObject_Vectorcall(state->parts.future_type, args, 0, state->loop_keyword);
}

PyObject* get_debug(PyObject* object, PyObject*) noexcept {
  LoopCore* core = as_loop(object)->core;
  return PyBool_FromLong(core && core->debugging);
}

PyObject* is_closed(PyObject* object, PyObject*) noexcept {
  LoopCore* core = as_loop(object)->core;
  return PyBool_FromLong(!core || core->closed);
}

// After an attribute was set or deleted: a replaced time() takes effect at once.
int loop_set_attribute(PyObject* object, PyObject* name, PyObject* value) noexcept {
  const int result = PyObject_GenericSetAttr(object, name, value);
  LoopCore* core = as_loop(object)->core;
  if (result == 0 && core && name == core->state()->names.time) core->forget_clock();
  return result;
}

PyObject* begin_run(PyObject* object, PyObject*) noexcept {
  LoopCore* core = as_loop(object)->core;
  if (!core) return PyErr_Format(PyExc_RuntimeError, "the loop's __init__() has not been called");
  if (core->runs()) {  // it keeps its thread
    return PyErr_Format(PyExc_RuntimeError, "This event loop is already running");
  }
  core->set_running(true);
  return none();
}

PyObject* end_run(PyObject* object, PyObject*) noexcept {
  if (LoopCore* core = as_loop(object)->core) core->set_running(false);
  return none();
}

PyObject* run_once(PyObject* object, PyObject*) noexcept {
  LoopCore* core = as_loop(object)->core;
  if (!core) return PyErr_Format(PyExc_RuntimeError, "the loop's __init__() has not been called");
  return core->run_once();
}

template <bool LoopCore::*flag>
PyObject* get_flag(PyObject* object, void*) noexcept {
  LoopCore* core = as_loop(object)->core;
  return PyBool_FromLong(core && core->*flag);
}

// Closed for good: all that was queued goes.
template <bool LoopCore::*flag>
int set_flag(PyObject* object, PyObject* value, void*) noexcept {
  LoopCore* core = as_loop(object)->core;
  const int truth = value ? PyObject_IsTrue(value) : 0;
  if (truth < 0 || !core) return truth < 0 ? -1 : 0;
  core->*flag = truth == 1;
  if (core->closed) core->clear();
  return 0;
}

PyObject* get_ready(PyObject* object, void*) noexcept {
  LoopCore* core = as_loop(object)->core;
  return core ? core->list_ready() : PyList_New(0);
}

PyObject* get_scheduled(PyObject* object, void*) noexcept {
  LoopCore* core = as_loop(object)->core;
  return core ? core->list_timers() : PyList_New(0);
}

// asyncio's __init__ makes empty ones, which nobody needs.
int ignore_value(PyObject*, PyObject*, void*) noexcept { return 0; }

PyObject* get_turn_started(PyObject* object, void*) noexcept {
  LoopCore* core = as_loop(object)->core;
  const std::uint64_t since_ms = core ? core->engine().awake_since_ms() : 0;
  return PyFloat_FromDouble(static_cast<double>(since_ms) / 1000.0);
}

// ---- the object

int loop_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(as_loop(object)->caught);
  LoopCore* core = as_loop(object)->core;
  return core ? core->traverse(visit, arg) : 0;
}

int loop_clear(PyObject* object) noexcept {
  Py_CLEAR(as_loop(object)->caught);
  if (as_loop(object)->core) as_loop(object)->core->clear();
  return 0;
}

void loop_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  (void)loop_clear(object);
  delete as_loop(object)->core;
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

PyMethodDef loop_methods[] = {
    {"call_soon", method(call_soon), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("call_soon(callback, *args, context=None)")},
    {"call_soon_threadsafe", method(call_soon_threadsafe), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("call_soon_threadsafe(callback, *args, context=None)\n\nAny thread.")},
    {"call_later", method(call_later), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("call_later(delay, callback, *args, context=None)\n\ndelay in seconds.")},
    {"call_at", method(call_at), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("call_at(when, callback, *args, context=None)\n\nwhen in seconds of time().")},
    {"time", loop_time, METH_NOARGS, PyDoc_STR("time() -> float\n\nSeconds, monotonic.")},
    {"create_future", create_future, METH_NOARGS, PyDoc_STR("create_future() -> asyncio.Future")},
    {"get_debug", get_debug, METH_NOARGS, PyDoc_STR("get_debug() -> bool")},
    {"is_closed", is_closed, METH_NOARGS, PyDoc_STR("is_closed() -> bool")},
    {"_add_callback", add_callback, METH_O, nullptr},
    {"_add_callback_signalsafe", add_callback_signalsafe, METH_O, nullptr},
    {"_write_to_self", write_to_self, METH_NOARGS, nullptr},
    {"_add_reader", method(add_reader), METH_FASTCALL, nullptr},
    {"_add_writer", method(add_writer), METH_FASTCALL, nullptr},
    {"_remove_reader", remove_reader, METH_O, nullptr},
    {"_remove_writer", remove_writer, METH_O, nullptr},
    {"_add_pool", add_pool, METH_O, nullptr},
    {"_watches", list_watches, METH_NOARGS, nullptr},
    {"_begin_run", begin_run, METH_NOARGS, nullptr},
    {"_end_run", end_run, METH_NOARGS, nullptr},
    {"_run_once", run_once, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef loop_attributes[] = {
    {"_closed", get_flag<&LoopCore::closed>, set_flag<&LoopCore::closed>, nullptr, nullptr},
    {"_stopping", get_flag<&LoopCore::stopping>, set_flag<&LoopCore::stopping>, nullptr, nullptr},
    {"_debug", get_flag<&LoopCore::debugging>, set_flag<&LoopCore::debugging>, nullptr, nullptr},
    {"_ready", get_ready, ignore_value, PyDoc_STR("A copy."), nullptr},
    {"_scheduled", get_scheduled, ignore_value, PyDoc_STR("A copy."), nullptr},
    {"turn_started", get_turn_started, nullptr,
     PyDoc_STR("When the running turn's wait ended, as of time(); 0.0 while the loop waits."),
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

LoopCore* core_of(AsyncioState* state, PyObject* loop) noexcept {
  if (!is_loop_base(state, loop)) {
    PyErr_Format(PyExc_TypeError, "%R is no loop of Lanner's", loop);
    return nullptr;
  }
  LoopCore* core = as_loop(loop)->core;
  if (!core) PyErr_SetString(PyExc_RuntimeError, "the loop's __init__() has not been called");
  return core;
}

bool is_loop_base(AsyncioState* state, PyObject* loop) noexcept {
  return PyObject_TypeCheck(loop, state->loop_base_type);
}

bool is_own_time(PyObject* method) noexcept {
  return PyCFunction_Check(method) && PyCFunction_GET_FUNCTION(method) == loop_time;
}

void begin_catching(PyObject* loop) noexcept { as_loop(loop)->catching = true; }

PyObject* end_catching(PyObject* loop) noexcept {
  LoopBase* self = as_loop(loop);
  self->catching = false;
  PyObject* caught = self->caught;
  self->caught = nullptr;
  return caught;
}

int add_loop_base_type(PyObject* module, AsyncioState* state) noexcept {
  PyType_Slot slots[] = {
      {Py_tp_init, slot(loop_init)},
      {Py_tp_dealloc, slot(loop_dealloc)},
      {Py_tp_traverse, slot(loop_traverse)},
      {Py_tp_clear, slot(loop_clear)},
      {Py_tp_setattro, slot(loop_set_attribute)},
      {Py_tp_methods, loop_methods},
      {Py_tp_getset, loop_attributes},
      {Py_tp_doc, const_cast<char*>("The base in C of Lanner's asyncio event loop.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.LoopBase", sizeof(LoopBase), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->loop_base_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type
  return type ? PyModule_AddObjectRef(module, "LoopBase", type) : -1;
}

}  // namespace lanner::python
