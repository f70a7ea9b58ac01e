// server/connection_output.cpp: what a connection sends: out buffer, spool behind it, and their
// order.

#include <algorithm>
#include <array>

#include "server/connection.h"
#include "server/server.h"

namespace lanner::server {

namespace {
constexpr int kFlushStepsMax = 16;  // then others have their turn
}  // namespace

bool Connection::over_high_mark_now() const noexcept {
  return !spool_.empty() ||
         (out_.size() > terms_.least_high_bytes && out_.size() > high_mark_bytes());
}

bool Connection::under_low_mark() const noexcept {
  return spool_.empty() && out_.size() <= std::min(limits().out_low_bytes, high_mark_bytes());
}

// Unsent bytes at which its source pauses.
std::uint64_t Connection::high_mark_bytes() const noexcept {
  return server_.budget().near() ? terms_.least_high_bytes : limits().out_high_bytes;
}

bool Connection::put_text(std::string_view text) noexcept {
  return (spool_.empty() && out_.append(text)) || spool_text(text);
}

bool Connection::spool_text(std::string_view text) noexcept {
  Result<void> stored = spool_.append(text);
  if (!stored) log_failure("h1.spool_failed", stored.code());
  return bool(stored);
}

bool Connection::put_file(int fd, std::uint64_t offset, std::uint64_t count) noexcept {
  if (spool_.empty()) return out_.append_file(fd, offset, count);
  return bool(spool_.append_file(fd, offset, count));
}

// Moves what the client has not taken to the spool, and its memory is free. False: a part of it is
// lost, the connection must be cut. Without a place for any of it nothing is changed.
bool Connection::spill() noexcept {
  std::array<std::string_view, 16> some;
  bool moved = false;
  while (!out_.empty()) {
    const std::size_t count = out_.pieces(some);
    if (count == 0) {
      const net::OutBuffer::FilePart part = out_.take_file();
      moved = true;
      if (!spool_.append_file(part.descriptor, part.offset, part.count)) return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      Result<void> stored = spool_.append(some[i]);
      if (!stored) return !moved && server_.budget().fits(0);
      out_.drop(some[i].size());
      moved = true;
    }
  }
  return true;
}

// Its buffers are memory, too, although they are not in the budget.
void Connection::limit_kernel() noexcept {
  const bool near = server_.budget().near();
  if (near == kernel_limited_) return;
  kernel_limited_ = near;
  transport().limit_unsent(near ? net::kUnsentBytesNear : net::kUnsentBytesMax);
}

void Connection::mark_dirty() noexcept {
  if (!closed()) server_.mark_dirty(*this);
}

void Connection::flush() noexcept {
  if (closed()) return;
  if (out_.size() > Budget::kSmallBytes) limit_kernel();
  bool blocked = false;
  bool wants_read = false;
  const std::uint64_t sent_before = bytes_sent();
  for (int steps = 0; !blocked && steps < kFlushStepsMax; ++steps) {
    if (out_.empty() && spool_.empty()) break;
    net::IoResult put = out_.empty() ? spool_.flush(transport()) : out_.flush(transport());
    if (put.kind == net::IoResult::Kind::error) return close(cut_);
    blocked = put.waits();
    wants_read = put.kind == net::IoResult::Kind::wait_readable;
  }
  if (blocked && spool_.empty() && out_.size() > server_.unread_max() && !spill()) {
    log_failure("h1.spool_failed", Errc::no_memory);
    return close(true);
  }
  const bool pending = !out_.empty() || !spool_.empty();
  if (all_taken_ && (pending || bytes_sent() != sent_before)) watch_client(sent_before);
  if (pending != write_blocked_ || wants_read != write_wants_read_) {
    write_blocked_ = pending;
    write_wants_read_ = wants_read;
    set_interest();
  } else if (!pending && !(interest_ & sys::Ready::readable) && stage_ == Stage::open &&
             protocol_->wants_input()) {
    set_interest();  // over the high mark and out again at once
  }
  if (!pending || under_low_mark()) {
    if (protocol_->on_drained(!pending)) request_turn();
  }
  if (!pending && closing_) output_done();
  if (!closed()) rearm_later();
}

}  // namespace lanner::server
