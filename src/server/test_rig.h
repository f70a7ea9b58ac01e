// server/test_rig.h: a server on fake transports, turned by hand: no sockets, no waiting; not for
// the server.

#pragma once

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "net/fake_transport.h"
#include "net/loop.h"
#include "server/server.h"
#include "server/test_handler.h"

namespace lanner::server::test {

// The client's end, which outlives the connection.
struct Client {
  net::FakeTransport wire;
  Connection* connection = nullptr;  // null = buried
  bool reset = false;                // by the client
  std::size_t unacknowledged = 0;    // of what was written

  void send(std::string_view bytes) { wire.incoming += bytes; }
  void send_end() { wire.peer_ended = true; }
  // Gone, and what it had not read is lost.
  void send_reset() {
    reset = true;
    wire.read_error = ECONNRESET;
    wire.write_error = EPIPE;
  }
  const std::string& received() const { return wire.sent; }
  std::string take() { return std::exchange(wire.sent, {}); }
  bool open() const { return !wire.closed && !wire.write_shut; }
  // The end that a complete answer may have: first a FIN, then a close; never a reset.
  bool ended_cleanly() const { return !wire.was_reset && (wire.write_shut || wire.closed); }
};

// What the connection owns: passes everything on to the client's wire.
class WireEnd final : public net::Transport {
 public:
  explicit WireEnd(Client& client) noexcept : client_(client) {}
  ~WireEnd() override { client_.connection = nullptr; }
  net::IoResult read(char* to, std::size_t room) noexcept override {
    return client_.wire.read(to, room);
  }
  net::IoResult write(std::span<const std::string_view> pieces) noexcept override {
    return client_.wire.write(pieces);
  }
  net::IoResult send_file(int file, std::uint64_t offset, std::size_t count) noexcept override {
    return client_.wire.send_file(file, offset, count);
  }
  void limit_unsent(unsigned bytes) noexcept override { client_.wire.limit_unsent(bytes); }
  void shutdown_write() noexcept override { client_.wire.shutdown_write(); }
  void reset() noexcept override { client_.wire.reset(); }
  void close() noexcept override { client_.wire.close(); }
  int descriptor() const noexcept override { return -1; }
  std::size_t unacknowledged() const noexcept override { return client_.unacknowledged; }

 private:
  Client& client_;
};

// Does the poller's work for wires: level-triggered, and only what the connection waits for.
class Rig {
 public:
  Rig(http::Handler& handler, const Options& options)
      : Rig(std::move(*net::Loop::create()), handler, options) {}
  Rig(std::unique_ptr<net::Loop> loop, http::Handler& handler, const Options& options)
      : loop_(std::move(loop)) {
    loop_->step_clock(0);  // time stands still
    server_ = Server::create(*loop_, handler, options);
  }
  // Without Server and Date: answers that can be written down.
  static Options plain_options() {
    Options options;
    options.server_header = options.date_header = false;
    return options;
  }
  ~Rig() {
    server_.reset();
    for (const auto& client : clients_) EXPECT_EQ(client->connection, nullptr) << "not buried";
  }

  // `terms`: of the listener that it came by; null = the server's options.
  Client& connect(const ListenerTerms* terms = nullptr) {
    Client* client = try_connect(terms);
    EXPECT_NE(client, nullptr) << "no memory";
    return *client;
  }
  // Null: the server had no memory for a connection.
  Client* try_connect(const ListenerTerms* terms = nullptr) {
    return try_connect(terms, [](Client& client) { return std::make_unique<WireEnd>(client); });
  }
  // `make(client)`: the transport, over a WireEnd of that client's.
  template <class Make>
  Client* try_connect(const ListenerTerms* terms, Make make) {
    clients_.push_back(std::make_unique<Client>());
    Client& client = *clients_.back();
    sys::SocketAddress peer;
    peer.text = {'1', '9', '2', '.', '0', '.', '2', '.', '7'};
    peer.text_bytes = 9;
    peer.port = 4711;
    client.connection = server_->adopt(make(client).release(), peer, terms);
    return client.connection ? &client : nullptr;
  }
  // One turn of the loop. True: something happened, or will with the next one.
  bool turn(int wait_ms = 0) {
    const std::size_t before = seen();
    for (std::size_t i = 0; i < clients_.size(); ++i) poll(*clients_[i]);
    loop_->run_once(wait_ms);
    return seen() != before || server_->has_work();
  }
  // Turns until nothing happens any more, and a few more.
  void settle() {
    int quiet = 0;
    int turns = 0;
    while (quiet < 4 && ++turns < kTurnsMax) quiet = turn() ? 0 : quiet + 1;
    EXPECT_LT(turns, kTurnsMax) << "it spins";
  }
  // All that can happen now does; then time passes, and timers (one tick late at most) fire.
  void pass(std::uint64_t ms) {
    settle();
    loop_->step_clock(ms);
    settle();
  }
  // Closes everything; handlers hear of it.
  void cut() {
    server_->cut();
    settle();
  }
  // The answer to `request` on a connection of its own.
  std::string exchange(std::string_view request) {
    Client& client = connect();
    client.send(request);
    settle();
    std::string all = client.take();
    client.send_reset();
    settle();
    return all;
  }

  net::Loop& loop() { return *loop_; }
  Server& server() { return *server_; }

 private:
  static constexpr int kTurnsMax = 200'000;

  static void poll(Client& client) {
    Connection* connection = client.connection;
    if (!connection || connection->closed()) return;
    const net::FakeTransport& wire = client.wire;
    const std::uint32_t wanted = connection->interest();
    std::uint32_t events = client.reset ? sys::Ready::broken : 0;
    if (client.reset || !wire.incoming.empty() || wire.peer_ended) {
      events |= wanted & sys::Ready::readable;
    }
    if (client.reset || wire.peer_ended) events |= wanted & sys::Ready::peer_closed;
    if (wire.write_room > 0 && wire.write_max > 0) events |= wanted & sys::Ready::writable;
    if (events) connection->on_ready(events);
  }
  // A number that changes when anything a client or the server can see does.
  std::size_t seen() const {
    std::size_t sum = server_->request_count() + server_->connection_count();
    for (const auto& client : clients_) {
      sum = sum * 31 + client->wire.sent.size();
      sum = sum * 31 + client->wire.incoming.size();
      sum = sum * 31 + client->wire.closed + 2u * client->wire.write_shut;
    }
    return sum;
  }

  std::unique_ptr<net::Loop> loop_;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<Client>> clients_;
};

// "HTTP/1.1 200 OK\r\nContent-Length: N\r\n\r\nBODY": what test::answer() looks like on the wire.
inline std::string ok_answer(std::string_view body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

}  // namespace lanner::server::test
