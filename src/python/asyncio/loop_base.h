// python/asyncio/loop_base.h: lanner._core.LoopBase: the base class in C of Lanner's asyncio loop, which
// lets a request's task take its first step at once.
//
// asyncio.Task.__init__ passes its first step to loop.call_soon(). While this loop is catching,
// call_soon() stores that step instead of queueing it, and the caller runs it at once, so that it
// is a real task from the first step to the last. Python 3.12 and later have eager_start for the
// same.

#pragma once

#include "python/asyncio/state.h"
#include "python/object/ref.h"

namespace lanner::python {

bool is_loop_base(AsyncioState* state, PyObject* loop) noexcept;
// `method`, the attribute `time` of a loop, is LoopBase's: nobody has replaced it.
bool is_own_time(PyObject* method) noexcept;
// Until end_catching() the next call_soon() is kept. REQUIRES: is_loop_base().
void begin_catching(PyObject* loop) noexcept;
// The step that was caught, a new reference; null without an exception: none was.
PyObject* end_catching(PyObject* loop) noexcept;

}  // namespace lanner::python
