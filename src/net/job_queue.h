// net/job_queue.h: passes the jobs of a loop to other threads and returns their results.
//
// The loop's thread submits jobs; workers take, run and complete them; the loop is woken once for
// any number of completed jobs and takes them all. A worker that was woken for a job wakes the next
// worker itself when it begins to work (begin()). So as many workers run as are needed, and none is
// woken for a batch that a single worker finishes alone.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "net/loop.h"

namespace lanner::net {

// Intrusive; in at most one queue. Not owned: the submitter gets it back from take_completed().
class Job {
 public:
  Job() noexcept = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

 protected:
  ~Job() = default;

 private:
  friend class JobQueue;
  friend class JobList;
  Job* next_ = nullptr;
};

// First in, first out.
class JobList final {
 public:
  JobList() noexcept = default;
  JobList(const JobList&) = delete;
  JobList& operator=(const JobList&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  void push_back(Job& job) noexcept;
  Job* pop_front() noexcept;  // null: none is left
  // All of `other`, which is empty afterwards. REQUIRES: empty()
  void take(JobList& other) noexcept;

 private:
  Job* first_ = nullptr;
  Job** end_ = &first_;
};

class JobQueue final {
 public:
  // REQUIRES: the loop outlives the queue. At most `workers_max` workers run.
  JobQueue(Loop& loop, std::size_t workers_max) noexcept : loop_(loop), workers_max_(workers_max) {}
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;
  ~JobQueue() = default;  // REQUIRES: no worker is left

  // Any thread. True: the caller must start a worker, which has already been counted.
  [[nodiscard]] bool submit(Job& job) noexcept;
  // The worker could not be started.
  void worker_failed() noexcept;

  enum class Wait : std::uint8_t {
    work,    // there may be jobs: take(false)
    woken,   // this worker was chosen for a job: take(true)
    closed,  // and empty; the worker is no longer counted
  };
  // Workers. Waits until there may be a job.
  [[nodiscard]] Wait wait() noexcept;
  // The first job; null: other workers have taken all of them. `woken`: the first call after
  // Wait::woken, or of a worker that was just started.
  Job* take(bool woken) noexcept;
  // Workers: returns a finished job to the loop.
  void complete(Job& job) noexcept;

  // The loop's thread.
  bool has_completed() const noexcept { return completed_any_.load(std::memory_order_acquire); }
  void take_completed(JobList& to) noexcept;
  // Any thread: workers end when all submitted jobs have run.
  void close() noexcept;
  std::size_t worker_count() const noexcept;

 private:
  bool choose_one() noexcept;

  Loop& loop_;
  const std::size_t workers_max_;
  std::atomic<bool> completed_any_{false};
  mutable std::mutex mutex_;  // protects what follows
  std::condition_variable filled_;
  JobList submitted_;
  JobList completed_;
  std::size_t submitted_count_ = 0;
  std::size_t worker_count_ = 0;
  // Invariant: while jobs are queued and a worker is idle, a wake-up is under way.
  std::size_t idle_count_ = 0;    // in wait(), not chosen
  std::size_t chosen_count_ = 0;  // in wait(), about to return woken
  std::size_t coming_count_ = 0;  // woken or started, not yet in take(true)
  bool closed_ = false;
};

}  // namespace lanner::net
