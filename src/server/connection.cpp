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

Result<void> Connection::start(Protocol& protocol) noexcept {
  protocol_ = &protocol;
  interest_ = sys::Ready::readable | sys::Ready::peer_closed;
  if (transport().descriptor() >= 0) {
    Result<void> watched = server_.loop().watch(transport().descriptor(), interest_, *this);
    if (!watched) return watched;
  }
  rearm();
  return {};
}

void Connection::hand_over(Protocol& next) noexcept {
  retired_ = std::exchange(protocol_, &next);
  request_turn();
}

void Connection::on_ready(std::uint32_t events) noexcept {
  // Reset, or ended by a peer that reads no more: not to be told as a half-close first.
  if ((events & sys::Ready::broken) && stage_ == Stage::open && !protocol_->wants_input()) {
    return close(false);
  }
  if ((events & sys::Ready::writable) && !closed()) {
    mark_dirty();  // written with all others at the end of the turn
  }
  if ((events & (sys::Ready::readable | sys::Ready::peer_closed)) && !closed()) {
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

void Connection::on_readable() noexcept {
  if (stage_ == Stage::lingering) return discard_input();
  if (turn_requested()) return;  // kept input comes first
  if (!protocol_->wants_input() || waits_for_memory()) return set_interest();
  const bool near = server_.budget().near();
  if (kept_.empty()) {
    std::span<char> room = server_.receive_buffer();
    if (near) room = room.first(kNearReadBytes);
    net::IoResult got = transport().read(room.data(), room.size());
    if (got.kind == net::IoResult::Kind::would_block) return;
    if (got.kind == net::IoResult::Kind::error) return close(false);
    if (got.kind == net::IoResult::Kind::end) return on_input_end();
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
  net::IoResult got = transport().read(room, most);
  if (got.kind == net::IoResult::Kind::would_block) return;
  if (got.kind == net::IoResult::Kind::error) return close(false);
  if (got.kind == net::IoResult::Kind::end) return on_input_end();
  kept_.commit(got.bytes);
  feed_kept();
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
  if (owed || !kept_.empty() || peer_ended_) request_turn();
  if (!(interest_ & sys::Ready::readable)) set_interest();
  rearm();
}

// From the server, once a turn after mark_ready().
void Connection::on_turn() noexcept {
  if (retired_) std::exchange(retired_, nullptr)->release();
  if (closed()) return;
  if (under_low_mark()) protocol_->on_space();
  if (closed()) return;
  if (protocol_->wants_input()) feed_kept();
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
  net::IoResult got = transport().read(room.data(), room.size());
  if (got.kind == net::IoResult::Kind::would_block) return;
  if (got.kind != net::IoResult::Kind::bytes) return close(false);
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
      .add("request", protocol_->request_number())
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
  if (stage_ != Stage::lingering) return protocol_->begin_drain();
  linger_until_ms_ = std::min(linger_until_ms_, server_.loop().now_ms() + linger_ms());
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
  protocol_->on_closed();
}

void Connection::set_interest() noexcept {
  std::uint32_t wanted = 0;
  const bool waits = static_cast<ListNode<ShortTag>*>(this)->linked();
  if (!peer_ended_ && !waits && (stage_ == Stage::lingering || protocol_->wants_input())) {
    wanted = sys::Ready::readable;
  }
  if (write_blocked_) wanted |= sys::Ready::writable;
  if (!half_closed_) wanted |= sys::Ready::peer_closed;
  if (wanted == interest_ || closed()) return;
  interest_ = wanted;
  if (transport().descriptor() < 0) return;
  if (!server_.loop().change(transport().descriptor(), wanted, *this)) close(true);
}

}  // namespace lanner::server
