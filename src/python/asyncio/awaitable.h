// python/asyncio/awaitable.h: the result of ASGI's receive() and send(): a coroutine-like object that is
// ready at once or waits for a future.
//
// A collections.abc.Coroutine (send, throw, close, __await__), so that
// asyncio.create_task(receive()) works too. Like a coroutine it does nothing before its first step:
// a receive() that is cancelled before it ran takes no message, and one that is cancelled while it
// waits loses none.

#pragma once

#include "python/asyncio/state.h"
#include "python/object/ref.h"

namespace lanner::python {

// Gives None when awaited; null with an exception set.
PyObject* new_ready(AsyncioState* state) noexcept;
// Waits for an asyncio.Future, then gives None; null with an exception set.
PyObject* new_waiting(AsyncioState* state, PyObject* future) noexcept;
// Asks take_message(receive, ...) when it is stepped, and again after each wait, until there is a
// message.
PyObject* new_receiving(AsyncioState* state, PyObject* receive) noexcept;
// A send() that was called off the loop's thread: asks send_message(send, message) when it is
// stepped, and waits for what that gives. Null with an exception set.
PyObject* new_sending(AsyncioState* state, PyObject* send, PyObject* message) noexcept;
// Resets one that nobody else references, for reuse with another `receive`.
void renew_receiving(PyObject* awaitable, PyObject* receive) noexcept;

// Of the `receive` callable (asgi/callables.cpp): a new reference to the next message, or null and
// in *future a new reference to what to wait for; both null: an exception is set.
PyObject* take_message(PyObject* receive, PyObject** future) noexcept;
// Of the `send` callable: what send(message) gives on the loop's thread; null with an exception
// set, elsewhere too.
PyObject* send_message(PyObject* send, PyObject* message) noexcept;

}  // namespace lanner::python
