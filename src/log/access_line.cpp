#include "log/access_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>

#include "base/base64.h"
#include "http/ascii.h"

namespace lanner::log {

namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kCut = "...";
constexpr std::size_t kNumberBytesMax = 48;

bool is_plain(char byte) noexcept {
  return byte >= 0x20 && byte <= 0x7E && byte != '"' && byte != '\\';
}

// The user-id of Basic credentials (RFC 7617, section 2), at most what `room` holds; "" if there is
// none.
std::string_view basic_user(std::string_view credentials, std::span<char> room) noexcept {
  constexpr std::string_view kScheme = "basic ";
  if (credentials.size() < kScheme.size() ||
      !http::equals_ignoring_case(credentials.substr(0, kScheme.size()), kScheme)) {
    return {};
  }
  std::uint32_t bits = 0;
  unsigned bit_count = 0;
  std::size_t size = 0;
  for (const char byte : http::trim_blanks(credentials.substr(kScheme.size()))) {
    const int value = base64_value(byte);
    if (value < 0) return {};  // the user-id ends in ':', so it is found before any padding
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFF;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    const char decoded = static_cast<char>(bits >> bit_count & 0xFF);
    if (decoded == ':') return {room.data(), size};
    if (size == room.size()) return {room.data(), size};
    room[size++] = decoded;
  }
  return {};
}

// Decimal, with leading zeros.
void put_digits(char* to, int number, int digits) noexcept {
  for (int i = digits; i-- > 0; number /= 10) to[i] = static_cast<char>('0' + number % 10);
}

}  // namespace

void AccessLine::run() noexcept {
  for (std::size_t i = 0; i < format_.op_count_; ++i) {
    const AccessFormat::Op& op = format_.ops_[i];
    const std::size_t start = size_;
    put_op(op);
    if (op.width > 0) pad(op, start);
  }
  put("\n");
  if (!failed_) to_.commit(size_);
}

void AccessLine::put_op(const Op& op) noexcept {
  const http::RequestHead* head = record_.head;
  switch (op.atom) {
    case Atom::literal:
      return put(format_.text(op));
    case Atom::dash:
      return put("-");
    case Atom::client:
      return put_value(op, record_.client.host);
    case Atom::user:
      return put_user(op);
    case Atom::clf_time:
      return put_value(op, format_.time_text(Clock::clf, record_.unix_us));
    case Atom::local_time:
      return put_value(op, format_.time_text(Clock::local, record_.unix_us));
    case Atom::request_line:
      return put_request_line();
    case Atom::method:
      return put_value(op, head ? head->method_text : "");
    case Atom::path:
      return put_value(op, head ? head->path : "");
    case Atom::query:
      return put_value(op, head ? head->query : "");
    case Atom::protocol:
      return put_protocol();
    case Atom::scheme:
      return put(!head ? "-" : head->secure ? "https" : "http");
    case Atom::status:
      if (record_.status == 0) return put("-");
      return put_number(op, static_cast<std::uint64_t>(record_.status), 0);
    case Atom::body_bytes_or_dash:
      if (record_.body_bytes == 0) return put("-");
      return put_number(op, record_.body_bytes, 0);
    case Atom::body_bytes:
      return put_number(op, record_.body_bytes, 0);
    case Atom::seconds:
      return put_number(op, record_.duration_us / 1'000'000, 0);
    case Atom::milliseconds:
      return put_number(op, record_.duration_us / 1000, 0);
    case Atom::microseconds:
      return put_number(op, record_.duration_us, 0);
    case Atom::decimal_seconds:
      return put_number(op, record_.duration_us, 6);
    case Atom::decimal_milliseconds:
      return put_number(op, record_.duration_us, 3);
    case Atom::pid:
      put("<");
      put_integer(record_.pid);
      return put(">");
    case Atom::referer:
      return put_value(op, field(http::Token::referer));
    case Atom::user_agent:
      return put_value(op, field(http::Token::user_agent));
    case Atom::request_field:
      return put_value(op, request_field(op));
    case Atom::response_field:
      return put_value(op, response_field(op));
    case Atom::json:
      return put_json();
  }
}

std::string_view AccessLine::field(http::Token token) const noexcept {
  const http::Field* found = record_.head ? record_.head->find(token) : nullptr;
  return found ? found->value : std::string_view{};
}

std::string_view AccessLine::request_field(const Op& op) const noexcept {
  if (op.token != http::Token::unknown) return field(op.token);
  if (!record_.head) return {};
  for (const http::Field& candidate : record_.head->fields) {
    if (http::equals_ignoring_case(candidate.name, format_.text(op))) return candidate.value;
  }
  return {};
}

std::string_view AccessLine::response_field(const Op& op) noexcept {
  if (!record_.response) return {};
  if (record_.content_length && http::equals_ignoring_case(format_.text(op), "content-length")) {
    const char* end =
        std::to_chars(length_.data(), length_.data() + length_.size(), *record_.content_length).ptr;
    return {length_.data(), static_cast<std::size_t>(end - length_.data())};
  }
  for (std::size_t i = 0; i < record_.response->field_count(); ++i) {
    const http::ResponseHead::FieldView candidate = record_.response->field(i);
    if (http::equals_ignoring_case(candidate.name, format_.text(op))) return candidate.value;
  }
  return {};
}

void AccessLine::put_user(const Op& op) noexcept {
  std::array<char, 256> room;
  const std::string_view user = basic_user(field(http::Token::authorization), room);
  put_value(op, user, Escape::log_and_spaces);
}

void AccessLine::put_request_line() noexcept {
  if (!record_.head) return put("-");
  put_escaped(record_.head->method_text, Escape::log);
  put(" ");
  put_escaped(record_.head->target, Escape::log);
  put(" ");
  put_protocol();
}

void AccessLine::put_protocol() noexcept {
  if (!record_.head) return put("-");
  put("HTTP/");
  put_integer(record_.head->major_version);
  put(".");
  put_integer(record_.head->minor_version);
}

void AccessLine::put_value(const Op& op, std::string_view value, Escape escape) noexcept {
  if (value.empty()) return put("-");
  if (op.precision >= 0) value = value.substr(0, static_cast<std::size_t>(op.precision));
  put_escaped(value, escape);
}

void AccessLine::put_number(const Op& op, std::uint64_t units, int scale) noexcept {
  int decimals = op.conversion == 's' ? scale : 0;
  if (op.conversion == 'f') decimals = op.precision >= 0 ? op.precision : 6;
  std::uint64_t divisor = 1;
  for (int i = 0; i < scale; ++i) divisor *= 10;
  // Cut decimals are rounded for f, as Python does, and dropped for d.
  if (decimals < scale && op.conversion == 'f') {
    std::uint64_t half = divisor;
    for (int i = 0; i < decimals; ++i) half /= 10;
    units += half / 2;
  }
  put_integer(units / divisor);
  if (decimals == 0) return;
  std::array<char, kNumberBytesMax> digits;
  digits.fill('0');
  digits[0] = '.';
  for (std::uint64_t rest = units % divisor, i = static_cast<std::uint64_t>(scale); i > 0; --i) {
    digits[i] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
  put({digits.data(), static_cast<std::size_t>(decimals) + 1});
}

void AccessLine::put_integer(std::uint64_t number) noexcept {
  std::array<char, kNumberBytesMax> digits;
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  put({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void AccessLine::put_json() noexcept {
  const http::RequestHead* head = record_.head;
  put("{\"time\":\"");
  put(format_.time_text(Clock::utc, record_.unix_us));
  put_microseconds();
  put("Z\"");
  put_json_text("client", record_.client.host);
  put_json_number("port", record_.client.port, record_.client.port != 0);
  put_json_text("method", head ? head->method_text : "");
  put_json_text("target", head ? head->target : "");
  put(",\"protocol\":");
  if (head) {
    put("\"");
    put_protocol();
    put("\"");
  } else {
    put("null");
  }
  put_json_number("status", static_cast<std::uint64_t>(record_.status), record_.status != 0);
  put_json_number("bytes", record_.body_bytes, true);
  put_json_number("duration_us", record_.duration_us, true);
  put_json_text("host", head ? head->authority : "");
  put_json_text("referer", field(http::Token::referer));
  put_json_text("user_agent", field(http::Token::user_agent));
  put_json_number("pid", record_.pid, true);
  put("}");
}

void AccessLine::put_microseconds() noexcept {
  std::array<char, 8> text;
  text[0] = '.';
  const auto part = static_cast<int>(std::max<std::int64_t>(record_.unix_us, 0) % 1'000'000);
  put_digits(text.data() + 1, part, 6);
  put({text.data(), 7});
}

void AccessLine::put_json_key(std::string_view key) noexcept {
  put(",\"");
  put(key);
  put("\":");
}

void AccessLine::put_json_number(std::string_view key, std::uint64_t number,
                                 bool present) noexcept {
  put_json_key(key);
  if (!present) return put("null");
  put_integer(number);
}

void AccessLine::put_json_text(std::string_view key, std::string_view value) noexcept {
  put_json_key(key);
  if (value.empty()) return put("null");
  put("\"");
  put_escaped(value, Escape::json);
  put("\"");
}

void AccessLine::put_escaped(std::string_view value, Escape escape) noexcept {
  const bool cut = value.size() > AccessFormat::kValueBytesMax;
  value = value.substr(0, AccessFormat::kValueBytesMax);
  const auto plain = [escape](char byte) {
    return is_plain(byte) && !(byte == ' ' && escape == Escape::log_and_spaces);
  };
  while (!value.empty()) {
    const auto special = std::find_if_not(value.begin(), value.end(), plain);
    const auto run = static_cast<std::size_t>(special - value.begin());
    put(value.substr(0, run));
    value.remove_prefix(run);
    if (value.empty()) break;
    put_special(value.front(), escape);
    value.remove_prefix(1);
  }
  if (cut) put(kCut);
}

void AccessLine::put_special(char byte, Escape escape) noexcept {
  const auto value = static_cast<unsigned char>(byte);
  const char high = kHex[value >> 4];
  const char low = kHex[value & 15];
  if (byte == '"' || byte == '\\') {
    const std::array<char, 2> text = {'\\', byte};
    put({text.data(), text.size()});
  } else if (escape == Escape::json) {
    const std::array<char, 6> text = {'\\', 'u', '0', '0', high, low};
    put({text.data(), text.size()});
  } else {
    const std::array<char, 4> text = {'\\', 'x', high, low};
    put({text.data(), text.size()});
  }
}

void AccessLine::pad(const Op& op, std::size_t start) noexcept {
  const std::size_t bytes = size_ - start;
  if (failed_ || bytes >= op.width) return;
  const std::size_t missing = op.width - bytes;
  char* to = to_.reserve(size_ + missing);
  if (!to) {
    failed_ = true;
    return;
  }
  to += start;
  if (op.left) {
    std::memset(to + bytes, ' ', missing);
  } else {
    std::memmove(to + missing, to, bytes);
    const bool digits = http::is_digit(to[missing]);  // not "-"
    std::memset(to, op.zero && digits ? '0' : ' ', missing);
  }
  size_ += missing;
}

void AccessLine::put(std::string_view bytes) noexcept {
  if (failed_ || bytes.empty()) return;
  // Not committed yet, but kept: reserve() moves the whole block.
  char* to = to_.reserve(size_ + bytes.size());
  if (!to) {
    failed_ = true;
    return;
  }
  std::memcpy(to + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

}  // namespace lanner::log
