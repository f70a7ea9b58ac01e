// server/handshake_test.cpp: connections over a transport that has a handshake, holds input and
// waits for the other direction, as TLS does.

#include <memory>
#include <string>

#include "server/test_rig.h"
#include "server/test_secure_wire.h"

namespace lanner::server::test {
namespace {

const std::string kHello = record('h', "1") + record('h', "2");
const std::string kHelloBack = record('h', "one") + record('h', "two");
const std::string kRequest = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

Client& connect_securely(Rig& rig) {
  Client* client = rig.try_connect(nullptr, [](Client& end) {
    return std::make_unique<SecureWire>(std::make_unique<WireEnd>(end));
  });
  EXPECT_NE(client, nullptr);
  return *client;
}

// The handshake is over.
Client& connect_and_greet(Rig& rig) {
  Client& client = connect_securely(rig);
  client.send(kHello);
  rig.settle();
  EXPECT_EQ(client.take(), kHelloBack);
  return client;
}

void leave(Rig& rig, Client& client) {
  client.send_reset();
  rig.settle();
}

TEST(Handshake, ComesBeforeTheRequestHoweverItsBytesArrive) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  const std::string wire = kHello + sealed(kRequest);
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    Client& client = connect_securely(rig);
    client.send(wire.substr(0, cut));
    rig.settle();
    client.send(wire.substr(cut));
    rig.settle();
    EXPECT_EQ(opened(client.take()), "<h><h>" + ok_answer("ok")) << "cut at " << cut;
    leave(rig, client);
  }
}

TEST(Handshake, WaitsUntilItCanWrite) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_securely(rig);
  client.wire.write_room = 0;
  client.send(kHello + sealed(kRequest));
  rig.settle();
  EXPECT_EQ(client.connection->interest() & sys::Ready::readable, 0u);
  std::string all;
  while (all.size() < kHelloBack.size()) {
    client.wire.write_room = 1;
    rig.settle();
    const std::string some = client.take();
    ASSERT_EQ(some.size(), 1u);
    all += some;
  }
  client.wire.write_room = net::FakeTransport::kUnlimited;
  rig.settle();
  EXPECT_EQ(opened(all + client.take()), "<h><h>" + ok_answer("ok"));
  leave(rig, client);
}

TEST(Handshake, HasTheTimeOfTheFirstByte) {
  TestHandler handler;
  Options options = Rig::plain_options();
  options.limits.first_byte_ms = 10'000;
  Rig rig(handler, options);
  Client& client = connect_securely(rig);
  client.send(record('h', "1"));
  rig.pass(9'000);
  EXPECT_TRUE(client.open());
  rig.pass(1'200);
  EXPECT_FALSE(client.open());
  EXPECT_EQ(client.take(), record('h', "one"));
  EXPECT_EQ(rig.server().connection_count(), 0u);
}

TEST(Handshake, IsFollowedByTheWholeTimeForARequest) {
  TestHandler handler;
  Options options = Rig::plain_options();
  options.limits.first_byte_ms = 10'000;
  Rig rig(handler, options);
  Client& client = connect_securely(rig);
  rig.pass(9'000);
  client.send(kHello);
  rig.pass(9'000);
  EXPECT_TRUE(client.open());
  client.send(sealed(kRequest));
  rig.settle();
  EXPECT_EQ(opened(client.take()), "<h><h>" + ok_answer("ok"));
  leave(rig, client);
}

TEST(Handshake, ThatFailsEndsTheConnection) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& wrong = connect_securely(rig);
  wrong.send(kRequest + kRequest + kRequest);  // not encrypted
  Client& gone = connect_securely(rig);
  gone.send(record('h', "1"));
  gone.send_end();
  Client& reset = connect_securely(rig);
  reset.send_reset();
  rig.settle();
  for (Client* client : {&wrong, &gone, &reset}) EXPECT_FALSE(client->open());
  EXPECT_EQ(rig.server().connection_count(), 0u);
  EXPECT_EQ(rig.server().request_count(), 0u);
}

TEST(Handshake, OfADrainIsFinishedWithinASecond) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& quick = connect_securely(rig);
  Client& slow = connect_securely(rig);
  rig.settle();
  rig.server().begin_drain();
  quick.send(kHello + sealed(kRequest));
  rig.pass(500);
  EXPECT_NE(opened(quick.take()).find("200 OK"), std::string::npos);
  EXPECT_TRUE(slow.open());
  rig.pass(700);
  EXPECT_FALSE(slow.open());
}

TEST(Handshake, IsCutWithTheServer) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_securely(rig);
  rig.cut();
  EXPECT_FALSE(client.open());
}

// The toy takes 64 bytes at a time off the wire, and gives one record's with a read.
TEST(HeldInput, IsReadAlthoughThePollerIsSilent) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_and_greet(rig);
  std::string requests, answers;
  for (int i = 0; i < 50; ++i) {
    requests += kRequest;
    answers += ok_answer("ok");
  }
  for (const std::size_t most : {1, 3, 27, 100}) {
    client.send(sealed(requests, most));
    rig.settle();
    EXPECT_TRUE(opened(client.take()) == answers) << "records of " << most;
  }
  leave(rig, client);
}

TEST(HeldInput, WaitsForTheAnswerBeforeIt) {
  TestHandler handler;
  TestObserver observer;
  handler.script = [&](http::Exchange& exchange) { handler.hold(exchange, observer); };
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_and_greet(rig);
  client.send(sealed(kRequest + kRequest, 27));
  rig.settle();
  for (int i = 0; i < 2; ++i) {
    ASSERT_NE(handler.held, nullptr);
    EXPECT_TRUE(answer(*std::exchange(handler.held, nullptr), "ok"));
    rig.settle();
    EXPECT_EQ(opened(client.take()), ok_answer("ok"));
  }
  leave(rig, client);
}

TEST(HeldInput, IsReadBeforeTheEnd) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_and_greet(rig);
  client.send(sealed(kRequest + kRequest, 9));
  client.send_end();
  rig.settle();
  EXPECT_EQ(opened(client.take()), ok_answer("ok") + ok_answer("ok"));
  EXPECT_TRUE(client.ended_cleanly());
}

TEST(Directions, AReadMayWaitForWriting) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_and_greet(rig);
  client.wire.write_room = 0;
  client.send(record('u', "") + sealed(kRequest));
  rig.settle();
  EXPECT_EQ(rig.server().request_count(), 0u);
  client.wire.write_room = net::FakeTransport::kUnlimited;
  rig.settle();
  EXPECT_EQ(opened(client.take()), "<u>" + ok_answer("ok"));
  leave(rig, client);
}

TEST(Directions, AWriteMayWaitForReading) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_and_greet(rig);
  client.send(record('p', "") + sealed(kRequest));
  rig.settle();
  EXPECT_EQ(rig.server().request_count(), 1u);
  EXPECT_EQ(client.take(), "");
  client.send(record('g', "") + sealed(kRequest));
  rig.settle();
  EXPECT_EQ(opened(client.take()), ok_answer("ok") + ok_answer("ok"));
  leave(rig, client);
}

TEST(Directions, AWriteThatWaitsForReadingHasTheTimeOfAStall) {
  TestHandler handler;
  Options options = Rig::plain_options();
  options.limits.write_stall_ms = 5'000;
  Rig rig(handler, options);
  Client& client = connect_and_greet(rig);
  client.send(record('p', "") + sealed(kRequest));
  rig.pass(4'000);
  EXPECT_TRUE(client.open());
  rig.pass(2'000);
  EXPECT_FALSE(client.open());
}

TEST(Directions, ALargeAnswerIsSentInRecords) {
  const std::string body(300'000, 'x');
  TestHandler handler;
  handler.script = [&](http::Exchange& exchange) { EXPECT_TRUE(answer(exchange, body)); };
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_and_greet(rig);
  client.wire.block_every = 3;
  client.send(sealed(kRequest));
  rig.settle();
  EXPECT_EQ(opened(client.take()), ok_answer(body));
  leave(rig, client);
}

TEST(Directions, AnEndIsReadToTheEndOfWhatIsHeld) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_and_greet(rig);
  client.send(sealed("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + kRequest, 5));
  rig.settle();
  EXPECT_TRUE(opened(client.take()).starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(client.wire.write_shut);
  client.send_end();
  rig.settle();
  EXPECT_FALSE(client.wire.was_reset);
  EXPECT_EQ(rig.server().connection_count(), 0u);
}

}  // namespace
}  // namespace lanner::server::test
