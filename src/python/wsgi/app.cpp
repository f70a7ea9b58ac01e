// python/wsgi/app.cpp: a WSGI application and all that its calls share.

#include "python/wsgi/app.h"

#include <new>

#include "python/wsgi/input.h"
#include "python/wsgi/start_response.h"

namespace lanner::python {

int WsgiApp::init(WsgiState* state, PyObject* application, PyObject* root_path,
                  const EnvironOptions& options, std::uint64_t response_head_bytes,
                  log::Log* log) noexcept {
  state_ = state;
  application_ = Ref::borrow(application);
  response_head_bytes_ = response_head_bytes;
  log_.set_log(log);
  return environ_.init(state, root_path, options);
}

void WsgiApp::clear() noexcept {
  released_.drop_all();
  while (kits_) {
    WsgiKit* next = kits_->next;
    delete kits_;
    kits_ = next;
  }
  kit_count_ = 0;
  environ_.clear();
  application_.clear();
}

int WsgiApp::traverse(visitproc visit, void* arg) noexcept {
  if (int code = application_.traverse(visit, arg)) return code;
  return environ_.traverse(visit, arg);
}

WsgiKit* WsgiApp::take_kit(WsgiCall* call, http::Exchange& exchange) noexcept {
  WsgiKit* kit = kits_;
  if (kit) {
    kits_ = kit->next;
    --kit_count_;
  } else {
    kit = new (std::nothrow) WsgiKit;
    if (!kit) {
      (void)PyErr_NoMemory();
      return nullptr;
    }
    kit->write = Ref::steal(new_write(state_));
    if (kit->write) kit->start_response = Ref::steal(new_start_response(state_, kit->write.get()));
    if (kit->start_response) kit->early_hints = Ref::steal(new_early_hints(state_));
    if (kit->early_hints) kit->input = Ref::steal(new_input(state_));
    if (!kit->input) {
      delete kit;
      return nullptr;
    }
  }
  bind_callable(kit->start_response.get(), call);
  bind_callable(kit->write.get(), call);
  bind_callable(kit->early_hints.get(), call);
  bind_input(kit->input.get(), &exchange.body(), exchange.blocking());
  return kit;
}

void WsgiApp::give_back(WsgiKit* kit) noexcept {
  bind_callable(kit->start_response.get(), nullptr);
  bind_callable(kit->write.get(), nullptr);
  bind_callable(kit->early_hints.get(), nullptr);
  unbind_input(kit->input.get());
  const bool unshared = only_mine(kit->start_response.get()) && only_mine(kit->write.get(), 2) &&
                        only_mine(kit->early_hints.get()) && only_mine(kit->input.get());
  if (!unshared || kit_count_ >= kKitsMax) {
    delete kit;
    return;
  }
  kit->head.clear();
  kit->next = kits_;
  kits_ = kit;
  ++kit_count_;
}

}  // namespace lanner::python
