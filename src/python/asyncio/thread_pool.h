// python/asyncio/thread_pool.h: lanner._core.ThreadPool: Python threads that run the jobs of a loop.
//
// Used by run_in_executor(). The queue between the threads is net::JobQueue. The GIL protects the
// jobs' contents: a worker holds it while it runs jobs, and releases it while it waits for them.

#pragma once

#include "python/asyncio/loop_core.h"
#include "python/asyncio/state.h"
#include "python/object/ref.h"

namespace lanner::python {

// The loop's thread, in an iteration: sets the results of finished jobs. False with an exception
// set.
bool deliver_jobs(PyObject* pool, LoopCore& core) noexcept;
// The loop is closed: results of running jobs are dropped.
void abandon_jobs(PyObject* pool) noexcept;

}  // namespace lanner::python
