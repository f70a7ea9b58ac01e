#include "base/timer_wheel.h"

#include <algorithm>
#include <bit>
#include <climits>

namespace lanner {

void Timer::disarm() noexcept { wheel_->detach(*this); }

TimerWheel::~TimerWheel() {
  // Timers may outlive the wheel; then they must not point at it.
  for (Slot& slot : slots_) {
    while (slot.pop_front()) {
    }
  }
  while (due_.pop_front()) {
  }
}

void TimerWheel::arm(Timer& timer, std::uint64_t deadline_ms) noexcept {
  if (timer.armed()) {
    // Both deadlines lie ahead, so the timer is in a slot (not in due_), and that slot stays right.
    if (timer.deadline_ms_ > now_ms_ && deadline_ms > now_ms_ &&
        tick_of(timer.deadline_ms_) == tick_of(deadline_ms)) {
      timer.deadline_ms_ = deadline_ms;
      return;
    }
    detach(timer);
  }
  timer.deadline_ms_ = deadline_ms;
  timer.wheel_ = this;
  ++count_;
  insert(timer);
}

void TimerWheel::cancel(Timer& timer) noexcept {
  if (timer.armed()) detach(timer);
}

std::size_t TimerWheel::advance(std::uint64_t now_ms) noexcept {
  now_ms_ = std::max(now_ms_, now_ms);
  std::size_t fired = due_.empty() ? 0 : fire(due_);
  const std::uint64_t last_tick = now_ms_ / kTickMs;
  if (next_tick_ > last_tick) return fired;

  // A jump of more than one turn visits each slot once. What a callback arms lies after last_tick.
  std::uint64_t tick = next_tick_;
  if (last_tick - tick >= kSlots) tick = last_tick - kSlots + 1;
  while ((tick = next_occupied(tick)) <= last_tick) {
    fired += fire(slots_[tick % kSlots]);
    ++tick;
  }
  next_tick_ = next_occupied(last_tick + 1);
  return fired;
}

int TimerWheel::wait_ms(std::uint64_t now_ms) const noexcept {
  if (count_ == 0) return -1;
  if (!due_.empty()) return 0;
  if (next_tick_ > UINT64_MAX / kTickMs) return INT_MAX;
  const std::uint64_t at_ms = next_tick_ * kTickMs;
  if (at_ms <= now_ms) return 0;
  return static_cast<int>(std::min<std::uint64_t>(at_ms - now_ms, INT_MAX));
}

// The first tick whose start is not before the deadline.
std::uint64_t TimerWheel::tick_of(std::uint64_t deadline_ms) noexcept {
  return deadline_ms / kTickMs + (deadline_ms % kTickMs != 0);
}

void TimerWheel::insert(Timer& timer) noexcept {
  if (timer.deadline_ms_ <= now_ms_) return due_.push_back(timer);
  const std::uint64_t tick = tick_of(timer.deadline_ms_);
  const std::size_t index = tick % kSlots;
  slots_[index].push_back(timer);
  occupied_[index / kBits] |= std::uint64_t{1} << index % kBits;
  next_tick_ = std::min(next_tick_, tick);
}

void TimerWheel::detach(Timer& timer) noexcept {
  timer.unlink();
  --count_;
  // It may have been in due_ or in the list that is firing; then this keeps what is true.
  const std::size_t index = tick_of(timer.deadline_ms_) % kSlots;
  if (slots_[index].empty()) occupied_[index / kBits] &= ~(std::uint64_t{1} << index % kBits);
}

std::size_t TimerWheel::fire(Slot& from) noexcept {
  // Moved aside: callbacks may arm into `from`, and may disarm or destroy any timer of `firing`.
  Slot firing;
  firing.take_all(from);
  if (&from != &due_) {
    const auto index = static_cast<std::size_t>(&from - slots_.data());
    occupied_[index / kBits] &= ~(std::uint64_t{1} << index % kBits);
  }
  std::size_t fired = 0;
  while (Timer* timer = firing.pop_front()) {
    if (timer->deadline_ms_ > now_ms_) {
      insert(*timer);  // a later turn of the wheel
      continue;
    }
    --count_;
    ++fired;
    timer->on_timer(now_ms_);
  }
  return fired;
}

// The first tick from `from_tick` on, within one turn, whose slot holds a timer.
std::uint64_t TimerWheel::next_occupied(std::uint64_t from_tick) const noexcept {
  const std::size_t start = from_tick % kSlots;
  // One word more than there are: the first word is looked at twice, above `start` and below it.
  for (std::size_t step = 0; step <= occupied_.size(); ++step) {
    const std::size_t word = (start / kBits + step) % occupied_.size();
    std::uint64_t bits = occupied_[word];
    if (step == 0) bits &= ~std::uint64_t{0} << start % kBits;
    if (bits == 0) continue;
    const std::size_t index = word * kBits + static_cast<std::size_t>(std::countr_zero(bits));
    return from_tick + (index + kSlots - start) % kSlots;
  }
  return kNever;
}

}  // namespace lanner
