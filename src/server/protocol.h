// server/protocol.h: what speaks on a connection: HTTP/1, later HTTP/2 and WebSocket.
//
// The connection moves bytes, keeps those that were not consumed, and watches how the client takes
// what is sent; the protocol gives the bytes a meaning. One speaks at a time; it may hand the
// connection over to another (Connection::hand_over()): after an Upgrade, by ALPN, by prior
// knowledge, behind a PROXY preface.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanner::server {

class Protocol {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  // Consumes from the front of `in` (valid during the call, maybe empty); returns how many bytes.
  // The connection keeps the rest and passes it again, with more behind it.
  virtual std::size_t feed(std::string_view in) noexcept = 0;
  // Is more input of use now? Asked again after every call.
  virtual bool wants_input() const noexcept = 0;
  // Nothing has begun: no request is being read, received or answered.
  virtual bool at_rest() const noexcept = 0;
  // The peer has sent its last byte. All of it was fed, or is kept by the connection.
  virtual void on_input_end() noexcept = 0;
  // The peer has shut its sending side; there may be input before that. At most once.
  virtual void on_half_close() noexcept = 0;

  // The output is under the low mark; `all`: all of it was handed to the kernel. True: on_space() is
  // wanted, with the next turn of the loop if the output is under the mark still.
  virtual bool on_drained(bool all) noexcept = 0;
  virtual void on_space() noexcept = 0;
  // Input was not read for want of memory, and is read again.
  virtual void on_memory() noexcept = 0;

  // When on_deadline() is due; kNever = not at all.
  virtual std::uint64_t deadline_ms() const noexcept = 0;
  virtual void on_deadline(std::uint64_t now_ms) noexcept = 0;
  // The server stops: end when idle, or after what is being answered.
  virtual void begin_drain() noexcept = 0;
  // The connection is closed: nothing can be read or sent any more.
  virtual void on_closed() noexcept = 0;

  // A request is being received or answered: a handler may hold something of this protocol's.
  virtual bool busy() const noexcept = 0;
  // For the log: the number of the request at hand, from 1; 0 = none yet.
  virtual std::uint64_t request_number() const noexcept = 0;
  // Destroys it and gives its memory back. REQUIRES: !busy().
  virtual void release() noexcept = 0;

 protected:
  ~Protocol() = default;
};

}  // namespace lanner::server
