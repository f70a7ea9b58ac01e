#include "sys/files.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace lanner::sys {
namespace {

Result<int> make_named_and_unlink(const char* directory) noexcept {
  std::array<char, PATH_MAX> path{};
  const int length = std::snprintf(path.data(), path.size(), "%s/lanner-spool-XXXXXX", directory);
  if (length < 0 || static_cast<std::size_t>(length) >= path.size()) return os_error(ENAMETOOLONG);
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);  // mode 0600
  if (fd < 0) return os_error(errno);
  ::unlink(path.data());
  return fd;
}

}  // namespace

Result<int> make_spool_file(const char* directory) noexcept {
  const int fd = ::open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  // Filesystems without O_TMPFILE say EOPNOTSUPP, kernels without it EISDIR.
  if (errno == EOPNOTSUPP || errno == EISDIR) return make_named_and_unlink(directory);
  return os_error(errno);
}

Result<void> write_all_at(int fd, std::string_view bytes, std::uint64_t offset) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return os_error(errno);
    }
    if (written == 0) return os_error(ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

Result<std::size_t> read_at(int fd, char* to, std::size_t room, std::uint64_t offset) noexcept {
  for (;;) {
    const ssize_t count = ::pread(fd, to, room, static_cast<off_t>(offset));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return os_error(errno);
  }
}

void punch_hole(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept {
  ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(bytes));
}

Result<void> truncate(int fd) noexcept {
  if (::ftruncate(fd, 0) != 0) return os_error(errno);
  return {};
}

bool lies_in_memory(int fd) noexcept {
  struct statfs filesystem {};
  if (::fstatfs(fd, &filesystem) != 0) return false;
  return filesystem.f_type == TMPFS_MAGIC || filesystem.f_type == RAMFS_MAGIC;
}

Result<int> duplicate(int fd) noexcept {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return os_error(errno);
  return copy;
}

bool is_regular_file(int fd) noexcept {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

Result<std::uint64_t> file_size(int fd) noexcept {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return os_error(errno);
  return static_cast<std::uint64_t>(status.st_size);
}

Result<int> open_regular(const char* path) noexcept {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return os_error(errno);
  if (!is_regular_file(fd)) {
    ::close(fd);
    return os_error(EINVAL);
  }
  return fd;
}

std::uint64_t file_position(int fd) noexcept {
  const off_t position = ::lseek(fd, 0, SEEK_CUR);
  return position < 0 ? 0 : static_cast<std::uint64_t>(position);
}

void set_file_position(int fd, std::uint64_t position) noexcept {
  // What has no position reads from where it is.
  (void)::lseek(fd, static_cast<off_t>(position), SEEK_SET);
}

}  // namespace lanner::sys
