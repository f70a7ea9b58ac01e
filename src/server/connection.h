// server/connection.h: one client's HTTP/1 connection: reads requests, hands them to the handler,
// writes the answers, and keeps the deadlines of each stage.
//
//   head ----> receiving -----> answering ---> head
//     \            \                 \---> discarding ---> head
//      \------------\----------------------> lingering ---> closed
//
//   receiving    a whole body is being collected before the handler is called
//   discarding   the answer is out; the rest of the request's body is read and dropped
//   lingering    shut for writing; reads and drops until the client closes (RFC 9112, section 9.6)
//
// Belongs to its server and to the loop's thread. It is never destroyed inside a call: a closed
// connection is freed at the end of the turn.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/intrusive_list.h"
#include "base/timer_wheel.h"
#include "http1/session.h"
#include "net/loop.h"
#include "net/out_buffer.h"
#include "net/tcp_transport.h"
#include "server/http1_exchange.h"
#include "server/spool.h"
#include "sys/sockets.h"

namespace lanner::server {

class Server;

struct LiveTag {};   // all connections of a server, or its graveyard
struct DirtyTag {};  // have bytes to write this turn
struct ReadyTag {};  // have kept input to parse next turn
struct ShortTag {};  // may not begin a request for want of memory

class Connection final : public net::Watcher,
                         public Timer,
                         public ListNode<LiveTag>,
                         public ListNode<DirtyTag>,
                         public ListNode<ReadyTag>,
                         public ListNode<ShortTag> {
 public:
  // `transport`: owned when not null (tests, later TLS); else a TCP one is made of `fd`.
  Connection(Server& server, int fd, net::Transport* transport, const sys::SocketAddress& peer,
             const sys::SocketAddress* local) noexcept;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  Result<void> start() noexcept;  // watches the descriptor, arms the first-byte timer
  void on_ready(std::uint32_t events) noexcept override;
  void on_timer(std::uint64_t now_ms) noexcept override;
  // Called by the server: parse retained input (ReadyTag); write buffered output (DirtyTag).
  void on_turn() noexcept;
  void flush() noexcept;
  // Called by the server after wait_for_memory(), when there is memory again.
  void on_memory() noexcept;
  // The server stops: an idle connection closes, a busy one closes after its answer.
  void begin_drain() noexcept;
  // Ends the connection in any stage. `reset`: so that the peer sees that it was cut.
  void close(bool reset) noexcept;

  int descriptor() noexcept { return transport().descriptor(); }  // -1: none
  bool closed() const noexcept { return stage_ == Stage::closed; }
  // Closed, and no handler holds the exchange any more.
  bool finished() const noexcept {
    return closed() && exchange_.state() == Http1Exchange::State::idle;
  }
  // A request is being received or answered.
  bool busy() const noexcept {
    return exchange_.state() != Http1Exchange::State::idle || !out_.empty() || !spool_.empty();
  }
  const sys::SocketAddress& peer() const noexcept { return peer_; }
  const sys::SocketAddress* local() const noexcept { return local_; }
  // Whether its forwarding fields are trusted. REQUIRES: the server has a trust list.
  bool peer_trusted() noexcept;
  // The sys::Ready bits it waits for: for a transport that no poller knows (tests).
  std::uint32_t interest() const noexcept { return interest_; }

  // For the exchange.
  Server& server() noexcept { return server_; }
  net::OutBuffer& out() noexcept { return out_; }
  const Spool& spool() const noexcept { return spool_; }
  // All that is to be sent goes through these, in order: to the out buffer, or behind what is in
  // the spool already. Contiguous room at the end of the out buffer, to be committed there; null
  // when the spool comes first, memory is out or more than a block is asked for.
  char* reserve(std::size_t bytes) noexcept {
    return spool_.empty() ? out_.reserve(bytes) : nullptr;
  }
  // Copies; to the spool as well when there is no memory. False: cut the connection.
  [[nodiscard]] bool put_text(std::string_view text) noexcept;
  [[nodiscard]] bool spool_text(std::string_view text) noexcept;
  // Takes ownership of `fd`, also on failure.
  [[nodiscard]] bool put_file(int fd, std::uint64_t offset, std::uint64_t count) noexcept;
  bool over_high_mark() const noexcept;
  void mark_dirty() noexcept;
  bool body_begun() const noexcept { return session_.body_bytes() > 0; }
  bool body_complete() const noexcept { return session_.phase() == http1::Session::Phase::done; }
  std::uint64_t request_number() const noexcept { return requests_; }
  bool may_persist() const noexcept;
  void set_body_paused(bool paused) noexcept;
  // The handler is done; `persist`: another request may follow on this connection.
  void answer_ended(bool persist) noexcept;
  // Nothing more may be written: the buffered bytes are sent, then the connection is cut or closed.
  void close_after_flush(bool reset) noexcept;

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  static constexpr std::uint64_t kWriteLookMs = 500;  // between looks at what the client has taken
  enum class Stage : std::uint8_t { head, receiving, answering, discarding, lingering, closed };

  void on_readable() noexcept;
  void on_half_close() noexcept;
  void on_input_end() noexcept;
  void discard_input() noexcept;
  void process_kept() noexcept;
  bool waits_for_memory() noexcept;
  bool under_low_mark() const noexcept;
  bool spill() noexcept;
  void limit_kernel() noexcept;
  std::uint64_t bytes_sent() const noexcept { return out_.bytes_sent() + spool_.bytes_sent(); }
  std::size_t process(std::string_view in) noexcept;
  bool step(std::string_view* in) noexcept;  // false = no more now
  bool wants_input() const noexcept;
  void on_head(std::string_view raw) noexcept;
  void on_body(std::string_view piece) noexcept;
  void on_body_end() noexcept;
  void dispatch() noexcept;
  void fail(Errc code) noexcept;
  void log_failure(const char* event, Errc code) noexcept;
  void begin_linger() noexcept;
  std::uint64_t linger_ms() const noexcept;
  std::uint64_t discard_bytes_max() const noexcept;
  void output_done() noexcept;
  void set_interest() noexcept;
  void watch_client(std::uint64_t taken_bytes) noexcept;
  bool made_progress(std::uint64_t now_ms) noexcept;
  void on_request_timeout() noexcept;
  void rearm() noexcept;
  std::uint64_t deadline_ms() const noexcept;
  std::uint64_t read_deadline_ms() const noexcept;
  std::uint64_t body_deadline_ms() const noexcept;
  std::uint64_t write_deadline_ms() const noexcept;
  net::Transport& transport() noexcept { return *transport_; }

  Server& server_;
  net::TcpTransport tcp_;
  net::Transport* transport_;
  net::OutBuffer out_;
  Spool spool_;  // follows what is in out_
  Buffer kept_;  // input not yet consumed: an incomplete head, pipelined requests
  Charge kept_charge_;
  http1::Session session_;
  Http1Exchange exchange_;
  sys::SocketAddress peer_;
  const sys::SocketAddress* local_;  // the listener's; lives as long as the server
  std::uint64_t since_ms_;           // accepted, idle since, head or body begun: by stage
  std::uint64_t body_progress_ms_ = 0;
  std::uint64_t pause_since_ms_ = 0;
  // How the client takes what was written; only while not all_taken_.
  std::uint64_t write_progress_ms_ = 0;    // it took something
  std::uint64_t write_slow_since_ms_ = 0;  // it has not kept up with us since
  std::uint64_t write_base_bytes_ = 0;     // taken by then
  std::uint64_t write_taken_bytes_ = 0;    // at the last look
  std::uint64_t write_sent_bytes_ = 0;     // at the last look
  std::uint64_t write_look_ms_ = 0;        // when to look again
  std::uint64_t request_until_ms_ =
      kNever;  // the request at hand: head, body, answer and its taking
  std::uint64_t linger_until_ms_ = 0;
  std::uint64_t lingered_bytes_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t turn_requests_ = 0;
  std::uint32_t interest_ = 0;
  Stage stage_ = Stage::head;
  bool streaming_ = false;    // the handler takes the body as it comes
  bool body_paused_ = false;  // the handler asked for a pause
  bool processing_ = false;   // inside process(): answers that end now go on there
  bool half_closed_ = false;  // the peer has shut its sending side; there may be input before that
  bool peer_ended_ = false;   // the peer sends no more; it may still read
  bool closing_ = false;      // close once the output is written
  bool cut_ = false;          // and do it by a reset
  bool write_blocked_ = false;
  bool kernel_limited_ = false;  // near the budget: the kernel takes less of a large answer
  bool all_taken_ = true;  // as of the last look: the kernel holds nothing that the client has not
  enum class Trust : std::uint8_t { unasked, no, yes };
  Trust trust_ = Trust::unasked;  // of the peer; asked once, with the first field that needs it
};

}  // namespace lanner::server
