#include "net/transport.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "net/fake_transport.h"
#include "net/tcp_transport.h"
#include "net/transport_check.h"
#include "sys/test_sockets.h"

namespace lanner::net {
namespace {

class FakeRig final : public TransportRig {
 public:
  static constexpr std::size_t kRoom = 200'000;

  FakeRig() { fake_.write_room = kRoom; }
  Transport& transport() override { return fake_; }
  void peer_sends(std::string_view bytes) override { fake_.incoming += bytes; }
  void peer_ends() override { fake_.peer_ended = true; }
  std::string peer_gets(std::size_t count) override {
    std::string got = fake_.sent.substr(0, count);
    fake_.sent.erase(0, got.size());
    fake_.write_room += got.size();
    return got;
  }
  End peer_sees() override {
    if (fake_.was_reset) return End::reset;
    return fake_.closed || fake_.write_shut ? End::ended : End::open;
  }
  void peer_leaves() override { fake_.write_error = EPIPE; }
  void await_readable() override {}
  void await_writable() override {}

 private:
  FakeTransport fake_;
};

class SocketRig final : public TransportRig {
 public:
  SocketRig(const sys::test::Pair& pair, bool peer_knows_resets)
      : transport_(pair.ours), peer_(pair.theirs), peer_knows_resets_(peer_knows_resets) {}
  ~SocketRig() override { sys::close(peer_); }
  Transport& transport() override { return transport_; }
  void peer_sends(std::string_view bytes) override {
    EXPECT_TRUE(sys::test::send_all(peer_, bytes));
  }
  void peer_ends() override { sys::shutdown_write(peer_); }
  std::string peer_gets(std::size_t count) override { return sys::test::receive(peer_, count); }
  End peer_sees() override {
    switch (sys::test::how_it_ends(peer_)) {
      case 0:
        return End::ended;
      case ECONNRESET:
        return End::reset;
      default:
        return End::open;
    }
  }
  void peer_leaves() override {
    sys::close(peer_);
    peer_ = -1;
  }
  void await_readable() override { EXPECT_TRUE(sys::test::wait_readable(transport_.descriptor())); }
  void await_writable() override { EXPECT_TRUE(sys::test::wait_writable(transport_.descriptor())); }
  bool peer_knows_resets() const override { return peer_knows_resets_; }

 private:
  TcpTransport transport_;
  int peer_;
  bool peer_knows_resets_;
};

TEST(Transport, FakeConforms) {
  check_transport([]() -> std::unique_ptr<TransportRig> { return std::make_unique<FakeRig>(); });
}

TEST(Transport, TcpConforms) {
  check_transport([]() -> std::unique_ptr<TransportRig> {
    return std::make_unique<SocketRig>(sys::test::tcp_pair(), true);
  });
}

TEST(Transport, UnixConforms) {
  check_transport([]() -> std::unique_ptr<TransportRig> {
    return std::make_unique<SocketRig>(sys::test::unix_pair(), false);
  });
}

TEST(TcpTransport, LeavesAReleasedDescriptorOpen) {
  const sys::test::Pair pair = sys::test::unix_pair();
  {
    TcpTransport transport(pair.ours);
    EXPECT_EQ(transport.release(), pair.ours);
    EXPECT_EQ(transport.descriptor(), -1);
  }
  EXPECT_TRUE(sys::test::send_all(pair.ours, "still open"));
  sys::close(pair.ours);
  sys::close(pair.theirs);
}

TEST(FakeTransport, DoesWhatTheTestSets) {
  FakeTransport fake;
  char room[8];
  fake.incoming = "abcdef";
  fake.read_max = 2;
  EXPECT_EQ(fake.read(room, sizeof(room)).bytes, 2u);
  EXPECT_EQ(fake.incoming, "cdef");
  fake.read_error = ECONNRESET;
  EXPECT_EQ(fake.read(room, sizeof(room)).error, ECONNRESET);
  const std::string_view pieces[] = {"12", "34"};
  fake.write_max = 3;
  EXPECT_EQ(fake.write(pieces).bytes, 3u);
  EXPECT_EQ(fake.sent, "123");
  fake.write_error = EPIPE;
  EXPECT_EQ(fake.write(pieces).error, EPIPE);
  EXPECT_EQ(fake.writes, 2);
}

}  // namespace
}  // namespace lanner::net
