// server/file_cleaner.h: a thread that gives disk space back: it punches holes into files and closes
// them.
//
// A filesystem takes milliseconds to punch out 1 MB that is being written back, and seconds to close
// an unlinked file of 10 GB. When thousands of clients that do not read are cut in one turn, the loop
// must not wait for that.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <pthread.h>

#include "base/buffer.h"

namespace lanner::server {

class FileCleaner final {
 public:
  FileCleaner() noexcept = default;
  FileCleaner(const FileCleaner&) = delete;
  FileCleaner& operator=(const FileCleaner&) = delete;
  ~FileCleaner();  // closes what is to be closed; waits for the job at hand

  // One thread calls these. The first one starts the cleaner's; without a thread or memory the work
  // is done here.
  void punch(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept;
  void close(int fd) noexcept;  // holes of it that are still to be punched are not needed then
  // Until all is done; for tests.
  void wait_idle() noexcept;

 private:
  struct Job {
    int fd;
    std::uint64_t offset;
    std::uint64_t bytes;  // 0: close
  };

  bool add(const Job& job) noexcept;
  bool start() noexcept;
  void run() noexcept;
  static void* thread_main(void* self) noexcept;
  static void perform(const Job& job) noexcept;
  Job* first() noexcept;  // REQUIRES: mutex_, some; of them first_ are done
  std::size_t count() const noexcept { return jobs_.size() / sizeof(Job) - first_; }

  pthread_t thread_{};
  bool started_ = false;

  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  Buffer jobs_;  // Job[]
  std::size_t first_ = 0;
  bool busy_ = false;
  bool stopping_ = false;
};

}  // namespace lanner::server
