#include "net/job_queue.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::net {
namespace {

struct Work final : Job {
  int number = 0;
  std::atomic<int> runs{0};
};

// A loop, a queue, and threads that run what comes as the extension's do, `gil` in place of the
// GIL.
class JobQueueTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kWorkersMax = 4;

  void SetUp() override {
    Result<std::unique_ptr<Loop>> made = Loop::create();
    ASSERT_TRUE(made);
    loop_ = std::move(*made);
    queue_ = std::make_unique<JobQueue>(*loop_, kWorkersMax);
  }
  void TearDown() override {
    queue_->close();
    for (std::thread& thread : threads_) thread.join();
    EXPECT_EQ(queue_->worker_count(), 0u);
  }
  void submit(Job& job) {
    if (queue_->submit(job)) threads_.emplace_back([this] { work(); });
  }
  void work() {
    bool woken = true;
    for (;;) {
      {
        std::lock_guard hold(gil_);
        while (Job* job = queue_->take(woken)) {
          woken = false;
          ++static_cast<Work*>(job)->runs;
          queue_->complete(*job);
        }
        woken = false;
      }
      const JobQueue::Wait how = queue_->wait();
      if (how == JobQueue::Wait::closed) return;
      woken = how == JobQueue::Wait::woken;
    }
  }
  // Waits until `count` jobs have come back.
  void await(std::size_t count) {
    while (count > 0) {
      loop_->run_once(-1);
      JobList done;
      queue_->take_completed(done);
      while (done.pop_front()) --count;
    }
  }

  std::unique_ptr<Loop> loop_;
  std::unique_ptr<JobQueue> queue_;
  std::mutex gil_;
  std::vector<std::thread> threads_;
};

TEST_F(JobQueueTest, RunsEachJobOnceAndGivesItBack) {
  std::vector<Work> jobs(100);
  for (Work& job : jobs) submit(job);
  await(jobs.size());
  for (const Work& job : jobs) EXPECT_EQ(job.runs, 1);
  EXPECT_FALSE(queue_->has_completed());
}

TEST_F(JobQueueTest, StartsNoMoreWorkersThanAllowed) {
  std::vector<Work> jobs(1000);
  for (Work& job : jobs) submit(job);
  EXPECT_LE(threads_.size(), kWorkersMax);
  await(jobs.size());
}

TEST_F(JobQueueTest, OneJobAfterAnotherNeedsOneWorkerOnly) {
  Work job;
  ASSERT_TRUE(queue_->submit(job));
  EXPECT_EQ(queue_->take(true), &job);
  Work next;
  EXPECT_TRUE(queue_->submit(next)) << "the only worker is at work";
  queue_->worker_failed();
  EXPECT_EQ(queue_->take(false), &next);
  EXPECT_EQ(queue_->take(false), nullptr);
  queue_->close();
  EXPECT_EQ(queue_->wait(), JobQueue::Wait::closed);
}

TEST_F(JobQueueTest, AWorkerThatBlocksDoesNotHoldUpTheOthers) {
  // The first job holds its thread until all others have run.
  std::vector<Work> others(20);
  Work first;
  ASSERT_TRUE(queue_->submit(first));
  Job* blocking = queue_->take(true);
  for (Work& job : others) submit(job);
  await(others.size());
  queue_->complete(*blocking);
  await(1);
  EXPECT_EQ(queue_->take(false), nullptr);
  queue_->close();
  EXPECT_EQ(queue_->wait(), JobQueue::Wait::closed);
}

TEST_F(JobQueueTest, WhatWasSubmittedRunsAfterClose) {
  std::vector<Work> jobs(50);
  for (Work& job : jobs) submit(job);
  queue_->close();
  await(jobs.size());
  for (const Work& job : jobs) EXPECT_EQ(job.runs, 1);
}

TEST_F(JobQueueTest, StormOfBatches) {
  std::vector<Work> jobs(64);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + static_cast<std::size_t>(round) % jobs.size();
    for (std::size_t i = 0; i < count; ++i) submit(jobs[i]);
    await(count);
  }
  int runs = 0;
  for (const Work& job : jobs) runs += job.runs;
  int wanted = 0;
  for (int round = 0; round < 300; ++round) wanted += 1 + round % 64;
  EXPECT_EQ(runs, wanted);
}

}  // namespace
}  // namespace lanner::net
