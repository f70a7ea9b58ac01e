// log/log.h: the engine's own log lines: `time [pid] level event key=value ...`, one line each.
//
//   log.line(LogLevel::warning, "h1.reject").add("reason", "host_repeated").add("n", 5).send();
//   -> 2026-11-30T09:40:20.123+01:00 [4242] warn h1.reject reason=host_repeated n=5
//
// A value is bare if all its bytes are visible ASCII other than quote, backslash and '='. Else it
// is quoted, quote and backslash behind a backslash, every byte outside 0x20..0x7E as \xNN: no byte
// of a peer can end a line, close a quote or reach a terminal. Bounds: kValueBytesMax a value,
// kLineBytesMax a line; what is cut ends in "...".
//
// Lines with a "reason" are limited to one a second for each event and reason; the next one that
// passes carries suppressed=N. So every event that a peer can cause must have a reason; lines
// without one are never suppressed.
//
// Builds on the stack, allocates nothing. One thread (the loop's): the table has no lock. The limit
// of one a second goes by the time that set_now() was given.

#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/exchange.h"
#include "log/log_writer.h"

namespace lanner::log {

enum class LogLevel : std::uint8_t { debug, info, warning, error, critical };

// "debug", "info", "warning" (or "warn"), "error", "critical"; nullopt for anything else.
std::optional<LogLevel> log_level_from_text(std::string_view text) noexcept;

class Log;

// One line being built. Use it within one full expression; without send() nothing is written.
class [[nodiscard]] LogLine {
 public:
  LogLine(const LogLine&) = delete;
  LogLine& operator=(const LogLine&) = delete;

  // `key` is a literal, never a peer's text, and is written unchanged.
  LogLine& add(std::string_view key, std::string_view value) noexcept;
  LogLine& add(std::string_view key, const char* value) noexcept {
    return add(key, std::string_view(value));
  }
  // 127.0.0.1:5, [::1]:5, unix:/path, unix: (unnamed)
  LogLine& add(std::string_view key, const http::Endpoint& endpoint) noexcept;
  template <std::integral T>
  LogLine& add(std::string_view key, T number) noexcept {
    if (!log_) return *this;
    if constexpr (std::same_as<T, bool>)
      return add(key, std::string_view(number ? "true" : "false"));
    if constexpr (std::signed_integral<T>) return add_signed(key, number);
    return add_unsigned(key, static_cast<std::uint64_t>(number));
  }
  // Ends the line and hands it to the writer, unless it is suppressed. The object is spent.
  void send() noexcept { send_with({}); }
  // The same followed by whole lines (a traceback), written in one piece.
  void send_with(std::string_view lines) noexcept;

 private:
  friend class Log;
  static constexpr std::size_t kLineBytesMax = 2048;
  static constexpr std::size_t kValueBytesMax = 512;  // as written, escapes included
  static constexpr std::size_t kTailBytes = 40;       // room kept for " suppressed=N" and '\n'

  LogLine(Log* log, LogLevel level, std::string_view event) noexcept;
  LogLine& add_signed(std::string_view key, std::int64_t number) noexcept;
  LogLine& add_unsigned(std::string_view key, std::uint64_t number) noexcept;
  bool put_key(std::string_view key, std::size_t value_bytes_min) noexcept;
  void put_value(std::string_view value) noexcept;
  void put(std::string_view bytes) noexcept;

  Log* log_;  // nullptr: the line is not wanted
  std::uint64_t event_hash_ = 0;
  std::uint64_t reason_hash_ = 0;  // 0 = no reason was added
  std::size_t size_ = 0;
  std::array<char, kLineBytesMax> text_;
};

class Log final {
 public:
  // `writer` is borrowed; nullptr = no log. Lines below `level` cost one comparison.
  Log(LogWriter* writer, LogLevel level) noexcept : writer_(writer), level_(level) {}
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Monotonic time for the limit of one a second; once a turn of the loop.
  void set_now(std::uint64_t now_ms) noexcept { now_ms_ = now_ms; }
  bool enabled(LogLevel level) const noexcept { return writer_ != nullptr && level >= level_; }
  LogLine line(LogLevel level, std::string_view event) noexcept {
    return LogLine(enabled(level) ? this : nullptr, level, event);
  }

 private:
  friend class LogLine;
  static constexpr std::uint64_t kPeriodMs = 1000;
  static constexpr std::size_t kSlots = 128;  // more than errors.def has rows
  static constexpr std::size_t kProbes = 4;

  struct Slot {
    std::uint64_t hash = 0;  // 0 = free
    std::uint64_t passed_ms = 0;
    std::uint32_t suppressed = 0;
  };
  // The slot of that key, or a free one, or the oldest of the neighbours (whose count is then
  // lost).
  Slot& slot_for(std::uint64_t hash) noexcept;
  // False: suppressed. Else `*suppressed` is how many were since the last that passed.
  bool pass(std::uint64_t hash, std::uint32_t* suppressed) noexcept;

  LogWriter* writer_;
  LogLevel level_;
  std::uint64_t now_ms_ = 0;
  std::array<Slot, kSlots> slots_{};
};

}  // namespace lanner::log
