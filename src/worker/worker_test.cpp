#include "worker/worker.h"

#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/test_handler.h"
#include "sys/test_sockets.h"

namespace lanner::worker {
namespace {

using server::test::TestHandler;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

// All that comes until the other side closes.
std::string read_to_end(int fd) {
  std::string all;
  char part[4096];
  while (sys::test::wait_readable(fd)) {
    const ssize_t got = ::read(fd, part, sizeof(part));
    if (got <= 0) break;
    all.append(part, static_cast<std::size_t>(got));
  }
  return all;
}

class WorkerTest : public ::testing::Test {
 protected:
  WorkerTest() {
    options.log_fd = -1;
    handler.script = [](http::Exchange& exchange) { (void)server::test::answer(exchange, "ok"); };
    handler.mode = http::BodyMode::whole;
  }
  Options options;
  TestHandler handler;
};

TEST_F(WorkerTest, ServesUntilItIsStopped) {
  const int listener = sys::test::listen_ipv4();
  Worker worker;
  ASSERT_TRUE(worker.open(options));
  ASSERT_TRUE(worker.add_listener(listener));
  ASSERT_TRUE(worker.serve(handler));
  ASSERT_TRUE(worker.listen());
  std::string answer;
  std::thread client([&] {
    const int fd = sys::test::connect_to(listener);
    EXPECT_EQ(::write(fd, kGet.data(), kGet.size()), static_cast<ssize_t>(kGet.size()));
    answer = read_to_end(fd);
    ::close(fd);
    worker.stop();
  });
  EXPECT_TRUE(worker.run());
  client.join();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nok")) << answer;
  ::close(listener);
}

TEST_F(WorkerTest, RefusesWhatDoesNotListen) {
  const sys::test::Pair pair = sys::test::unix_pair();
  Worker worker;
  ASSERT_TRUE(worker.open(options));
  const Result<void> added = worker.add_listener(pair.ours);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().detail, static_cast<std::uint32_t>(EINVAL));
  EXPECT_EQ(std::string_view(worker.failed_part()), "listener");
  ::close(pair.ours);
  ::close(pair.theirs);
}

TEST_F(WorkerTest, BoundsItsListeners) {
  const int listener = sys::test::listen_ipv4();
  Worker worker;
  ASSERT_TRUE(worker.open(options));
  for (std::size_t i = 0; i < Worker::kListenersMax; ++i)
    ASSERT_TRUE(worker.add_listener(listener));
  const Result<void> added = worker.add_listener(listener);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().detail, static_cast<std::uint32_t>(ENFILE));
  ::close(listener);
}

TEST_F(WorkerTest, SaysThatTheBoardFailed) {
  options.board_fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  Worker worker;
  const Result<void> opened = worker.open(options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(std::string_view(worker.failed_part()), "board_fd");
  ::close(options.board_fd);
}

TEST_F(WorkerTest, ClosesAListenerThatItOwnsAndNeverUsed) {
  const int listener = sys::test::listen_ipv4();
  options.server.owned = true;
  {
    Worker worker;
    ASSERT_TRUE(worker.open(options));
    ASSERT_TRUE(worker.add_listener(listener));
    ASSERT_TRUE(worker.serve(handler));
  }
  EXPECT_FALSE(is_open(listener));
}

TEST_F(WorkerTest, LeavesAListenerThatIsNotItsOwn) {
  const int listener = sys::test::listen_ipv4();
  {
    Worker worker;
    ASSERT_TRUE(worker.open(options));
    ASSERT_TRUE(worker.add_listener(listener));
    ASSERT_TRUE(worker.serve(handler));
  }
  EXPECT_TRUE(is_open(listener));
  options.server.owned = true;
  {
    Worker worker;  // no server: whoever gave it still owns it
    ASSERT_TRUE(worker.open(options));
    ASSERT_TRUE(worker.add_listener(listener));
  }
  EXPECT_TRUE(is_open(listener));
  ::close(listener);
}

TEST_F(WorkerTest, AListenerMayHaveSettingsOfItsOwn) {
  const int usual = sys::test::listen_ipv4();
  const int strict = sys::test::listen_ipv4();
  Worker worker;
  ASSERT_TRUE(worker.add_listener(usual));  // before open(), as of options that are not known yet
  ASSERT_TRUE(worker.open(options));
  server::ListenerSettings settings = options.server;
  settings.limits.request_line_bytes = 64;
  settings.owned = true;
  ASSERT_TRUE(worker.add_listener(strict, settings));
  ASSERT_TRUE(worker.serve(handler));
  ASSERT_TRUE(worker.listen());
  const std::string request =
      "GET /" + std::string(100, 'a') + " HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";
  std::string answers[2];
  std::thread client([&] {
    for (const int i : {0, 1}) {
      const int fd = sys::test::connect_to(i == 0 ? usual : strict);
      EXPECT_EQ(::write(fd, request.data(), request.size()), static_cast<ssize_t>(request.size()));
      answers[i] = read_to_end(fd);
      ::close(fd);
    }
    worker.stop();
  });
  EXPECT_TRUE(worker.run());
  client.join();
  EXPECT_TRUE(answers[0].starts_with("HTTP/1.1 200 ")) << answers[0];
  EXPECT_TRUE(answers[1].starts_with("HTTP/1.1 414 ")) << answers[1];
  EXPECT_TRUE(is_open(usual));
  EXPECT_FALSE(is_open(strict));
  ::close(usual);
}

TEST_F(WorkerTest, WritesItsLogs) {
  int log[2];
  int access[2];
  ASSERT_EQ(::pipe2(log, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(access, O_CLOEXEC), 0);
  options.log_fd = log[1];
  options.access_log_fd = access[1];
  const int listener = sys::test::listen_ipv4();
  {
    Worker worker;
    ASSERT_TRUE(worker.open(options));
    worker.log()->line(log::LogLevel::info, "test.line").add("key", "value").send();
    ASSERT_TRUE(worker.add_listener(listener));
    ASSERT_TRUE(worker.serve(handler));
    ASSERT_TRUE(worker.listen());
    std::thread client([&] {
      const int fd = sys::test::connect_to(listener);
      (void)::write(fd, kGet.data(), kGet.size());
      (void)read_to_end(fd);
      ::close(fd);
      worker.stop();
    });
    EXPECT_TRUE(worker.run());
    client.join();
    worker.close_logs();
  }
  ::close(log[1]);
  ::close(access[1]);
  EXPECT_NE(read_to_end(log[0]).find("info test.line key=value"), std::string::npos);
  EXPECT_NE(read_to_end(access[0]).find("\"GET / HTTP/1.1\" 200"), std::string::npos);
  for (const int fd : {log[0], access[0], listener}) ::close(fd);
}

}  // namespace
}  // namespace lanner::worker
