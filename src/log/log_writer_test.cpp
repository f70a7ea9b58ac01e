#include "log/log_writer.h"

#include <array>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

namespace lanner::log {
namespace {

constexpr int kLongMs = 60'000;  // never reached by a test that passes

struct Pipe {
  explicit Pipe(int bytes = 0) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader = ends[0];
    writer = ends[1];
    if (bytes) {
      EXPECT_GE(::fcntl(writer, F_SETPIPE_SZ, bytes), bytes);
    }
  }
  ~Pipe() {
    if (reader >= 0) ::close(reader);
    if (writer >= 0) ::close(writer);
  }
  void close_reader() {
    ::close(reader);
    reader = -1;
  }
  // What came until the writing end was closed.
  std::string rest() {
    ::close(writer);
    writer = -1;
    std::string all;
    std::array<char, 4096> part{};
    for (ssize_t n = 0; (n = ::read(reader, part.data(), part.size())) > 0;) {
      all.append(part.data(), static_cast<std::size_t>(n));
    }
    return all;
  }
  // Waits for a line; without its end.
  std::string line() {
    std::string text;
    char byte = 0;
    while (::read(reader, &byte, 1) == 1 && byte != '\n') text += byte;
    return text;
  }
  int reader = -1;
  int writer = -1;
};

// "<number> xxx...x\n" of `bytes` bytes.
std::string numbered(int number, std::size_t bytes) {
  std::string line = std::to_string(number) + " ";
  line.resize(bytes - 1, 'x');
  return line + "\n";
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) {
      lines.push_back(text.substr(at) + "<no end>");
      break;
    }
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string without_stamp(const std::string& line) { return line.substr(line.find("] ") + 2); }

std::uint64_t reported(const std::vector<std::string>& lines) {
  constexpr std::string_view kWhat = "] warn log.dropped n=";
  std::uint64_t sum = 0;
  for (const std::string& line : lines) {
    const std::size_t at = line.find(kWhat);
    if (at != std::string::npos) sum += std::stoull(line.substr(at + kWhat.size()));
  }
  return sum;
}

TEST(LogWriter, WritesLinesInOrder) {
  Pipe pipe;
  LogWriter writer(pipe.writer);
  EXPECT_TRUE(writer.push("a\n"));
  EXPECT_TRUE(writer.push("b\nc\n"));
  writer.close(kLongMs);
  EXPECT_EQ(pipe.rest(), "a\nb\nc\n");
  EXPECT_EQ(writer.dropped(), 0u);
}

TEST(LogWriter, WritesWithoutBeingClosed) {
  Pipe pipe;
  LogWriter writer(pipe.writer);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(writer.push(numbered(i, 10)));
    EXPECT_EQ(pipe.line() + "\n", numbered(i, 10));
  }
}

TEST(LogWriter, NeedsNoThreadUntilTheFirstLine) {
  LogWriter writer(-1);
  writer.close(kLongMs);
  EXPECT_EQ(writer.backlog(), 0u);
}

TEST(LogWriter, CountsLinesAfterClose) {
  Pipe pipe;
  LogWriter writer(pipe.writer);
  ASSERT_TRUE(writer.push("a\n"));
  writer.close(kLongMs);
  writer.close(kLongMs);
  EXPECT_FALSE(writer.push("b\nc\n"));
  EXPECT_EQ(writer.dropped(), 2u);
  EXPECT_EQ(pipe.rest(), "a\n");
}

TEST(LogWriter, DropsWithoutADescriptor) {
  LogWriter writer(-1);
  EXPECT_FALSE(writer.push("a\n"));
  EXPECT_EQ(writer.dropped(), 1u);
}

TEST(LogWriter, DropsWhenFullThenSaysHowMany) {
  Pipe pipe(4096);
  LogWriter writer(pipe.writer, 8192);
  std::uint64_t taken = 0;
  std::uint64_t refused = 0;
  for (int i = 0; i < 4000; ++i) (writer.push(numbered(i, 100)) ? taken : refused) += 1;
  EXPECT_GE(taken, 80u);  // the ring alone holds 81
  EXPECT_GT(refused, 3000u);
  EXPECT_EQ(writer.dropped(), refused);

  std::thread closer([&] {
    writer.close(kLongMs);
    ::close(std::exchange(pipe.writer, -1));
  });
  std::string text;
  std::array<char, 512> part{};
  for (ssize_t n = 0; (n = ::read(pipe.reader, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  closer.join();
  const std::vector<std::string> lines = split(text);
  EXPECT_EQ(reported(lines), refused);
  std::uint64_t whole = 0;
  for (const std::string& line : lines) whole += line.size() == 99;
  EXPECT_EQ(whole, taken);
}

TEST(LogWriter, ReportsDropsWhileItStaysOpen) {
  Pipe pipe(4096);
  LogWriter writer(pipe.writer, 4096);
  while (writer.push(numbered(1, 128))) continue;
  const auto next_short_line = [&pipe] {
    std::string line;
    do {
      line = pipe.line();
    } while (line.size() == 127);
    return line;
  };
  EXPECT_EQ(without_stamp(next_short_line()), "warn log.dropped n=1");
  ASSERT_TRUE(writer.push("again\n"));
  EXPECT_EQ(next_short_line(), "again");
}

TEST(LogWriter, ReportsElsewhereWhatAFullDiskTook) {
  Pipe log;
  LogWriter report(log.writer);
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  LogWriter access(full);
  access.report_to(&report);
  ASSERT_TRUE(access.push("a\nb\nc\n"));
  EXPECT_EQ(without_stamp(log.line()),
            "warn access_log.dropped n=3 error=\"No space left on device\"");
  // Within the minute nothing more is said, until the end.
  ASSERT_TRUE(access.push("d\n"));
  ASSERT_TRUE(access.push("e\n"));
  access.close(kLongMs);
  report.close(kLongMs);
  const std::vector<std::string> rest = split(log.rest());
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(without_stamp(rest[0]),
            "warn access_log.dropped n=2 error=\"No space left on device\"");
  ::close(full);
}

TEST(LogWriter, ReportsElsewhereWhileItsReaderIsStuck) {
  Pipe log;
  LogWriter report(log.writer);
  Pipe stuck(4096);
  LogWriter access(stuck.writer, 4096);
  access.report_to(&report);
  // The pipe is full from the start: once the ring is, too, nothing moves any more.
  const std::string filling(4096, '.');
  ASSERT_EQ(::write(stuck.writer, filling.data(), filling.size()), 4096);
  while (access.push(numbered(1, 128))) continue;
  const std::string first = without_stamp(log.line());
  EXPECT_TRUE(first.starts_with("warn access_log.dropped n=")) << first;
  EXPECT_TRUE(first.ends_with(" error=\"its reader is too slow\"")) << first;
  const std::uint64_t before = access.dropped();
  stuck.close_reader();  // or close() would wait for it
  access.close(kLongMs);
  report.close(kLongMs);
  EXPECT_GT(access.dropped(), before);  // what waited in the ring is lost as well
  EXPECT_NE(log.rest().find(" error=\"Broken pipe\""), std::string::npos);
}

TEST(LogWriter, ReportsNowhereWhereNoLogIsGiven) {
  Pipe pipe(4096);
  LogWriter access(pipe.writer, 4096);
  access.report_to(nullptr);
  while (access.push("x\n")) continue;
  std::thread closer([&] { access.close(kLongMs); });
  std::string text;
  char byte = 0;
  while (text.size() < 4096 && ::read(pipe.reader, &byte, 1) == 1) text += byte;
  closer.join();
  text += pipe.rest();
  EXPECT_EQ(text.find_first_not_of("x\n"), std::string::npos);
}

TEST(LogWriter, NeverCutsALineThatFitsAWrite) {
  // Two writers on one pipe, as two workers on one stderr: whole lines only.
  Pipe pipe;
  std::string text;
  std::thread reader([&] {
    std::array<char, 700> part{};
    for (ssize_t n = 0; (n = ::read(pipe.reader, part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(n));
    }
  });
  const auto work = [&](char letter) {
    LogWriter writer(pipe.writer, 16384);
    for (int i = 0; i < 3000; ++i) {
      const std::string line(static_cast<std::size_t>(1 + i % 1000), letter);
      writer.push(line + "\n");
    }
    writer.close(kLongMs);
  };
  std::thread first(work, 'a');
  std::thread second(work, 'b');
  first.join();
  second.join();
  ::close(std::exchange(pipe.writer, -1));
  reader.join();
  for (const std::string& line : split(text)) {
    if (line.find("] warn log.dropped n=") != std::string::npos) continue;
    ASSERT_EQ(line.find_first_not_of(line[0]), std::string::npos) << line;
  }
}

TEST(LogWriter, TakesLinesFromManyThreads) {
  Pipe pipe;
  std::string text;
  std::thread reader([&] {
    std::array<char, 4096> part{};
    for (ssize_t n = 0; (n = ::read(pipe.reader, part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(n));
    }
  });
  LogWriter writer(pipe.writer);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&writer, t] {
      for (int i = 0; i < 500; ++i) writer.push(numbered(t * 1000 + i, 50));
    });
  }
  for (std::thread& thread : threads) thread.join();
  writer.close(kLongMs);
  ::close(std::exchange(pipe.writer, -1));
  reader.join();
  const std::vector<std::string> lines = split(text);
  EXPECT_EQ(lines.size(), 2000u);
  std::array<int, 4> next{};
  for (const std::string& line : lines) {
    const int number = std::stoi(line);
    EXPECT_EQ(number % 1000, next[static_cast<std::size_t>(number / 1000)]++);
  }
}

TEST(LogWriter, SurvivesAReaderThatIsGone) {
  Pipe pipe;
  pipe.close_reader();
  LogWriter writer(pipe.writer, 4096);
  ASSERT_TRUE(writer.push("a\nb\n"));
  writer.close(kLongMs);  // a SIGPIPE would end the test
  EXPECT_EQ(writer.dropped(), 2u);
}

TEST(LogWriter, SurvivesAFullDisk) {
  const int fd = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  LogWriter writer(fd);
  ASSERT_TRUE(writer.push("a\n"));
  writer.close(kLongMs);
  EXPECT_EQ(writer.dropped(), 1u);
  ::close(fd);
}

TEST(LogWriter, ReportsWhatAFullDiskSwallowedOnceThereIsRoom) {
  Pipe pipe;
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  const int fd = ::dup(full);
  LogWriter writer(fd);
  ASSERT_TRUE(writer.push("lost\n"));
  while (writer.dropped() == 0) std::this_thread::yield();
  ASSERT_EQ(::dup2(pipe.writer, fd), fd);  // as a log rotation does
  ASSERT_TRUE(writer.push("kept\n"));
  writer.close(kLongMs);
  ::close(fd);
  ::close(full);
  const std::vector<std::string> lines = split(pipe.rest());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(reported(lines), 1u);
  EXPECT_TRUE(lines[0] == "kept" || lines[1] == "kept");
}

TEST(LogWriter, ClosesWhenThePipeIsStuck) {
  Pipe pipe(4096);
  LogWriter writer(pipe.writer, 4096);
  while (writer.push(numbered(1, 64))) continue;
  writer.close(20);  // nobody reads: would hang here
  EXPECT_GE(writer.dropped(), 1u);
}

TEST(LogWriter, ClosesWhenAWriteIsStuck) {
  // A terminal says that it is writable when one byte fits, and then waits in write(2).
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(master, 0);
  ASSERT_EQ(::grantpt(master), 0);
  ASSERT_EQ(::unlockpt(master), 0);
  std::array<char, 64> name{};
  ASSERT_EQ(::ptsname_r(master, name.data(), name.size()), 0);
  const int slave = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(slave, 0);
  // Full, but for the room that one read frees: less than a batch.
  ASSERT_EQ(::fcntl(slave, F_SETFL, O_NONBLOCK), 0);
  const std::string filler(1000, 'x');
  while (::write(slave, filler.data(), filler.size()) > 0) continue;
  ASSERT_EQ(::fcntl(slave, F_SETFL, 0), 0);
  std::array<char, 2000> part{};
  ASSERT_GT(::read(master, part.data(), part.size()), 0);
  LogWriter writer(slave, 65536);
  ASSERT_TRUE(writer.push(std::string(60'000, 'y')));
  writer.close(20);
  EXPECT_FALSE(writer.push("a\n"));
  // The thread that was left behind gets EIO and goes. The slave stays open: that thread may still
  // be in write(2).
  ::close(master);
}

TEST(LogWriter, WaitsOnANonBlockingPipe) {
  Pipe pipe(4096);
  ASSERT_EQ(::fcntl(pipe.writer, F_SETFL, O_NONBLOCK), 0);
  LogWriter writer(pipe.writer);
  std::string text;
  std::thread reader([&] {
    std::array<char, 100> part{};
    for (ssize_t n = 0; (n = ::read(pipe.reader, part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(n));
    }
  });
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(writer.push(numbered(i, 100)));
  writer.close(kLongMs);
  ::close(std::exchange(pipe.writer, -1));
  reader.join();
  const std::vector<std::string> lines = split(text);
  ASSERT_EQ(lines.size(), 1000u);
  EXPECT_EQ(lines[999] + "\n", numbered(999, 100));
}

TEST(LogWriter, WritesLongLinesInParts) {
  Pipe pipe;
  LogWriter writer(pipe.writer);
  const std::string line = numbered(1, 10'000);
  ASSERT_TRUE(writer.push(line));
  writer.close(kLongMs);
  EXPECT_EQ(pipe.rest(), line);
}

TEST(LogWriter, RefusesMoreThanItsRing) {
  Pipe pipe;
  LogWriter writer(pipe.writer, 4096);
  EXPECT_FALSE(writer.push(numbered(1, 4097)));
  EXPECT_TRUE(writer.push(numbered(2, 4096)));
  writer.close(kLongMs);
  const std::vector<std::string> lines = split(pipe.rest());
  EXPECT_EQ(lines.size(), 2u);
  EXPECT_EQ(reported(lines), 1u);
}

}  // namespace
}  // namespace lanner::log
