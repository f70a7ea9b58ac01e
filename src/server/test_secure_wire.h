// server/test_secure_wire.h: a toy of an encrypted transport: a handshake of two round trips, input
// in records, reads that wait for writing and writes that wait for reading; not for the server.
//
// A record is a type, a size (one byte each) and so many bytes, each XOR 0x55:
//   h   handshake: the client says "1", then "2"; it is answered "one", "two"
//   d   data
//   u   key update: the server has to answer "u" before it reads on
//   p   pause: the server may write again when it has read "g"

#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/transport.h"
#include "sys/files.h"

namespace lanner::server::test {

inline std::string record(char type, std::string_view text) {
  std::string made{type, static_cast<char>(text.size())};
  for (const char c : text) made += static_cast<char>(c ^ 0x55);
  return made;
}

// `text` as data, in records of at most `most` bytes.
inline std::string sealed(std::string_view text, std::size_t most = 100) {
  std::string made;
  for (; !text.empty(); text.remove_prefix(std::min(most, text.size()))) {
    made += record('d', text.substr(0, most));
  }
  return made;
}

// Takes the first record off `wire`; false: it is not whole.
inline bool take_record(std::string* wire, char* type, std::string* text) {
  if (wire->size() < 2) return false;
  const auto size = static_cast<unsigned char>((*wire)[1]);
  if (wire->size() < 2u + size) return false;
  *type = (*wire)[0];
  *text = wire->substr(2, size);
  for (char& c : *text) c = static_cast<char>(c ^ 0x55);
  wire->erase(0, 2u + size);
  return true;
}

// The data in `wire`; other records as "<type>".
inline std::string opened(std::string wire) {
  std::string all, text;
  char type = 0;
  while (take_record(&wire, &type, &text)) all += type == 'd' ? text : std::string{'<', type, '>'};
  return all + wire;
}

class SecureWire final : public net::Transport {
 public:
  using Kind = net::IoResult::Kind;
  explicit SecureWire(std::unique_ptr<net::Transport> wire) noexcept : wire_(std::move(wire)) {}

  net::IoResult handshake() noexcept override {
    while (steps_ < 2) {
      if (!push()) return pushed_;
      char type = 0;
      std::string text;
      if (!take_record(&raw_, &type, &text)) {
        if (const net::IoResult got = fill(); got.kind != Kind::done) return got;
      } else if (type != 'h' || text != (steps_ == 0 ? "1" : "2")) {
        return {Kind::error, EPROTO, 0};
      } else {
        out_ += record('h', steps_++ == 0 ? "one" : "two");
      }
    }
    return push() ? net::IoResult{Kind::done, 0, 0} : pushed_;
  }
  bool secured() const noexcept override { return steps_ == 2; }

  net::IoResult read(char* to, std::size_t room) noexcept override {
    for (;;) {
      if (update_owed_ && !push()) return pushed_;
      update_owed_ = false;
      if (!plain_.empty()) break;
      if (!take_in()) {
        if (const net::IoResult got = fill(); got.kind != Kind::done) return got;
      }
    }
    const std::size_t count = std::min(room, plain_.size());
    plain_.copy(to, count);
    plain_.erase(0, count);
    return {Kind::done, 0, count};
  }
  bool holds_input() const noexcept override { return !plain_.empty() || raw_.size() >= 2; }

  net::IoResult write(std::span<const std::string_view> pieces) noexcept override {
    while (paused_) {
      if (take_in()) continue;
      const net::IoResult got = fill();
      if (got.kind == Kind::end) return {Kind::error, EPIPE, 0};
      if (got.kind != Kind::done) return got;
    }
    if (offered_ == 0) {
      std::string text;
      for (const std::string_view piece : pieces) text += piece.substr(0, 100 - text.size());
      out_ += record('d', text);
      offered_ = text.size();
    }
    if (!push()) return pushed_;
    return {Kind::done, 0, std::exchange(offered_, 0)};
  }
  net::IoResult send_file(int file, std::uint64_t offset, std::size_t count) noexcept override {
    std::string text(std::min<std::size_t>(count, 100), '\0');
    const auto got = sys::read_at(file, text.data(), text.size(), offset);
    if (!got || *got == 0) return {Kind::error, EIO, 0};
    const std::string_view piece(text.data(), *got);
    return write({&piece, 1});
  }
  void shutdown_write() noexcept override { wire_->shutdown_write(); }
  void reset() noexcept override { wire_->reset(); }
  void close() noexcept override { wire_->close(); }
  int descriptor() const noexcept override { return -1; }

 private:
  // Sends what is encrypted already; false: *pushed_* says why not all of it.
  bool push() noexcept {
    while (!out_.empty()) {
      const std::string_view piece = out_;
      pushed_ = wire_->write({&piece, 1});
      if (pushed_.kind != Kind::done) return false;
      out_.erase(0, pushed_.bytes);
    }
    return true;
  }
  net::IoResult fill() noexcept {
    char room[64];
    const net::IoResult got = wire_->read(room, sizeof room);
    if (got.kind == Kind::done) raw_.append(room, got.bytes);
    return got;
  }
  // Looks at one record.
  bool take_in() noexcept {
    char type = 0;
    std::string text;
    if (!take_record(&raw_, &type, &text)) return false;
    if (type == 'd') plain_ += text;
    if (type == 'p') paused_ = true;
    if (type == 'g') paused_ = false;
    if (type == 'u') {
      out_ += record('u', "");
      update_owed_ = true;
    }
    return true;
  }

  std::unique_ptr<net::Transport> wire_;
  std::string raw_, plain_, out_;
  net::IoResult pushed_;
  int steps_ = 0;
  bool update_owed_ = false;
  bool paused_ = false;
  std::size_t offered_ = 0;
};

}  // namespace lanner::server::test
