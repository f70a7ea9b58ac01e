#include "worker/worker.h"

#include <cerrno>
#include <new>
#include <utility>

#include "sys/sockets.h"

namespace lanner::worker {

namespace {

constexpr int kLogCloseMs = 1000;
constexpr std::uint64_t kHardEndMs =
    5000;  // beyond the drain, for an application that never returns

constexpr Error no_memory() noexcept { return {Errc::no_memory, 0}; }
constexpr Error os_error(int number) noexcept {
  return {Errc::os_error, static_cast<std::uint32_t>(number)};
}

}  // namespace

Worker::~Worker() {
  if (!made_ || listened_) return;
  for (std::size_t i = 0; i < listener_count_; ++i) {
    if (settings_of(listeners_[i]).owned) sys::close(listeners_[i].fd);
  }
}

Result<void> Worker::open(Options& options, net::Loop* loop) noexcept {
  options_ = &options;
  loop_ = loop;
  if (!loop_) {
    Result<std::unique_ptr<net::Loop>> made = net::Loop::create();
    if (!made) return failed(made.error(), "event loop");
    own_loop_ = std::move(*made);
    loop_ = own_loop_.get();
  }
  Result<void> logs = open_logs();
  return logs ? open_board() : logs;
}

Result<void> Worker::open_logs() noexcept {
  if (options_->log_fd >= 0) {
    log_writer_.reset(new (std::nothrow) log::LogWriter(options_->log_fd));
    if (!log_writer_ || !log_writer_->start()) return failed(no_memory(), "log");
  }
  log_.reset(new (std::nothrow) log::Log(log_writer_.get(), options_->log_level));
  if (!log_) return failed(no_memory(), "log");
  options_->server.log = log_.get();
  return options_->access_log_fd < 0 ? Result<void>() : open_access_log();
}

Result<void> Worker::open_access_log() noexcept {
  if (!options_->access_format) {
    Result<log::AccessFormat> format = log::AccessFormat::compile(log::AccessFormat::kDefault);
    if (!format) return failed(format.error(), "access log");
    options_->access_format = std::move(*format);
  }
  access_writer_.reset(new (std::nothrow) log::LogWriter(options_->access_log_fd));
  if (!access_writer_) return failed(no_memory(), "access log");
  access_writer_->report_to(log_->enabled(log::LogLevel::warning) ? log_writer_.get() : nullptr);
  options_->server.access_format = &*options_->access_format;
  options_->server.access_writer = access_writer_.get();
  return {};
}

Result<void> Worker::open_board() noexcept {
  if (options_->board_fd < 0) return {};
  Result<process::Board> board = process::Board::open(
      options_->board_fd, static_cast<unsigned>(options_->board_slot), options_->board_wake_fd);
  if (!board) return failed(board.error(), "board_fd");
  board_ = std::move(*board);
  options_->server.board = &board_;
  return {};
}

Result<void> Worker::add_listener(int fd,
                                  std::optional<server::ListenerSettings> settings) noexcept {
  if (listener_count_ == kListenersMax) return failed(os_error(ENFILE), "listener");
  if (!sys::is_listening_socket(fd)) return failed(os_error(EINVAL), "listener");
  listeners_[listener_count_++] = {fd, settings};
  return {};
}

Result<void> Worker::serve(http::Handler& handler) noexcept {
  server_ = server::Server::create(*loop_, handler, options_->server);
  made_ = server_ != nullptr;
  return made_ ? Result<void>() : failed(no_memory(), "server");
}

Result<void> Worker::listen() noexcept {
  listened_ = true;
  for (std::size_t i = 0; i < listener_count_; ++i) {
    Result<void> listening = server_->listen(listeners_[i].fd, settings_of(listeners_[i]));
    if (!listening) return failed(listening.error(), "listener");
  }
  return {};
}

bool Worker::run() noexcept { return server_->run(); }

void Worker::close_logs() noexcept {
  if (access_writer_) access_writer_->close(kLogCloseMs);
  if (log_writer_) log_writer_->close(kLogCloseMs);
}

std::unique_ptr<sys::StopSignals> Worker::catch_signals(Signals how, bool hangup) noexcept {
  if (how == Signals::none || !sys::is_main_thread()) return nullptr;
  const bool patient = how == Signals::patient;
  return std::unique_ptr<sys::StopSignals>(new (std::nothrow) sys::StopSignals(
      *this, patient ? 0 : options_->server.limits.drain_ms + kHardEndMs,
      patient ? ~std::uint64_t{0} : sys::StopSignals::kRepeatMs, patient, hangup));
}

void Worker::stop() noexcept {
  if (server_) server_->request_stop();
}

}  // namespace lanner::worker
