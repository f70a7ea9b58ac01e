// log/log_writer.h: writer of log lines that never makes its caller wait: a bounded ring and a
// thread of its own.
//
//   push() -> ring -> thread: poll(2), then write(2) of whole lines (at most PIPE_BUF at a time
//                             where a reader could block the write)
//
// When the reader is slow or gone, the disk is full or the descriptor is closed, lines are dropped
// and counted. A log reports that in itself, as "warn log.dropped n=...", once it has room again. A
// log whose lines have a format of their own (the access log) reports it in another log, as "warn
// access_log.dropped n=... error=...": at once, then at most once in kReportMs, and when it closes.
// The caller never sees EPIPE, EAGAIN or ENOSPC, and never a SIGPIPE (the thread has all signals
// blocked). A busy writer gathers for kGatherMs between batches, so that a loaded server pays no
// wake-up per line.

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace lanner::log {

class LogWriter final {
 public:
  static constexpr std::size_t kRingBytes = std::size_t{1} << 20;
  static constexpr int kGatherMs = 10;
  static constexpr std::uint64_t kReportMs = 60'000;

  // `fd` is borrowed and must stay open until close() has returned. `ring_bytes` is rounded up to a
  // power of two, at least 4 KiB. Neither memory nor a thread is taken before the first push.
  explicit LogWriter(int fd, std::size_t ring_bytes = kRingBytes) noexcept;
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  // close(kDestructorMs)
  ~LogWriter();

  // Before the first push(): dropped lines are reported in `log` and not in this one's descriptor;
  // nullptr: nowhere. `log` is borrowed until close() has returned.
  void report_to(LogWriter* log) noexcept;

  // Starts the thread now instead of with the first line: later there may be no descriptors left.
  // False: try again.
  bool start() noexcept;

  // Any thread. One or more whole lines, each with its '\n', taken all or not at all. False:
  // dropped and counted (ring full, no memory, no thread, closed). Never waits for the descriptor.
  // Not across fork: a child has no thread.
  bool push(std::string_view lines) noexcept;

  // Writes what it can within `timeout_ms`, then ends the thread. Returns within the timeout even
  // when a write is stuck: then the thread is left behind with its ring, and touches the descriptor
  // no more once that write returns. Later pushes are dropped. May be called twice.
  void close(int timeout_ms) noexcept;

  // Lines dropped so far, whether reported in the log already or not.
  std::uint64_t dropped() const noexcept;
  // Bytes that wait in the ring.
  std::size_t backlog() const noexcept;

 private:
  bool ready() noexcept;
  static constexpr int kDestructorMs = 100;
  class Core;  // shared with the thread, outlives this object if a write is stuck

  const int fd_;
  const std::size_t ring_bytes_;
  mutable std::mutex producers_;  // between callers only; the thread never takes it
  Core* core_ = nullptr;          // guarded by producers_
  LogWriter* report_to_ = nullptr;
  bool reports_here_ = true;
  std::uint64_t dropped_without_core_ = 0;
  bool closed_ = false;
};

}  // namespace lanner::log
