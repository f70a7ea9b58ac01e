// python/wsgi/loop_gil.h: the one owner of the GIL of a loop that serves WSGI: taken when a turn first
// needs it, let go of before writing and waiting; and what a signal raises meanwhile.

#pragma once

#include "net/loop.h"
#include "python/answer/released.h"
#include "python/object/gil.h"
#include "python/object/ref.h"
#include "server/relay_queue.h"
#include "sys/signals.h"

namespace lanner::python {

// An exception that a Python signal handler raised (KeyboardInterrupt) while the loop was waiting:
// it stops the server and is raised from Server.run().
class Interrupt final {
 public:
  // REQUIRES: the GIL. Runs pending Python signal handlers.
  void check() noexcept;
  void set_target(sys::StopTarget* target) noexcept { target_ = target; }
  // Raises it; false when there is none.
  bool raise() noexcept;

 private:
  sys::StopTarget* target_ = nullptr;
  Ref exception_;
};

// With handler threads the loop's takes the GIL for a signal only: what is released while it writes
// is dropped by one of them.
class LoopGil final : public net::LoopHook {
 public:
  // REQUIRES: the GIL. `loop` and `released` outlive this.
  LoopGil(net::Loop& loop, Released& released) noexcept;
  LoopGil(const LoopGil&) = delete;
  LoopGil& operator=(const LoopGil&) = delete;
  ~LoopGil();
  // Its threads drop what was released, from now on.
  void set_threads(server::RelayQueue* queue) noexcept { threads_ = queue; }

  // For handlers.
  void hold() noexcept { gil_.hold(); }
  // ... and what was written meanwhile is dropped: its memory serves the next answer.
  void hold_and_drop() noexcept {
    if (gil_.held()) return;
    gil_.hold();
    released_.drop_all();
  }
  Interrupt& interrupt() noexcept { return interrupt_; }

  // net::LoopHook
  void rest() noexcept override { gil_.rest(); }
  void settle() noexcept override;
  void on_interrupt() noexcept override;

 private:
  net::Loop& loop_;
  Released& released_;
  server::RelayQueue* threads_ = nullptr;
  Gil gil_;
  Interrupt interrupt_;
};

}  // namespace lanner::python
