// server/relay_queue.h: exchanges waiting for a handler thread: filled by the loop thread, emptied
// by N others.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "http/exchange.h"
#include "http/limits.h"
#include "net/loop.h"
#include "server/relay.h"

namespace lanner::server {

// Also the http::Handler of the loop: each exchange becomes a Relay in the queue. The queue is
// bounded by the number of connections: each has one exchange at a time.
class RelayQueue final : public http::Handler {
 public:
  RelayQueue(net::Loop& loop, const http::Limits& limits) noexcept : loop_(loop), limits_(limits) {}
  RelayQueue(const RelayQueue&) = delete;
  RelayQueue& operator=(const RelayQueue&) = delete;
  ~RelayQueue() = default;  // REQUIRES: every relay was released

  // Handler threads. `nudged`: there is no exchange, but something else to do (nudge()). Null and
  // !nudged: the queue was closed.
  Relay* take(bool* nudged) noexcept;  // waits
  Relay* try_take() noexcept;          // null = none now
  // Any thread: one waiting handler thread returns from take() without an exchange.
  void nudge() noexcept;
  // Loop thread: no more exchanges; all waiting threads return.
  void close() noexcept;

  // For relays. Bytes of answers on their way to the loop thread, and arrived there: while there
  // are more than kHandedBytesMax, nobody gets an exchange. What threads make is thus no more than
  // that and one answer each.
  static constexpr std::uint64_t kHandedBytesMax = 4u << 20;
  void hand_over(std::uint64_t bytes) noexcept;
  void take_over(std::uint64_t bytes) noexcept;
  // For relays. A handler thread begins and ends to wait for a client. While exchanges wait and no
  // thread is idle, such relays are told to hurry, one for each exchange.
  void block(Relay& relay) noexcept;
  void unblock(Relay& relay) noexcept;
  // For relays. Loop thread: the exchange has ended.
  void release(Relay& relay) noexcept;
  std::size_t relay_count() const noexcept { return relay_count_; }

  // http::Handler
  http::Plan plan(const http::RequestHead&) noexcept override {
    return {.body_mode = http::BodyMode::stream};
  }
  void handle(http::Exchange& exchange, const http::Plan& plan) noexcept override;

 private:
  // REQUIRES: mutex_, all of them.
  Relay* pop() noexcept;  // null = none now
  void hurry_one() noexcept;

  net::Loop& loop_;
  const http::Limits& limits_;
  std::size_t relay_count_ = 0;  // loop thread only

  mutable std::mutex mutex_;  // protects what follows
  std::condition_variable filled_;
  Relay* first_ = nullptr;
  Relay** end_ = &first_;
  IntrusiveList<Relay, BlockedTag> blocked_;
  std::size_t waiting_ = 0;  // exchanges
  std::size_t idle_ = 0;     // threads
  std::uint64_t handed_bytes_ = 0;
  bool nudged_ = false;
  bool closed_ = false;
};

}  // namespace lanner::server
