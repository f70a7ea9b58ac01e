// server/listener_settings_test.cpp: listeners of one server with settings of their own.

#include "server/listener_settings.h"

#include <string>

#include <unistd.h>

#include "base/timer_wheel.h"
#include "server/test_rig.h"
#include "sys/sockets.h"
#include "sys/test_sockets.h"

namespace lanner::server::test {
namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";

std::string post(std::size_t bytes) {
  return "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" +
         std::string(bytes, 'x');
}

TEST(ListenerSettings, HaveLimitsOfTheirOwn) {
  TestHandler handler;
  Options options = Rig::plain_options();
  options.limits.body_bytes = 5;
  Rig rig(handler, options);
  ListenerSettings more = options;
  more.limits.body_bytes = 9;
  more.limits.keep_alive_ms = 200;
  const ListenerTerms terms(more);
  Client& usual = rig.connect();
  Client& other = rig.connect(&terms);
  usual.send(post(9));
  other.send(post(9));
  rig.settle();
  EXPECT_EQ(usual.take().substr(0, 13), "HTTP/1.1 413 ");
  EXPECT_EQ(other.take(), ok_answer("ok"));
  rig.pass(200 + TimerWheel::kTickMs);
  EXPECT_TRUE(other.wire.closed) << "idle for longer than its listener allows";
  rig.cut();
}

TEST(ListenerSettings, HaveMarksOfTheirOwn) {
  TestHandler handler;
  TestObserver observer;
  http::WriteState state = http::WriteState::closed;
  handler.script = [&](http::Exchange& exchange) {
    (void)exchange.start(make_head(200), 2000);
    const std::string text(2000, 'x');
    state = exchange.write({text, nullptr, nullptr});
    (void)exchange.finish();
  };
  const Options options = Rig::plain_options();
  Rig rig(handler, options);
  ListenerSettings small = options;
  small.limits.out_high_bytes = 1000;
  const ListenerTerms terms(small);
  rig.connect().send(kGet);
  rig.settle();
  EXPECT_EQ(state, http::WriteState::ok);
  rig.connect(&terms).send(kGet);
  rig.settle();
  EXPECT_EQ(state, http::WriteState::full);
  rig.cut();
}

TEST(ListenerSettings, SayWhoseWordCounts) {
  TestHandler handler;
  handler.script = [](http::Exchange& exchange) { (void)answer(exchange, exchange.client().host); };
  Rig rig(handler, Rig::plain_options());
  Result<http::TrustList> list = http::TrustList::parse("192.0.2.7");
  ASSERT_TRUE(list);
  const http::TrustList trust = std::move(*list);
  ListenerSettings behind = Rig::plain_options();
  behind.trust = &trust;
  const ListenerTerms terms(behind);
  const std::string request = "GET / HTTP/1.1\r\nHost: t\r\nX-Forwarded-For: 203.0.113.5\r\n\r\n";
  Client& direct = rig.connect();
  Client& proxied = rig.connect(&terms);
  direct.send(request);
  proxied.send(request);
  rig.settle();
  EXPECT_EQ(direct.take(), ok_answer("192.0.2.7"));
  EXPECT_EQ(proxied.take(), ok_answer("203.0.113.5"));
  rig.cut();
}

// Real ones: who owns the socket, what is taken from it, and how many fields a head may have.
TEST(ListenerSettings, BelongToEachOfTheServersListeners) {
  TestHandler handler;
  std::unique_ptr<net::Loop> loop = std::move(*net::Loop::create());
  const int borrowed = sys::test::listen_ipv4();
  const int owned = sys::test::listen_ipv4();
  Options options = Rig::plain_options();
  options.limits.fields = 2;
  std::unique_ptr<Server> server = Server::create(*loop, handler, options);
  ASSERT_TRUE(server->listen(borrowed));
  ListenerSettings settings = options;
  settings.owned = true;
  settings.limits.fields = 500;
  ASSERT_TRUE(server->listen(owned, settings));

  std::string many = "GET / HTTP/1.1\r\nHost: t\r\n";
  for (int i = 0; i < 400; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  many += "\r\n";
  const auto status = [&](int listener) {
    const int client = sys::test::connect_to(listener);
    EXPECT_EQ(::send(client, many.data(), many.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(many.size()));
    std::string got(13, '\0');
    ssize_t bytes = -1;
    for (int turns = 0; bytes < 0 && turns < 2000; ++turns) {
      server->before_wait();
      loop->run_once(5);
      bytes = ::recv(client, got.data(), got.size(), MSG_DONTWAIT);
    }
    ::close(client);
    return got;
  };
  EXPECT_EQ(status(borrowed), "HTTP/1.1 431 ");
  EXPECT_EQ(status(owned), "HTTP/1.1 200 ");

  server->begin_drain();
  EXPECT_TRUE(sys::is_listening_socket(borrowed));
  EXPECT_FALSE(sys::is_listening_socket(owned)) << "closed with the drain";
  server->cut();
  server.reset();
  ::close(borrowed);
}

}  // namespace
}  // namespace lanner::server::test
