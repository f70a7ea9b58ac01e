// server/connection.h: one client's connection: moves bytes between its transport and the protocol
// that speaks on it, and ends.
//
//   handshake ---> open ---> lingering ---> closed
//       \------------\----------------------^
//
//   handshake    the transport's: nobody speaks yet. Limited as the first byte of a client is
//                (Limits::first_byte_ms); a transport without one skips it
//   open         the protocol speaks
//   lingering    shut for writing; reads and drops until the client closes (RFC 9112, section 9.6)
//
// It keeps the input that was not consumed yet, what waits to be written (out buffer, spool), and
// the deadlines of a client that does not take it. Requests are the protocol's (protocol.h).
//
// Belongs to its server and to the loop's thread. It is never destroyed inside a call: a closed
// connection is freed at the end of the turn.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/intrusive_list.h"
#include "base/timer_wheel.h"
#include "net/loop.h"
#include "net/out_buffer.h"
#include "net/tcp_transport.h"
#include "server/listener_settings.h"
#include "server/protocol.h"
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
  // `terms`: of the listener that it came by.
  Connection(Server& server, int fd, net::Transport* transport, const sys::SocketAddress& peer,
             const sys::SocketAddress* local, const ListenerTerms& terms) noexcept;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Watches the descriptor, begins the handshake, arms the timer. Once the handshake is over the
  // server makes the protocol that speaks first. After an error: close() it.
  Result<void> start() noexcept;
  void on_ready(std::uint32_t events) noexcept override;
  void on_timer(std::uint64_t now_ms) noexcept override;
  // Called by the server: feed retained input (ReadyTag); write buffered output (DirtyTag).
  void on_turn() noexcept;
  void flush() noexcept;
  // From the server, after wait_for_memory(): there is some again.
  void on_memory() noexcept;
  // The server stops: an idle connection closes, a busy one closes after its answer.
  void begin_drain() noexcept;
  // Ends the connection in any stage. `reset`: so that the peer sees that it was cut.
  void close(bool reset) noexcept;

  int descriptor() noexcept { return transport().descriptor(); }  // -1: none
  bool closed() const noexcept { return stage_ == Stage::closed; }
  // Closed, and no handler holds anything of it any more.
  bool finished() const noexcept { return closed() && !(protocol_ && protocol_->busy()); }
  // A request is being received or answered.
  bool busy() const noexcept { return (protocol_ && protocol_->busy()) || output_pending(); }
  const sys::SocketAddress& peer() const noexcept { return peer_; }
  const sys::SocketAddress* local() const noexcept { return local_; }
  const ListenerTerms& terms() const noexcept { return terms_; }
  const http::Limits& limits() const noexcept { return terms_.limits; }
  // Whether its forwarding fields are trusted. REQUIRES: its listener has a trust list.
  bool peer_trusted() noexcept;
  // The sys::Ready bits it waits for: for a transport that no poller knows (tests).
  std::uint32_t interest() const noexcept { return interest_; }
  Server& server() const noexcept { return server_; }

  // What follows is for the protocol, which is made when the transport is ready.
  net::Transport& transport() noexcept { return *transport_; }
  Protocol& protocol() noexcept { return *protocol_; }
  // `next` speaks from the next turn of the loop on, beginning with the input that is kept, or that
  // feed() does not consume. The present protocol is released then. REQUIRES: it is not busy().
  void hand_over(Protocol& next) noexcept;

  // Input.
  // There is some that was not consumed yet, here or in the transport.
  bool input_kept() const noexcept { return !kept_.empty() || held_; }
  // ... or that may not be looked at for want of memory.
  bool input_waits() const noexcept {
    return input_kept() || static_cast<const ListNode<ShortTag>*>(this)->linked();
  }
  bool peer_ended() const noexcept { return peer_ended_; }
  // wants_input() may have become true. `owed`: feed() has something to say without more bytes.
  void resume_input(bool owed) noexcept;
  // on_turn() comes with the next turn of the loop.
  void request_turn() noexcept;
  bool turn_requested() const noexcept {
    return static_cast<const ListNode<ReadyTag>*>(this)->linked();
  }

  // Output, in order: to the out buffer, or behind what is in the spool already. Contiguous room at
  // the end of the out buffer, to be committed there; null when the spool comes first, memory is
  // out or more than a block is asked for.
  net::OutBuffer& out() noexcept { return out_; }
  const Spool& spool() const noexcept { return spool_; }
  char* reserve(std::size_t bytes) noexcept {
    return spool_.empty() ? out_.reserve(bytes) : nullptr;
  }
  // Copies; to the spool as well when there is no memory. False: cut the connection.
  [[nodiscard]] bool put_text(std::string_view text) noexcept;
  [[nodiscard]] bool spool_text(std::string_view text) noexcept;
  // Takes ownership of `fd`, also on failure.
  [[nodiscard]] bool put_file(int fd, std::uint64_t offset, std::uint64_t count) noexcept;
  bool over_high_mark() const noexcept {
    return (!out_.empty() || !spool_.empty()) && over_high_mark_now();
  }
  bool output_pending() const noexcept { return !out_.empty() || !spool_.empty(); }
  // The kernel took less than it was given at the last flush().
  bool write_blocked() const noexcept { return write_blocked_; }
  void mark_dirty() noexcept;

  // The end. Nothing more may be sent: what is buffered goes out, then the connection is cut or
  // closed.
  void close_after_flush(bool reset) noexcept;
  bool closing() const noexcept { return closing_; }
  // Nothing that is read now is anybody's.
  bool ending() const noexcept { return closing_ || stage_ > Stage::open; }
  // Its deadlines have changed.
  void rearm() noexcept;
  // ... by what has just begun: a timer that comes before that can be due stays, and looks then.
  void rearm_later() noexcept;
  void log_failure(const char* event, Errc code) noexcept;

 private:
  static constexpr std::uint64_t kNever = Protocol::kNever;
  enum class Stage : std::uint8_t { handshake, open, lingering, closed };

  Result<void> shake_hands() noexcept;
  Result<void> open() noexcept;
  void on_handshake_ready(std::uint32_t events) noexcept;
  void on_handshake_timer(std::uint64_t now_ms) noexcept;
  net::IoResult read(char* to, std::size_t room) noexcept;
  void on_readable() noexcept;
  void read_input() noexcept;
  void on_nothing_read(const net::IoResult& got) noexcept;
  void on_half_close() noexcept;
  void on_input_end() noexcept;
  void discard_input() noexcept;
  std::size_t feed(std::string_view in) noexcept;
  void feed_kept() noexcept;
  void release_kept() noexcept;
  bool waits_for_memory() noexcept;
  bool over_high_mark_now() const noexcept;
  bool under_low_mark() const noexcept;
  std::uint64_t high_mark_bytes() const noexcept;
  bool spill() noexcept;
  void limit_kernel() noexcept;
  std::uint64_t bytes_sent() const noexcept { return out_.bytes_sent() + spool_.bytes_sent(); }
  void begin_linger() noexcept;
  std::uint64_t linger_ms() const noexcept;
  void output_done() noexcept;
  void set_interest() noexcept;
  std::uint32_t wanted_events() const noexcept;
  bool reads() const noexcept;
  void watch_client(std::uint64_t taken_bytes) noexcept;
  bool made_progress(std::uint64_t now_ms) noexcept;
  std::uint64_t deadline_ms() const noexcept;
  std::uint64_t linger_deadline_ms() const noexcept;
  std::uint64_t write_deadline_ms() const noexcept;

  Server& server_;
  const ListenerTerms& terms_;
  Protocol* protocol_ = nullptr;  // owned, as all are: see Protocol::release(); null = handshake
  Protocol* retired_ = nullptr;   // has handed over, and is released with the next turn
  net::TcpTransport tcp_;
  net::Transport* transport_;
  net::OutBuffer out_;
  Spool spool_;  // follows what is in out_
  Buffer kept_;  // input not yet consumed: an incomplete head, pipelined requests
  Charge kept_charge_;
  sys::SocketAddress peer_;
  const sys::SocketAddress* local_;  // the listener's; lives as long as the server
  // How the client takes what was written; only while not all_taken_.
  std::uint64_t write_progress_ms_ = 0;    // it took something
  std::uint64_t write_slow_since_ms_ = 0;  // it has not kept up with us since
  std::uint64_t write_base_bytes_ = 0;     // taken by then
  std::uint64_t write_taken_bytes_ = 0;    // at the last look
  std::uint64_t write_sent_bytes_ = 0;     // at the last look
  std::uint64_t write_look_ms_ = 0;        // when to look again
  std::uint64_t handshake_until_ms_ = 0;
  std::uint64_t linger_since_ms_ = 0;  // something was read
  std::uint64_t linger_until_ms_ = 0;
  std::uint64_t lingered_bytes_ = 0;
  std::uint32_t interest_ = 0;
  Stage stage_ = Stage::handshake;
  bool feeding_ = false;      // inside feed(): what ends now goes on there
  bool half_closed_ = false;  // the peer has shut its sending side; there may be input before that
  bool peer_ended_ = false;   // the peer sends no more; it may still read
  bool closing_ = false;      // close once the output is written
  bool cut_ = false;          // and do it by a reset
  bool write_blocked_ = false;
  bool held_ = false;              // the transport holds input: the poller does not tell of it
  bool read_wants_write_ = false;  // a read, or the handshake, goes on when writing is possible
  bool write_wants_read_ = false;  // what write_blocked_ means then
  bool kernel_limited_ = false;    // near the budget: the kernel takes less of a large answer
  bool all_taken_ = true;  // as of the last look: the kernel holds nothing that the client has not
  enum class Trust : std::uint8_t { unasked, no, yes };
  Trust trust_ = Trust::unasked;  // of the peer; asked once, with the first field that needs it
};

}  // namespace lanner::server
