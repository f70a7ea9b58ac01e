// sys/files.h: unlinked spool files, and what sendfile needs to know about a file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace lanner::sys {

// An unlinked read-write file in `directory` (O_TMPFILE, or mkostemp + unlink), mode 0600.
Result<int> make_spool_file(const char* directory) noexcept;
// Writes everything, or returns an error such as ENOSPC.
Result<void> write_all_at(int fd, std::string_view bytes, std::uint64_t offset) noexcept;
// Gives the disk space of a part of a file back, where the filesystem can; the size stays.
void punch_hole(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept;
Result<void> truncate(int fd) noexcept;  // to nothing
bool lies_in_memory(int fd) noexcept;    // tmpfs, ramfs: what is written there is memory
Result<std::size_t> read_at(int fd, char* to, std::size_t room, std::uint64_t offset) noexcept;
Result<int> duplicate(int fd) noexcept;  // close-on-exec
bool is_regular_file(int fd) noexcept;
// For reading, close-on-exec; os_error EINVAL when it is no regular file. Never blocks on a FIFO.
Result<int> open_regular(const char* path) noexcept;
std::uint64_t file_position(int fd) noexcept;  // 0 when it has none
void set_file_position(int fd, std::uint64_t position) noexcept;
Result<std::uint64_t> file_size(int fd) noexcept;

}  // namespace lanner::sys
