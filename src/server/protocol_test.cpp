// server/protocol_test.cpp: a protocol that speaks before HTTP/1, and one that takes over from it.

#include "server/protocol.h"

#include <cctype>
#include <memory>
#include <string>

#include "server/test_rig.h"

namespace lanner::server::test {
namespace {

// A toy: takes one line. "http" hands over to HTTP/1; any other line is answered in capitals.
class Lines final : public Protocol {
 public:
  explicit Lines(Connection& connection) noexcept : connection_(connection) { ++alive; }
  ~Lines() { --alive; }

  std::size_t feed(std::string_view in) noexcept override {
    std::size_t used = 0;
    for (std::size_t end = in.find('\n'); !over_ && end != std::string_view::npos;
         end = in.find('\n', used)) {
      on_line(in.substr(used, end - used));
      used = end + 1;
    }
    return used;
  }
  bool wants_input() const noexcept override { return !over_ && !connection_.closing(); }
  bool at_rest() const noexcept override { return true; }
  void on_input_end() noexcept override { connection_.close_after_flush(false); }
  void on_half_close() noexcept override {}
  bool on_drained(bool) noexcept override { return false; }
  void on_space() noexcept override {}
  void on_memory() noexcept override {}
  std::uint64_t deadline_ms() const noexcept override { return until_ms; }
  void on_deadline(std::uint64_t) noexcept override { connection_.close(false); }
  void begin_drain() noexcept override { connection_.close_after_flush(false); }
  void on_closed() noexcept override { ++closed; }
  bool busy() const noexcept override { return false; }
  std::uint64_t request_number() const noexcept override { return 0; }
  void release() noexcept override { delete this; }

  static inline int alive = 0;
  static inline int closed = 0;
  static inline std::uint64_t until_ms = kNever;

 private:
  void on_line(std::string_view line) noexcept {
    if (line == "http") {
      over_ = true;
      return connection_.hand_over(*connection_.server().make_http1(connection_));
    }
    std::string capitals(line);
    for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (connection_.put_text(capitals + "\n")) connection_.mark_dirty();
  }

  Connection& connection_;
  bool over_ = false;
};

// The toy speaks first on connections of this listener.
Client& connect_lines(Rig& rig) {
  static const ListenerTerms terms = [] {
    ListenerSettings settings = Rig::plain_options();
    settings.make_protocol = [](Connection& connection) noexcept -> Protocol* {
      return std::make_unique<Lines>(connection).release();
    };
    return ListenerTerms(settings);
  }();
  return rig.connect(&terms);
}

class ProtocolTest : public testing::Test {
 protected:
  ProtocolTest() {
    Lines::closed = 0;
    Lines::until_ms = Protocol::kNever;
  }
  ~ProtocolTest() override { EXPECT_EQ(Lines::alive, 0) << "not released"; }
};

TEST_F(ProtocolTest, SpeaksInsteadOfHttp) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_lines(rig);
  client.send("hello\nthere\n");
  rig.settle();
  EXPECT_EQ(client.take(), "HELLO\nTHERE\n");
  client.send_end();
  rig.settle();
  EXPECT_TRUE(client.ended_cleanly());
}

TEST_F(ProtocolTest, HandsBytesThatItHasNotReadToTheNextOne) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  const std::string wire = "first\nhttp\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    Client& client = connect_lines(rig);
    client.send(wire.substr(0, cut));
    rig.settle();
    client.send(wire.substr(cut));
    rig.settle();
    EXPECT_EQ(client.take(), "FIRST\n" + ok_answer("ok")) << "cut at " << cut;
    client.send_reset();
    rig.settle();
  }
  EXPECT_EQ(Lines::alive, 0) << "released when it has handed over";
}

TEST_F(ProtocolTest, IsHandedPipelinedRequestsAsTheyCame) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_lines(rig);
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send("http\n" + request + request);
  rig.settle();
  EXPECT_EQ(client.take(), ok_answer("ok") + ok_answer("ok"));
  client.send_reset();
  rig.settle();
}

TEST_F(ProtocolTest, TakesOverFromHttpBehindTheRequest) {
  TestHandler handler;
  TestObserver observer;
  Client* client = nullptr;
  // Takes the connection away from HTTP/1 instead of answering, as an Upgrade does.
  handler.script = [&](http::Exchange& exchange) {
    handler.hold(exchange, observer);
    Connection& connection = *client->connection;
    ASSERT_TRUE(connection.put_text("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
    connection.mark_dirty();
    static_cast<Http1Protocol&>(connection.protocol())
        .upgrade(*std::make_unique<Lines>(connection).release());
  };
  Rig rig(handler, Rig::plain_options());
  const std::string wire =
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: lines\r\n\r\nhello\n";
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    client = &rig.connect();
    client->send(wire.substr(0, cut));
    rig.settle();
    client->send(wire.substr(cut));
    rig.settle();
    EXPECT_TRUE(client->take().ends_with("\r\n\r\nHELLO\n")) << "cut at " << cut;
    client->send_end();
    rig.settle();
    EXPECT_TRUE(client->ended_cleanly()) << "cut at " << cut;
  }
}

TEST_F(ProtocolTest, IsNotMadeWithoutMemory) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  ListenerSettings settings = Rig::plain_options();
  settings.make_protocol = [](Connection&) noexcept -> Protocol* { return nullptr; };
  const ListenerTerms terms(settings);
  EXPECT_EQ(rig.try_connect(&terms), nullptr);
  rig.settle();
  EXPECT_EQ(rig.server().connection_count(), 0u);
}

TEST_F(ProtocolTest, HasItsOwnDeadlines) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_lines(rig);
  rig.settle();
  Lines::until_ms = rig.loop().now_ms() + 5000;
  client.send("x\n");
  rig.pass(4000);
  EXPECT_TRUE(client.open());
  rig.pass(2000);
  EXPECT_FALSE(client.open());
  EXPECT_EQ(Lines::closed, 1);
}

TEST_F(ProtocolTest, IsToldOfADrain) {
  TestHandler handler;
  Rig rig(handler, Rig::plain_options());
  Client& client = connect_lines(rig);
  rig.settle();
  rig.server().begin_drain();
  rig.settle();
  EXPECT_TRUE(client.ended_cleanly());
  client.send_end();
  rig.settle();
}

}  // namespace
}  // namespace lanner::server::test
