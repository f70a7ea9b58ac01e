// python/awaitable.h: what ASGI's receive() and send() return: a coroutine-like object that is ready at once, or waits for a future.
//
// A collections.abc.Coroutine (send, throw, close, __await__), so that asyncio.create_task(receive()) works too.

#pragma once

#include "python/module_state.h"
#include "python/ref.h"

namespace lanner::python {

// Gives `value` when awaited; null with an exception set.
PyObject* new_ready(ModuleState* state, PyObject* value) noexcept;
// Waits for an asyncio.Future. `again`: null: then gives None; else a callable without arguments that returns such an
// awaitable: it is asked again, so that a task which was cancelled at the last moment loses no message.
PyObject* new_waiting(ModuleState* state, PyObject* future, PyObject* again) noexcept;
// Makes a ready awaitable that nobody else holds ready again, with another value.
void renew_ready(PyObject* awaitable, PyObject* value) noexcept;

}  // namespace lanner::python
