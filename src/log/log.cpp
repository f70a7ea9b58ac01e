#include "log/log.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/buffer.h"
#include "sys/log_stamp.h"

namespace lanner::log {

namespace {

constexpr std::array<std::string_view, 5> kLevelTexts = {"debug", "info", "warn", "error",
                                                         "critical"};
constexpr std::string_view kCut = "...";

// FNV-1a, 64 bits: keys are a handful of our own short names.
std::uint64_t hash_text(std::string_view text, std::uint64_t hash) noexcept {
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
  }
  return hash;
}

constexpr std::uint64_t kHashSeed = 0xCBF29CE484222325u;

bool is_printable(char byte) noexcept { return byte >= 0x20 && byte <= 0x7E; }
bool is_bare(char byte) noexcept {
  return is_printable(byte) && byte != ' ' && byte != '"' && byte != '\\' && byte != '=';
}

// The byte as it stands between quotes; returns how many bytes that is (1, 2 or 4).
std::size_t escape(char byte, char* to) noexcept {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (byte == '"' || byte == '\\') {
    to[0] = '\\';
    to[1] = byte;
    return 2;
  }
  if (is_printable(byte)) {
    to[0] = byte;
    return 1;
  }
  const auto value = static_cast<unsigned char>(byte);
  to[0] = '\\';
  to[1] = 'x';
  to[2] = kHex[value >> 4];
  to[3] = kHex[value & 15];
  return 4;
}

}  // namespace

std::optional<LogLevel> log_level_from_text(std::string_view text) noexcept {
  if (text == "warning") return LogLevel::warning;
  for (std::size_t i = 0; i < kLevelTexts.size(); ++i) {
    if (text == kLevelTexts[i]) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

LogLine::LogLine(Log* log, LogLevel level, std::string_view event) noexcept : log_(log) {
  if (!log_) return;
  event_hash_ = hash_text(event, kHashSeed);
  size_ = sys::put_log_stamp(text_.data());
  put(kLevelTexts[static_cast<std::size_t>(level)]);
  put(" ");
  put(event.substr(0, kValueBytesMax));
}

LogLine& LogLine::add(std::string_view key, std::string_view value) noexcept {
  if (!log_) return *this;
  if (key == "reason") {
    // Never 0, which means that there is no reason.
    reason_hash_ = hash_text(value, hash_text("/", event_hash_)) | 1;
  }
  if (put_key(key, 2)) put_value(value);
  return *this;
}

LogLine& LogLine::add(std::string_view key, const http::Endpoint& endpoint) noexcept {
  if (!log_) return *this;
  std::array<char, kValueBytesMax> text;
  std::size_t size = 0;
  const auto put_text = [&](std::string_view part) {
    part = part.substr(0, text.size() - size);
    if (!part.empty()) std::memcpy(text.data() + size, part.data(), part.size());
    size += part.size();
  };
  if (endpoint.unix_socket) {
    put_text("unix:");
    put_text(endpoint.host);
  } else {
    const bool v6 = endpoint.host.find(':') != std::string_view::npos;
    if (v6) put_text("[");
    put_text(endpoint.host);
    put_text(v6 ? "]:" : ":");
    std::array<char, 8> port;
    const char* end = std::to_chars(port.data(), port.data() + port.size(), endpoint.port).ptr;
    put_text({port.data(), static_cast<std::size_t>(end - port.data())});
  }
  return add(key, std::string_view(text.data(), size));
}

LogLine& LogLine::add_signed(std::string_view key, std::int64_t number) noexcept {
  std::array<char, 24> text;
  const char* end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return add(key, std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

LogLine& LogLine::add_unsigned(std::string_view key, std::uint64_t number) noexcept {
  std::array<char, 24> text;
  const char* end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return add(key, std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

// False: the line is full. Then nothing more is added, so that a line never ends in a key alone.
bool LogLine::put_key(std::string_view key, std::size_t value_bytes_min) noexcept {
  const std::size_t wanted = 1 + key.size() + 1 + value_bytes_min;
  if (text_.size() - kTailBytes - size_ < wanted) return false;
  put(" ");
  put(key);
  put("=");
  return true;
}

void LogLine::put_value(std::string_view value) noexcept {
  const std::size_t room = std::min(kValueBytesMax, text_.size() - kTailBytes - size_);
  if (!value.empty() && value.size() <= room && std::all_of(value.begin(), value.end(), is_bare)) {
    put(value);
    return;
  }
  put("\"");
  const std::size_t start = size_;
  std::size_t cut_at = size_;  // the last place where "..." and the closing quote still fit
  for (const char byte : value) {
    std::array<char, 4> escaped;
    const std::size_t bytes = escape(byte, escaped.data());
    if (size_ - start + kCut.size() + 2 <= room) cut_at = size_;
    if (size_ - start + bytes + 2 > room) {
      size_ = cut_at;
      if (room >= kCut.size() + 2) put(kCut);
      break;
    }
    put({escaped.data(), bytes});
  }
  put("\"");
}

// REQUIRES: it fits; the callers keep count.
void LogLine::put(std::string_view bytes) noexcept {
  bytes = bytes.substr(0, text_.size() - size_);
  std::memcpy(text_.data() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

void LogLine::send_with(std::string_view lines) noexcept {
  if (!log_) return;
  std::uint32_t suppressed = 0;
  if (reason_hash_ != 0 && !log_->pass(reason_hash_, &suppressed)) {
    log_ = nullptr;
    return;
  }
  if (suppressed > 0) {
    put(" suppressed=");
    char* end =
        std::to_chars(text_.data() + size_, text_.data() + text_.size() - 1, suppressed).ptr;
    size_ = static_cast<std::size_t>(end - text_.data());
  }
  put("\n");
  const std::string_view line(text_.data(), size_);
  Buffer both;
  const bool joined = !lines.empty() && both.append(line) && both.append(lines);
  // A full ring counts what it drops (log_writer.h).
  (void)log_->writer_->push(joined ? both.view() : line);
  log_ = nullptr;
}

Log::Slot& Log::slot_for(std::uint64_t hash) noexcept {
  Slot* oldest = nullptr;
  for (std::size_t i = 0; i < kProbes; ++i) {
    Slot& slot = slots_[(hash / 2 + i) % kSlots];
    if (slot.hash == hash) return slot;
    if (slot.hash == 0) {
      if (!oldest || oldest->hash != 0) oldest = &slot;
    } else if (!oldest || (oldest->hash != 0 && slot.passed_ms < oldest->passed_ms)) {
      oldest = &slot;
    }
  }
  return *oldest;
}

bool Log::pass(std::uint64_t hash, std::uint32_t* suppressed) noexcept {
  Slot& slot = slot_for(hash);
  if (slot.hash == hash && now_ms_ - slot.passed_ms < kPeriodMs) {
    if (slot.suppressed < UINT32_MAX) ++slot.suppressed;
    return false;
  }
  *suppressed = slot.hash == hash ? slot.suppressed : 0;
  slot = Slot{hash, now_ms_, 0};
  return true;
}

}  // namespace lanner::log
