// server/connection.cpp: one client's HTTP/1 connection: input, stages and closing. Output is in
// connection_output.cpp, time in connection_time.cpp.

#include "server/connection.h"

#include <algorithm>

#include "server/server.h"
#include "websocket/handshake.h"

namespace lanner::server {

namespace {
constexpr std::size_t kKeptReadBytes = 65536;  // read at once behind kept input
constexpr std::size_t kNearReadBytes = 16384;  // ... and in all cases, near the budget
constexpr std::uint64_t kAtWorkMs = 1000;      // idle for less: the client may be at work
}  // namespace

Connection::Connection(Server& server, int fd, net::Transport* transport,
                       const sys::SocketAddress& peer, const sys::SocketAddress* local) noexcept
    : server_(server),
      tcp_(fd),
      transport_(transport ? transport : &tcp_),
      out_(server.loop().blocks()),
      spool_(server.spool_file()),
      kept_charge_(server.budget()),
      exchange_(*this, server.loop().blocks(), server.spool_file()),
      peer_(peer),
      local_(local),
      since_ms_(server.loop().now_ms()) {}

Connection::~Connection() {
  if (transport_ != &tcp_) delete transport_;
}

Result<void> Connection::start() noexcept {
  interest_ = sys::Ready::readable | sys::Ready::peer_closed;
  if (transport().descriptor() >= 0) {
    Result<void> watched = server_.loop().watch(transport().descriptor(), interest_, *this);
    if (!watched) return watched;
  }
  rearm();
  return {};
}

void Connection::on_ready(std::uint32_t events) noexcept {
  // Reset, or ended by a peer that reads no more: not to be told as a half-close first.
  if ((events & sys::Ready::broken) && stage_ == Stage::answering && !wants_input()) {
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
  if (!closed()) rearm();
}

// The kernel tells it once: what was sent before may still have to be read.
void Connection::on_half_close() noexcept {
  half_closed_ = true;
  set_interest();
  http::Observer* observer = closed() ? nullptr : exchange_.observer();
  if (observer && exchange_.state() != Http1Exchange::State::lost) observer->on_half_close();
}

void Connection::on_readable() noexcept {
  if (stage_ == Stage::lingering) return discard_input();
  if (static_cast<ListNode<ReadyTag>*>(this)->linked()) return;  // kept input comes first
  if (!wants_input() || waits_for_memory()) return set_interest();
  turn_requests_ = 0;
  const bool near = server_.budget().near();
  if (kept_.empty()) {
    std::span<char> room = server_.receive_buffer();
    if (near) room = room.first(kNearReadBytes);
    net::IoResult got = transport().read(room.data(), room.size());
    if (got.kind == net::IoResult::Kind::would_block) return;
    if (got.kind == net::IoResult::Kind::error) return close(false);
    if (got.kind == net::IoResult::Kind::end) return on_input_end();
    if (stage_ == Stage::head) since_ms_ = server_.loop().now_ms();
    const std::string_view in(room.data(), got.bytes);
    const std::size_t used = process(in);
    if (!closed() && used < in.size() && stage_ != Stage::lingering && !closing_) {
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
  process_kept();
}

void Connection::process_kept() noexcept {
  const std::size_t used = process(kept_.view());
  if (closed()) return;
  if (used == kept_.size() || closing_ || stage_ == Stage::lingering) {
    kept_.release();  // an idle connection holds no buffer
    kept_charge_.set(0);
  } else if (used > 0) {
    kept_.consume(used);
    if (stage_ == Stage::head) since_ms_ = server_.loop().now_ms();  // a new head has begun
  }
}

// A new request would need memory that is kept for those at work. Who has sent a part of one may go
// on: it can only give memory back.
bool Connection::waits_for_memory() noexcept {
  if (!server_.budget().spent() || stage_ != Stage::head || session_.head_begun() ||
      !kept_.empty()) {
    return false;
  }
  server_.wait_for_memory(*this);
  return true;
}

void Connection::on_memory() noexcept {
  since_ms_ = server_.loop().now_ms();  // it was we who did not read
  set_interest();
  if (!closed()) rearm();
}

// Parses and serves what is at the front of `in`; returns the bytes that are done with.
std::size_t Connection::process(std::string_view in) noexcept {
  std::string_view rest = in;
  processing_ = true;
  while (!rest.empty() || session_.phase() != http1::Session::Phase::head) {
    if (!step(&rest)) break;
  }
  processing_ = false;
  const bool comes_back =
      static_cast<ListNode<ReadyTag>*>(this)->linked() || (!rest.empty() && over_high_mark());
  if (!closed() && peer_ended_ && stage_ == Stage::head && !closing_ && !comes_back) {
    close_after_flush(false);
  }
  return in.size() - rest.size();
}

bool Connection::step(std::string_view* in) noexcept {
  if (!wants_input()) return false;
  if (stage_ == Stage::head && turn_requests_ >= server_.limits().requests_per_turn) {
    server_.mark_ready(*this);
    return false;
  }
  const char* begin = in->data();
  std::string_view piece;
  Result<http1::Session::Event> event =
      session_.next(*in, server_.limits(), server_.fields(), &exchange_.head_slot(), &piece);
  if (!event) {
    fail(event.code());
    return false;
  }
  switch (*event) {
    case http1::Session::Event::need_more:
      if (stage_ == Stage::receiving && !exchange_.keep_head()) fail(Errc::no_memory);
      return false;
    case http1::Session::Event::head:
      on_head({begin, static_cast<std::size_t>(in->data() - begin)});
      if (stage_ == Stage::receiving && in->empty()) exchange_.want_body();
      break;
    case http1::Session::Event::body:
      on_body(piece);
      break;
    case http1::Session::Event::body_end:
      on_body_end();
      break;
  }
  return !closed() && stage_ != Stage::lingering && !closing_;
}

bool Connection::wants_input() const noexcept {
  if (closing_) return false;  // what comes after a refusal is nobody's, in whatever stage that was
  switch (stage_) {
    case Stage::head:
      return !over_high_mark();
    case Stage::receiving:
    case Stage::discarding:
      return true;
    case Stage::answering:
      return streaming_ && !body_paused_ && !body_complete();
    case Stage::lingering:
    case Stage::closed:
      return false;
  }
  return false;
}

void Connection::on_head(std::string_view raw) noexcept {
  ++requests_;
  ++turn_requests_;
  server_.count_request();
  if (server_.limits().request_ms > 0) request_until_ms_ = since_ms_ + server_.limits().request_ms;
  since_ms_ = body_progress_ms_ = server_.loop().now_ms();
  exchange_.open(raw);
  const http::RequestHead& head = exchange_.head();
  stage_ = Stage::receiving;
  if (head.upgrade) {
    Result<websocket::Handshake> handshake = websocket::check_handshake(head);
    if (!handshake) return fail(handshake.code());
  }
  if (head.framing == http::BodyFraming::none) return;  // body_end follows at once
  if (server_.handler().body_mode(head) == http::BodyMode::stream) {
    streaming_ = true;
    body_paused_ = false;
    dispatch();
  }
}

bool Connection::peer_trusted() noexcept {
  if (trust_ == Trust::unasked) {
    const bool yes = server_.options().trust->trusts_peer(peer_.view(), peer_.unix_socket);
    trust_ = yes ? Trust::yes : Trust::no;
  }
  return trust_ == Trust::yes;
}

void Connection::on_body(std::string_view piece) noexcept {
  body_progress_ms_ = server_.loop().now_ms();
  if (stage_ == Stage::answering) {
    if (http::Observer* observer = exchange_.observer()) observer->on_body(piece);
    return;
  }
  if (stage_ == Stage::discarding) {
    lingered_bytes_ += piece.size();
    if (lingered_bytes_ > discard_bytes_max()) close_after_flush(false);
    return;
  }
  const http::RequestHead& head = exchange_.head();
  BodyStore& store = exchange_.store();
  if (head.framing == http::BodyFraming::length && piece.size() == head.content_length) {
    return store.borrow(piece);
  }
  Result<void> stored = store.append(piece, server_.body_memory_bytes());
  if (!stored) fail(stored.code());
}

void Connection::on_body_end() noexcept {
  if (stage_ == Stage::receiving) return dispatch();
  if (stage_ == Stage::answering) {
    if (http::Observer* observer = exchange_.observer()) observer->on_body_end(Errc::ok);
    return;
  }
  session_.begin_next();  // discarding
  stage_ = Stage::head;
  since_ms_ = server_.loop().now_ms();
}

void Connection::dispatch() noexcept {
  stage_ = Stage::answering;
  exchange_.set_dispatched();
  server_.handler().handle(exchange_);
  if (exchange_.state() != Http1Exchange::State::idle && !exchange_.retained()) exchange_.abort();
  server_.flush_held();
}

void Connection::answer_ended(bool persist) noexcept {
  streaming_ = false;
  if (closed()) return;
  if (!persist || server_.draining()) return close_after_flush(false);
  since_ms_ = body_progress_ms_ = server_.loop().now_ms();
  if (body_complete()) {
    session_.begin_next();
    stage_ = Stage::head;
  } else {
    stage_ = Stage::discarding;
    lingered_bytes_ = 0;
  }
  if (processing_) return;
  if (!kept_.empty() || peer_ended_) server_.mark_ready(*this);
  if (!(interest_ & sys::Ready::readable)) set_interest();
  rearm();
}

bool Connection::may_persist() const noexcept {
  if (server_.stopping() || closing_ || server_.limits().keep_alive_ms == 0) return false;
  if (body_complete()) return true;
  // An answer before the body's end: only worth it when the rest is short and surely on its way
  // (RFC 9112, 9.3).
  const http::RequestHead& head = exchange_.head();
  return !head.expect_continue && head.framing == http::BodyFraming::length &&
         head.content_length - session_.body_bytes() <= discard_bytes_max();
}

void Connection::set_body_paused(bool paused) noexcept {
  if (paused == body_paused_) return;
  body_paused_ = paused;
  const std::uint64_t now_ms = server_.loop().now_ms();
  if (paused) {
    pause_since_ms_ = now_ms;
    return;
  }
  since_ms_ += now_ms - pause_since_ms_;  // the pause was ours, not the client's
  body_progress_ms_ = now_ms;
  if (closed() || processing_) return;
  // Also without kept input: the end of the body may be all that is owed.
  if (!kept_.empty() || (streaming_ && !body_complete())) server_.mark_ready(*this);
  if (!(interest_ & sys::Ready::readable)) set_interest();
  rearm();
}

// From the server, once a turn after mark_ready().
void Connection::on_turn() noexcept {
  if (closed()) return;
  turn_requests_ = 0;
  if (exchange_.waits_for_space() && under_low_mark()) {
    exchange_.on_space();
    if (closed()) return;
  }
  if (wants_input() && (!kept_.empty() || peer_ended_ || streaming_)) {
    if (stage_ == Stage::head && !session_.head_begun()) since_ms_ = server_.loop().now_ms();
    process_kept();
  }
  if (closed()) return;
  if (wants_input() && !(interest_ & sys::Ready::readable)) set_interest();
  rearm();
}

void Connection::on_input_end() noexcept {
  peer_ended_ = true;
  switch (stage_) {
    case Stage::head:
      // Half a head is nobody's request; complete ones that are still kept are served first.
      if (!kept_.empty()) {
        server_.mark_ready(*this);
        return set_interest();
      }
      if (out_.empty() && spool_.empty()) return close(false);
      return close_after_flush(false);
    case Stage::receiving:
      return fail(Errc::body_incomplete);
    case Stage::answering:
      if (streaming_ && !body_complete()) return fail(Errc::body_incomplete);
      return set_interest();  // half-closed: it may still read its answer
    case Stage::discarding:
      return close_after_flush(false);
    case Stage::lingering:
    case Stage::closed:
      return close(false);
  }
}

void Connection::discard_input() noexcept {
  std::span<char> room = server_.receive_buffer();
  net::IoResult got = transport().read(room.data(), room.size());
  if (got.kind == net::IoResult::Kind::would_block) return;
  if (got.kind != net::IoResult::Kind::bytes) return close(false);
  lingered_bytes_ += got.bytes;
  since_ms_ = server_.loop().now_ms();
  if (lingered_bytes_ > server_.limits().linger_bytes) close(false);
}

// The request at hand cannot be served: say why if it is not too late, then close.
void Connection::fail(Errc code) noexcept {
  log_failure("h1.reject", code);
  if (exchange_.state() != Http1Exchange::State::idle) return exchange_.fail(code, false);
  const int status = error_status(code);
  char* to = status ? reserve(http1::kErrorBytesMax) : nullptr;
  if (!to) return close(status != 0);
  const bool with_body = exchange_.head_slot().method != http::Method::head;  // as far as parsed
  char* end =
      http1::write_error(to, status, error_text(code), "", server_.server_fields(), with_body);
  out_.commit(static_cast<std::size_t>(end - to));
  server_.log_rejected(*this, status);
  close_after_flush(false);
}

void Connection::log_failure(const char* event, Errc code) noexcept {
  Log* log = server_.log();
  if (!log) return;
  log->line(LogLevel::warning, event)
      .add("reason", error_name(code))
      .add("client", http::Endpoint{peer_.view(), peer_.port, peer_.unix_socket})
      .add("request", requests_)
      .send();
}

void Connection::close_after_flush(bool reset) noexcept {
  if (closed()) return;
  closing_ = true;
  cut_ = cut_ || reset;
  mark_dirty();
}

void Connection::output_done() noexcept {
  if (closing_ && stage_ != Stage::lingering) {
    if (cut_) return close(true);
    return begin_linger();
  }
}

void Connection::begin_linger() noexcept {
  if (peer_ended_) return close(false);
  stage_ = Stage::lingering;
  request_until_ms_ = kNever;
  transport().shutdown_write();
  since_ms_ = server_.loop().now_ms();
  linger_until_ms_ = since_ms_ + linger_ms();
  lingered_bytes_ = 0;
  kept_.release();
  kept_charge_.set(0);
  set_interest();
}

std::uint64_t Connection::discard_bytes_max() const noexcept {
  return std::min(http::kDiscardBytesMax, server_.limits().linger_bytes);
}

std::uint64_t Connection::linger_ms() const noexcept {
  const std::uint64_t limit_ms = server_.limits().linger_ms;
  return server_.draining() ? std::min(limit_ms, http::kDrainLingerMs) : limit_ms;
}

void Connection::begin_drain() noexcept {
  if (stage_ == Stage::lingering) {
    linger_until_ms_ = std::min(linger_until_ms_, server_.loop().now_ms() + linger_ms());
    return rearm();
  }
  if (stage_ == Stage::discarding) return close_after_flush(false);
  if (stage_ != Stage::head || closing_) return;
  if (!kept_.empty() || session_.head_begun()) return;
  // A client in the middle of its work sends its next request any moment now: it gets an answer
  // with Connection: close instead of an end that it could not tell from a failure. So does one
  // that has connected and not spoken yet.
  const std::uint64_t now_ms = server_.loop().now_ms();
  const bool at_work = requests_ == 0 || now_ms - since_ms_ < kAtWorkMs || !out_.empty();
  if (!at_work) return close(false);
  since_ms_ = now_ms;
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
  if (!processing_) {
    kept_.release();
    kept_charge_.set(0);
  }
  server_.on_connection_closed(*this);
  if (exchange_.state() != Http1Exchange::State::idle) exchange_.fail(Errc::disconnected, true);
}

void Connection::set_interest() noexcept {
  std::uint32_t wanted = 0;
  const bool waits = static_cast<ListNode<ShortTag>*>(this)->linked();
  if (!peer_ended_ && !waits && (stage_ == Stage::lingering || wants_input())) {
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
