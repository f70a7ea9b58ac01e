// server/server.h: the server of one worker: its listeners, connections, limits, date text and
// drain. One loop, one thread.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/intrusive_list.h"
#include "base/slab.h"
#include "http/exchange.h"
#include "http1/response_writer.h"
#include "log/access_log.h"
#include "log/log.h"
#include "net/listener.h"
#include "net/loop.h"
#include "process/board.h"
#include "server/answer_space.h"
#include "server/connection.h"
#include "server/http1_protocol.h"
#include "server/listener_settings.h"
#include "server/spool_file.h"
#include "sys/fork.h"

namespace lanner::server {

// Of a server; as settings those of every listener that is given none of its own.
struct Options : ListenerSettings {
  bool server_header = true;
  bool date_header = true;
  const char* spool_directory = "/tmp";        // for bodies and answers that do not fit in memory
  log::Log* log = nullptr;                     // borrowed; null = silent
  log::AccessFormat* access_format = nullptr;  // borrowed; null = no access log
  log::LogWriter* access_writer = nullptr;     // borrowed; with access_format
  process::Board* board = nullptr;             // borrowed; null = a worker alone
};

class Server final : public net::TurnObserver, private sys::ForkGuest {
 public:
  // `loop` and `handler` are borrowed and outlive the server. Null when memory is out.
  static std::unique_ptr<Server> create(net::Loop& loop, http::Handler& handler,
                                        const Options& options) noexcept;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // A listening socket, borrowed, or owned as its settings say; at most kListenersMax. Not from
  // inside a handler.
  static constexpr std::size_t kListenersMax = 16;
  Result<void> listen(int fd) noexcept { return listen(fd, options_); }
  Result<void> listen(int fd, const ListenerSettings& settings) noexcept;
  // A connection over a transport of the caller's choosing (owned from here on); for tests.
  // `terms`: outlive it; null = the options.
  Connection* adopt(net::Transport* transport, const sys::SocketAddress& peer,
                    const ListenerTerms* terms = nullptr) noexcept;

  // For callers that run the loop without run(): before an iteration waits: writes the answers
  // since the last iteration.
  void before_wait() noexcept;
  // After an iteration: handles stop requests. True: drained, run no more iterations for this
  // server.
  bool after_turn() noexcept;
  // Releases the loop for another server; this one gets no more iterations.
  void detach() noexcept;
  // Something is deferred to the next iteration.
  bool has_work() const noexcept { return !dirty_.empty() || !ready_.empty(); }
  // Nothing is left to wait for: the next after_turn() returns true.
  bool over() const noexcept {
    if (abandoned_ || loop_.stopped()) return true;
    return draining_ && live_.empty() && graveyard_.empty() && !backlog_left_;
  }
  bool was_cut() const noexcept { return was_cut_; }      // some requests were not finished
  bool cut_asked() const noexcept { return cut_asked_; }  // the drain is over, one way or the other
  // Runs the loop until drained. True: every request was finished; false: some were cut.
  bool run() noexcept;
  // Loop's thread: stop accepting, finish what is in flight, end when done or after
  // limits.drain_ms.
  void begin_drain() noexcept;
  // Loop's thread: cut what is left.
  void cut() noexcept;
  // Any thread and signal handlers: the first call drains, the second cuts.
  void request_stop() noexcept;

  bool draining() const noexcept { return draining_; }
  // A stop was asked for, perhaps while a handler runs: the drain has begun or begins with the next
  // turn.
  bool stopping() const noexcept {
    return draining_ || stop_requests_.load(std::memory_order_relaxed) > 0;
  }
  std::size_t connection_count() const noexcept { return connections_.in_use(); }
  std::uint64_t request_count() const noexcept { return requests_; }

  // For connections.
  net::Loop& loop() noexcept { return loop_; }
  Budget& budget() noexcept { return loop_.budget(); }
  SpoolFile& spool_file() noexcept { return spool_file_; }
  AnswerSpace& answer_space() noexcept { return answer_space_; }
  http::Handler& handler() noexcept { return handler_; }
  const Options& options() const noexcept { return options_; }
  std::span<http::Field> fields() noexcept { return {fields_.get(), field_count_}; }
  std::span<char> receive_buffer() noexcept { return {receive_buffer_.get(), kReceiveBytes}; }
  const http1::ServerFields& server_fields() noexcept {
    if (loop_.now_unix() != date_second_) refresh_clock_text();
    return server_fields_;
  }
  log::Log* log() noexcept { return options_.log; }
  void mark_dirty(Connection& connection) noexcept;
  // Large pieces are referenced until they are written, and many are written together: waking a
  // sleeping client costs more than copying a piece. But not so many that they no longer fit the
  // cache.
  void hold_bytes(std::uint64_t bytes) noexcept { held_bytes_ += bytes; }
  void flush_held() noexcept {
    if (held_bytes_ >= kHeldBytesMax || (held_bytes_ > 0 && budget().near())) flush_dirty();
  }
  // What one client may have in memory, by the level of the budget: unsent bytes when it does not
  // read, and bytes of a whole body.
  std::uint64_t unread_max() const noexcept {
    return loop_.budget().full() ? 0 : loop_.budget().near() ? Budget::kSmallBytes : UINT64_MAX;
  }
  std::uint64_t body_memory_bytes(const http::Limits& limits) const noexcept;
  // on_memory() comes when a request may begin again.
  void wait_for_memory(Connection& connection) noexcept;
  void mark_ready(Connection& connection) noexcept;
  // What speaks on a new connection first, as its listener says; null when memory is out.
  Protocol* make_protocol(Connection& connection) noexcept;
  // HTTP/1 for a connection that it is handed to; null when memory is out.
  Http1Protocol* make_http1(Connection& connection) noexcept;
  void release(Http1Protocol& protocol) noexcept;
  void on_connection_closed(Connection& connection) noexcept;
  void count_request() noexcept { ++requests_; }
  // REQUIRES: options().access_format.
  void log_access(log::AccessRecord record) noexcept;
  // An answer by the server itself to input that never became a request.
  void log_rejected(const Connection& connection, int status) noexcept;

  // net::TurnObserver
  void on_wake() noexcept override {
    if (options_.board) options_.board->set_working(loop_.now_ms());
  }
  void on_turn_end() noexcept override;

 private:
  static constexpr std::uint64_t kHeldBytesMax = 524288;  // a quarter of a usual L2 cache
  static constexpr std::size_t kReceiveBytes = 131072;
  static constexpr std::uint64_t kDescriptorsLeft = 128;  // to the application, at least
  static constexpr std::uint64_t kMemoryLogMs = 60'000;   // from one line to the next
  static constexpr int kWokenPerTurn = 64;                // that have waited for memory

  // One listener, and what holds for those who come by it.
  struct Entry final : net::Acceptor {
    Entry(Server& owner, int fd, const ListenerSettings& settings) noexcept;
    void on_accept(int fd, const sys::SocketAddress& peer, net::Listener& from) noexcept override;
    void on_accept_error(Error error) noexcept override;
    // Nobody else accepts from the socket once this server has left it.
    bool last() const noexcept { return terms.owned && !terms.shared; }
    Server& server;
    const ListenerTerms terms;
    net::Listener listener;
  };
  struct AwakeTask final : net::Task {
    void run() noexcept override { queued = false; }
    bool queued = false;
  };
  struct DrainTimer final : Timer {
    explicit DrainTimer(Server& owner) noexcept : server(owner) {}
    void on_timer(std::uint64_t now_ms) noexcept override;
    Server& server;
  };
  // Another worker has paused or left: may this one accept now? (process/board.h)
  struct BalanceWatcher final : net::Watcher {
    explicit BalanceWatcher(Server& owner) noexcept : server(owner) {}
    void on_ready(std::uint32_t) noexcept override { server.balance(); }
    Server& server;
  };
  struct BalanceTimer final : Timer {
    explicit BalanceTimer(Server& owner) noexcept : server(owner) {}
    void on_timer(std::uint64_t) noexcept override { server.balance(); }
    Server& server;
  };

  Server(net::Loop& loop, http::Handler& handler, const Options& options) noexcept;
  bool allocate() noexcept;
  void on_forked() noexcept override;
  bool make_fields(std::uint64_t count) noexcept;
  Result<Connection*> add(int fd, net::Transport* transport, const sys::SocketAddress& peer,
                          const sys::SocketAddress* local, const ListenerTerms& terms) noexcept;
  void on_connected() noexcept;
  void flush_dirty() noexcept;
  void stay_awake() noexcept;
  void refresh_clock_text() noexcept;
  void balance() noexcept;
  void set_accepting() noexcept;
  void look_at_memory() noexcept;
  void log_memory() noexcept;
  bool takes_backlog(const Entry& entry) const noexcept;
  bool take_backlog() noexcept;
  void stop_listening() noexcept;
  bool takes_connections() const noexcept;
  void bury() noexcept;
  void log_cut() noexcept;

  net::Loop& loop_;
  http::Handler& handler_;
  Options options_;
  std::uint32_t pid_;
  std::uint64_t connections_max_;
  const ListenerTerms terms_;  // of connections without a listener
  SpoolFile spool_file_;
  AnswerSpace answer_space_;
  std::unique_ptr<http::Field[]> fields_;
  std::size_t field_count_ = 0;
  std::unique_ptr<char[]> receive_buffer_;
  Slab<Http1Protocol> http1_protocols_;  // outlives the connections
  Slab<Connection> connections_;
  IntrusiveList<Connection, LiveTag> live_;
  IntrusiveList<Connection, LiveTag> graveyard_;
  IntrusiveList<Connection, DirtyTag> dirty_;
  IntrusiveList<Connection, ReadyTag> ready_;
  IntrusiveList<Connection, ShortTag> short_;
  std::array<std::unique_ptr<Entry>, kListenersMax> entries_;
  std::size_t entry_count_ = 0;
  AwakeTask awake_task_;
  DrainTimer drain_timer_;
  BalanceTimer balance_timer_;
  BalanceWatcher balance_watcher_;
  Buffer log_line_;
  http1::ServerFields server_fields_;
  std::array<char, 48> date_line_{};
  std::int64_t date_second_ = -1;
  std::uint64_t requests_ = 0;
  std::uint64_t held_bytes_ = 0;  // referenced by out buffers since the last flush
  std::atomic<int> stop_requests_{0};
  bool draining_ = false;
  bool was_cut_ = false;
  bool cut_asked_ = false;
  bool abandoned_ = false;           // a handler keeps an exchange that was cut: not awaited
  bool away_ = false;                // the board says: others accept now
  bool full_ = false;                // limits.connections reached: listeners pause
  bool memory_full_ = false;         // the budget is: listeners pause
  bool backlog_left_ = false;        // a drain goes on accepting as connections end
  std::uint64_t memory_log_ms_ = 0;  // not before this time again
};

}  // namespace lanner::server
