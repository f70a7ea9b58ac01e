// server/spool_file.cpp: the unlinked file in which one worker keeps what does not fit in memory.

#include "server/spool_file.h"

#include <new>

#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::server {

namespace {
constexpr std::uint64_t kSmallFileBytes = 1 << 20;  // closed by the loop itself
}  // namespace

struct SpoolFile::File {
  int fd;
  bool in_memory;
  std::uint64_t end = 0;   // where the next byte goes
  std::uint64_t size = 0;  // bytes that somebody needs
};

SpoolFile::~SpoolFile() {
  if (current_) close(current_);
}

void SpoolFile::close(File* file) noexcept {
  if (file->end <= kSmallFileBytes) {
    sys::close(file->fd);
  } else {
    cleaner_.close(file->fd);
  }
  delete file;
}

int SpoolFile::descriptor(const File& file) noexcept { return file.fd; }

Result<void> SpoolFile::open() noexcept {
  Result<int> fd = sys::make_spool_file(directory_);
  if (!fd) return Error{Errc::spool_failed, fd.error().detail};
  current_ = new (std::nothrow) File{*fd, sys::lies_in_memory(*fd)};
  if (current_) return {};
  sys::close(*fd);
  return Errc::no_memory;
}

Result<SpoolFile::Place> SpoolFile::append(std::string_view bytes) noexcept {
  if (current_ && current_->end > kFileBytesMax) {
    if (current_->size == 0) close(current_);
    current_ = nullptr;  // else it goes with its last byte
  }
  if (!current_) {
    Result<void> opened = open();
    if (!opened) return opened.error();
  }
  File& file = *current_;
  if (file.in_memory && !budget_.fits(bytes.size())) return Errc::no_memory;
  Result<void> written = sys::write_all_at(file.fd, bytes, file.end);
  if (!written) return Error{Errc::spool_failed, written.error().detail};
  const Place place{&file, file.end};
  file.end += bytes.size();
  file.size += bytes.size();
  size_ += bytes.size();
  if (file.in_memory) budget_.charge(bytes.size());
  return place;
}

void SpoolFile::release(Place place, std::uint64_t bytes) noexcept {
  if (bytes == 0) return;
  File& file = *place.file;
  file.size -= bytes;
  size_ -= bytes;
  if (file.in_memory) budget_.release(bytes);
  if (file.size > 0) {
    // What is small goes as a whole, and soon.
    if (file.end > kSmallFileBytes) cleaner_.punch(file.fd, place.offset, bytes);
    return;
  }
  // Nobody needs it: the descriptor goes as well, and with it what could not be punched out.
  if (current_ == &file) current_ = nullptr;
  close(&file);
}

}  // namespace lanner::server
