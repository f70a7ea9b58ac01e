// worker/worker.h: one worker without its application: loop, logs, board, listeners and server, connected once.
//
//   Worker worker;
//   worker.open(options)     loop, logs, board
//   worker.add_listener(fd)
//   worker.serve(handler)    the server, with whoever answers
//   worker.listen()          from here on clients are accepted
//   worker.run()             until drained; or a loop of others gives the turns: before_wait(), after_turn()
//
// Each step that fails says what of it did: failed_part().

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "http/exchange.h"
#include "http/trust_list.h"
#include "log/access_log.h"
#include "log/log.h"
#include "log/log_writer.h"
#include "net/loop.h"
#include "process/board.h"
#include "server/server.h"
#include "sys/signals.h"

namespace lanner::worker {

struct Options {
  // Its log, access log and board are the worker's: they are set by open().
  server::Options server;
  http::TrustList trust;                           // of server.trust
  std::optional<log::AccessFormat> access_format;  // none: the default one
  log::LogLevel log_level = log::LogLevel::info;
  int log_fd = 2;  // -1 = none, as of the next two
  int access_log_fd = -1;
  int board_fd = -1;
  int board_slot = 0;
  int board_wake_fd = -1;
};

class Worker final : public sys::StopTarget {
 public:
  Worker() noexcept = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // `options` is borrowed, as long as the worker lives. loop: borrowed; null = one of its own.
  Result<void> open(Options& options, net::Loop* loop = nullptr) noexcept;
  // A listening socket and what holds for its connections; without `settings`: options.server. May come before open().
  // Borrowed until serve(), then as the settings' `owned` says. Errors: os_error with EINVAL: it does not listen; with
  // ENFILE: there are more than kListenersMax.
  Result<void> add_listener(int fd, std::optional<server::ListenerSettings> settings = {}) noexcept;
  // Once. `handler` is borrowed.
  Result<void> serve(http::Handler& handler) noexcept;
  Result<void> listen() noexcept;
  // Whether the loop was drained; false: some requests were cut. REQUIRES: listen(). Closes the logs.
  bool run() noexcept;
  void close_logs() noexcept;

  enum class Signals : std::uint8_t {
    none,     // are somebody else's
    drain,    // SIGTERM and SIGINT drain, a second one ends the process
    patient,  // they drain, and more change nothing: a supervisor decides when to be impatient
  };
  // While the result lives; null: none are caught, or this is not the main thread. hangup: SIGHUP drains, too.
  std::unique_ptr<sys::StopSignals> catch_signals(Signals how, bool hangup) noexcept;

  // From any thread, and from a signal handler.
  void stop() noexcept;
  void on_stop_signal() noexcept override { stop(); }

  const char* failed_part() const noexcept { return failed_part_; }
  net::Loop& loop() noexcept { return *loop_; }
  log::Log* log() noexcept { return log_.get(); }
  process::Board& board() noexcept { return board_; }
  // REQUIRES: serve()
  server::Server& server() noexcept { return *server_; }
  bool serves() const noexcept { return server_ != nullptr; }
  // Before what the handler is made of goes.
  void drop_server() noexcept { server_.reset(); }

  static constexpr std::size_t kListenersMax = server::Server::kListenersMax;

 private:
  Result<void> open_logs() noexcept;
  Result<void> open_access_log() noexcept;
  Result<void> open_board() noexcept;
  Error failed(Error error, const char* part) noexcept {
    failed_part_ = part;
    return error;
  }

  Options* options_ = nullptr;
  std::unique_ptr<net::Loop> own_loop_;
  net::Loop* loop_ = nullptr;  // its own, or somebody else's
  std::unique_ptr<log::LogWriter> log_writer_;
  std::unique_ptr<log::LogWriter> access_writer_;
  std::unique_ptr<log::Log> log_;
  process::Board board_;
  struct Listening {
    int fd = -1;
    std::optional<server::ListenerSettings> own_settings;
  };
  const server::ListenerSettings& settings_of(const Listening& listening) const noexcept {
    return listening.own_settings ? *listening.own_settings : options_->server;
  }
  std::array<Listening, kListenersMax> listeners_{};
  std::size_t listener_count_ = 0;
  std::unique_ptr<server::Server> server_;
  const char* failed_part_ = "";
  bool made_ = false;      // serve() succeeded: `owned` holds from then on
  bool listened_ = false;  // the server has them
};

}  // namespace lanner::worker
