#include "server/file_cleaner.h"

#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/files.h"

namespace lanner::server {
namespace {

constexpr std::uint64_t kBytes = 1 << 20;

int full_file() {
  const Result<int> fd = sys::make_spool_file("/tmp");
  EXPECT_TRUE(fd && sys::write_all_at(*fd, std::string(2 * kBytes, 'x'), 0));
  return *fd;
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

std::uint64_t disk_bytes(int fd) {
  struct stat status {};
  EXPECT_EQ(::fstat(fd, &status), 0);
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

TEST(FileCleaner, PunchesAndCloses) {
  FileCleaner cleaner;
  const int fd = full_file();
  const std::uint64_t before = disk_bytes(fd);
  cleaner.punch(fd, 0, kBytes);
  cleaner.wait_idle();
  EXPECT_LE(disk_bytes(fd), before - kBytes + 8192);
  char byte = 0;
  EXPECT_TRUE(sys::read_at(fd, &byte, 1, kBytes));
  EXPECT_EQ(byte, 'x') << "the rest is untouched";
  cleaner.close(fd);
  cleaner.wait_idle();
  EXPECT_FALSE(is_open(fd));
}

TEST(FileCleaner, ManyJobsAreDoneInOrder) {
  FileCleaner cleaner;
  for (int round = 0; round < 20; ++round) {
    const int fd = full_file();
    for (std::uint64_t at = 0; at < kBytes; at += 4096) cleaner.punch(fd, at, 4096);
    cleaner.close(fd);
    cleaner.wait_idle();
    EXPECT_FALSE(is_open(fd));
  }
}

TEST(FileCleaner, ItsEndClosesWhatIsToBeClosed) {
  int files[8];
  {
    FileCleaner cleaner;
    for (int& fd : files) {
      fd = full_file();
      for (std::uint64_t at = 0; at < kBytes; at += 65536) cleaner.punch(fd, at, 65536);
    }
    for (const int fd : files) cleaner.close(fd);
  }
  for (const int fd : files) EXPECT_FALSE(is_open(fd));
}

}  // namespace
}  // namespace lanner::server
