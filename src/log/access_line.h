// log/access_line.h: writer of one access log line: runs an AccessFormat's program over a
// record.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "log/access_log.h"

namespace lanner::log {

// Lives for one line. Nothing is committed to the buffer before the line is complete.
class AccessLine final {
 public:
  AccessLine(AccessFormat* format, const AccessRecord& record, Buffer* to) noexcept
      : format_(*format), record_(record), to_(*to) {}

  void run() noexcept;

 private:
  std::array<char, 20> length_{};  // digits of a Content-Length
  using Atom = AccessFormat::Atom;
  using Op = AccessFormat::Op;
  using Clock = AccessFormat::Clock;
  enum class Escape : std::uint8_t { log, log_and_spaces, json };

  void put_op(const Op& op) noexcept;
  std::string_view field(http::Token token) const noexcept;
  std::string_view request_field(const Op& op) const noexcept;
  std::string_view response_field(const Op& op) noexcept;
  void put_user(const Op& op) noexcept;
  void put_request_line() noexcept;
  void put_protocol() noexcept;
  // An empty value is written as "-", since a line cannot distinguish it from a missing one.
  void put_value(const Op& op, std::string_view value, Escape escape = Escape::log) noexcept;

  // `units` is the number times ten to the power of `scale`.
  void put_number(const Op& op, std::uint64_t units, int scale) noexcept;
  void put_integer(std::uint64_t number) noexcept;
  void put_json() noexcept;
  void put_microseconds() noexcept;
  void put_json_key(std::string_view key) noexcept;
  void put_json_number(std::string_view key, std::uint64_t number, bool present) noexcept;
  void put_json_text(std::string_view key, std::string_view value) noexcept;
  void put_escaped(std::string_view value, Escape escape) noexcept;
  void put_special(char byte, Escape escape) noexcept;
  // What was written since `start`, to the width of `op`.
  void pad(const Op& op, std::size_t start) noexcept;
  void put(std::string_view bytes) noexcept;

  AccessFormat& format_;
  const AccessRecord& record_;
  Buffer& to_;
  std::size_t size_ = 0;  // of the line so far
  bool failed_ = false;
};

}  // namespace lanner::log
