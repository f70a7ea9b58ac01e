// net/listener.h: accepts connections from one listening socket and passes them to an Acceptor.
//
// EMFILE and ENFILE: closes a reserve descriptor to accept and close one client. After these and
// all other errors of the listener itself it pauses for 100 ms, to avoid a busy loop.

#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/timer_wheel.h"
#include "net/loop.h"
#include "sys/sockets.h"

namespace lanner::net {

class Listener;

class Acceptor {
 public:
  // Owns `fd` from here on. May pause but not destroy the listener `from`.
  virtual void on_accept(int fd, const sys::SocketAddress& peer, Listener& from) noexcept = 0;
  // For the log; the listener pauses for a while.
  virtual void on_accept_error(Error error) noexcept = 0;

 protected:
  ~Acceptor() = default;
};

class Listener final : public Watcher, private Timer {
 public:
  struct Options {
    // Other processes wait on it too: EPOLLEXCLUSIVE, and at most kSharedAcceptsMax per iteration.
    bool shared = false;
    int accepts_per_turn = 64;
  };
  static constexpr int kSharedAcceptsMax = 4;
  static constexpr std::uint64_t kRestMs = 100;

  // `fd` is listening already; borrowed unless take_ownership() is called.
  Listener(Loop& loop, int fd, Acceptor& acceptor, Options options) noexcept;
  ~Listener();

  // From now on the descriptor is closed together with the listener.
  void take_ownership() noexcept { owned_ = true; }
  // Also makes the descriptor non-blocking. Does nothing when accepting already.
  Result<void> start() noexcept;
  // start(); where that fails the acceptor is told, and it is tried again until it succeeds.
  void resume() noexcept;
  // Stops taking new connections (they wait in the backlog); start() again later.
  void pause() noexcept;
  // pause() for good: start() must not be called again, and an owned descriptor is closed now.
  // address() stays.
  void close() noexcept;
  bool accepting() const noexcept { return watching_; }
  // Accepts one client from the backlog, also when paused. False: there is none, or it failed.
  bool accept_waiting() noexcept { return accept_one(); }
  int descriptor() const noexcept { return fd_; }
  const sys::SocketAddress& address() const noexcept { return address_; }

  void on_ready(std::uint32_t events) noexcept override;

 private:
  void on_timer(std::uint64_t now_ms) noexcept override;
  bool accept_one() noexcept;  // false = stop for this turn
  void refuse_one() noexcept;
  void rest() noexcept;

  Loop& loop_;
  int fd_;
  Acceptor& acceptor_;
  Options options_;
  sys::SocketAddress address_;
  int reserve_fd_ = -1;
  bool watching_ = false;
  bool owned_ = false;
};

}  // namespace lanner::net
