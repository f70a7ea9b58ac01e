// python/asgi/app.cpp: an ASGI application and all that its requests share.

#include "python/asgi/app.h"

#include <new>

#include "python/asgi/handler.h"
#include "python/asyncio/awaitable.h"
#include "python/asyncio/loop_base.h"
#include "python/asyncio/task_registry.h"
#include "python/object/exception.h"

namespace lanner::python {

int AsgiApp::init(AsgiState* state, PyObject* application, PyObject* root_path, PyObject* loop,
                  std::uint64_t response_head_bytes, log::Log* log) noexcept {
  state_ = state;
  application_ = Ref::borrow(application);
  loop_ = Ref::borrow(loop);
  response_head_bytes_ = response_head_bytes;
  log_.set_log(log);
  Ref asyncio = Ref::steal(PyImport_ImportModule("asyncio"));
  if (!asyncio) return -1;
  task_type_ = Ref::steal(PyObject_GetAttrString(asyncio.get(), "Task"));
  task_name_ = Ref::steal(PyUnicode_InternFromString("lanner request"));
  ready_none_ = Ref::steal(new_ready(&state->asyncio));
  if (!task_type_ || !task_name_ || !ready_none_ || make_task_arguments() < 0) return -1;
  return scope_.init(state, root_path);
}

int AsgiApp::make_task_arguments() noexcept {
  task_arguments_ = Ref::steal(PyDict_New());
  PyObject* dict = task_arguments_.get();
  if (!dict || PyDict_SetItemString(dict, "loop", loop_.get()) < 0 ||
      PyDict_SetItemString(dict, "name", task_name_.get()) < 0) {
    return -1;
  }
#if PY_VERSION_HEX >= 0x030C0000
  return PyDict_SetItemString(dict, "eager_start", Py_True);
#else
  catches_steps_ = is_loop_base(&state_->asyncio, loop_.get());
  return catches_steps_ ? speed_up_task_registry(&state_->asyncio) : 0;
#endif
}

void AsgiApp::clear() noexcept {
  released_.drop_all();
  while (kits_) {
    AsgiKit* next = kits_->next;
    delete kits_;
    kits_ = next;
  }
  kit_count_ = 0;
  scope_.clear();
  for (Ref* ref : {&application_, &loop_, &task_type_, &task_name_, &task_arguments_, &ready_none_,
                   &receiving_spare_}) {
    ref->clear();
  }
}

int AsgiApp::traverse(visitproc visit, void* arg) noexcept {
  for (const Ref* ref : {&application_, &loop_, &task_type_, &ready_none_, &receiving_spare_}) {
    if (int code = ref->traverse(visit, arg)) return code;
  }
  return scope_.traverse(visit, arg);
}

AsgiKit* AsgiApp::take_kit(AsgiCall* call) noexcept {
  AsgiKit* kit = kits_;
  if (kit) {
    kits_ = kit->next;
    --kit_count_;
  } else {
    kit = new (std::nothrow) AsgiKit;
    if (!kit) {
      (void)PyErr_NoMemory();
      return nullptr;
    }
    kit->receive = Ref::steal(new_receive(state_));
    if (kit->receive) kit->send = Ref::steal(new_send(state_));
    if (!kit->send) {
      delete kit;
      return nullptr;
    }
  }
  bind_asgi_callable(kit->receive.get(), call);
  bind_asgi_callable(kit->send.get(), call);
  return kit;
}

void AsgiApp::give_back(AsgiKit* kit) noexcept {
  bind_asgi_callable(kit->receive.get(), nullptr);
  bind_asgi_callable(kit->send.get(), nullptr);
  if (!only_mine(kit->receive.get()) || !only_mine(kit->send.get()) || kit_count_ >= kKitsMax) {
    delete kit;
    return;
  }
  kit->head.clear();
  kit->next = kits_;
  kits_ = kit;
  ++kit_count_;
}

PyObject* AsgiApp::receiving(PyObject* receive) noexcept {
  if (receiving_spare_ && only_mine(receiving_spare_.get())) {
    renew_receiving(receiving_spare_.get(), receive);
    return share(receiving_spare_.get());
  }
  PyObject* made = new_receiving(&state_->asyncio, receive);
  receiving_spare_ = Ref::borrow(made);
  return made;
}

PyObject* AsgiApp::task_of(PyObject* coroutine, PyObject* context) noexcept {
  PyObject* arguments = task_arguments_.get();
  if (PyDict_SetItem(arguments, state_->names.context, context) < 0) return nullptr;
  Ref positional = Ref::steal(PyTuple_Pack(1, coroutine));
  PyObject* task =
      positional ? PyObject_Call(task_type_.get(), positional.get(), arguments) : nullptr;
  if (PyDict_SetItem(arguments, state_->names.context, Py_None) < 0)
    PyErr_Clear();  // keeps no request alive
  return task;
}

PyObject* AsgiApp::refuse(PyObject* result) noexcept {
  return PyErr_Format(
      PyExc_TypeError,
      "the ASGI application returned %.100s, which cannot be awaited: it must be an "
      "async function (scope, receive, send)",
      Py_TYPE(result)->tp_name);
}

PyObject* AsgiApp::start_task(PyObject* coroutine) noexcept {
  Ref owned = Ref::steal(coroutine);
  if (!PyCoro_CheckExact(coroutine) && !Py_TYPE(coroutine)->tp_as_async) return refuse(coroutine);
  if (!PyCoro_CheckExact(coroutine)) {
    // Whatever can be awaited is an application's call (a class with __await__): a task needs a
    // coroutine.
    Ref module = Ref::steal(PyImport_ImportModule("lanner.loop.callbacks"));
    owned =
        Ref::steal(module ? PyObject_CallMethod(module.get(), "drive", "O", coroutine) : nullptr);
    coroutine = owned.get();
    if (!coroutine) return nullptr;
  }
  Ref context = Ref::steal(PyContext_CopyCurrent());
  if (!context) return nullptr;
  if (!catches_steps_) return task_of(coroutine, context.get());
  begin_catching(loop_.get());
  Ref task = Ref::steal(task_of(coroutine, context.get()));
  Ref step = Ref::steal(end_catching(loop_.get()));
  if (!task || !step) return task.release();
  if (PyContext_Enter(context.get()) < 0) return nullptr;
  Ref stepped = Ref::steal(PyObject_CallNoArgs(step.get()));
  if (PyContext_Exit(context.get()) == 0 && stepped) return task.release();
  // KeyboardInterrupt and SystemExit end the task, too. But when the task could not be put down to
  // be woken (no memory), nobody else would ever step it.
  Raised raised;
  Ref done = Ref::steal(PyObject_CallMethodNoArgs(task.get(), state_->names.done));
  if (done.get() == Py_True) return task.release();
  PyErr_Clear();
  raised.restore();
  return nullptr;
}

}  // namespace lanner::python
