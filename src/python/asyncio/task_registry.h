// python/asyncio/task_registry.h: asyncio's set of all tasks, with its add() in C (Python 3.11 only; later
// ones have it in C or C-side lists).
//
// The same set, the same entries: asyncio.all_tasks() sees every task as before. Only the two
// Python functions that run for each task, WeakSet.add and the callback that removes a dead one,
// are replaced by the same steps in C.

#pragma once

#include "python/asyncio/state.h"

namespace lanner::python {

// Once per process; does nothing when the set does not look as expected. -1 with an exception set.
int speed_up_task_registry(AsyncioState* state) noexcept;

}  // namespace lanner::python
