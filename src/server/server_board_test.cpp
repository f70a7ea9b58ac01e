// server/server_board_test.cpp: what a server tells the other workers by the board.

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/board.h"
#include "server/server.h"
#include "server/test_rig.h"
#include "sys/test_sockets.h"

namespace lanner::server {
namespace {

using test::Rig;
using test::TestHandler;

struct Look final : net::Task, Timer, net::Watcher {
  explicit Look(std::function<void()> function) : body(std::move(function)) {}
  void run() noexcept override { body(); }
  void on_timer(std::uint64_t) noexcept override { body(); }
  void on_ready(std::uint32_t) noexcept override { body(); }
  std::function<void()> body;
};

class OnBoard : public ::testing::Test {
 protected:
  void SetUp() override {
    memory_ = ::memfd_create("board", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(memory_, 64), 0);
    board = std::move(*process::Board::open(memory_, 0));
  }
  void TearDown() override { ::close(memory_); }
  Options options() {
    Options with_board = Rig::plain_options();
    with_board.board = &board;
    return with_board;
  }
  std::uint64_t state() const {
    std::uint64_t word = 0;
    EXPECT_EQ(::pread(memory_, &word, sizeof word, 0), static_cast<ssize_t>(sizeof word));
    return word & 3;
  }
  process::Board board;
  TestHandler handler;

 private:
  int memory_ = -1;
};

constexpr std::uint64_t kFull = 3;
constexpr std::uint64_t kWaiting = 1;
constexpr std::uint64_t kWorking = 2;

// A callback of a timer, a task or a descriptor may block as well as the first step of a request.
TEST_F(OnBoard, WorksFromTheEndOfTheWaitToTheNextOne) {
  std::unique_ptr<net::Loop> loop = std::move(*net::Loop::create());
  std::unique_ptr<Server> server = Server::create(*loop, handler, options());
  const int listener = sys::test::listen_ipv4();
  ASSERT_TRUE(server->listen(listener));
  std::string seen;
  Look timer([&] { seen += state() == kWorking ? "timer " : "?"; });
  Look task([&] { seen += state() == kWorking ? "task " : "?"; });
  Look watcher([&] { seen += state() == kWorking ? "watcher " : "?"; });
  const Result<int> event = sys::make_eventfd();
  ASSERT_TRUE(event && loop->watch(*event, sys::Ready::readable, watcher));
  sys::signal_eventfd(*event);
  loop->arm(timer, 0);
  loop->post(task);
  server->before_wait();
  EXPECT_EQ(state(), kWaiting);
  loop->run_once(0);
  EXPECT_EQ(seen, "watcher timer task ");
  EXPECT_EQ(state(), kWorking);
  server->before_wait();
  EXPECT_EQ(state(), kWaiting);
  loop->unwatch(*event, watcher);
  sys::close(*event);
  server.reset();
  ::close(listener);
}

TEST_F(OnBoard, IsNotCountedOnAtTheLimitOfConnections) {
  Options limited = options();
  limited.limits.connections = 1;
  std::unique_ptr<net::Loop> loop = std::move(*net::Loop::create());
  std::unique_ptr<Server> server = Server::create(*loop, handler, limited);
  const int listener = sys::test::listen_ipv4();
  ASSERT_TRUE(server->listen(listener));
  const auto turn = [&] {
    server->before_wait();
    loop->run_once(0);
    server->before_wait();
  };
  turn();
  EXPECT_EQ(state(), kWaiting);
  const int client = sys::test::connect_to(listener);
  ASSERT_TRUE(sys::test::wait_readable(listener));
  turn();
  EXPECT_EQ(server->connection_count(), 1u);
  EXPECT_EQ(state(), kFull) << "others must not count on this one";
  ::close(client);
  for (int turns = 0; server->connection_count() > 0 && turns < 1000; ++turns) {
    server->before_wait();
    loop->run_once(5);
  }
  turn();
  EXPECT_EQ(state(), kWaiting);
  server.reset();
  ::close(listener);
}

}  // namespace
}  // namespace lanner::server
