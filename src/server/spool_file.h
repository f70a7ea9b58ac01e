// server/spool_file.h: the unlinked file in which one worker keeps the bytes of answers and bodies
// that do not fit in memory.
//
// What is small is given back at once, the rest by a thread of its own.
//
// One for all of them: a file for each would cost a descriptor for each client. New bytes go to its
// end; what was read is punched out, and it is emptied when nobody needs it any more. Past
// kFileBytesMax a new file is begun, so that no filesystem's largest size is ever met; the old one
// goes with its last byte. Where the directory lies in memory (tmpfs) the bytes are charged to the
// budget: a file is no way out then.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"
#include "server/file_cleaner.h"

namespace lanner::server {

class SpoolFile final {
 public:
  struct File;  // one file: opaque but for its descriptor

  static constexpr std::uint64_t kFileBytesMax = std::uint64_t{1} << 36;

  // `directory` is borrowed.
  SpoolFile(Budget& budget, const char* directory) noexcept
      : budget_(budget), directory_(directory) {}
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;
  ~SpoolFile();  // REQUIRES: every byte was released

  struct Place {
    File* file;
    std::uint64_t offset;
  };
  // All of the bytes at a place of theirs, or spool_failed.
  Result<Place> append(std::string_view bytes) noexcept;
  // These bytes are needed no more.
  void release(Place place, std::uint64_t bytes) noexcept;
  static int descriptor(const File& file) noexcept;

  Budget& budget() noexcept { return budget_; }
  FileCleaner& cleaner() noexcept { return cleaner_; }
  // Bytes in it that somebody needs.
  std::uint64_t size() const noexcept { return size_; }

 private:
  Result<void> open() noexcept;
  void close(File* file) noexcept;

  Budget& budget_;
  FileCleaner cleaner_;
  const char* directory_;
  File* current_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace lanner::server
