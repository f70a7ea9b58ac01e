#include "sys/sockets.h"

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "sys/files.h"
#include "sys/test_sockets.h"

namespace lanner::sys {
namespace {

int accept_next(int listener, SocketAddress* peer) {
  EXPECT_TRUE(test::wait_readable(listener));
  const Result<int> accepted = accept(listener, peer);
  EXPECT_TRUE(accepted) << accepted.error().detail;
  return accepted ? *accepted : -1;
}

int port_of(int fd) { return local_address(fd)->port; }

TEST(Socket, AcceptsNonBlockingCloseOnExecWithoutDelay) {
  const int listener = test::listen_ipv4();
  const int client = test::connect_to(listener);
  const int fd = accept_next(listener, nullptr);
  EXPECT_TRUE(::fcntl(fd, F_GETFL) & O_NONBLOCK);
  EXPECT_TRUE(::fcntl(fd, F_GETFD) & FD_CLOEXEC);
  int no_delay = 0;
  socklen_t bytes = sizeof(no_delay);
  ASSERT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, &bytes), 0);
  EXPECT_EQ(no_delay, 1);
  EXPECT_EQ(accept(listener, nullptr).error(), os_error(EAGAIN));
  for (int each : {listener, client, fd}) close(each);
}

// A client that does not read: most of the answer stays with us, not in the kernel.
TEST(Socket, HoldsLittleUnsentForWhomItAccepts) {
  constexpr std::size_t kBytes = 1 << 23;
  const int listener = test::listen_ipv4();
  limit_unsent(listener, 65'536);
  const int client = test::connect_to(listener);
  const int small = 4096;  // what is sent and not read
  ASSERT_EQ(::setsockopt(client, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
  const int fd = accept_next(listener, nullptr);
  const std::string piece(16'384, 'x');
  std::size_t taken = 0;
  while (taken < kBytes) {
    const std::array<std::string_view, 1> pieces = {piece};
    const Result<std::size_t> put = write(fd, pieces);
    if (!put) break;
    taken += *put;
  }
  EXPECT_GE(taken, 65'536u);
  EXPECT_LT(taken, kBytes / 8);
  for (int each : {listener, client, fd}) close(each);
}

TEST(Socket, TellsAnIpv4Peer) {
  const int listener = test::listen_ipv4();
  const int client = test::connect_to(listener);
  SocketAddress peer;
  const int fd = accept_next(listener, &peer);
  EXPECT_EQ(peer.view(), "127.0.0.1");
  EXPECT_EQ(peer.port, port_of(client));
  EXPECT_FALSE(peer.unix_socket);
  for (int each : {listener, client, fd}) close(each);
}

TEST(Socket, TellsIpv6AndMappedIpv4Peers) {
  const int listener = test::listen_dual();
  if (listener < 0) GTEST_SKIP() << "no IPv6 here";
  EXPECT_EQ(local_address(listener)->view(), "::");
  const int mapped = test::connect_to(listener, true);
  SocketAddress peer;
  const int first = accept_next(listener, &peer);
  EXPECT_EQ(peer.view(), "127.0.0.1");
  EXPECT_EQ(peer.port, port_of(mapped));
  const int native = test::connect_to(listener);
  if (native >= 0) {  // no ::1 in some containers
    const int second = accept_next(listener, &peer);
    EXPECT_EQ(peer.view(), "::1");
    EXPECT_EQ(peer.port, port_of(native));
    close(second);
    close(native);
  }
  for (int each : {listener, mapped, first}) close(each);
}

TEST(Socket, TellsUnixPaths) {
  const std::string path = "/tmp/lanner-socket-test-" + std::to_string(::getpid());
  const int listener = test::listen_unix(path);
  ASSERT_GE(listener, 0);
  const Result<SocketAddress> local = local_address(listener);
  ASSERT_TRUE(local);
  EXPECT_EQ(local->view(), path);
  EXPECT_TRUE(local->unix_socket);
  const int client = test::connect_to(listener);
  SocketAddress peer;
  peer.port = 7;
  const int fd = accept_next(listener, &peer);
  EXPECT_EQ(peer.view(), "") << "an unbound client has no name";
  EXPECT_EQ(peer.port, 0);
  EXPECT_TRUE(peer.unix_socket);
  ::unlink(path.c_str());
  for (int each : {listener, client, fd}) close(each);
}

TEST(Socket, TellsAbstractAndLongestUnixNames) {
  const std::string abstract = "@lanner-socket-test-" + std::to_string(::getpid());
  int listener = test::listen_unix(abstract);
  ASSERT_GE(listener, 0);
  EXPECT_EQ(local_address(listener)->view(), abstract);
  close(listener);
  const std::string prefix = "@" + std::to_string(::getpid());
  const std::string longest = prefix + std::string(107 - prefix.size(), 'n');
  listener = test::listen_unix(longest);
  ASSERT_GE(listener, 0);
  EXPECT_EQ(local_address(listener)->view(), longest);
  close(listener);
}

TEST(Socket, KnowsAListeningSocket) {
  const int listener = test::listen_ipv4();
  const test::Pair pair = test::unix_pair();
  EXPECT_TRUE(is_listening_socket(listener));
  EXPECT_FALSE(is_listening_socket(pair.ours));
  EXPECT_FALSE(is_listening_socket(-1));
  for (int each : {listener, pair.ours, pair.theirs}) close(each);
}

TEST(Socket, WritesOnePieceAndMany) {
  const test::Pair pair = test::unix_pair();
  const std::string_view one[] = {"one"};
  EXPECT_EQ(*write(pair.ours, one), 3u);
  const std::string_view many[] = {"a", "bc", "def"};
  EXPECT_EQ(*write(pair.ours, many), 6u);
  EXPECT_EQ(test::receive(pair.theirs, 9), "oneabcdef");
  const std::vector<std::string_view> most(kPiecesMax + 5, "x");
  EXPECT_EQ(*write(pair.ours, most), kPiecesMax);
  close(pair.ours);
  close(pair.theirs);
}

TEST(Socket, ReadsUntilTheEnd) {
  const test::Pair pair = test::unix_pair();
  std::array<char, 8> room{};
  EXPECT_EQ(read(pair.ours, room.data(), room.size()).error(), os_error(EAGAIN));
  ASSERT_TRUE(test::send_all(pair.theirs, "abc"));
  EXPECT_EQ(*read(pair.ours, room.data(), room.size()), 3u);
  shutdown_write(pair.theirs);
  EXPECT_EQ(*read(pair.ours, room.data(), room.size()), 0u);
  close(pair.ours);
  close(pair.theirs);
}

TEST(Socket, WritingToADeadPeerIsAnErrorWithoutASignal) {
  const test::Pair pair = test::unix_pair();
  close(pair.theirs);
  const std::string_view one[] = {"x"};
  EXPECT_EQ(write(pair.ours, one).error(), os_error(EPIPE));
  const std::string_view many[] = {"x", "y"};
  EXPECT_EQ(write(pair.ours, many).error(), os_error(EPIPE));
  close(pair.ours);
}

TEST(Socket, SendsPartsOfFiles) {
  const test::Pair pair = test::unix_pair();
  const Result<int> file = make_spool_file("/tmp");
  ASSERT_TRUE(file);
  ASSERT_TRUE(write_all_at(*file, "0123456789", 0));
  EXPECT_EQ(*send_file(pair.ours, *file, 2, 5), 5u);
  EXPECT_EQ(test::receive(pair.theirs, 5), "23456");
  EXPECT_EQ(*send_file(pair.ours, *file, 8, 5), 2u);
  EXPECT_EQ(*send_file(pair.ours, *file, 10, 5), 0u);
  for (int each : {pair.ours, pair.theirs, *file}) close(each);
}

TEST(Socket, ResetIsSeenByATcpPeer) {
  const test::Pair pair = test::tcp_pair();
  ASSERT_GE(pair.ours, 0);
  close_reset(pair.ours);
  EXPECT_EQ(test::how_it_ends(pair.theirs), ECONNRESET);
  close(pair.theirs);
}

TEST(Socket, CloseAndShutdownAreSeenAsTheEnd) {
  const test::Pair pair = test::tcp_pair();
  ASSERT_GE(pair.ours, 0);
  shutdown_write(pair.ours);
  EXPECT_EQ(test::how_it_ends(pair.theirs), 0);
  close(pair.ours);
  EXPECT_EQ(test::how_it_ends(pair.theirs), 0);
  close(pair.theirs);
}

TEST(Socket, SetsNonBlocking) {
  const test::Pair pair = test::unix_pair();
  EXPECT_FALSE(::fcntl(pair.theirs, F_GETFL) & O_NONBLOCK);
  ASSERT_TRUE(set_nonblocking(pair.theirs));
  ASSERT_TRUE(set_nonblocking(pair.theirs));
  EXPECT_TRUE(::fcntl(pair.theirs, F_GETFL) & O_NONBLOCK);
  EXPECT_FALSE(set_no_delay(pair.ours)) << "not TCP";
  EXPECT_EQ(set_nonblocking(-1).error(), os_error(EBADF));
  close(pair.ours);
  close(pair.theirs);
}

TEST(Socket, EventfdIsReadableFromSignalToDrain) {
  const Result<int> fd = make_eventfd();
  ASSERT_TRUE(fd);
  drain_eventfd(*fd);  // nothing there: must not wait
  errno = 77;
  signal_eventfd(*fd);
  signal_eventfd(*fd);
  signal_eventfd(-1);
  EXPECT_EQ(errno, 77);
  pollfd one{*fd, POLLIN, 0};
  EXPECT_EQ(::poll(&one, 1, 0), 1);
  drain_eventfd(*fd);
  EXPECT_EQ(::poll(&one, 1, 0), 0);
  close(*fd);
}

TEST(Socket, CountsWhatHasArrivedUnread) {
  for (const test::Pair& pair : {test::tcp_pair(), test::unix_pair()}) {
    EXPECT_EQ(unread(pair.ours), 0u);
    ASSERT_TRUE(test::send_all(pair.theirs, "12345"));
    ASSERT_TRUE(test::wait_readable(pair.ours));
    EXPECT_EQ(unread(pair.ours), 5u);
    close(pair.ours);
    close(pair.theirs);
  }
  EXPECT_EQ(unread(-1), 0u);
}

socklen_t filter_instructions(int fd) {
  socklen_t count = 0;
  EXPECT_EQ(::getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, nullptr, &count), 0);
  return count;
}

TEST(Socket, RefusesConnectionsUntilTheyAreAllowedAgain) {
  const int listener = test::listen_ipv4();
  refuse_connections(listener);
  EXPECT_GT(filter_instructions(listener), 0u);
  allow_connections(listener);
  allow_connections(listener);
  EXPECT_EQ(filter_instructions(listener), 0u);
  const int client = test::connect_to(listener);
  EXPECT_GE(client, 0);
  close(client);
  close(listener);
}

}  // namespace
}  // namespace lanner::sys
