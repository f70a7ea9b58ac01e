// server/file_cleaner.cpp: a thread that punches holes into files and closes them.

#include "server/file_cleaner.h"

#include <csignal>
#include <cstring>

#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::server {

FileCleaner::~FileCleaner() {
  if (started_) {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    pthread_join(thread_, nullptr);
  }
  for (; count() > 0; ++first_) {
    if (first()->fd >= 0 && first()->bytes == 0) perform(*first());
  }
}

void FileCleaner::punch(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept {
  const Job job{fd, offset, bytes};
  if (!add(job)) perform(job);
}

void FileCleaner::close(int fd) noexcept {
  {
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < count(); ++i) {
      if (first()[i].fd == fd) first()[i].fd = -1;
    }
  }
  const Job job{fd, 0, 0};
  if (add(job)) return;
  wait_idle();  // a hole may be being punched into it
  perform(job);
}

void FileCleaner::wait_idle() noexcept {
  if (!started_) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return count() == 0 && !busy_; });
}

bool FileCleaner::add(const Job& job) noexcept {
  if (!started_ && !start()) return false;
  {
    std::lock_guard lock(mutex_);
    if (count() == 0) {
      jobs_.clear();
      first_ = 0;
    } else if (first_ > 64 && first_ > count()) {
      jobs_.consume(first_ * sizeof job);
      first_ = 0;
    }
    char* to = jobs_.reserve(sizeof job);
    if (!to) return false;
    std::memcpy(to, &job, sizeof job);
    jobs_.commit(sizeof job);
  }
  changed_.notify_all();
  return true;
}

// Signals are for other threads.
bool FileCleaner::start() noexcept {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  started_ = pthread_create(&thread_, nullptr, &thread_main, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started_) pthread_setname_np(thread_, "lanner-cleaner");
  return started_;
}

void* FileCleaner::thread_main(void* self) noexcept {
  static_cast<FileCleaner*>(self)->run();
  return nullptr;
}

void FileCleaner::run() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || count() > 0; });
    if (stopping_) return;
    const Job job = *first();
    ++first_;
    busy_ = true;
    lock.unlock();
    if (job.fd >= 0) perform(job);
    lock.lock();
    busy_ = false;
    if (count() == 0) changed_.notify_all();
  }
}

void FileCleaner::perform(const Job& job) noexcept {
  if (job.bytes > 0) return sys::punch_hole(job.fd, job.offset, job.bytes);
  sys::close(job.fd);
}

FileCleaner::Job* FileCleaner::first() noexcept {
  // SAFETY: the buffer holds Jobs only, one behind the other, in memory from malloc.
  return reinterpret_cast<Job*>(jobs_.data()) + first_;
}

}  // namespace lanner::server
