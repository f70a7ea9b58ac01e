// python/asyncio/state.h: the state of the event loop: its types, what it uses of asyncio, memory of dead handles.

#pragma once

#include <Python.h>

#include "python/asyncio/asyncio_parts.h"
#include "python/asyncio/loop_handle.h"
#include "python/object/state.h"

namespace lanner::python {

struct AsyncioState {
  explicit AsyncioState(ObjectState& object) noexcept : names(object) {}

  ObjectState& names;
  AsyncioParts parts;  // empty until the first loop
  LoopSpares spares;
  PyTypeObject* poller_type = nullptr;
  PyTypeObject* loop_base_type = nullptr;
  PyTypeObject* thread_pool_type = nullptr;
  PyTypeObject* awaitable_type = nullptr;
  PyTypeObject* registry_type = nullptr;
  PyTypeObject* stream_hub_type = nullptr;
  PyTypeObject* stream_transport_type = nullptr;  // made with the first hub: it needs asyncio
  PyObject* loop_keyword = nullptr;               // ("loop",): the keywords of a call

  template <class F>
  int each(F&& f) noexcept {
    PyObject** slots[] = {slot_of(poller_type),           slot_of(loop_base_type),
                          slot_of(thread_pool_type),      slot_of(awaitable_type),
                          slot_of(registry_type),         slot_of(stream_hub_type),
                          slot_of(stream_transport_type), &loop_keyword};
    for (PyObject** slot : slots) {
      if (const int code = f(slot)) return code;
    }
    return 0;
  }
};

template <>
AsyncioState* state_in<AsyncioState>(void* whole) noexcept;

// Each adds its types to the module; -1 with an exception set.
int add_poller_type(PyObject* module, AsyncioState* state) noexcept;
int add_loop_base_type(PyObject* module, AsyncioState* state) noexcept;
int add_thread_pool_type(PyObject* module, AsyncioState* state) noexcept;
int add_awaitable_type(PyObject* module, AsyncioState* state) noexcept;
int add_task_registry_type(PyObject* module, AsyncioState* state) noexcept;
int add_stream_hub_type(PyObject* module, AsyncioState* state) noexcept;

}  // namespace lanner::python
