// python/asyncio/stream_hub.h: state shared by the stream transports of one asyncio loop: the loop, its
// receive buffer, the parts of asyncio in use, and the references that keep active transports
// alive.
//
// A transport without other references must stay alive while it reads or has bytes to write. The
// hub holds it then, visibly for the garbage collector (loop -> hub -> transport -> protocol ->
// loop).

#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "base/intrusive_list.h"
#include "python/asyncio/loop_core.h"
#include "python/asyncio/state.h"
#include "python/object/ref.h"

namespace lanner::python {

class StreamTransport;
struct BusyTag {};

class StreamHub final {
 public:
  // As asyncio's transports: the most that one data_received() gets.
  static constexpr std::size_t kReceiveBytesMax = 256 * 1024;

  // The parts of asyncio that the transports use.
  struct Parts {
    Ref buffered_protocol;   // asyncio.BufferedProtocol
    Ref transport_socket;    // asyncio.trsock.TransportSocket
    Ref set_result;          // asyncio.futures._set_result_unless_cancelled
    Ref logger;              // asyncio.log.logger
    Ref transports;          // loop._transports
    Ref low_water_default;   // bytes
    Ref high_water_default;  // bytes
  };

  StreamHub() noexcept = default;
  StreamHub(const StreamHub&) = delete;
  StreamHub& operator=(const StreamHub&) = delete;
  ~StreamHub() { close(); }

  // False with an exception set. loop: an asyncio loop that is a LoopBase; a reference is kept.
  bool open(AsyncioState* state, PyObject* loop) noexcept;
  // The loop is closed: nothing is kept alive any more.
  void close() noexcept;

  // REQUIRES: the loop is not gone, which holds for every transport that is not finalized.
  LoopCore& core() noexcept { return *core_; }
  // Whether the calling thread may use the transports; false with an exception set.
  bool check_thread() const noexcept { return !core_ || core_->check_thread("a transport"); }
  PyObject* loop() const noexcept { return loop_.get(); }
  AsyncioState& state() noexcept { return *state_; }
  const Parts& parts() const noexcept { return parts_; }
  // kReceiveBytesMax bytes, made at the first use; nullptr when memory is out.
  char* receive_buffer() noexcept;
  IntrusiveList<StreamTransport, BusyTag>& busy_transports() noexcept { return busy_transports_; }

  int traverse(visitproc visit, void* arg) noexcept;
  // For tp_clear: what is part of cycles. asyncio's parts stay until the end.
  void clear() noexcept;

 private:
  struct Free {
    void operator()(char* memory) const noexcept { std::free(memory); }
  };
  bool import_parts() noexcept;

  AsyncioState* state_ = nullptr;
  LoopCore* core_ = nullptr;
  Ref loop_;
  Parts parts_;
  IntrusiveList<StreamTransport, BusyTag> busy_transports_;
  std::unique_ptr<char, Free> receive_buffer_;
};

// REQUIRES: a lanner._core.StreamHub
StreamHub& stream_hub_of(PyObject* object) noexcept;

}  // namespace lanner::python
