#include "net/fake_transport.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sys/files.h"

namespace lanner::net {

IoResult FakeTransport::read(char* to, std::size_t room) noexcept {
  if (closed) return {IoResult::Kind::error, EBADF, 0};
  if (read_error) return {IoResult::Kind::error, read_error, 0};
  const std::size_t count = std::min({room, read_max, incoming.size()});
  if (count == 0) {
    const bool end = peer_ended && incoming.empty();
    return {end ? IoResult::Kind::end : IoResult::Kind::wait_readable, 0, 0};
  }
  std::memcpy(to, incoming.data(), count);
  incoming.erase(0, count);
  return {IoResult::Kind::done, 0, count};
}

IoResult FakeTransport::write(std::span<const std::string_view> pieces) noexcept {
  ++writes;
  if (const int number = why_not_write()) return {IoResult::Kind::error, number, 0};
  std::size_t left = budget();
  std::size_t taken = 0;
  for (std::string_view piece : pieces) {
    piece = piece.substr(0, left);
    sent += piece;
    left -= piece.size();
    taken += piece.size();
  }
  return took(taken);
}

IoResult FakeTransport::send_file(int file, std::uint64_t offset, std::size_t count) noexcept {
  ++writes;
  if (const int number = why_not_write()) return {IoResult::Kind::error, number, 0};
  const std::size_t wanted = std::min(count, budget());
  if (wanted == 0) return took(0);
  const std::size_t before = sent.size();
  const Result<std::uint64_t> bytes = sys::file_size(file);
  if (!bytes) return {IoResult::Kind::error, static_cast<int>(bytes.error().detail), 0};
  if (offset >= *bytes) return {IoResult::Kind::error, EIO, 0};
  sent.resize(before + static_cast<std::size_t>(std::min<std::uint64_t>(wanted, *bytes - offset)));
  const Result<std::size_t> got =
      sys::read_at(file, sent.data() + before, sent.size() - before, offset);
  sent.resize(before + (got ? *got : 0));
  if (!got) return {IoResult::Kind::error, static_cast<int>(got.error().detail), 0};
  return took(*got);
}

int FakeTransport::why_not_write() const noexcept {
  if (closed) return EBADF;
  return write_shut || sent.size() >= break_after ? EPIPE : write_error;
}

std::size_t FakeTransport::budget() const noexcept {
  if (block_every > 0 && writes % block_every == 0) return 0;
  return std::min({write_max, write_room, break_after - sent.size()});
}

IoResult FakeTransport::took(std::size_t bytes) noexcept {
  if (bytes == 0) return {IoResult::Kind::wait_writable, 0, 0};
  if (write_room != kUnlimited) write_room -= bytes;
  return {IoResult::Kind::done, 0, bytes};
}

}  // namespace lanner::net
