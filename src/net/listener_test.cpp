#include "net/listener.h"

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/test_sockets.h"

namespace lanner::net {
namespace {

struct Clients final : Acceptor {
  ~Clients() {
    for (int fd : accepted) sys::close(fd);
  }
  void on_accept(int fd, const sys::SocketAddress& peer, Listener& from) noexcept override {
    accepted.push_back(fd);
    last_peer = peer;
    if (pause_at == accepted.size()) from.pause();
  }
  void on_accept_error(Error error) noexcept override { errors.push_back(error); }
  std::vector<int> accepted;
  std::vector<Error> errors;
  sys::SocketAddress last_peer;
  std::size_t pause_at = 0;
};

class ListenerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Loop>> made = Loop::create();
    ASSERT_TRUE(made);
    loop_ = std::move(*made);
    fd_ = sys::test::listen_ipv4();
    ASSERT_GE(fd_, 0);
  }
  void TearDown() override {
    for (int fd : sockets_) sys::close(fd);
    sys::close(fd_);
  }
  void connect(int count = 1) {
    for (int i = 0; i < count; ++i) {
      sockets_.push_back(sys::test::connect_to(fd_));
      ASSERT_GE(sockets_.back(), 0);
    }
  }
  // connect() has returned, but the last handshake packet may still be on its way to the backlog.
  void turns_until_accepted(std::size_t count) {
    while (clients_.accepted.size() < count) loop_->run_once(-1);
  }

  std::unique_ptr<Loop> loop_;
  int fd_ = -1;
  Clients clients_;
  std::vector<int> sockets_;
};

TEST_F(ListenerTest, AcceptsAllThatWaitInOneTurn) {
  Listener listener(*loop_, fd_, clients_, {});
  EXPECT_FALSE(listener.accepting());
  ASSERT_TRUE(listener.start());
  ASSERT_TRUE(listener.start()) << "twice is once";
  EXPECT_TRUE(listener.accepting());
  connect(10);
  turns_until_accepted(10);
  EXPECT_EQ(clients_.accepted.size(), 10u);
  EXPECT_EQ(clients_.last_peer.view(), "127.0.0.1");
  EXPECT_TRUE(clients_.errors.empty());
}

TEST_F(ListenerTest, KnowsItsAddress) {
  Listener listener(*loop_, fd_, clients_, {});
  EXPECT_EQ(listener.address().view(), "127.0.0.1");
  EXPECT_EQ(listener.address().port, sys::local_address(fd_)->port);
  EXPECT_EQ(listener.descriptor(), fd_);
}

TEST_F(ListenerTest, AcceptsNoMoreThanAskedInATurn) {
  Listener listener(*loop_, fd_, clients_, {.shared = false, .accepts_per_turn = 3});
  connect(8);
  ASSERT_TRUE(listener.start());
  std::size_t before = 0;
  while (clients_.accepted.size() < 8) {
    loop_->run_once(-1);
    EXPECT_LE(clients_.accepted.size() - before, 3u);
    before = clients_.accepted.size();
  }
}

TEST_F(ListenerTest, SharedLeavesSomeForOthers) {
  Listener listener(*loop_, fd_, clients_, {.shared = true, .accepts_per_turn = 64});
  connect(Listener::kSharedAcceptsMax * 2);
  ASSERT_TRUE(listener.start());
  loop_->run_once(-1);
  EXPECT_LE(clients_.accepted.size(), static_cast<std::size_t>(Listener::kSharedAcceptsMax));
  turns_until_accepted(Listener::kSharedAcceptsMax * 2);
  listener.pause();
  ASSERT_TRUE(listener.start()) << "exclusive interest can be added again";
}

TEST_F(ListenerTest, PausedLeavesClientsInTheBacklog) {
  Listener listener(*loop_, fd_, clients_, {});
  ASSERT_TRUE(listener.start());
  listener.pause();
  listener.pause();
  connect(2);
  loop_->run_once(0);
  EXPECT_TRUE(clients_.accepted.empty());
  EXPECT_FALSE(listener.accepting());
  ASSERT_TRUE(listener.start());
  turns_until_accepted(2);
}

TEST_F(ListenerTest, PausesInTheMiddleOfATurn) {
  Listener listener(*loop_, fd_, clients_, {});
  connect(5);
  clients_.pause_at = 2;
  ASSERT_TRUE(listener.start());
  turns_until_accepted(2);
  loop_->run_once(0);
  EXPECT_EQ(clients_.accepted.size(), 2u);
}

TEST_F(ListenerTest, EmptiesTheBacklogEvenWhenPaused) {
  Listener listener(*loop_, fd_, clients_, {});
  connect(5);
  while (clients_.accepted.size() < 5) {
    ASSERT_TRUE(sys::test::wait_readable(fd_));
    EXPECT_TRUE(listener.accept_waiting());
  }
  EXPECT_FALSE(listener.accept_waiting()) << "there is nobody";
  EXPECT_FALSE(listener.accepting());
  EXPECT_TRUE(clients_.errors.empty());
}

// The poller knows the descriptor already, so that watching it fails; later it does not.
TEST_F(ListenerTest, WhatCannotResumeIsToldAndTriedAgain) {
  struct Nobody final : Watcher {
    void on_ready(std::uint32_t) noexcept override {}
  } nobody;
  loop_->step_clock(0);
  Listener listener(*loop_, fd_, clients_, {});
  ASSERT_TRUE(loop_->watch(fd_, 0, nobody));
  listener.resume();
  EXPECT_FALSE(listener.accepting());
  ASSERT_EQ(clients_.errors.size(), 1u);
  loop_->step_clock(1000);
  loop_->run_once(0);
  EXPECT_EQ(clients_.errors.size(), 2u);
  loop_->unwatch(fd_, nobody);
  loop_->step_clock(1000);
  loop_->run_once(0);
  EXPECT_EQ(clients_.errors.size(), 2u);
  connect(1);
  turns_until_accepted(1);
}

// Lowers the limit of open descriptors to what is open now, for its lifetime.
struct NoMoreDescriptors {
  NoMoreDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before);
    const int next = ::dup(0);
    ::close(next);
    rlimit now = before;
    now.rlim_cur = static_cast<rlim_t>(next);
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before); }
  rlimit before{};
};

TEST_F(ListenerTest, OutOfDescriptorsItRefusesOneAndRests) {
  Listener listener(*loop_, fd_, clients_, {});
  ASSERT_TRUE(listener.start());
  connect(2);
  ASSERT_TRUE(sys::test::wait_readable(fd_));
  {
    NoMoreDescriptors full;
    loop_->run_once(-1);
  }
  ASSERT_EQ(clients_.errors.size(), 1u);
  EXPECT_EQ(clients_.errors[0], os_error(EMFILE));
  EXPECT_TRUE(clients_.accepted.empty());
  EXPECT_FALSE(listener.accepting());
  EXPECT_EQ(sys::test::how_it_ends(sockets_[0]), 0) << "the first client sees that it is refused";
  while (!listener.accepting()) loop_->run_once(-1);
  turns_until_accepted(1);
  EXPECT_EQ(clients_.errors.size(), 1u);
}

TEST_F(ListenerTest, PausedWhileItRestsItStaysPaused) {
  Listener listener(*loop_, fd_, clients_, {});
  ASSERT_TRUE(listener.start());
  connect(2);
  ASSERT_TRUE(sys::test::wait_readable(fd_));
  {
    NoMoreDescriptors full;
    loop_->run_once(-1);
  }
  ASSERT_EQ(clients_.errors.size(), 1u);
  listener.pause();
  struct Later final : Timer {
    void on_timer(std::uint64_t) noexcept override { fired = true; }
    bool fired = false;
  } later;
  loop_->arm(later, loop_->now_ms() + 2 * Listener::kRestMs);
  while (!later.fired) loop_->run_once(-1);
  EXPECT_FALSE(listener.accepting());
}

TEST_F(ListenerTest, BrokenSocketIsReportedWithoutABusyLoop) {
  Listener listener(*loop_, fd_, clients_, {});
  ASSERT_TRUE(listener.start());
  ::shutdown(fd_, SHUT_RDWR);
  while (clients_.errors.empty()) loop_->run_once(-1);
  EXPECT_EQ(clients_.errors[0], os_error(EINVAL));
  EXPECT_FALSE(listener.accepting());
  loop_->run_once(0);
  EXPECT_EQ(clients_.errors.size(), 1u);
}

TEST_F(ListenerTest, ClosesOnlyWhatItOwns) {
  { Listener borrowed(*loop_, fd_, clients_, {}); }
  EXPECT_TRUE(sys::is_listening_socket(fd_));
  {
    Listener owner(*loop_, fd_, clients_, {});
    owner.take_ownership();
    ASSERT_TRUE(owner.start());
  }
  EXPECT_FALSE(sys::is_listening_socket(fd_));
  fd_ = -1;
}

TEST_F(ListenerTest, StartTellsWhyItCannot) {
  Listener listener(*loop_, -1, clients_, {});
  EXPECT_EQ(listener.start().error(), os_error(EBADF));
  EXPECT_FALSE(listener.accepting());
}

}  // namespace
}  // namespace lanner::net
