// python/thread_pool.h: lanner._core.ThreadPool: Python threads that run what a loop hands over.
//
// What run_in_executor() uses. The queue between the threads is net::JobQueue; the GIL protects the
// jobs' contents: a worker holds it while it runs jobs, and lets go of it while it waits for them.

#pragma once

#include "python/loop_core.h"
#include "python/module_state.h"
#include "python/ref.h"

namespace lanner::python {

// The loop's thread, in its turn: sets the results of what has run. False with an exception set.
bool deliver_jobs(PyObject* pool, LoopCore& core) noexcept;
// The loop is closed: results of what still runs are dropped.
void abandon_jobs(PyObject* pool) noexcept;

}  // namespace lanner::python
