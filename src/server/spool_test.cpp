#include "server/spool.h"

#include <cerrno>
#include <string>

#include <dirent.h>
#include <gtest/gtest.h>

#include "net/fake_transport.h"
#include "sys/files.h"

namespace lanner::server {
namespace {

int open_descriptors() {
  DIR* directory = ::opendir("/proc/self/fd");
  int count = 0;
  while (::readdir(directory)) ++count;
  ::closedir(directory);
  return count;
}

struct Files {
  explicit Files(const char* directory = "/tmp") : file(budget, directory) {}
  Budget budget;
  SpoolFile file;
  net::FakeTransport wire;
  std::string drain(Spool& spool) {
    while (!spool.empty() && spool.flush(wire).kind == net::IoResult::Kind::done) {
    }
    return wire.sent;
  }
};

int file_with(std::string_view text) {
  const Result<int> fd = sys::make_spool_file("/tmp");
  EXPECT_TRUE(fd && sys::write_all_at(*fd, text, 0));
  return *fd;
}

TEST(Spool, SendsAllInOrder) {
  Files files;
  Spool spool(files.file);
  EXPECT_TRUE(spool.empty());
  ASSERT_TRUE(spool.append("one "));
  ASSERT_TRUE(spool.append(""));
  ASSERT_TRUE(spool.append("two"));
  EXPECT_EQ(spool.size(), 7u);
  EXPECT_EQ(files.drain(spool), "one two");
  EXPECT_EQ(spool.bytes_sent(), 7u);
  EXPECT_TRUE(spool.empty());
}

TEST(Spool, TakesMoreWhileTheFirstPartIsOnItsWay) {
  Files files;
  files.wire.write_max = 3;
  Spool spool(files.file);
  ASSERT_TRUE(spool.append("first part,"));
  ASSERT_EQ(spool.flush(files.wire).bytes, 3u);
  ASSERT_TRUE(spool.append(" second part"));
  EXPECT_EQ(spool.size(), 20u);
  EXPECT_EQ(files.drain(spool), "first part, second part");
}

TEST(Spool, SeveralShareOneFileAndOneDescriptor) {
  const int before = open_descriptors();
  Files files;
  Spool one(files.file);
  Spool two(files.file);
  std::string ones;
  std::string twos;
  for (int i = 0; i < 100; ++i) {
    ones += "1" + std::to_string(i);
    twos += "2" + std::to_string(i);
    ASSERT_TRUE(one.append("1" + std::to_string(i)));
    ASSERT_TRUE(two.append("2" + std::to_string(i)));
  }
  EXPECT_EQ(open_descriptors(), before + 1);
  EXPECT_EQ(files.drain(one), ones);
  files.wire.sent.clear();
  EXPECT_EQ(files.drain(two), twos);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Spool, FilesOfOthersHaveTheirPlaceAmongTheBytes) {
  const int before = open_descriptors();
  Files files;
  Spool spool(files.file);
  ASSERT_TRUE(spool.append("<"));
  ASSERT_TRUE(spool.append_file(file_with("0123456789"), 2, 5));
  ASSERT_TRUE(spool.append(">"));
  EXPECT_EQ(spool.size(), 7u);
  EXPECT_EQ(files.drain(spool), "<23456>");
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Spool, ClosesAFileOfWhichNothingIsWanted) {
  const int before = open_descriptors();
  Files files;
  Spool spool(files.file);
  ASSERT_TRUE(spool.append_file(file_with("x"), 0, 0));
  EXPECT_TRUE(spool.empty());
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Spool, ReadsBackWhatWasAdded) {
  Files files;
  Spool spool(files.file);
  Spool other(files.file);
  ASSERT_TRUE(spool.append("abcdef"));
  ASSERT_TRUE(other.append("between"));
  ASSERT_TRUE(spool.append("ghi"));
  std::string all;
  char part[4];
  while (!spool.empty()) {
    const Result<std::size_t> got = spool.read(part, sizeof part);
    ASSERT_TRUE(got);
    all.append(part, *got);
  }
  EXPECT_EQ(all, "abcdefghi");
}

TEST(Spool, AQueueThatIsNeverEmptyDoesNotGrow) {
  Files files;
  Spool spool(files.file);
  Spool other(files.file);
  ASSERT_TRUE(spool.append("x"));
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(other.append("o"));  // so that no two parts lie side by side
    ASSERT_TRUE(spool.append("x"));
    ASSERT_EQ(spool.flush(files.wire).bytes, 1u);
    other.clear();
  }
  EXPECT_LT(files.budget.used(), 8192u);
  EXPECT_EQ(spool.size(), 1u);
}

TEST(Spool, ClearForgets) {
  Files files;
  Spool spool(files.file);
  ASSERT_TRUE(spool.append("gone"));
  spool.clear();
  EXPECT_TRUE(spool.empty());
  EXPECT_EQ(files.budget.used(), 0u);
  ASSERT_TRUE(spool.append("new"));
  EXPECT_EQ(files.drain(spool), "new");
}

TEST(Spool, SaysWhenThereIsNoPlace) {
  Files files("/nonexistent");
  Spool spool(files.file);
  const Result<void> failed = spool.append("x");
  EXPECT_EQ(failed.code(), Errc::spool_failed);
  EXPECT_EQ(failed.error().detail, static_cast<std::uint32_t>(ENOENT));
  EXPECT_TRUE(spool.empty());
}

TEST(Spool, DestructionClosesAllFiles) {
  const int before = open_descriptors();
  Files files;
  {
    Spool spool(files.file);
    ASSERT_TRUE(spool.append("x"));
    ASSERT_TRUE(spool.append_file(file_with("y"), 0, 1));
  }
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace lanner::server
