// server/connection.cpp: one client's connection: input and closing. Output is in
// connection_output.cpp, time in connection_time.cpp.

#include "server/connection.h"

#include <algorithm>
#include <utility>

#include "server/server.h"

namespace lanner::server {

namespace {
constexpr std::size_t kKeptReadBytes = 65536;  // read at once behind kept input
constexpr std::size_t kNearReadBytes = 16384;  // ... and in all cases, near the budget
}  // namespace

Connection::Connection(Server& server, int fd, net::Transport* transport,
                       const sys::SocketAddress& peer, const sys::SocketAddress* local,
                       const ListenerTerms& terms) noexcept
    : server_(server),
      terms_(terms),
      tcp_(fd),
      transport_(transport ? transport : &tcp_),
      out_(server.loop().blocks()),
      spool_(server.spool_file()),
      kept_charge_(server.budget()),
      peer_(peer),
      local_(local) {}

Connection::~Connection() {
  if (retired_) retired_->release();
  if (protocol_) protocol_->release();
  if (transport_ != &tcp_) delete transport_;
}

Result<void> Connection::start() noexcept {
  interest_ = sys::Ready::readable | sys::Ready::peer_closed;
  if (transport().descriptor() >= 0) {
    Result<void> watched = server_.loop().watch(transport().descriptor(), interest_, *this);
    if (!watched) return watched;
  }
  handshake_until_ms_ = server_.loop().now_ms() + limits().first_byte_ms;
  Result<void> begun = shake_hands();
  if (begun) rearm();
  return begun;
}

// REQUIRES: Stage::handshake
Result<void> Connection::shake_hands() noexcept {
  const net::IoResult step = transport().handshake();
  if (step.kind == net::IoResult::Kind::done) return open();
  if (!step.waits()) return Errc::handshake_failed;
  read_wants_write_ = step.kind == net::IoResult::Kind::wait_writable;
  set_interest();
  return {};
}

Result<void> Connection::open() noexcept {
  stage_ = Stage::open;
  read_wants_write_ = false;
  protocol_ = server_.make_protocol(*this);
  if (!protocol_) return Errc::no_memory;
  held_ = transport().holds_input();
  if (held_) request_turn();
  if (half_closed_) protocol_->on_half_close();
  set_interest();
  return {};
}

void Connection::on_handshake_ready(std::uint32_t events) noexcept {
  half_closed_ = half_closed_ || (events & sys::Ready::peer_closed) != 0;
  Result<void> went_on = shake_hands();
  const bool gone = stage_ == Stage::handshake && (events & sys::Ready::broken);
  if (went_on && !gone) {
    set_interest();
    return rearm();
  }
  log_failure("handshake.failed", went_on ? Errc::disconnected : went_on.code());
  close(false);
}

void Connection::hand_over(Protocol& next) noexcept {
  retired_ = std::exchange(protocol_, &next);
  request_turn();
}

void Connection::on_ready(std::uint32_t events) noexcept {
  if (stage_ == Stage::handshake) return on_handshake_ready(events);
  // Reset, or ended by a peer that reads no more: not to be told as a half-close first.
  if ((events & sys::Ready::broken) && stage_ == Stage::open && !protocol_->wants_input()) {
    return close(false);
  }
  if ((events & (write_wants_read_ ? sys::Ready::readable : sys::Ready::writable)) && !closed()) {
    mark_dirty();  // written with all others at the end of the turn
  }
  const bool may_read = read_wants_write_ && (events & sys::Ready::writable);
  if ((may_read || (events & (sys::Ready::readable | sys::Ready::peer_closed))) && !closed()) {
    on_readable();
  } else if ((events & sys::Ready::broken) && !closed()) {
    close(false);
  }
  if ((events & sys::Ready::peer_closed) && !closed() && !half_closed_) on_half_close();
  if (!closed() && !static_cast<ListNode<DirtyTag>*>(this)->linked()) rearm();  // else flush() does
}

// The kernel tells it once: what was sent before may still have to be read.
void Connection::on_half_close() noexcept {
  half_closed_ = true;
  set_interest();
  if (!closed()) protocol_->on_half_close();
}

// What the transport holds afterwards, no poller tells: it is read with the next turn.
net::IoResult Connection::read(char* to, std::size_t room) noexcept {
  if (transport_ == &tcp_) return tcp_.read(to, room);  // holds nothing, and never has to write
  const net::IoResult got = transport().read(to, room);
  held_ = transport().holds_input() && !got.waits();
  const bool wants_write = got.kind == net::IoResult::Kind::wait_writable;
  if (wants_write != read_wants_write_) {
    read_wants_write_ = wants_write;
    set_interest();
  }
  return got;
}

void Connection::on_readable() noexcept {
  if (stage_ == Stage::lingering) return discard_input();
  if (turn_requested()) return;  // kept input comes first
  read_input();
  if (held_ && !closed() && reads()) request_turn();
}

// REQUIRES: Stage::open
void Connection::read_input() noexcept {
  if (!protocol_->wants_input() || waits_for_memory()) return set_interest();
  const bool near = server_.budget().near();
  if (kept_.empty()) {
    std::span<char> room = server_.receive_buffer();
    if (near) room = room.first(kNearReadBytes);
    const net::IoResult got = read(room.data(), room.size());
    if (got.kind != net::IoResult::Kind::done) return on_nothing_read(got);
    const std::string_view in(room.data(), got.bytes);
    const std::size_t used = feed(in);
    if (used < in.size() && !ending()) {
      if (!kept_.append(in.substr(used))) return close(true);
      kept_charge_.set(kept_.capacity());
    }
    return;
  }
  const std::size_t most = near ? kNearReadBytes : kKeptReadBytes;
  char* room = kept_.reserve(most);
  if (!room) return close(true);
  kept_charge_.set(kept_.capacity());
  const net::IoResult got = read(room, most);
  if (got.kind != net::IoResult::Kind::done) return on_nothing_read(got);
  kept_.commit(got.bytes);
  feed_kept();
}

void Connection::on_nothing_read(const net::IoResult& got) noexcept {
  if (got.kind == net::IoResult::Kind::error) return close(false);
  if (got.kind == net::IoResult::Kind::end) return on_input_end();
}

std::size_t Connection::feed(std::string_view in) noexcept {
  feeding_ = true;
  const std::size_t used = protocol_->feed(in);
  feeding_ = false;
  return used;
}

void Connection::feed_kept() noexcept {
  const std::size_t used = feed(kept_.view());
  if (closed()) return;
  if (used == kept_.size() || ending()) {
    release_kept();  // an idle connection holds no buffer
  } else if (used > 0) {
    kept_.consume(used);
  }
}

void Connection::release_kept() noexcept {
  kept_.release();
  kept_charge_.set(0);
}

// A new request would need memory that is kept for those at work. Who has sent a part of one may go
// on: it can only give memory back.
bool Connection::waits_for_memory() noexcept {
  if (!server_.budget().spent() || !kept_.empty() || !protocol_->at_rest()) return false;
  server_.wait_for_memory(*this);
  return true;
}

void Connection::on_memory() noexcept {
  protocol_->on_memory();
  set_interest();
  if (held_ && !closed()) request_turn();
  if (!closed()) rearm();
}

bool Connection::peer_trusted() noexcept {
  if (trust_ == Trust::unasked) {
    const bool yes = terms_.trust->trusts_peer(peer_.view(), peer_.unix_socket);
    trust_ = yes ? Trust::yes : Trust::no;
  }
  return trust_ == Trust::yes;
}

void Connection::request_turn() noexcept { server_.mark_ready(*this); }

void Connection::resume_input(bool owed) noexcept {
  if (closed() || feeding_) return;
  if (owed || input_kept() || peer_ended_) request_turn();
  if (!(interest_ & sys::Ready::readable)) set_interest();
  rearm();
}

// From the server, once a turn after mark_ready().
void Connection::on_turn() noexcept {
  if (retired_) std::exchange(retired_, nullptr)->release();
  if (closed()) return;
  if (stage_ == Stage::lingering) return held_ ? discard_input() : void();
  if (under_low_mark()) protocol_->on_space();
  if (closed()) return;
  if (protocol_->wants_input()) feed_kept();
  if (held_ && !ending()) on_readable();
  if (closed()) return;
  if (!(interest_ & sys::Ready::readable)) set_interest();
  rearm();
}

void Connection::on_input_end() noexcept {
  if (stage_ == Stage::lingering) return close(false);
  peer_ended_ = true;
  protocol_->on_input_end();
  set_interest();
}

void Connection::discard_input() noexcept {
  std::span<char> room = server_.receive_buffer();
  const net::IoResult got = read(room.data(), room.size());
  if (got.waits()) return;
  if (got.kind != net::IoResult::Kind::done) return close(false);
  if (held_) request_turn();
  lingered_bytes_ += got.bytes;
  linger_since_ms_ = server_.loop().now_ms();
  if (lingered_bytes_ > limits().linger_bytes) close(false);
}

void Connection::log_failure(const char* event, Errc code) noexcept {
  log::Log* log = server_.log();
  if (!log) return;
  log->line(log::LogLevel::warning, event)
      .add("reason", error_name(code))
      .add("client", http::Endpoint{peer_.view(), peer_.port, peer_.unix_socket})
      .add("request", protocol_ ? protocol_->request_number() : 0)
      .send();
}

void Connection::close_after_flush(bool reset) noexcept {
  if (closed()) return;
  closing_ = true;
  cut_ = cut_ || reset;
  mark_dirty();
}

// REQUIRES: closing_
void Connection::output_done() noexcept {
  if (stage_ == Stage::lingering) return;
  if (cut_) return close(true);
  begin_linger();
}

void Connection::begin_linger() noexcept {
  if (peer_ended_) return close(false);
  stage_ = Stage::lingering;
  transport().shutdown_write();
  linger_since_ms_ = server_.loop().now_ms();
  linger_until_ms_ = linger_since_ms_ + linger_ms();
  lingered_bytes_ = 0;
  if (!feeding_) release_kept();
  set_interest();
}

std::uint64_t Connection::linger_ms() const noexcept {
  const std::uint64_t limit_ms = limits().linger_ms;
  return server_.draining() ? std::min(limit_ms, http::kDrainLingerMs) : limit_ms;
}

void Connection::begin_drain() noexcept {
  if (stage_ == Stage::open) return protocol_->begin_drain();
  const std::uint64_t now_ms = server_.loop().now_ms();
  if (stage_ == Stage::handshake) {
    // As any client that has connected and not spoken yet.
    handshake_until_ms_ = std::min(handshake_until_ms_, now_ms + http::kDrainSilentMs);
    return rearm();
  }
  linger_until_ms_ = std::min(linger_until_ms_, now_ms + linger_ms());
  rearm();
}

void Connection::close(bool reset) noexcept {
  if (closed()) return;
  stage_ = Stage::closed;
  if (Timer::armed()) server_.loop().cancel(*this);
  if (static_cast<ListNode<DirtyTag>*>(this)->linked())
    static_cast<ListNode<DirtyTag>*>(this)->unlink();
  if (static_cast<ListNode<ReadyTag>*>(this)->linked())
    static_cast<ListNode<ReadyTag>*>(this)->unlink();
  if (static_cast<ListNode<ShortTag>*>(this)->linked())
    static_cast<ListNode<ShortTag>*>(this)->unlink();
  if (transport().descriptor() >= 0) server_.loop().unwatch(transport().descriptor(), *this);
  if (reset) {
    transport().reset();
  } else {
    transport().close();
  }
  out_.clear();
  spool_.clear();
  if (!feeding_) release_kept();
  server_.on_connection_closed(*this);
  if (protocol_) protocol_->on_closed();
}

void Connection::set_interest() noexcept {
  if (closed()) return;
  const std::uint32_t wanted = wanted_events();
  if (wanted == interest_) return;
  interest_ = wanted;
  if (transport().descriptor() < 0) return;
  if (!server_.loop().change(transport().descriptor(), wanted, *this)) close(true);
}

std::uint32_t Connection::wanted_events() const noexcept {
  std::uint32_t wanted = half_closed_ ? 0 : sys::Ready::peer_closed;
  if (reads()) wanted |= read_wants_write_ ? sys::Ready::writable : sys::Ready::readable;
  if (write_blocked_) wanted |= write_wants_read_ ? sys::Ready::readable : sys::Ready::writable;
  return wanted;
}

// What the peer sends is read now.
bool Connection::reads() const noexcept {
  if (peer_ended_ || static_cast<const ListNode<ShortTag>*>(this)->linked()) return false;
  return stage_ != Stage::open || protocol_->wants_input();
}

}  // namespace lanner::server
