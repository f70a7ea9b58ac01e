// python/asyncio/poller_type.h: lanner._core.Poller: the engine's loop in the form of an asyncio selector.
//
// register(), modify() and unregister() descriptors; select(timeout) runs one iteration of the
// engine, which serves its connections, timers and tasks, and returns the registered descriptors
// that are ready.

#pragma once

#include "net/loop.h"
#include "python/asyncio/state.h"
#include "python/object/gil.h"
#include "python/object/ref.h"

namespace lanner::python {

// Serves within a poller's iterations. Called with the GIL.
class TurnGuest {
 public:
  // Before the poller waits: write what was answered since the last turn. False: there is something
  // to do, do not wait.
  virtual bool before_wait() noexcept = 0;
  // After a turn. False with an exception set: it comes out of select().
  virtual bool after_turn() noexcept = 0;

 protected:
  ~TurnGuest() = default;
};

// Null with an exception when it is not a Poller.
net::Loop* poller_loop(AsyncioState* state, PyObject* poller) noexcept;
Gil& poller_gil(PyObject* poller) noexcept;
// One turn of the engine: waits at most `wait_ms` (-1: until something happens), serves, and holds
// the GIL afterwards. False with an exception set: of the guest, of a signal handler, or
// RuntimeError inside a turn. REQUIRES: it is a Poller.
bool poller_turn(PyObject* poller, int wait_ms) noexcept;
// At most one guest; null removes it.
void set_poller_guest(PyObject* poller, TurnGuest* guest) noexcept;
// select() is running: what is written now is sent at the end of its iteration.
bool poller_in_turn(PyObject* poller) noexcept;

}  // namespace lanner::python
