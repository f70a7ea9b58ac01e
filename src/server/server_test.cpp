#include "server/server.h"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/timer_wheel.h"
#include "server/test_rig.h"
#include "sys/test_sockets.h"

namespace lanner::server {
namespace {

using test::answer;
using test::Client;
using test::ok_answer;
using test::Rig;
using test::TestHandler;
using test::TestObserver;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";
constexpr std::string_view kPost = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\n";
constexpr std::uint64_t kTick = TimerWheel::kTickMs;

std::string closing_answer(std::string_view body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + std::string(body);
}

// ---- drain

class Drain : public ::testing::Test {
 protected:
  void hold_all() {
    handler.script = [this](http::Exchange& exchange) { handler.hold(exchange, observer); };
  }
  static Options options() {
    Options plain = Rig::plain_options();
    plain.limits.drain_ms = 30'000;
    return plain;
  }
  TestHandler handler;
  TestObserver observer;
};

TEST_F(Drain, IdleConnectionsGoAtOnce) {
  Rig rig(handler, options());
  Client& client = rig.connect();
  client.send(kGet);
  rig.pass(2'000);
  rig.server().begin_drain();
  rig.settle();
  EXPECT_EQ(client.received(), ok_answer("ok"));
  EXPECT_TRUE(client.ended_cleanly());
  EXPECT_EQ(rig.server().connection_count(), 0u);
}

// Its next request may be on the way: it would be taken for lost.
TEST_F(Drain, AClientAtWorkHasAMoment) {
  Rig rig(handler, options());
  Client& quick = rig.connect();
  Client& slow = rig.connect();
  quick.send(kGet);
  slow.send(kGet);
  rig.pass(500);
  rig.server().begin_drain();
  rig.pass(100);
  EXPECT_TRUE(slow.open());
  quick.send(kGet);
  rig.settle();
  EXPECT_EQ(quick.received(), ok_answer("ok") + closing_answer("ok"));
  EXPECT_TRUE(quick.ended_cleanly());
  rig.pass(1'000 + kTick);
  EXPECT_TRUE(slow.ended_cleanly());
  quick.send_end();
  slow.send_end();
  rig.settle();
  EXPECT_EQ(rig.server().connection_count(), 0u);
}

TEST_F(Drain, RequestsInFlightAreFinished) {
  hold_all();
  Rig rig(handler, options());
  Client& client = rig.connect();
  client.send(std::string(kGet) + std::string(kGet));
  rig.settle();
  rig.server().begin_drain();
  rig.pass(20'000);
  EXPECT_TRUE(client.open());
  (void)answer(*handler.held, "late");
  rig.settle();
  EXPECT_EQ(client.received(), closing_answer("late")) << "and the one behind it is not begun";
  EXPECT_EQ(handler.handled, 1);
  EXPECT_TRUE(client.ended_cleanly());
  client.send_end();
  rig.settle();
}

TEST_F(Drain, ARequestBeingReceivedIsServed) {
  Rig rig(handler, options());
  Client& head = rig.connect();
  Client& body = rig.connect();
  head.send("GET / HT");
  body.send(std::string(kPost) + "abc");
  rig.settle();
  rig.server().begin_drain();
  rig.pass(5'000);
  head.send("TP/1.1\r\nHost: t\r\n\r\n");
  body.send("defghi");
  rig.settle();
  EXPECT_EQ(head.received(), closing_answer("ok"));
  EXPECT_EQ(body.received(), closing_answer("ok"));
  rig.cut();
}

TEST_F(Drain, AnAnswerOnItsWayIsWritten) {
  handler.script = [](http::Exchange& exchange) {
    (void)answer(exchange, std::string(5'000, 'x'));
  };
  Rig rig(handler, options());
  Client& client = rig.connect();
  client.wire.write_room = 100;
  client.send(kGet);
  rig.settle();
  rig.server().begin_drain();
  rig.settle();
  EXPECT_TRUE(client.open());
  rig.pass(20'000);
  EXPECT_TRUE(client.open());
  client.wire.write_room = net::FakeTransport::kUnlimited;
  rig.settle();
  EXPECT_EQ(client.received(), ok_answer(std::string(5'000, 'x')));
  rig.pass(1'000 + kTick);
  EXPECT_TRUE(client.ended_cleanly());
  client.send_end();
  rig.settle();
}

TEST_F(Drain, DoesNotWaitForABodyThatNobodyReads) {
  handler.mode = http::BodyMode::stream;
  Rig rig(handler, options());
  Client& before = rig.connect();
  before.send(std::string(kPost) + "abc");
  rig.settle();
  EXPECT_EQ(before.received(), ok_answer("ok"));
  rig.server().begin_drain();
  rig.settle();
  EXPECT_TRUE(before.ended_cleanly());
  before.send_end();
  rig.settle();
  EXPECT_EQ(rig.server().connection_count(), 0u);
}

TEST_F(Drain, EndsByForceAfterItsTime) {
  hold_all();
  observer.then_disconnect = [&] { handler.held->abort(); };
  Rig rig(handler, options());
  Client& client = rig.connect();
  client.send(kGet);
  rig.settle();
  rig.server().begin_drain();
  rig.pass(29'999);
  EXPECT_EQ(observer.disconnects, 0);
  EXPECT_FALSE(rig.server().was_cut());
  rig.pass(1 + kTick);
  EXPECT_EQ(observer.disconnects, 1);
  EXPECT_TRUE(client.wire.was_reset);
  EXPECT_TRUE(rig.server().was_cut());
  EXPECT_EQ(rig.server().connection_count(), 0u);
}

TEST_F(Drain, ACutOfIdleConnectionsCutsNobody) {
  Rig rig(handler, options());
  rig.connect();
  Client& served = rig.connect();
  served.send(kGet);
  rig.settle();
  rig.server().cut();
  rig.settle();
  EXPECT_FALSE(rig.server().was_cut());
  EXPECT_EQ(rig.server().connection_count(), 0u);
}

TEST_F(Drain, ACutDoesNotWaitForAHandlerThatIsStuck) {
  hold_all();
  Rig rig(handler, options());
  rig.connect().send(kGet);
  rig.settle();
  rig.server().cut();
  EXPECT_TRUE(rig.server().was_cut());
  EXPECT_TRUE(rig.server().over());
  EXPECT_FALSE(rig.loop().stopped());  // it may be somebody else's
  EXPECT_FALSE(rig.server().run());
  handler.held->abort();  // at last
  rig.settle();
  EXPECT_EQ(rig.server().connection_count(), 0u);
}

TEST_F(Drain, CanBeginAgainOrAfterACut) {
  Rig rig(handler, options());
  rig.server().begin_drain();
  rig.server().begin_drain();
  rig.server().cut();
  rig.server().begin_drain();
  EXPECT_TRUE(rig.server().draining());
  EXPECT_TRUE(rig.server().run());
}

// ---- fields of the server's own

TEST(Server, AddsDateAndServer) {
  TestHandler handler;
  Rig rig(handler, Options());
  for (int second = 0; second < 3; ++second) {
    const std::string got = rig.exchange(kGet);
    EXPECT_NE(got.find("\r\nServer: lanner\r\n"), std::string::npos);
    const std::size_t date = got.find("\r\nDate: ");
    ASSERT_NE(date, std::string::npos);
    std::array<char, 64> want{};
    const time_t now = rig.loop().now_unix();
    tm parts{};
    std::strftime(want.data(), want.size(), "%a, %d %b %Y %H:%M:%S GMT", ::gmtime_r(&now, &parts));
    EXPECT_EQ(got.substr(date + 8, 29), want.data());
    rig.pass(1'000);
  }
}

TEST(Server, TheApplicationsOwnDateAndServerWin) {
  TestHandler handler;
  handler.script = [](http::Exchange& exchange) {
    (void)answer(exchange, "", 200, {{"Server", "mine"}, {"Date", "today"}});
  };
  Rig rig(handler, Options());
  EXPECT_EQ(rig.exchange(kGet),
            "HTTP/1.1 200 OK\r\nServer: mine\r\nDate: today\r\nContent-Length: 0\r\n\r\n");
}

// ---- turns

struct CountingHook final : net::LoopHook {
  void rest() noexcept override { ++rests; }
  void settle() noexcept override { ++settles; }
  void on_interrupt() noexcept override {}
  int rests = 0;
  int settles = 0;
};

TEST(Server, LetsTheLoopRestOnceATurnBeforeItWrites) {
  TestHandler handler;
  CountingHook hook;
  Rig rig(handler, Rig::plain_options());
  rig.loop().set_hook(&hook);
  Client& one = rig.connect();
  Client& other = rig.connect();
  one.send(kGet);
  other.send(kGet);
  rig.turn();
  EXPECT_EQ(hook.rests, 1);
  EXPECT_EQ(hook.settles, 1);
  rig.turn();
  EXPECT_EQ(hook.rests, 1) << "nothing to write";
  EXPECT_EQ(hook.settles, 2);
  rig.cut();
  rig.loop().set_hook(nullptr);
}

TEST(Server, CountsConnectionsAndRequests) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  rig.connect().send(std::string(kGet) + std::string(kGet));
  rig.connect().send("nonsense\r\n\r\n");
  EXPECT_EQ(rig.server().connection_count(), 2u);
  rig.settle();
  EXPECT_EQ(rig.server().request_count(), 2u);
  rig.cut();
  EXPECT_EQ(rig.server().connection_count(), 0u);
}

// A transport whose descriptor nobody can watch.
struct Unwatchable final : net::Transport {
  explicit Unwatchable(int* count) : destroyed(count) {}
  ~Unwatchable() override { ++*destroyed; }
  net::IoResult read(char*, std::size_t) noexcept override { return {}; }
  net::IoResult write(std::span<const std::string_view>) noexcept override { return {}; }
  net::IoResult send_file(int, std::uint64_t, std::size_t) noexcept override { return {}; }
  void shutdown_write() noexcept override {}
  void reset() noexcept override {}
  void close() noexcept override {}
  int descriptor() const noexcept override { return 1'000'000; }
  int* destroyed;
};

TEST(Server, OwnsAnAdoptedTransportEvenOnFailure) {
  TestHandler handler;
  int destroyed = 0;
  {
    Rig rig(handler, Rig::plain_options());
    EXPECT_EQ(rig.server().adopt(new (std::nothrow) Unwatchable(&destroyed), {}), nullptr);
    rig.turn();
  }
  EXPECT_EQ(destroyed, 1);
}

// ---- over sockets

class ServerSockets : public ::testing::Test {
 protected:
  void SetUp() override {
    loop_ = std::move(*net::Loop::create());
    listener_ = sys::test::listen_ipv4();
    ASSERT_GE(listener_, 0);
  }
  void TearDown() override {
    server_.reset();
    ::close(listener_);
  }
  Server& serve() {
    server_ = Server::create(*loop_, handler, options);
    EXPECT_TRUE(server_->listen(listener_));
    return *server_;
  }
  int connect() { return sys::test::connect_to(listener_); }
  // Turns until `done()`. A turn's wait is short: the client's end is in our hands, too.
  template <class Done>
  void turn_until(Done done) {
    bool is_done = false;
    for (int turns = 0; !is_done && turns < 2'000; ++turns) {
      server_->before_wait();
      loop_->run_once(5);
      is_done = done();
    }
    EXPECT_TRUE(is_done);
  }
  // What the server has answered to `fd`; serves until `bytes` are there.
  std::string receive(int fd, std::size_t bytes) {
    std::string got(bytes, '\0');
    std::size_t filled = 0;
    turn_until([&] {
      ssize_t more = 1;
      while (filled < bytes && more > 0) {
        more = ::recv(fd, got.data() + filled, bytes - filled, MSG_DONTWAIT);
        if (more > 0) filled += static_cast<std::size_t>(more);
      }
      return filled == bytes || more == 0;
    });
    got.resize(filled);
    return got;
  }

  Options options = Rig::plain_options();
  TestHandler handler;
  std::unique_ptr<net::Loop> loop_;
  std::unique_ptr<Server> server_;
  int listener_ = -1;
};

TEST_F(ServerSockets, ServesAndKnowsBothEnds) {
  handler.script = [](http::Exchange& exchange) {
    const http::Endpoint client = exchange.client();
    const http::Endpoint server = exchange.server();
    EXPECT_GT(client.port, 0);
    EXPECT_GT(server.port, 0);
    (void)answer(exchange, std::string(client.host) + "|" + std::string(server.host));
  };
  serve();
  const int client = connect();
  const std::string want = ok_answer("127.0.0.1|127.0.0.1");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(sys::test::send_all(client, kGet));
    EXPECT_EQ(receive(client, want.size()), want);
  }
  ::close(client);
  turn_until([&] { return server_->connection_count() == 0; });
}

TEST_F(ServerSockets, ABigAnswerGoesThroughASmallPipe) {
  const std::string body(5'000'000, 'x');
  handler.script = [&](http::Exchange& exchange) { (void)answer(exchange, body); };
  serve();
  const int client = connect();
  ASSERT_TRUE(sys::test::send_all(client, kGet));
  const std::string want = ok_answer(body);
  EXPECT_TRUE(receive(client, want.size()) == want);
  ::close(client);
}

TEST_F(ServerSockets, BeyondTheLimitClientsWaitInTheBacklog) {
  options.limits.connections = 2;
  serve();
  const std::string want = ok_answer("ok");
  const int first = connect();
  const int second = connect();
  const int third = connect();
  for (const int client : {third, second, first}) {
    ASSERT_TRUE(sys::test::send_all(client, kGet));
  }
  EXPECT_EQ(receive(first, want.size()), want);
  EXPECT_EQ(receive(second, want.size()), want);
  for (int i = 0; i < 5; ++i) loop_->run_once(0);
  EXPECT_EQ(handler.handled, 2);
  EXPECT_EQ(server_->connection_count(), 2u);
  ::close(first);
  EXPECT_EQ(receive(third, want.size()), want);
  EXPECT_EQ(server_->connection_count(), 2u);
  ::close(second);
  ::close(third);
}

TEST_F(ServerSockets, DrainServesWhatIsInTheBacklog) {
  serve();
  const int client = connect();
  ASSERT_TRUE(sys::test::send_all(client, kGet));
  server_->begin_drain();
  const std::string want = closing_answer("ok");
  EXPECT_EQ(receive(client, want.size() + 1), want);
  ::close(client);
  EXPECT_TRUE(server_->run());
  EXPECT_EQ(server_->connection_count(), 0u);
}

// The limit holds for a drain, too: the rest of the backlog is served as connections end.
TEST_F(ServerSockets, DrainServesTheBacklogWithinTheLimit) {
  options.limits.connections = 2;
  options.owned = true;
  serve();
  std::vector<int> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(connect());
    ASSERT_TRUE(sys::test::send_all(clients.back(), kGet));
  }
  server_->begin_drain();
  listener_ = -1;  // closed by the server
  EXPECT_EQ(server_->connection_count(), 2u);
  const std::string want = closing_answer("ok");
  std::size_t most = 0;
  for (const int client : clients) {
    EXPECT_EQ(receive(client, want.size() + 1), want);
    most = std::max(most, server_->connection_count());
    ::close(client);
  }
  EXPECT_LE(most, 2u);
  EXPECT_TRUE(server_->run());
}

// What waits in a socket that others accept from is theirs.
TEST_F(ServerSockets, DrainLeavesASharedBacklogToTheOthers) {
  options.shared = true;
  serve();
  const int client = connect();
  ASSERT_TRUE(sys::test::send_all(client, kGet));
  server_->begin_drain();
  EXPECT_EQ(server_->connection_count(), 0u);
  EXPECT_TRUE(server_->run());
  ::close(client);
}

TEST_F(ServerSockets, TheLastOfSeveralWorkersServesTheSharedBacklog) {
  const int fd = ::memfd_create("board", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(fd, 2 * process::Board::kSlotBytes), 0);
  Result<process::Board> mine = process::Board::open(fd, 0);
  Result<process::Board> other = process::Board::open(fd, 1);
  ::close(fd);
  ASSERT_TRUE(mine && other);
  other->set_waiting();
  options.board = &*mine;
  options.shared = true;
  serve();
  const int client = connect();
  ASSERT_TRUE(sys::test::send_all(client, kGet));
  other->leave();
  server_->begin_drain();
  const std::string want = closing_answer("ok");
  EXPECT_EQ(receive(client, want.size() + 1), want);
  ::close(client);
  EXPECT_TRUE(server_->run());
  server_.reset();
}

TEST_F(ServerSockets, AtTheBudgetClientsWaitInTheBacklog) {
  options.limits.buffers_bytes = 4u << 20;
  serve();
  const int first = connect();
  const std::string want = ok_answer("ok");
  ASSERT_TRUE(sys::test::send_all(first, kGet));
  EXPECT_EQ(receive(first, want.size()), want);
  const std::uint64_t charged = (4u << 20) - (4u << 20) / 16;
  server_->budget().charge(charged);
  loop_->run_once(0);
  const int second = connect();
  ASSERT_TRUE(sys::test::send_all(second, kGet));
  ASSERT_TRUE(sys::test::send_all(first, kGet));
  EXPECT_EQ(receive(first, want.size()), want) << "small answers are given still";
  EXPECT_EQ(server_->connection_count(), 1u);
  server_->budget().release(charged);
  EXPECT_EQ(receive(second, want.size()), want);
  ::close(first);
  ::close(second);
}

// run() would wait for ever if requests that were put off to the next turn did not keep it awake.
TEST_F(ServerSockets, PutOffRequestsKeepTheLoopAwake) {
  options.limits.requests_per_turn = 2;
  handler.script = [this](http::Exchange& exchange) {
    (void)answer(exchange, "ok");
    if (handler.handled == 101) server_->request_stop();
  };
  serve();
  const int client = connect();
  std::string requests;
  for (int i = 0; i < 101; ++i) requests += kGet;
  ASSERT_TRUE(sys::test::send_all(client, requests));
  ::shutdown(client, SHUT_WR);
  EXPECT_TRUE(server_->run());
  EXPECT_EQ(handler.handled, 101);
  ::close(client);
}

TEST_F(ServerSockets, AnotherThreadStopsIt) {
  serve();
  std::thread thread([this] { server_->request_stop(); });
  EXPECT_TRUE(server_->run());
  thread.join();
}

TEST_F(ServerSockets, TheSecondStopCuts) {
  TestObserver observer;
  observer.then_disconnect = [&] { handler.held->abort(); };
  handler.script = [&](http::Exchange& exchange) {
    handler.hold(exchange, observer);
    server_->request_stop();
    server_->request_stop();
  };
  serve();
  const int client = connect();
  ASSERT_TRUE(sys::test::send_all(client, kGet));
  EXPECT_FALSE(server_->run()) << "a request was cut";
  EXPECT_EQ(sys::test::how_it_ends(client), ECONNRESET);
  ::close(client);
}

TEST_F(ServerSockets, ResetsWhoIsThereWhenItIsDestroyed) {
  serve();
  const int client = connect();
  ASSERT_TRUE(sys::test::send_all(client, kGet));
  const std::string want = ok_answer("ok");
  EXPECT_EQ(receive(client, want.size()), want);
  server_.reset();
  EXPECT_EQ(sys::test::how_it_ends(client), ECONNRESET);
  ::close(client);
}

// A process that inherited the socket goes on with it: nothing of the drain stays on it.
TEST_F(ServerSockets, ADrainLeavesACopyOfItsListenerUsable) {
  options.owned = true;
  const int copy = ::dup(listener_);
  serve().begin_drain();
  listener_ = copy;
  socklen_t instructions = 0;
  EXPECT_EQ(::getsockopt(copy, SOL_SOCKET, SO_GET_FILTER, nullptr, &instructions), 0);
  ASSERT_EQ(instructions, 0u) << "a filter that drops who connects";
  const int client = connect();
  EXPECT_TRUE(sys::test::wait_readable(copy));
  const Result<int> accepted = sys::accept(copy, nullptr);
  ASSERT_TRUE(accepted);
  ::close(*accepted);
  ::close(client);
}

TEST_F(ServerSockets, HasRoomForSoManyListeners) {
  serve();
  std::vector<int> more;
  while (more.size() < Server::kListenersMax) {
    more.push_back(sys::test::listen_ipv4());
    const bool last = more.size() == Server::kListenersMax;
    EXPECT_EQ(server_->listen(more.back()).code(), last ? Errc::internal : Errc::ok);
  }
  const int client = sys::test::connect_to(more[3]);
  ASSERT_TRUE(sys::test::send_all(client, kGet));
  const std::string want = ok_answer("ok");
  EXPECT_EQ(receive(client, want.size()), want);
  ::close(client);
  server_.reset();
  for (const int fd : more) ::close(fd);
}

// The loop has a waiting of its own (an asyncio loop): answers given between turns leave, too.
TEST_F(ServerSockets, BeforeWaitWritesWhatWasAnsweredBetweenTurns) {
  TestObserver observer;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  serve();
  const int client = connect();
  ASSERT_TRUE(sys::test::send_all(client, kGet));
  turn_until([&] { return handler.held != nullptr; });
  (void)answer(*handler.held, "late");
  server_->before_wait();
  const std::string want = ok_answer("late");
  EXPECT_EQ(sys::test::receive(client, want.size()), want);
  EXPECT_FALSE(server_->after_turn());
  server_->request_stop();
  EXPECT_FALSE(server_->after_turn()) << "the client is still there";
  ::close(client);
  turn_until([&] { return server_->after_turn(); });
}

}  // namespace
}  // namespace lanner::server
