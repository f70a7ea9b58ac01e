// server/server.cpp: one worker's server: its listeners, connections, limits, clock text and drain.

#include "server/server.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "http/date.h"
#include "sys/clock.h"
#include "sys/memory.h"
#include "sys/process.h"
#include "sys/sockets.h"

namespace lanner::server {

namespace {

constexpr std::uint64_t kBuffersLeast = 16u << 20;

// A small limit of descriptors is shared by halves.
std::uint64_t connections_max(std::uint64_t wanted, std::uint64_t left) noexcept {
  const std::uint64_t all = sys::descriptors_max();
  return std::max<std::uint64_t>(std::min(wanted, all > 2 * left ? all - left : all / 2), 1);
}

// Unless it is set: a quarter of the memory that there is, of which each worker has its share.
std::uint64_t buffers_max(const Options& options) noexcept {
  if (options.limits.buffers_bytes > 0) return options.limits.buffers_bytes;
  const unsigned workers = options.board ? std::max(options.board->slot_count(), 1u) : 1;
  return std::max(sys::memory_bytes() / 4 / workers, kBuffersLeast);
}

}  // namespace

Server::Server(net::Loop& loop, http::Handler& handler, const Options& options) noexcept
    : loop_(loop),
      handler_(handler),
      options_(options),
      pid_(sys::process_id()),
      connections_max_(connections_max(options.limits.connections, kDescriptorsLeft)),
      terms_(options),
      spool_file_(loop.budget(), options.spool_directory),
      answer_space_(loop.budget()),
      drain_timer_(*this),
      balance_timer_(*this),
      balance_watcher_(*this) {}

std::unique_ptr<Server> Server::create(net::Loop& loop, http::Handler& handler,
                                       const Options& options) noexcept {
  std::unique_ptr<Server> server(new (std::nothrow) Server(loop, handler, options));
  if (!server || !server->allocate()) return nullptr;
  loop.blocks().set_limit(buffers_max(options));
  if (options.board && options.board->wake_descriptor() >= 0 &&
      !loop.watch(options.board->wake_descriptor(), sys::Ready::readable | sys::Ready::edge,
                  server->balance_watcher_)) {
    return nullptr;
  }
  loop.set_turn_observer(server.get());
  return server;
}

bool Server::allocate() noexcept {
  receive_buffer_.reset(new (std::nothrow) char[kReceiveBytes]);
  if (!make_fields(options_.limits.fields) || !receive_buffer_) return false;
  if (options_.server_header) server_fields_.server_line = "Server: lanner\r\n";
  refresh_clock_text();
  return true;
}

// At least so many, for the heads of any listener's connections.
bool Server::make_fields(std::uint64_t count) noexcept {
  if (fields_ && count <= field_count_) return true;
  std::unique_ptr<http::Field[]> made(new (std::nothrow) http::Field[count]);
  if (!made) return false;
  fields_ = std::move(made);
  field_count_ = static_cast<std::size_t>(count);
  return true;
}

Server::Entry::Entry(Server& owner, int fd, const ListenerSettings& settings) noexcept
    : server(owner),
      terms(settings),
      listener(owner.loop_, fd, *this, {settings.shared, settings.shared ? 1 : 64}) {
  if (settings.owned) listener.take_ownership();
}

Server::~Server() {
  detach();
  if (options_.board && options_.board->wake_descriptor() >= 0) {
    loop_.unwatch(options_.board->wake_descriptor(), balance_watcher_);
  }
  for (std::size_t i = 0; i < entry_count_; ++i) entries_[i]->listener.close();
  live_.for_each([](Connection& connection) { connection.close(true); });
  bury();
}

Result<void> Server::listen(int fd, const ListenerSettings& settings) noexcept {
  if (entry_count_ == kListenersMax) return Errc::internal;
  if (!make_fields(settings.limits.fields)) return Errc::no_memory;
  std::unique_ptr<Entry> entry(new (std::nothrow) Entry(*this, fd, settings));
  if (!entry) return Errc::no_memory;
  Result<void> started = entry->listener.start();
  if (!started) return started;
  if (options_.board)
    options_.board->set_waiting();  // present from now on, not from the first turn
  entries_[entry_count_++] = std::move(entry);
  return {};
}

Result<Connection*> Server::add(int fd, net::Transport* transport, const sys::SocketAddress& peer,
                                const sys::SocketAddress* local,
                                const ListenerTerms& terms) noexcept {
  Connection* connection = connections_.make(*this, fd, transport, peer, local, terms);
  if (!connection) {
    delete transport;
    if (fd >= 0) sys::close(fd);
    return Errc::no_memory;
  }
  live_.push_back(*connection);
  budget().charge(sizeof(Connection));
  if (Result<void> started = connection->start(); !started) {
    connection->close(true);
    return started.error();
  }
  if (options_.board) options_.board->set_connections(static_cast<unsigned>(connections_.in_use()));
  return connection;
}

Protocol* Server::make_protocol(Connection& connection) noexcept {
  const auto make = connection.terms().make_protocol;
  return make ? make(connection) : make_http1(connection);
}

Http1Protocol* Server::make_http1(Connection& connection) noexcept {
  Http1Protocol* protocol = http1_protocols_.make(connection);
  if (protocol) budget().charge(sizeof(Http1Protocol));
  return protocol;
}

void Server::release(Http1Protocol& protocol) noexcept {
  http1_protocols_.destroy(&protocol);
  budget().release(sizeof(Http1Protocol));
}

Connection* Server::adopt(net::Transport* transport, const sys::SocketAddress& peer,
                          const ListenerTerms* terms) noexcept {
  const Result<Connection*> added = add(-1, transport, peer, nullptr, terms ? *terms : terms_);
  return added ? *added : nullptr;
}

void Server::Entry::on_accept(int fd, const sys::SocketAddress& peer,
                              net::Listener& from) noexcept {
  if (Result<Connection*> added = server.add(fd, nullptr, peer, &from.address(), terms); !added) {
    if (log::Log* log = server.options_.log) {
      log->line(log::LogLevel::error, "accept.failed")
          .add("reason", error_name(added.code()))
          .send();
    }
    return;
  }
  server.on_connected();
}

void Server::on_connected() noexcept {
  if (connections_.in_use() >= connections_max_ && !full_) {
    full_ = true;
    set_accepting();
    if (log::Log* log = options_.log) {
      log->line(log::LogLevel::warning, "connections.full")
          .add("reason", "limit_connections")
          .add("limit", connections_max_)
          .add("hint", connections_max_ == options_.limits.connections
                           ? "new clients wait in the backlog; raise --limit-connections"
                           : "new clients wait in the backlog; raise ulimit -Hn")
          .send();
    }
  }
  if (options_.board) balance();
}

void Server::Entry::on_accept_error(Error error) noexcept {
  if (log::Log* log = server.options_.log) {
    log->line(log::LogLevel::error, "accept.failed")
        .add("reason", std::strerror(static_cast<int>(error.detail)))
        .send();
  }
}

void Server::mark_dirty(Connection& connection) noexcept {
  if (!static_cast<ListNode<DirtyTag>&>(connection).linked()) dirty_.push_back(connection);
}

void Server::mark_ready(Connection& connection) noexcept {
  if (!static_cast<ListNode<ReadyTag>&>(connection).linked()) ready_.push_back(connection);
}

void Server::on_connection_closed(Connection& connection) noexcept {
  static_cast<ListNode<LiveTag>&>(connection).unlink();
  graveyard_.push_back(connection);
}

void Server::bury() noexcept {
  bool some = false;
  graveyard_.for_each([&](Connection& connection) {
    if (!connection.finished()) return;  // a handler still holds its exchange
    static_cast<ListNode<LiveTag>&>(connection).unlink();
    connections_.destroy(&connection);
    budget().release(sizeof(Connection));
    some = true;
  });
  if (!some) return;
  if (options_.board) {
    options_.board->set_connections(static_cast<unsigned>(connections_.in_use()));
    balance();
  }
  if (full_ && connections_.in_use() < connections_max_) {
    full_ = false;
    set_accepting();
  }
  if (backlog_left_ && take_backlog()) stop_listening();
}

// One place decides whether this worker accepts.
void Server::set_accepting() noexcept {
  if (draining_) return;
  const bool accepting = !full_ && !memory_full_ && !away_;
  for (std::size_t i = 0; i < entry_count_; ++i) {
    if (accepting) {
      entries_[i]->listener.resume();
    } else {
      entries_[i]->listener.pause();
    }
  }
}

void Server::balance() noexcept {
  process::Board* board = options_.board;
  if (draining_ || full_ || memory_full_ || !board) return;
  const bool may = board->may_accept(loop_.now_ms());
  if (!may) loop_.arm(balance_timer_, loop_.now_ms() + process::Board::kRecheckMs);
  if (may != away_) return;
  away_ = !may;
  set_accepting();
  if (away_) board->wake_others();
}

std::uint64_t Server::body_memory_bytes(const http::Limits& limits) const noexcept {
  const Budget& budget = loop_.budget();
  if (budget.full()) return 0;
  const std::uint64_t most = limits.body_memory_bytes;
  return budget.near() ? std::min(most, Budget::kSmallBytes) : most;
}

void Server::wait_for_memory(Connection& connection) noexcept {
  if (!static_cast<ListNode<ShortTag>&>(connection).linked()) short_.push_back(connection);
}

// Once a turn, while memory is short or was: what was stopped goes on.
void Server::look_at_memory() noexcept {
  if (budget().full()) {
    if (!memory_full_) {
      memory_full_ = true;
      set_accepting();
    }
    log_memory();
  } else if (memory_full_ && budget().relieved()) {
    memory_full_ = false;
    set_accepting();
  }
  for (int count = 0; count < kWokenPerTurn && !short_.empty() && !budget().spent(); ++count) {
    short_.pop_front()->on_memory();
  }
}

void Server::log_memory() noexcept {
  if (loop_.now_ms() < memory_log_ms_) return;
  memory_log_ms_ = loop_.now_ms() + kMemoryLogMs;
  log::Log* log = options_.log;
  if (!log) return;
  log->line(log::LogLevel::warning, "memory.full")
      .add("reason", "limit_buffers")
      .add("limit", budget().limit())
      .add("used", budget().used())
      .add("spooled", spool_file_.size())
      .add("connections", connections_.in_use())
      .add("hint", "new clients wait in the backlog; raise --limit-buffers")
      .send();
}

// A child of fork(2) must neither answer the parent's clients nor, when the parent has let go of
// them, keep them waiting. Listeners that were borrowed are their owner's.
void Server::on_forked() noexcept {
  const sys::Replacer replacer;
  for (std::size_t i = 0; i < entry_count_; ++i) {
    if (entries_[i]->terms.owned) replacer.replace(entries_[i]->listener.descriptor());
  }
  live_.for_each([&](Connection& connection) { replacer.replace(connection.descriptor()); });
  if (options_.board) options_.board->forget();
}

void Server::refresh_clock_text() noexcept {
  date_second_ = loop_.now_unix();
  if (!options_.date_header) return;
  std::memcpy(date_line_.data(), "Date: ", 6);
  http::write_date(date_line_.data() + 6, date_second_);
  std::memcpy(date_line_.data() + 6 + http::kDateBytes, "\r\n", 2);
  server_fields_.date_line = {date_line_.data(), 6 + http::kDateBytes + 2};
}

void Server::on_turn_end() noexcept {
  if (!ready_.empty()) {
    IntrusiveList<Connection, ReadyTag>
        now;  // those that come back meanwhile wait for the next turn
    now.take_all(ready_);
    while (Connection* connection = now.pop_front()) connection->on_turn();
  }
  if (!dirty_.empty()) flush_dirty();
  if (!graveyard_.empty()) bury();
  if (memory_full_ || budget().full() || !short_.empty()) look_at_memory();
  if (options_.log) options_.log->set_now(loop_.now_ms());
}

void Server::before_wait() noexcept {
  if (!dirty_.empty()) flush_dirty();
  if (!graveyard_.empty()) bury();
  stay_awake();
  if (options_.board) {
    options_.board->set_taking(takes_connections());
    options_.board->set_waiting();
  }
}

// False at the limit of connections, and while listeners rest after an error: then the others must
// not leave clients to this worker. One that stays away for their sake takes them if asked.
bool Server::takes_connections() const noexcept {
  if (away_) return true;
  for (std::size_t i = 0; i < entry_count_; ++i) {
    if (entries_[i]->listener.accepting()) return true;
  }
  return false;
}

void Server::detach() noexcept {
  if (loop_.turn_observer() == this) loop_.set_turn_observer(nullptr);
}

bool Server::after_turn() noexcept {
  if (const int stops = stop_requests_.load(std::memory_order_relaxed); stops > 0) {
    if (!draining_) begin_drain();
    if (stops > 1) cut();
  }
  if (!over()) return false;
  if (options_.board) options_.board->leave();
  return true;
}

bool Server::run() noexcept {
  loop_.rest();
  while (!after_turn()) {
    before_wait();
    if (over()) continue;
    // The timer wheel's tick is coarser than the re-check of a worker that stays away.
    loop_.run_once(away_ ? process::Board::kRecheckMs : -1);
    if (away_) balance();
  }
  loop_.rest();
  return !was_cut_;
}

// Connections that were put off to the next turn must not wait for something else to happen.
void Server::stay_awake() noexcept {
  const bool woken = !short_.empty() && !budget().spent();
  if ((ready_.empty() && !woken) || awake_task_.queued) return;
  awake_task_.queued = true;
  loop_.defer(awake_task_);
}

void Server::flush_dirty() noexcept {
  loop_.rest();
  held_bytes_ = 0;
  while (Connection* connection = dirty_.pop_front()) connection->flush();
}

void Server::request_stop() noexcept {
  stop_requests_.fetch_add(1, std::memory_order_relaxed);
  sys::signal_eventfd(loop_.wake_descriptor());
}

void Server::begin_drain() noexcept {
  if (draining_) return;
  draining_ = true;
  if (options_.board) options_.board->leave();  // the others count on this one no more
  bool last = false;
  for (std::size_t i = 0; i < entry_count_; ++i) {
    Entry& entry = *entries_[i];
    entry.listener.pause();
    // Who comes from now on is refused, not left waiting.
    if (entry.last()) sys::refuse_connections(entry.listener.descriptor());
    last = last || entry.last();
  }
  backlog_left_ = !take_backlog() && last;
  if (!backlog_left_) stop_listening();
  loop_.arm(drain_timer_, loop_.now_ms() + options_.limits.drain_ms);
  live_.for_each([](Connection& connection) { connection.begin_drain(); });
}

// Who is in the backlog is served still, but not by this worker while siblings accept from the same
// socket: they do it as well, and without end.
bool Server::takes_backlog(const Entry& entry) const noexcept {
  if (!entry.terms.shared) return true;
  return options_.board && options_.board->alone();
}

// As many as may be open at once. True: that was all.
bool Server::take_backlog() noexcept {
  for (std::size_t i = 0; i < entry_count_; ++i) {
    while (takes_backlog(*entries_[i]) && connections_.in_use() < connections_max_ &&
           entries_[i]->listener.accept_waiting()) {
    }
  }
  return connections_.in_use() < connections_max_;
}

// What is shared with other workers, or inherited from somebody who goes on listening, stays open
// there.
void Server::stop_listening() noexcept {
  backlog_left_ = false;
  for (std::size_t i = 0; i < entry_count_; ++i) {
    Entry& entry = *entries_[i];
    // The filter is the socket's, not this descriptor's: who has a copy goes on accepting.
    if (entry.last()) sys::allow_connections(entry.listener.descriptor());
    if (entry.terms.owned) {
      entry.listener.close();
    } else {
      entry.listener.pause();
    }
  }
}

void Server::log_access(log::AccessRecord record) noexcept {
  record.pid = pid_;
  log_line_.clear();
  options_.access_format->format(record, &log_line_);
  // A full ring counts what it drops (log_writer.h).
  if (options_.access_writer) (void)options_.access_writer->push(log_line_.view());
}

void Server::log_rejected(const Connection& connection, int status) noexcept {
  if (!options_.access_format) return;
  const sys::SocketAddress& peer = connection.peer();
  log_access({.head = nullptr,
              .client = {peer.view(), peer.port, peer.unix_socket},
              .status = status,
              .body_bytes = 0,
              .duration_us = 0,
              .unix_us = static_cast<std::int64_t>(sys::unix_us()),
              .content_length = std::nullopt,
              .response = nullptr,
              .pid = 0});
}

void Server::DrainTimer::on_timer(std::uint64_t) noexcept { server.cut(); }

void Server::cut() noexcept {
  if (!draining_) begin_drain();
  cut_asked_ = true;
  if (backlog_left_) stop_listening();
  log_cut();
  live_.for_each([](Connection& connection) { connection.close(true); });
  // Exchanges that a handler never gives back (a stuck thread) must not hold the end up.
  bury();
  if (graveyard_.empty()) return;
  was_cut_ = true;
  abandoned_ = true;  // not loop_.stop(): the loop may be somebody else's
}

void Server::log_cut() noexcept {
  std::uint64_t busy = 0;
  live_.for_each([&](Connection& connection) { busy += connection.busy() ? 1 : 0; });
  if (busy == 0) return;
  was_cut_ = true;
  if (log::Log* log = options_.log) {
    log->line(log::LogLevel::warning, "drain.forced").add("requests", busy).send();
  }
}

}  // namespace lanner::server
