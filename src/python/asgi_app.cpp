// python/asgi_app.cpp: an ASGI application and all that its requests share.

#include "python/asgi_app.h"

#include <new>

#include "python/asgi_handler.h"
#include "python/awaitable.h"
#include "python/loop_base.h"

namespace lanner::python {

int AsgiApp::init(ModuleState* state, PyObject* application, PyObject* root_path, PyObject* loop,
                  std::uint64_t response_head_bytes, server::Log* log) noexcept {
  state_ = state;
  application_ = Ref::borrow(application);
  loop_ = Ref::borrow(loop);
  response_head_bytes_ = response_head_bytes;
  log_.set_log(log);
  Ref asyncio = Ref::steal(PyImport_ImportModule("asyncio"));
  if (!asyncio) return -1;
  task_type_ = Ref::steal(PyObject_GetAttrString(asyncio.get(), "Task"));
  task_name_ = Ref::steal(PyUnicode_InternFromString("lanner request"));
  ready_none_ = Ref::steal(new_ready(state, Py_None));
#if PY_VERSION_HEX >= 0x030C0000
  eager_ = true;
  task_keywords_ = Ref::steal(Py_BuildValue("(ssss)", "loop", "name", "context", "eager_start"));
#else
  catches_steps_ = is_loop_base(state, loop);
  task_keywords_ = Ref::steal(Py_BuildValue("(sss)", "loop", "name", "context"));
#endif
  if (!task_type_ || !task_name_ || !ready_none_ || !task_keywords_) return -1;
  return scope_.init(state, root_path);
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
  for (Ref* ref : {&application_, &loop_, &task_type_, &task_name_, &task_keywords_, &ready_none_,
                   &ready_spare_}) {
    ref->clear();
  }
}

int AsgiApp::traverse(visitproc visit, void* arg) noexcept {
  for (const Ref* ref : {&application_, &loop_, &task_type_, &ready_none_, &ready_spare_}) {
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

PyObject* AsgiApp::ready(PyObject* value) noexcept {
  if (!value) return nullptr;
  PyObject* made = nullptr;
  if (ready_spare_ && only_mine(ready_spare_.get())) {
    renew_ready(ready_spare_.get(), value);
    made = share(ready_spare_.get());
  } else {
    made = new_ready(state_, value);
    ready_spare_ = Ref::borrow(made);
  }
  drop(value);
  return made;
}

PyObject* AsgiApp::task_of(PyObject* coroutine, PyObject* context) noexcept {
  PyObject* args[] = {coroutine, loop_.get(), task_name_.get(), context, Py_True};
  return PyObject_Vectorcall(task_type_.get(), args, 1, task_keywords_.get());
}

PyObject* AsgiApp::start_task(PyObject* coroutine) noexcept {
  Ref owned = Ref::steal(coroutine);
  Ref context = Ref::steal(PyContext_CopyCurrent());
  if (!context) return nullptr;
  if (!catches_steps_) return task_of(coroutine, context.get());
  begin_catching(loop_.get());
  Ref task = Ref::steal(task_of(coroutine, context.get()));
  Ref step = Ref::steal(end_catching(loop_.get()));
  if (!task || !step) return task.release();
  if (PyContext_Enter(context.get()) < 0) return nullptr;
  Ref done = Ref::steal(PyObject_CallNoArgs(step.get()));
  if (PyContext_Exit(context.get()) < 0 || !done) {
    // KeyboardInterrupt or SystemExit: the task has recorded it too, and is done.
    if (PyErr_Occurred()) PyErr_Clear();
  }
  return task.release();
}

}  // namespace lanner::python
