#include "sys/files.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanner::sys {
namespace {

class File : public ::testing::Test {
 protected:
  void SetUp() override {
    const Result<int> made = make_spool_file("/tmp");
    ASSERT_TRUE(made) << made.error().detail;
    fd_ = *made;
  }
  void TearDown() override {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd_ = -1;
};

TEST_F(File, SpoolFileIsPrivateUnlinkedAndCloseOnExec) {
  struct stat status {};
  ASSERT_EQ(::fstat(fd_, &status), 0);
  EXPECT_EQ(status.st_nlink, 0u);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_TRUE(::fcntl(fd_, F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(is_regular_file(fd_));
}

TEST_F(File, ReadsWhatWasWrittenAtAnOffset) {
  const std::string text(100'000, 'w');
  ASSERT_TRUE(write_all_at(fd_, text, 10));
  ASSERT_TRUE(write_all_at(fd_, "0123456789", 0));
  EXPECT_EQ(*file_size(fd_), 100'010u);
  std::string got(20, ' ');
  ASSERT_EQ(*read_at(fd_, got.data(), got.size(), 0), 20u);
  EXPECT_EQ(got, "0123456789wwwwwwwwww");
  EXPECT_EQ(*read_at(fd_, got.data(), got.size(), 100'005), 5u);
  EXPECT_EQ(*read_at(fd_, got.data(), got.size(), 200'000), 0u);
}

TEST_F(File, DuplicateIsTheSameFileAndCloseOnExec) {
  const Result<int> copy = duplicate(fd_);
  ASSERT_TRUE(copy);
  ASSERT_NE(*copy, fd_);
  EXPECT_TRUE(::fcntl(*copy, F_GETFD) & FD_CLOEXEC);
  ASSERT_TRUE(write_all_at(fd_, "abc", 0));
  EXPECT_EQ(*file_size(*copy), 3u);
  ::close(*copy);
}

TEST_F(File, TellsErrnoWhenItFails) {
  EXPECT_EQ(make_spool_file("/nonexistent/directory").error(), os_error(ENOENT));
  EXPECT_EQ(duplicate(-1).error(), os_error(EBADF));
  EXPECT_EQ(file_size(-1).error(), os_error(EBADF));
  EXPECT_EQ(write_all_at(-1, "x", 0).error(), os_error(EBADF));
  char byte = 0;
  EXPECT_EQ(read_at(-1, &byte, 1, 0).error(), os_error(EBADF));
  EXPECT_TRUE(write_all_at(fd_, "", 0));
}

TEST_F(File, FullDiskIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  EXPECT_EQ(write_all_at(full, "x", 0).error(), os_error(ENOSPC));
  EXPECT_FALSE(is_regular_file(full));
  ::close(full);
}

}  // namespace
}  // namespace lanner::sys
