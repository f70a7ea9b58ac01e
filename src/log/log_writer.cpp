#include "log/log_writer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>
#include <new>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/buffer.h"
#include "sys/clock.h"
#include "sys/log_stamp.h"
#include "sys/sockets.h"

namespace lanner::log {

namespace {

constexpr std::size_t kRingBytesMin = 4096;
constexpr std::size_t kRingBytesMax = std::size_t{1} << 30;
// A regular file never makes a writer wait for a reader; everything else may.
constexpr std::size_t kFileBatchBytes = 64 * 1024;
constexpr int kRetryMs = 10;
// close() waits at least this long for a healthy thread to notice.
constexpr int kCloseMsMin = 10;

std::uint64_t count_lines(std::string_view lines) noexcept {
  const auto ends = std::count(lines.begin(), lines.end(), '\n');
  return ends > 0 ? static_cast<std::uint64_t>(ends) : 1;
}

// A log line about dropped lines.
class LossLine {
 public:
  explicit LossLine(std::string_view before) noexcept {
    put(before);
    size_ += sys::put_log_stamp(text_.data() + size_);
  }
  void put(std::string_view part) noexcept {
    part = part.substr(0, text_.size() - 1 - size_);
    std::memcpy(text_.data() + size_, part.data(), part.size());
    size_ += part.size();
  }
  void put(std::uint64_t number) noexcept {
    char* const at = text_.data() + size_;
    size_ +=
        static_cast<std::size_t>(std::to_chars(at, text_.data() + text_.size(), number).ptr - at);
  }
  std::string_view end() noexcept {
    text_[size_++] = '\n';
    return {text_.data(), size_};
  }

 private:
  std::array<char, 256> text_;
  std::size_t size_ = 0;
};

bool is_regular(int fd) noexcept {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

// The ring and what the thread needs. Freed by whoever lets go last, LogWriter or thread.
class LogWriter::Core {
 public:
  // `reports_here`: else dropped lines are reported in `report_to`, which may be null.
  static Core* create(int fd, std::size_t ring_bytes, bool reports_here,
                      LogWriter* report_to) noexcept;
  // One caller at a time.
  bool push(std::string_view lines) noexcept;
  // Flushes, ends the thread, lets go. Returns how many lines were dropped.
  std::uint64_t finish(int timeout_ms) noexcept;
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  std::size_t backlog() const noexcept {
    const std::size_t tail = tail_.load(std::memory_order_acquire);
    return head_.load(std::memory_order_acquire) - tail;
  }

 private:
  // What a producer has to do for the thread to see its line.
  enum class Need : std::uint8_t {
    nothing,    // the thread will look by itself
    when_half,  // it gathers lines, wake it only when the ring is half full
    wake,       // it sleeps
  };
  using Pieces = std::array<struct iovec, 2>;

  Core(int fd, std::size_t capacity, Buffer ring, bool reports_here, LogWriter* report_to) noexcept
      : fd_(fd),
        reports_here_(reports_here),
        capacity_(capacity),
        batch_bytes_max_(is_regular(fd) ? kFileBatchBytes : std::size_t{PIPE_BUF}),
        ring_(std::move(ring)),
        report_to_(report_to) {}
  ~Core() {
    if (wake_fd_ >= 0) sys::close(wake_fd_);
    if (done_fd_ >= 0) sys::close(done_fd_);
  }
  void release() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  bool start_thread() noexcept;
  static void* thread_main(void* self) noexcept;

  void run() noexcept;
  void wait_for_lines() noexcept;
  void sleep(Need need, int timeout_ms) noexcept;
  bool wait_writable() noexcept;
  void write_batch() noexcept;
  void report_dropped() noexcept;
  bool report_due() const noexcept;
  void report_elsewhere(bool at_end) noexcept;
  int report_wait_ms() noexcept;
  std::size_t batch_bytes() const noexcept;
  char byte(std::size_t position) const noexcept {
    return ring_.data()[position & (capacity_ - 1)];
  }
  int pieces(std::size_t from, std::size_t bytes, Pieces* out) noexcept;
  void drop(std::size_t bytes) noexcept;

  const int fd_;
  const bool reports_here_;
  const std::size_t capacity_;  // a power of two
  const std::size_t batch_bytes_max_;
  Buffer ring_;
  int wake_fd_ = -1;
  int done_fd_ = -1;
  pthread_t thread_{};
  std::atomic<int> owners_{1};

  // Positions only grow; the ring's index is their low bits.
  alignas(64) std::atomic<std::size_t> head_{0};  // written by producers
  alignas(64) std::atomic<std::size_t> tail_{0};  // written by the thread
  std::atomic<Need> need_{Need::nothing};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<bool> closing_{false};
  std::atomic<std::uint64_t> deadline_ms_{0};  // valid when closing_

  std::atomic<int> write_error_{0};  // errno of the last write that failed
  std::atomic<bool> woken_for_loss_{false};

  // For report_elsewhere(): the thread, and close() at the end.
  std::mutex report_mutex_;
  LogWriter* report_to_;  // null after finish()
  std::uint64_t reported_elsewhere_ = 0;
  std::uint64_t next_report_ms_ = 0;

  // The thread's own.
  std::uint64_t reported_ = 0;
  bool line_open_ = false;  // the last byte written was not a line's end
  bool line_cut_ = false;   // and the rest of that line was dropped
};

LogWriter::Core* LogWriter::Core::create(int fd, std::size_t ring_bytes, bool reports_here,
                                         LogWriter* report_to) noexcept {
  const std::size_t capacity = std::bit_ceil(std::clamp(ring_bytes, kRingBytesMin, kRingBytesMax));
  Buffer ring;
  if (!ring.reserve(capacity)) return nullptr;
  Core* core = new (std::nothrow) Core(fd, capacity, std::move(ring), reports_here, report_to);
  if (core && !core->start_thread()) {
    core->release();
    return nullptr;
  }
  return core;
}

bool LogWriter::Core::start_thread() noexcept {
  const Result<int> wake = sys::make_eventfd();
  if (!wake) return false;
  wake_fd_ = *wake;
  const Result<int> done = sys::make_eventfd();
  if (!done) return false;
  done_fd_ = *done;
  // Signals are the main thread's; SIGPIPE of a gone reader stays pending here and dies with the
  // thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  owners_.store(2, std::memory_order_relaxed);
  const int failed = pthread_create(&thread_, nullptr, &thread_main, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed) {
    owners_.store(1, std::memory_order_relaxed);
    return false;
  }
  pthread_setname_np(thread_, "lanner-log");
  return true;
}

void* LogWriter::Core::thread_main(void* self) noexcept {
  Core* core = static_cast<Core*>(self);
  core->run();
  sys::signal_eventfd(core->done_fd_);
  core->release();
  return nullptr;
}

bool LogWriter::Core::push(std::string_view lines) noexcept {
  const std::size_t head = head_.load(std::memory_order_relaxed);
  const std::size_t used = head - tail_.load(std::memory_order_acquire);
  if (lines.size() > capacity_ - used) {
    dropped_.fetch_add(count_lines(lines), std::memory_order_relaxed);
    // Once for each report: the thread may be waiting for a reader.
    if (!reports_here_ && !woken_for_loss_.exchange(true)) sys::signal_eventfd(wake_fd_);
    return false;
  }
  const std::size_t index = head & (capacity_ - 1);
  const std::size_t first = std::min(lines.size(), capacity_ - index);
  std::memcpy(ring_.data() + index, lines.data(), first);
  std::memcpy(ring_.data(), lines.data() + first, lines.size() - first);
  // Sequentially consistent with sleep(): either the thread sees these bytes, or we see that it
  // sleeps.
  head_.store(head + lines.size(), std::memory_order_seq_cst);
  const Need need = need_.load(std::memory_order_seq_cst);
  const bool half_full = used + lines.size() > capacity_ / 2;
  if (need == Need::wake || (need == Need::when_half && half_full)) {
    if (need_.exchange(Need::nothing, std::memory_order_seq_cst) != Need::nothing) {
      sys::signal_eventfd(wake_fd_);
    }
  }
  return true;
}

std::uint64_t LogWriter::Core::finish(int timeout_ms) noexcept {
  timeout_ms = std::max(timeout_ms, kCloseMsMin);
  // The thread gives up a little earlier than we do, so that it is joined rather than left behind.
  const int thread_ms = timeout_ms - timeout_ms / 8;
  deadline_ms_.store(sys::monotonic_ms() + static_cast<std::uint64_t>(thread_ms),
                     std::memory_order_relaxed);
  closing_.store(true, std::memory_order_seq_cst);
  sys::signal_eventfd(wake_fd_);

  const std::uint64_t end_ms = sys::monotonic_ms() + static_cast<std::uint64_t>(timeout_ms);
  struct pollfd done = {done_fd_, POLLIN, 0};
  int ready = -1;
  do {
    const std::uint64_t now_ms = sys::monotonic_ms();
    ready = ::poll(&done, 1, now_ms < end_ms ? static_cast<int>(end_ms - now_ms) : 0);
  } while (ready < 0 && errno == EINTR);
  if (ready > 0) {
    pthread_join(thread_, nullptr);
    if (backlog() > 0) drop(backlog());  // there was no time to write them
  } else {
    pthread_detach(thread_);
  }
  if (!reports_here_) report_elsewhere(true);
  const std::uint64_t dropped_total = dropped();
  release();
  return dropped_total;
}

void LogWriter::Core::run() noexcept {
  for (;;) {
    if (reports_here_ && report_due()) {
      if (!wait_writable()) return;
      report_dropped();
      // If that failed, it is tried again after the next batch: no busy loop on a broken
      // descriptor.
    }
    if (!reports_here_) report_elsewhere(false);
    if (backlog() > 0) {
      if (!wait_writable()) return;
      write_batch();
    } else if (closing_.load(std::memory_order_seq_cst)) {
      // Not before this turn has seen an empty ring and reported: lines pushed before close() are
      // all here.
      if (backlog() == 0) return;
    } else {
      wait_for_lines();
    }
  }
}

// Gathers for a moment, then sleeps until a producer or close() wakes it.
void LogWriter::Core::wait_for_lines() noexcept {
  sleep(Need::when_half, kGatherMs);
  if (backlog() == 0) sleep(Need::wake, report_wait_ms());
}

void LogWriter::Core::sleep(Need need, int timeout_ms) noexcept {
  need_.store(need, std::memory_order_seq_cst);
  if (head_.load(std::memory_order_seq_cst) == tail_.load(std::memory_order_relaxed) &&
      !closing_.load(std::memory_order_seq_cst)) {
    struct pollfd wake = {wake_fd_, POLLIN, 0};
    ::poll(&wake, 1, timeout_ms);
  }
  need_.store(Need::nothing, std::memory_order_seq_cst);
  sys::drain_eventfd(wake_fd_);
}

// False: closing and out of time; then the descriptor must not be touched again.
bool LogWriter::Core::wait_writable() noexcept {
  for (;;) {
    if (!reports_here_) report_elsewhere(false);
    int timeout_ms = report_wait_ms();
    if (closing_.load(std::memory_order_seq_cst)) {
      const std::uint64_t now_ms = sys::monotonic_ms();
      const std::uint64_t deadline_ms = deadline_ms_.load(std::memory_order_relaxed);
      if (now_ms >= deadline_ms) return false;
      timeout_ms = static_cast<int>(deadline_ms - now_ms);
    }
    std::array<struct pollfd, 2> polled = {{{fd_, POLLOUT, 0}, {wake_fd_, POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), timeout_ms) < 0) continue;
    // Draining cannot lose a producer's wake-up: while this runs, producers need not wake.
    if (polled[1].revents) sys::drain_eventfd(wake_fd_);
    // POLLERR, POLLHUP and POLLNVAL too: write() says what it is.
    if (polled[0].revents) return true;
  }
}

void LogWriter::Core::write_batch() noexcept {
  const std::size_t tail = tail_.load(std::memory_order_relaxed);
  const std::size_t bytes = batch_bytes();
  Pieces batch;
  const int count = pieces(tail, bytes, &batch);
  const ssize_t written = ::writev(fd_, batch.data(), count);
  if (written >= 0) {
    const std::size_t end = tail + static_cast<std::size_t>(written);
    if (written > 0) line_open_ = byte(end - 1) != '\n';
    write_error_.store(0, std::memory_order_relaxed);
    tail_.store(end, std::memory_order_release);
    return;
  }
  const int error = errno;
  if (error == EINTR) return;
  if (error == EAGAIN) {
    // Somebody else made the descriptor non-blocking, and another writer took the room.
    struct pollfd wake = {wake_fd_, POLLIN, 0};
    ::poll(&wake, 1, kRetryMs);
    return;
  }
  write_error_.store(error, std::memory_order_relaxed);
  drop(bytes);
}

// ENOSPC, EPIPE, EBADF, EIO ...: these lines are lost, the next ones may be luckier.
void LogWriter::Core::drop(std::size_t bytes) noexcept {
  const std::size_t tail = tail_.load(std::memory_order_relaxed);
  std::uint64_t lines = 0;
  for (std::size_t i = 0; i < bytes; ++i) lines += byte(tail + i) == '\n';
  dropped_.fetch_add(std::max<std::uint64_t>(lines, 1), std::memory_order_relaxed);
  line_cut_ = line_open_;
  tail_.store(tail + bytes, std::memory_order_release);
}

bool LogWriter::Core::report_due() const noexcept {
  if (dropped() == reported_) return false;
  if (line_open_) return line_cut_;
  return backlog() <= capacity_ / 2;
}

void LogWriter::Core::report_dropped() noexcept {
  const std::uint64_t total = dropped();
  LossLine line(line_cut_ ? "\n" : "");
  line.put("warn log.dropped n=");
  line.put(total - reported_);
  const std::string_view text = line.end();
  if (::write(fd_, text.data(), text.size()) <= 0) return;
  reported_ = total;
  line_open_ = line_cut_ = false;
}

// In another log: at once, then at most once in kReportMs. `at_end`: for the last time.
void LogWriter::Core::report_elsewhere(bool at_end) noexcept {
  const std::lock_guard<std::mutex> lock(report_mutex_);
  LogWriter* const log = at_end ? std::exchange(report_to_, nullptr) : report_to_;
  const std::uint64_t now_ms = sys::monotonic_ms();
  if (!at_end && now_ms < next_report_ms_) return;
  woken_for_loss_.store(false);
  const std::uint64_t total = dropped();
  if (total == reported_elsewhere_) return;
  const int error = write_error_.load(std::memory_order_relaxed);
  LossLine line("");
  line.put("warn access_log.dropped n=");
  line.put(total - reported_elsewhere_);
  line.put(" error=\"");
  line.put(error ? ::strerrordesc_np(error) : "its reader is too slow");
  line.put("\"");
  next_report_ms_ = now_ms + kReportMs;
  if (!log || log->push(line.end())) reported_elsewhere_ = total;
}

// Until the next report is due; -1 = none is pending.
int LogWriter::Core::report_wait_ms() noexcept {
  if (reports_here_) return -1;
  const std::lock_guard<std::mutex> lock(report_mutex_);
  if (dropped() == reported_elsewhere_) return -1;
  const std::uint64_t now_ms = sys::monotonic_ms();
  return now_ms < next_report_ms_ ? static_cast<int>(next_report_ms_ - now_ms) : 0;
}

// As many whole lines as one write may take; a part of one that is longer than that.
std::size_t LogWriter::Core::batch_bytes() const noexcept {
  const std::size_t bytes = backlog();
  if (bytes <= batch_bytes_max_) return bytes;
  const std::size_t tail = tail_.load(std::memory_order_relaxed);
  std::size_t end = batch_bytes_max_;
  while (end > 0 && byte(tail + end - 1) != '\n') --end;
  return end > 0 ? end : batch_bytes_max_;
}

int LogWriter::Core::pieces(std::size_t from, std::size_t bytes, Pieces* out) noexcept {
  const std::size_t index = from & (capacity_ - 1);
  const std::size_t first = std::min(bytes, capacity_ - index);
  (*out)[0] = {ring_.data() + index, first};
  (*out)[1] = {ring_.data(), bytes - first};
  return first < bytes ? 2 : 1;
}

LogWriter::LogWriter(int fd, std::size_t ring_bytes) noexcept : fd_(fd), ring_bytes_(ring_bytes) {}

LogWriter::~LogWriter() { close(kDestructorMs); }

// No descriptors or no memory now may be another thing later: each line tries again.
bool LogWriter::ready() noexcept {
  if (!core_ && !closed_ && fd_ >= 0)
    core_ = Core::create(fd_, ring_bytes_, reports_here_, report_to_);
  return core_ != nullptr;
}

void LogWriter::report_to(LogWriter* log) noexcept {
  report_to_ = log;
  reports_here_ = false;
}

bool LogWriter::start() noexcept {
  const std::lock_guard<std::mutex> lock(producers_);
  return ready();
}

bool LogWriter::push(std::string_view lines) noexcept {
  if (lines.empty()) return true;
  const std::lock_guard<std::mutex> lock(producers_);
  if (ready()) return core_->push(lines);
  dropped_without_core_ += count_lines(lines);
  return false;
}

void LogWriter::close(int timeout_ms) noexcept {
  Core* core = nullptr;
  {
    const std::lock_guard<std::mutex> lock(producers_);
    closed_ = true;
    core = std::exchange(core_, nullptr);
  }
  if (!core) return;
  // Not under the lock: push() must not wait for it.
  const std::uint64_t dropped_by_core = core->finish(timeout_ms);
  const std::lock_guard<std::mutex> lock(producers_);
  dropped_without_core_ += dropped_by_core;
}

std::uint64_t LogWriter::dropped() const noexcept {
  const std::lock_guard<std::mutex> lock(producers_);
  return dropped_without_core_ + (core_ ? core_->dropped() : 0);
}

std::size_t LogWriter::backlog() const noexcept {
  const std::lock_guard<std::mutex> lock(producers_);
  return core_ ? core_->backlog() : 0;
}

}  // namespace lanner::log
