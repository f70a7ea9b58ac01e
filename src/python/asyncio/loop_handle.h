// python/asyncio/loop_handle.h: the handles of the loop in C++: makes, runs and recycles asyncio's Handle
// and TimerHandle.
//
// The types derive from asyncio's own and store their fields in the slots of those, so that Python
// operations on a handle (repr, comparisons, debug mode) are asyncio's own code.

#pragma once

#include <Python.h>

#include <array>
#include <cstddef>

#include "base/indexed_heap.h"
#include "python/asyncio/asyncio_parts.h"

namespace lanner::python {

struct AsyncioState;

// Memory of dead handles, for the next ones.
struct HandleSpares {
  std::array<PyObject*, 256> objects{};
  std::size_t count = 0;
  bool closed = false;
};

struct LoopSpares {
  HandleSpares handles;
  HandleSpares timers;
  void clear() noexcept;  // and takes no more
};

// Where a timer is in its loop's heap: the last word of the object.
struct TimerPlace {
  static std::size_t& of(PyObject* timer) noexcept {
    // SAFETY: make_timer_type() adds one word after asyncio's fields.
    char* end = reinterpret_cast<char*>(timer) + Py_TYPE(timer)->tp_basicsize;
    return *reinterpret_cast<std::size_t*>(end - sizeof(std::size_t));
  }
};
using TimerHeap = IndexedHeap<PyObject, TimerPlace>;

// A field of a handle; null where it was never set.
inline PyObject*& field_of(PyObject* object, Py_ssize_t offset) noexcept {
  // SAFETY: the offset is that of a member of the object's type which holds a PyObject*.
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
}

PyTypeObject* make_handle_type(PyObject* module, PyObject* base) noexcept;
PyTypeObject* make_timer_type(PyObject* module, PyObject* base) noexcept;

// A new handle; null with an exception set. `args`, a tuple, is taken over (null: an exception is
// set already); `context` is borrowed, null: a copy of the present one. `when`: a number,
// borrowed, for a timer; null: a Handle.
PyObject* make_handle(AsyncioState* state, PyObject* loop, bool debug, PyObject* callback,
                      PyObject* args, PyObject* context, PyObject* when) noexcept;

}  // namespace lanner::python
