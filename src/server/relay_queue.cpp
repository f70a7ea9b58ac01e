// server/relay_queue.cpp: exchanges waiting for a handler thread.

#include "server/relay_queue.h"

#include <new>

namespace lanner::server {

void RelayQueue::handle(http::Exchange& exchange) noexcept {
  const bool has_body = exchange.head().framing != http::BodyFraming::none;
  Relay* relay = new (std::nothrow) Relay(loop_, *this, limits_, exchange, has_body);
  if (!relay) return exchange.abort();
  if (!exchange.retain(relay)) {
    delete relay;
    return exchange.abort();
  }
  ++relay_count_;
  {
    std::lock_guard lock(mutex_);
    *end_ = relay;
    end_ = &relay->queue_next_;
  }
  filled_.notify_one();
}

Relay* RelayQueue::try_take() noexcept {
  std::lock_guard lock(mutex_);
  Relay* relay = first_;
  if (!relay) return nullptr;
  first_ = relay->queue_next_;
  if (!first_) end_ = &first_;
  return relay;
}

Relay* RelayQueue::take(bool* nudged) noexcept {
  std::unique_lock lock(mutex_);
  filled_.wait(lock, [this] { return first_ || nudged_ || closed_; });
  *nudged = false;
  Relay* relay = first_;
  if (relay) {
    first_ = relay->queue_next_;
    if (!first_) end_ = &first_;
  } else if (nudged_) {
    nudged_ = false;
    *nudged = true;
  }
  return relay;
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
