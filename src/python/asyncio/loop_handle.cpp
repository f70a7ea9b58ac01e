// python/asyncio/loop_handle.cpp: the handles of the loop in C++.

#include "python/asyncio/loop_handle.h"

#include "python/asyncio/loop_core.h"
#include "python/asyncio/state.h"
#include "python/object/ref.h"
#include "python/object/slots.h"

namespace lanner::python {

namespace {

PyObject** weak_references(PyObject* object) noexcept {
  return &field_of(object, Py_TYPE(object)->tp_weaklistoffset);
}

// The fields of any handle; a timer has two more.
template <class F>
int each_field(const HandleSlots& slots, PyObject* object, bool timer, F&& f) noexcept {
  const Py_ssize_t offsets[] = {slots.callback, slots.args, slots.cancelled,
                                slots.loop,     slots.repr, slots.source_traceback,
                                slots.context,  slots.when, slots.scheduled};
  const std::size_t count = timer ? 9 : 7;
  for (std::size_t i = 0; i < count; ++i) {
    if (int code = f(&field_of(object, offsets[i]))) return code;
  }
  return 0;
}

bool is_timer(AsyncioState* state, PyObject* object) noexcept {
  return Py_IS_TYPE(object, state->parts.timer_type);
}

int handle_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(object));
  AsyncioState* state = state_of_type<AsyncioState>(Py_TYPE(object));
  if (!state) return 0;
  return each_field(state->parts.slots, object, is_timer(state, object),
                    [&](PyObject** field) { return *field ? visit(*field, arg) : 0; });
}

void clear_fields(AsyncioState* state, PyObject* object) noexcept {
  (void)each_field(state->parts.slots, object, is_timer(state, object), [](PyObject** field) {
    Py_CLEAR(*field);
    return 0;
  });
}

int handle_clear(PyObject* object) noexcept {
  AsyncioState* state = state_of_type<AsyncioState>(Py_TYPE(object));
  if (state) clear_fields(state, object);
  return 0;
}

bool keep_spare(HandleSpares& spares, PyObject* object) noexcept {
  if (spares.closed || spares.count == spares.objects.size()) return false;
  spares.objects[spares.count++] = object;
  return true;
}

void handle_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (*weak_references(object)) PyObject_ClearWeakRefs(object);
  AsyncioState* state = state_of_type<AsyncioState>(type);
  const bool timer = is_timer(state, object);
  clear_fields(state, object);
  HandleSpares& spares = timer ? state->spares.timers : state->spares.handles;
  if (!keep_spare(spares, object)) PyObject_GC_Del(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

// Untracked, its fields null.
PyObject* allocate(HandleSpares& spares, PyTypeObject* type) noexcept {
  if (spares.count > 0) return PyObject_Init(spares.objects[--spares.count], type);
  PyObject* object = PyObject_GC_New(PyObject, type);
  if (!object) return nullptr;
  // SAFETY: what follows the object's head is ours to fill.
  std::memset(reinterpret_cast<char*>(object) + sizeof(PyObject), 0,
              static_cast<std::size_t>(type->tp_basicsize) - sizeof(PyObject));
  return object;
}

// As asyncio's: idempotent; callback and arguments go at once. A timer leaves the heap.
PyObject* handle_cancel(PyObject* object, PyObject*) noexcept {
  AsyncioState* state = state_of_type<AsyncioState>(Py_TYPE(object));
  const HandleSlots& slots = state->parts.slots;
  PyObject*& cancelled = field_of(object, slots.cancelled);
  if (cancelled == Py_True) return none();
  drop(std::exchange(cancelled, share(Py_True)));
  PyObject* loop = field_of(object, slots.loop);
  LoopCore* core = loop ? core_of(state, loop) : nullptr;
  if (!core) PyErr_Clear();
  if (core && core->debugging) {
    PyObject* text = PyObject_Repr(object);
    if (!text) return nullptr;
    drop(std::exchange(field_of(object, slots.repr), text));
  }
  Ref callback = Ref::steal(std::exchange(field_of(object, slots.callback), none()));
  Ref args = Ref::steal(std::exchange(field_of(object, slots.args), none()));
  if (core && is_timer(state, object)) core->forget_timer(object);
  return none();
}

PyMethodDef handle_methods[] = {{"cancel", handle_cancel, METH_NOARGS, PyDoc_STR("cancel()")},
                                {nullptr, nullptr, 0, nullptr}};

PyTypeObject* make_type(PyObject* module, PyObject* base, const char* name,
                        std::size_t more) noexcept {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(handle_dealloc)},
      {Py_tp_traverse, slot(handle_traverse)},
      {Py_tp_clear, slot(handle_clear)},
      {Py_tp_methods, handle_methods},
      {Py_tp_doc, const_cast<char*>("What call_soon() and call_later() of Lanner's loop return.")},
      {0, nullptr}};
  // SAFETY: the caller has checked that it is a type.
  const Py_ssize_t size = reinterpret_cast<PyTypeObject*>(base)->tp_basicsize;
  PyType_Spec spec = {name, static_cast<int>(size) + static_cast<int>(more), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, base);
  return reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type, or null
}

}  // namespace

void LoopSpares::clear() noexcept {
  for (HandleSpares* spares : {&handles, &timers}) {
    spares->closed = true;
    while (spares->count > 0) PyObject_GC_Del(spares->objects[--spares->count]);
  }
}

PyTypeObject* make_handle_type(PyObject* module, PyObject* base) noexcept {
  return make_type(module, base, "lanner._core.Handle", 0);
}

PyTypeObject* make_timer_type(PyObject* module, PyObject* base) noexcept {
  return make_type(module, base, "lanner._core.TimerHandle", sizeof(std::size_t));
}

PyObject* make_handle(AsyncioState* state, PyObject* loop, bool debug, PyObject* callback,
                      PyObject* args, PyObject* context, PyObject* when) noexcept {
  const AsyncioParts& asyncio = state->parts;
  const HandleSlots& slots = asyncio.slots;
  Ref owned_args = Ref::steal(args);
  Ref owned_context = context ? Ref::borrow(context) : Ref::steal(PyContext_CopyCurrent());
  if (!owned_args || !owned_context) return nullptr;
  Ref stack;
  if (debug) {
    PyFrameObject* frame = PyEval_GetFrame();
    PyObject* found =
        frame ? reinterpret_cast<PyObject*>(frame) : Py_None;  // SAFETY: a frame is one
    stack = Ref::steal(PyObject_CallOneArg(asyncio.extract_stack, found));
    if (!stack) return nullptr;
  }
  PyObject* handle = when ? allocate(state->spares.timers, asyncio.timer_type)
                          : allocate(state->spares.handles, asyncio.handle_type);
  if (!handle) return PyErr_NoMemory();
  field_of(handle, slots.callback) = share(callback);
  field_of(handle, slots.args) = owned_args.release();
  field_of(handle, slots.cancelled) = share(Py_False);
  field_of(handle, slots.loop) = share(loop);
  field_of(handle, slots.repr) = none();
  field_of(handle, slots.source_traceback) = stack ? stack.release() : none();
  field_of(handle, slots.context) = owned_context.release();
  if (when) {
    field_of(handle, slots.when) = share(when);
    field_of(handle, slots.scheduled) = share(Py_False);
    TimerPlace::of(handle) = TimerHeap::kNowhere;
  }
  PyObject_GC_Track(handle);
  return handle;
}

}  // namespace lanner::python
