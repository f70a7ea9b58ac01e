// server/relay_queue.cpp: exchanges waiting for a handler thread.

#include "server/relay_queue.h"

#include <new>

namespace lanner::server {

void RelayQueue::handle(http::Exchange& exchange, const http::Plan&) noexcept {
  Relay* relay = new (std::nothrow) Relay(loop_, *this, limits_, exchange);
  if (!relay) return exchange.abort();
  if (!exchange.retain(relay)) {
    delete relay;
    return exchange.abort();
  }
  ++relay_count_;
  relay->take_early_body();
  {
    std::lock_guard lock(mutex_);
    *end_ = relay;
    end_ = &relay->queue_next_;
    ++waiting_;
    if (waiting_ > idle_) hurry_one();
  }
  filled_.notify_one();
}

Relay* RelayQueue::pop() noexcept {
  Relay* relay = handed_bytes_ <= kHandedBytesMax || closed_ ? first_ : nullptr;
  if (!relay) return nullptr;
  --waiting_;
  first_ = relay->queue_next_;
  if (!first_) end_ = &first_;
  return relay;
}

// The one that has waited longest, of those that can.
void RelayQueue::hurry_one() noexcept {
  bool done = false;
  blocked_.for_each([&](Relay& relay) { done = done || relay.hurry(); });
}

void RelayQueue::block(Relay& relay) noexcept {
  std::lock_guard lock(mutex_);
  blocked_.push_back(relay);
  if (waiting_ > idle_) relay.hurry();
}

void RelayQueue::unblock(Relay& relay) noexcept {
  std::lock_guard lock(mutex_);
  static_cast<ListNode<BlockedTag>&>(relay).unlink();
}

Relay* RelayQueue::try_take() noexcept {
  std::lock_guard lock(mutex_);
  return pop();
}

Relay* RelayQueue::take(bool* nudged) noexcept {
  std::unique_lock lock(mutex_);
  Relay* relay = nullptr;
  ++idle_;
  filled_.wait(lock, [&] { return (relay = pop()) != nullptr || nudged_ || closed_; });
  --idle_;
  *nudged = !relay && nudged_;
  if (*nudged) nudged_ = false;
  return relay;
}

void RelayQueue::hand_over(std::uint64_t bytes) noexcept {
  loop_.budget().hand_over(bytes);
  std::lock_guard lock(mutex_);
  handed_bytes_ += bytes;
}

void RelayQueue::take_over(std::uint64_t bytes) noexcept {
  loop_.budget().take_over(bytes);
  bool again = false;
  {
    std::lock_guard lock(mutex_);
    const bool too_many = handed_bytes_ > kHandedBytesMax;
    handed_bytes_ -= bytes;
    again = too_many && handed_bytes_ <= kHandedBytesMax;
  }
  if (again) filled_.notify_all();
}

void RelayQueue::nudge() noexcept {
  {
    std::lock_guard lock(mutex_);
    nudged_ = true;
  }
  filled_.notify_one();
}

void RelayQueue::close() noexcept {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  filled_.notify_all();
}

void RelayQueue::release(Relay& relay) noexcept {
  --relay_count_;
  delete &relay;
}

}  // namespace lanner::server
