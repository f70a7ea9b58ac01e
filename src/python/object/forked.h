// python/object/forked.h: a child of os.fork() that comes back into the engine, by an end or an exception
// of what the application does there: it must not serve.
//
// After every call of the application's code that returns into the engine:
//   if (came_back(born_)) end_forked();
// where born_ is sys::fork_count() of the process that serves. What the kernel shares with the
// parent was let go by sys/fork.h, inside fork() already.

#pragma once

#include <Python.h>

#include <cstdint>

#include "sys/fork.h"

namespace lanner::python {

inline bool came_back(std::uint32_t born) noexcept { return born != sys::fork_count(); }

// Ends this process at once (lanner/process/forked.py), by the exception in flight or, if there is none,
// that of `task` (may be null), which is done or not. REQUIRES: the GIL.
[[noreturn]] void end_forked(PyObject* task = nullptr) noexcept;

}  // namespace lanner::python
