#include "net/job_queue.h"

#include <utility>

namespace lanner::net {

void JobList::push_back(Job& job) noexcept {
  job.next_ = nullptr;
  *end_ = &job;
  end_ = &job.next_;
}

Job* JobList::pop_front() noexcept {
  Job* job = first_;
  if (!job) return nullptr;
  first_ = std::exchange(job->next_, nullptr);
  if (!first_) end_ = &first_;
  return job;
}

void JobList::take(JobList& other) noexcept {
  if (other.empty()) return;
  first_ = std::exchange(other.first_, nullptr);
  end_ = std::exchange(other.end_, &other.first_);
}

// One at a time: the one that comes chooses the next. True: notify it, without the lock.
bool JobQueue::choose_one() noexcept {
  if (idle_count_ == 0 || coming_count_ > 0 || submitted_.empty()) return false;
  --idle_count_;
  ++chosen_count_;
  ++coming_count_;
  return true;
}

bool JobQueue::submit(Job& job) noexcept {
  bool chosen = false;
  {
    std::lock_guard lock(mutex_);
    submitted_.push_back(job);
    ++submitted_count_;
    if (submitted_count_ > idle_count_ + coming_count_ && worker_count_ < workers_max_) {
      ++worker_count_;
      ++coming_count_;
      return true;
    }
    chosen = choose_one();
  }
  if (chosen) filled_.notify_one();
  return false;
}

void JobQueue::worker_failed() noexcept {
  std::lock_guard lock(mutex_);
  --worker_count_;
  --coming_count_;
}

JobQueue::Wait JobQueue::wait() noexcept {
  std::unique_lock lock(mutex_);
  if (submitted_.empty() && !closed_) {
    ++idle_count_;
    filled_.wait(lock, [this] { return chosen_count_ > 0 || closed_; });
    if (chosen_count_ > 0) {
      --chosen_count_;
      return Wait::woken;
    }
    --idle_count_;
  }
  if (!submitted_.empty()) return Wait::work;
  --worker_count_;
  return Wait::closed;
}

Job* JobQueue::take(bool woken) noexcept {
  Job* job = nullptr;
  bool chosen = false;
  {
    std::lock_guard lock(mutex_);
    if (woken) --coming_count_;
    job = submitted_.pop_front();
    if (job) --submitted_count_;
    chosen = woken && choose_one();
  }
  if (chosen) filled_.notify_one();
  return job;
}

void JobQueue::complete(Job& job) noexcept {
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    first = completed_.empty();
    completed_.push_back(job);
    completed_any_.store(true, std::memory_order_release);
  }
  if (first) loop_.wake();
}

void JobQueue::take_completed(JobList& to) noexcept {
  std::lock_guard lock(mutex_);
  to.take(completed_);
  completed_any_.store(false, std::memory_order_relaxed);
}

void JobQueue::close() noexcept {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  filled_.notify_all();
}

std::size_t JobQueue::worker_count() const noexcept {
  std::lock_guard lock(mutex_);
  return worker_count_;
}

}  // namespace lanner::net
