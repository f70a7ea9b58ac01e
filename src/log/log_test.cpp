#include "log/log.h"

#include <algorithm>
#include <array>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/result.h"

namespace lanner::log {
namespace {

// Each line of `text` without "2026-11-30T09:40:20.123+01:00 [4242] ", which it must begin with.
std::string without_stamps(const std::string& text) {
  const std::string process = " [" + std::to_string(::getpid()) + "] ";
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string line = text.substr(at, end - at);
    const std::size_t time = line.find(process);
    EXPECT_NE(time, std::string::npos) << line;
    if (time == std::string::npos) return text;
    std::string digits = line.substr(0, time);
    for (char& c : digits) {
      if (c >= '0' && c <= '9') c = '9';
    }
    EXPECT_TRUE(digits == "9999-99-99T99:99:99.999+99:99" ||
                digits == "9999-99-99T99:99:99.999-99:99")
        << line;
    rest += line.substr(time + process.size());
    at = end;
  }
  return rest;
}

// Runs `use(log)` and returns all that was written, without the stamps.
template <class Use>
std::string written(LogLevel level, Use use) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  {
    LogWriter writer(ends[1]);
    Log log(&writer, level);
    use(log);
    writer.close(60'000);
  }
  ::close(ends[1]);
  std::string all;
  std::array<char, 4096> part{};
  for (ssize_t n = 0; (n = ::read(ends[0], part.data(), part.size())) > 0;) {
    all.append(part.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  return without_stamps(all);
}

std::string value_written(std::string_view value) {
  return written(LogLevel::debug,
                 [&](Log& log) { log.line(LogLevel::info, "e").add("k", value).send(); });
}

TEST(Log, WritesLevelEventAndFields) {
  const http::Endpoint client{"127.0.0.1", 5, false};
  EXPECT_EQ(written(LogLevel::info,
                    [&](Log& log) {
                      log.line(LogLevel::warning, "h1.reject")
                          .add("reason", error_name(Errc::host_repeated))
                          .add("client", client)
                          .add("request", 3)
                          .send();
                    }),
            "warn h1.reject reason=host_repeated client=127.0.0.1:5 request=3\n");
}

TEST(Log, KnowsEveryLevel) {
  EXPECT_EQ(written(LogLevel::debug,
                    [](Log& log) {
                      log.line(LogLevel::debug, "a").send();
                      log.line(LogLevel::info, "b").send();
                      log.line(LogLevel::warning, "c").send();
                      log.line(LogLevel::error, "d").send();
                      log.line(LogLevel::critical, "e").send();
                    }),
            "debug a\ninfo b\nwarn c\nerror d\ncritical e\n");
  EXPECT_EQ(log_level_from_text("warning"), LogLevel::warning);
  EXPECT_EQ(log_level_from_text("critical"), LogLevel::critical);
  EXPECT_EQ(log_level_from_text("debug"), LogLevel::debug);
  EXPECT_EQ(log_level_from_text("loud"), std::nullopt);
}

TEST(Log, SkipsLevelsBelowItsOwn) {
  EXPECT_EQ(written(LogLevel::warning,
                    [](Log& log) {
                      EXPECT_FALSE(log.enabled(LogLevel::info));
                      log.line(LogLevel::info, "quiet").add("n", 1).send();
                      log.line(LogLevel::warning, "loud").send();
                    }),
            "warn loud\n");
}

TEST(Log, IsNothingWithoutAWriter) {
  Log log(nullptr, LogLevel::debug);
  EXPECT_FALSE(log.enabled(LogLevel::critical));
  log.line(LogLevel::critical, "e").add("reason", "r").add("n", 1).send();
}

TEST(Log, WritesNothingWithoutSend) {
  EXPECT_EQ(
      written(LogLevel::debug, [](Log& log) { (void)log.line(LogLevel::info, "e").add("k", 1); }),
      "");
}

TEST(Log, SendsOnlyOnce) {
  EXPECT_EQ(written(LogLevel::debug,
                    [](Log& log) {
                      LogLine line = log.line(LogLevel::info, "e");
                      line.send();
                      line.add("k", 1);
                      line.send();
                    }),
            "info e\n");
}

TEST(Log, WritesNumbers) {
  EXPECT_EQ(written(LogLevel::debug,
                    [](Log& log) {
                      log.line(LogLevel::info, "e")
                          .add("a", -1)
                          .add("b", UINT64_MAX)
                          .add("c", INT64_MIN)
                          .add("d", true)
                          .add("e", std::uint8_t{200})
                          .send();
                    }),
            "info e a=-1 b=18446744073709551615 c=-9223372036854775808 d=true e=200\n");
}

TEST(Log, QuotesWhatIsNotBare) {
  EXPECT_EQ(value_written("a/b?c;d:e"), "info e k=a/b?c;d:e\n");
  EXPECT_EQ(value_written(""), "info e k=\"\"\n");
  EXPECT_EQ(value_written("a b"), "info e k=\"a b\"\n");
  EXPECT_EQ(value_written("a=b"), "info e k=\"a=b\"\n");
  EXPECT_EQ(value_written("a\"b"), "info e k=\"a\\\"b\"\n");
  EXPECT_EQ(value_written("a\\b"), "info e k=\"a\\\\b\"\n");
}

TEST(Log, EscapesEveryByteThatIsNotPrintable) {
  EXPECT_EQ(value_written("a\r\ninfo forged"), "info e k=\"a\\x0d\\x0ainfo forged\"\n");
  EXPECT_EQ(value_written("\x1b[2J"), "info e k=\"\\x1b[2J\"\n");
  EXPECT_EQ(value_written(std::string_view("\0", 1)), "info e k=\"\\x00\"\n");
  EXPECT_EQ(value_written("\xc2\x9b"), "info e k=\"\\xc2\\x9b\"\n");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string line = value_written(std::string(1, static_cast<char>(byte)));
    for (const char c : line.substr(0, line.size() - 1)) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
    EXPECT_EQ(line.back(), '\n');
  }
}

TEST(Log, EscapesUnixPaths) {
  EXPECT_EQ(written(LogLevel::debug,
                    [](Log& log) {
                      log.line(LogLevel::info, "e")
                          .add("a", http::Endpoint{"/run/x y", 0, true})
                          .add("b", http::Endpoint{"", 0, true})
                          .add("c", http::Endpoint{"::1", 80, false})
                          .send();
                    }),
            "info e a=\"unix:/run/x y\" b=unix: c=[::1]:80\n");
}

TEST(Log, CutsLongValues) {
  const std::string line = value_written(std::string(600, 'x'));
  EXPECT_EQ(line, "info e k=\"" + std::string(507, 'x') + "...\"\n");
  EXPECT_EQ(value_written(std::string(512, 'x')), "info e k=" + std::string(512, 'x') + "\n");
  // Never inside an escape.
  for (std::size_t lead = 0; lead < 8; ++lead) {
    const std::string cut = value_written(std::string(lead, 'x') + std::string(600, '\n'));
    EXPECT_LE(cut.size(), 9u + 512u + 1u);
    EXPECT_TRUE(cut.ends_with("\\x0a...\"\n")) << cut;
  }
}

TEST(Log, BoundsTheLine) {
  const std::string all = written(LogLevel::debug, [](Log& log) {
    LogLine line = log.line(LogLevel::info, "e");
    for (int i = 0; i < 100; ++i) line.add("key", std::string(300, '\r'));
    line.send();
    log.line(LogLevel::info, std::string(5000, 'e')).add("k", std::string(5000, 'v')).send();
  });
  const std::size_t first = all.find('\n') + 1;
  EXPECT_LE(first, 2048u);
  EXPECT_GT(first, 1900u);
  EXPECT_EQ(all[first - 2], '"');
  EXPECT_EQ(all.substr(first).find('\n'), all.size() - first - 1);
  EXPECT_LE(all.size() - first, 2048u);
}

TEST(Log, StaysBoundedForEveryLength) {
  for (std::size_t fill = 1380; fill < 1480; ++fill) {
    const std::string all = written(LogLevel::debug, [&](Log& log) {
      LogLine line = log.line(LogLevel::info, "e");
      for (std::size_t left = fill; left > 0;) {
        const std::size_t part = std::min<std::size_t>(left, 500);
        line.add("k", std::string(part, 'x'));
        left -= part;
      }
      line.add("k", std::string(400, 'y')).add("k", std::string(400, '\t')).add("k", 1);
      line.send();
    });
    EXPECT_LE(all.size(), 2048u);
    EXPECT_EQ(all.find('\n'), all.size() - 1);
    EXPECT_EQ(std::count(all.begin(), all.end(), '"') % 2, 0) << all;
  }
}

TEST(Log, LimitsOneReasonToOneASecond) {
  EXPECT_EQ(
      written(LogLevel::debug,
              [](Log& log) {
                const auto reject = [&](int n) {
                  log.line(LogLevel::warning, "h1.reject").add("reason", "bad").add("n", n).send();
                };
                log.set_now(5000);
                reject(1);
                reject(2);
                log.set_now(5999);
                reject(3);
                log.set_now(6000);
                reject(4);
                reject(5);
                log.set_now(7000);
                reject(6);
                log.set_now(9000);
                reject(7);
              }),
      "warn h1.reject reason=bad n=1\n"
      "warn h1.reject reason=bad n=4 suppressed=2\n"
      "warn h1.reject reason=bad n=6 suppressed=1\n"
      "warn h1.reject reason=bad n=7\n");
}

TEST(Log, LimitsReasonsAndEventsApart) {
  EXPECT_EQ(written(LogLevel::debug,
                    [](Log& log) {
                      log.line(LogLevel::warning, "a").add("reason", "x").send();
                      log.line(LogLevel::warning, "a").add("reason", "y").send();
                      log.line(LogLevel::warning, "b").add("reason", "x").send();
                      log.line(LogLevel::warning, "a").add("reason", "x").send();
                    }),
            "warn a reason=x\nwarn a reason=y\nwarn b reason=x\n");
}

TEST(Log, NeverSuppressesLinesWithoutAReason) {
  EXPECT_EQ(written(LogLevel::debug,
                    [](Log& log) {
                      log.line(LogLevel::info, "listening").add("port", 1).send();
                      log.line(LogLevel::info, "listening").add("port", 2).send();
                    }),
            "info listening port=1\ninfo listening port=2\n");
}

TEST(Log, KeepsItsTableBoundedUnderManyReasons) {
  // More reasons than slots: lines may pass more often, but the limit of a busy reason is kept.
  const std::string all = written(LogLevel::debug, [](Log& log) {
    for (int i = 0; i < 1000; ++i) {
      log.set_now(static_cast<std::uint64_t>(10'000 + i));
      std::string reason("r");
      reason += std::to_string(i % 60);
      log.line(LogLevel::warning, "e").add("reason", reason).send();
    }
  });
  const auto lines = std::count(all.begin(), all.end(), '\n');
  EXPECT_GE(lines, 60);
  EXPECT_LE(lines, 120);
}

}  // namespace
}  // namespace lanner::log
