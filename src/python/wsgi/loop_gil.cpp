// python/wsgi/loop_gil.cpp: the one owner of the GIL of a loop that serves WSGI.

#include "python/wsgi/loop_gil.h"

#include "python/object/exception.h"

namespace lanner::python {

LoopGil::LoopGil(net::Loop& loop, Released& released) noexcept : loop_(loop), released_(released) {
  loop_.set_hook(this);
}

LoopGil::~LoopGil() { loop_.set_hook(nullptr); }

void LoopGil::settle() noexcept {
  if (!released_.empty()) {
    if (threads_) {
      threads_->nudge();
    } else {
      gil_.hold();
      released_.drop_all();
    }
  }
  gil_.rest();
}

void LoopGil::on_interrupt() noexcept {
  gil_.hold();
  interrupt_.check();
  gil_.rest();
}

void Interrupt::check() noexcept {
  if (PyErr_CheckSignals() == 0) return;
  exception_ = take_exception();
  if (target_) target_->on_stop_signal();
}

bool Interrupt::raise() noexcept {
  if (!exception_) return false;
  PyErr_SetObject(PyExceptionInstance_Class(exception_.get()), exception_.get());
  exception_.clear();
  return true;
}

}  // namespace lanner::python
