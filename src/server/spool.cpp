// server/spool.cpp: bytes of one answer or body that wait in the worker's spool file.

#include "server/spool.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::server {

namespace {
// One step of a file: enough for the kernel to be efficient, little enough for others to get a
// turn.
constexpr std::uint64_t kStepBytes = 1 << 20;
}  // namespace

struct Spool::Part {
  SpoolFile::File* file;  // null: a file of the application's, `fd`
  int fd;
  std::uint64_t offset;  // first byte that is still here
  std::uint64_t begin;   // ... that was
  std::uint64_t end;
};

Spool::Part* Spool::parts() noexcept {
  // SAFETY: the buffer holds Parts only, one behind the other, in memory from malloc.
  return reinterpret_cast<Part*>(parts_.data()) + first_;
}

std::size_t Spool::part_count() const noexcept { return parts_.size() / sizeof(Part) - first_; }

int Spool::descriptor(const Part& part) const noexcept {
  return part.file ? SpoolFile::descriptor(*part.file) : part.fd;
}

Result<void> Spool::add(const Part& part) noexcept {
  // Parts that are gone make room first: a queue that is never empty must not grow for that.
  if (first_ > 16 && first_ > part_count()) {
    parts_.consume(first_ * sizeof(Part));
    first_ = 0;
  }
  char* to = parts_.reserve(sizeof part);
  if (!to) return Errc::no_memory;
  std::memcpy(to, &part, sizeof part);
  parts_.commit(sizeof part);
  charge_.set(parts_.capacity());
  size_ += part.end - part.begin;
  return {};
}

Result<void> Spool::append(std::string_view bytes) noexcept {
  if (bytes.empty()) return {};
  Result<SpoolFile::Place> place = file_.append(bytes);
  if (!place) return place.error();
  Part* last = part_count() > 0 ? parts() + part_count() - 1 : nullptr;
  if (last && last->file == place->file && last->end == place->offset) {
    last->end += bytes.size();
    size_ += bytes.size();
    return {};
  }
  const std::uint64_t end = place->offset + bytes.size();
  Result<void> added = add({place->file, -1, place->offset, place->offset, end});
  if (!added) file_.release(*place, bytes.size());
  return added;
}

Result<void> Spool::append_file(int fd, std::uint64_t offset, std::uint64_t count) noexcept {
  Result<void> added;
  if (count > 0) added = add({nullptr, fd, offset, offset, offset + count});
  if (count == 0 || !added) sys::close(fd);
  return added;
}

net::IoResult Spool::flush(net::Transport& transport) noexcept {
  const Part& part = *parts();
  const auto count = static_cast<std::size_t>(std::min(part.end - part.offset, kStepBytes));
  const net::IoResult result = transport.send_file(descriptor(part), part.offset, count);
  if (result.kind != net::IoResult::Kind::done) return result;
  bytes_sent_ += result.bytes;
  drop(result.bytes);
  return result;
}

Result<std::size_t> Spool::read(char* to, std::size_t room) noexcept {
  const Part& part = *parts();
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(part.end - part.offset, room));
  Result<std::size_t> got = sys::read_at(descriptor(part), to, count, part.offset);
  if (!got || *got == 0) return Error{Errc::spool_failed, got ? EIO : got.error().detail};
  drop(*got);
  return got;
}

// From the first part.
void Spool::drop(std::uint64_t bytes) noexcept {
  Part& part = *parts();
  part.offset += bytes;
  size_ -= bytes;
  if (part.offset < part.end) return;
  release(part);
  ++first_;
  if (size_ == 0) clear();
}

void Spool::release(const Part& part) noexcept {
  if (part.file) return file_.release({part.file, part.begin}, part.end - part.begin);
  sys::close(part.fd);
}

void Spool::clear() noexcept {
  for (std::size_t i = 0; i < part_count(); ++i) release(parts()[i]);
  first_ = 0;
  size_ = 0;
  if (parts_.capacity() == 0) return;
  parts_.release();
  charge_.set(0);
}

}  // namespace lanner::server
