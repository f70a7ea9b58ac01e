#include "server/spool_file.h"

#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sys/files.h"

namespace lanner::server {
namespace {

std::uint64_t disk_bytes(int fd) {
  struct stat status {};
  EXPECT_EQ(::fstat(fd, &status), 0);
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

std::string read_back(const SpoolFile::Place& place, std::size_t bytes) {
  std::string text(bytes, '\0');
  const Result<std::size_t> got =
      sys::read_at(SpoolFile::descriptor(*place.file), text.data(), bytes, place.offset);
  EXPECT_TRUE(got && *got == bytes);
  return text;
}

TEST(SpoolFile, KeepsEachAtItsPlace) {
  Budget budget;
  SpoolFile file(budget, "/tmp");
  const Result<SpoolFile::Place> one = file.append("one");
  const Result<SpoolFile::Place> two = file.append("second");
  ASSERT_TRUE(one && two);
  EXPECT_EQ(file.size(), 9u);
  EXPECT_EQ(read_back(*one, 3), "one");
  EXPECT_EQ(read_back(*two, 6), "second");
  file.release(*one, 3);
  EXPECT_EQ(read_back(*two, 6), "second");
  file.release(*two, 6);
  EXPECT_EQ(file.size(), 0u);
}

TEST(SpoolFile, GivesTheDiskBackPieceByPiece) {
  Budget budget;
  SpoolFile file(budget, "/tmp");
  const std::string large(1 << 20, 'x');
  const Result<SpoolFile::Place> first = file.append(large);
  const Result<SpoolFile::Place> second = file.append(large);
  ASSERT_TRUE(first && second);
  const int fd = SpoolFile::descriptor(*first->file);
  const std::uint64_t before = disk_bytes(fd);
  file.release(*first, large.size());
  file.cleaner().wait_idle();
  EXPECT_LE(disk_bytes(fd), before - large.size() + 8192);
  file.release(*second, large.size());
}

TEST(SpoolFile, ChargesTheBudgetWhereFilesLieInMemory) {
  const Result<int> probe = sys::make_spool_file("/dev/shm");
  if (!probe || !sys::lies_in_memory(*probe)) GTEST_SKIP() << "no tmpfs at /dev/shm";
  Budget budget;
  budget.set_limit(1000);
  SpoolFile file(budget, "/dev/shm");
  const Result<SpoolFile::Place> place = file.append(std::string(600, 'x'));
  ASSERT_TRUE(place);
  EXPECT_EQ(budget.used(), 600u);
  EXPECT_EQ(file.append(std::string(600, 'x')).code(), Errc::no_memory);
  file.release(*place, 600);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(SpoolFile, ChargesNothingForADisk) {
  const Result<int> probe = sys::make_spool_file("/tmp");
  if (!probe || sys::lies_in_memory(*probe)) GTEST_SKIP() << "/tmp lies in memory";
  Budget budget;
  SpoolFile file(budget, "/tmp");
  const Result<SpoolFile::Place> place = file.append("bytes");
  ASSERT_TRUE(place);
  EXPECT_EQ(budget.used(), 0u);
  file.release(*place, 5);
}

}  // namespace
}  // namespace lanner::server
