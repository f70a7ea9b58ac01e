#include "server/body_store.h"

#include <string>

#include <dirent.h>
#include <gtest/gtest.h>

#include "server/test_handler.h"

namespace lanner::server {
namespace {

struct Files {
  explicit Files(const char* directory = "/tmp") : file(budget, directory) {}
  Budget budget;
  SpoolFile file;
};

int open_descriptors() {
  DIR* directory = ::opendir("/proc/self/fd");
  int count = 0;
  while (::readdir(directory)) ++count;
  ::closedir(directory);
  return count;
}

std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + i % 23);
  return text;
}

TEST(BodyStore, EmptyIsAtItsEnd) {
  Files files;
  BodyStore store(files.file);
  char byte = 0;
  EXPECT_EQ(store.size(), 0u);
  EXPECT_EQ(store.bytes_left(), 0u);
  EXPECT_EQ(*store.read(&byte, 1), 0u);
}

TEST(BodyStore, BorrowedBytesAreNotCopied) {
  std::string bytes = "hello";
  Files files;
  BodyStore store(files.file);
  store.borrow(bytes);
  bytes[0] = 'j';
  EXPECT_EQ(store.size(), 5u);
  EXPECT_EQ(test::read_all(store), "jello");
}

TEST(BodyStore, OwnedBytesOutliveTheirSource) {
  std::string bytes = "hello";
  Files files;
  BodyStore store(files.file);
  store.borrow(bytes);
  ASSERT_TRUE(store.own());
  bytes = "xxxxx";
  EXPECT_EQ(test::read_all(store), "hello");
}

TEST(BodyStore, OwningGoesOnWhereReadingWas) {
  std::string bytes = "hello";
  Files files;
  BodyStore store(files.file);
  store.borrow(bytes);
  char part[2];
  EXPECT_EQ(*store.read(part, 2), 2u);
  ASSERT_TRUE(store.own());
  bytes.clear();
  EXPECT_EQ(store.bytes_left(), 3u);
  EXPECT_EQ(test::read_all(store), "llo");
}

TEST(BodyStore, ShowsWhatIsInMemoryWithoutACopy) {
  const std::string bytes = "hello";
  Files files;
  BodyStore store(files.file);
  EXPECT_EQ(store.view(), "");
  store.borrow(bytes);
  EXPECT_EQ(store.view().data(), bytes.data());
  store.skip(2);
  EXPECT_EQ(store.view(), "llo");
  EXPECT_EQ(store.bytes_left(), 3u);
  ASSERT_TRUE(store.own());
  EXPECT_EQ(store.view(), "llo");
  EXPECT_NE(store.view().data(), bytes.data() + 2);
  char part[2];
  EXPECT_EQ(*store.read(part, 2), 2u);
  EXPECT_EQ(store.view(), "o");
  store.skip(1);
  EXPECT_EQ(store.view(), "");
  EXPECT_EQ(store.bytes_left(), 0u);
  EXPECT_EQ(files.budget.used(), 0u) << "what was read to its end holds no memory";
}

TEST(BodyStore, ShowsOnlyWhatIsInFrontOfTheFile) {
  Files files;
  BodyStore store(files.file);
  ASSERT_TRUE(store.append("abc", 3));
  ASSERT_TRUE(store.append("defg", 3));
  EXPECT_EQ(store.view(), "abc");
  store.skip(3);
  EXPECT_EQ(store.view(), "") << "the rest must be read";
  EXPECT_EQ(test::read_all(store), "defg");
}

TEST(BodyStore, CopiesWhatWasBorrowedBeforeItAddsToIt) {
  std::string bytes = "abc";
  Files files;
  BodyStore store(files.file);
  store.borrow(bytes);
  ASSERT_TRUE(store.append("def", 100));
  bytes = "xxx";
  EXPECT_EQ(store.view(), "abcdef");
}

TEST(BodyStore, OwningTwiceOrNothingIsNothing) {
  Files files;
  BodyStore store(files.file);
  EXPECT_TRUE(store.own());
  store.borrow("ab");
  EXPECT_TRUE(store.own());
  EXPECT_TRUE(store.own());
  EXPECT_EQ(store.size(), 2u);
}

// Whatever the pieces and wherever memory ends, the bytes come back in order.
TEST(BodyStore, ReadsBackWhatWasAdded) {
  const std::string whole = pattern(1000);
  for (std::size_t memory : {0u, 1u, 99u, 100u, 101u, 999u, 1000u, 1001u}) {
    for (std::size_t piece : {1u, 7u, 100u, 333u, 1000u}) {
      for (std::size_t room : {1u, 64u, 4096u}) {
        Files files;
        BodyStore store(files.file);
        for (std::size_t at = 0; at < whole.size(); at += piece) {
          ASSERT_TRUE(store.append(std::string_view(whole).substr(at, piece), memory));
        }
        ASSERT_EQ(store.size(), whole.size());
        EXPECT_EQ(store.spooled(), memory < whole.size());
        Errc why = Errc::internal;
        ASSERT_EQ(test::read_all(store, room, &why), whole) << memory << ' ' << piece;
        EXPECT_EQ(why, Errc::ok);
        EXPECT_EQ(store.bytes_left(), 0u);
      }
    }
  }
}

TEST(BodyStore, StaysInTheFileOnceItIsThere) {
  Files files;
  BodyStore store(files.file);
  ASSERT_TRUE(store.append("12345678", 4));
  ASSERT_TRUE(store.append("9", 4)) << "would fit in memory, but comes after";
  EXPECT_EQ(test::read_all(store), "123456789");
}

TEST(BodyStore, CountsWhatIsLeft) {
  Files files;
  BodyStore store(files.file);
  ASSERT_TRUE(store.append("abc", 3));
  ASSERT_TRUE(store.append("defg", 3));
  char part[5];
  EXPECT_EQ(store.bytes_left(), 7u);
  EXPECT_EQ(*store.read(part, 5), 3u) << "not over the border between memory and file";
  EXPECT_EQ(store.bytes_left(), 4u);
  EXPECT_EQ(*store.read(part, 3), 3u);
  EXPECT_EQ(store.bytes_left(), 1u);
  EXPECT_EQ(*store.read(part, 3), 1u);
  EXPECT_EQ(*store.read(part, 3), 0u);
}

TEST(BodyStore, SaysWhenThereIsNoPlaceForAFile) {
  Files files("/nonexistent");
  BodyStore store(files.file);
  ASSERT_TRUE(store.append("abc", 3));
  const Result<void> failed = store.append("d", 3);
  EXPECT_EQ(failed.code(), Errc::spool_failed);
  EXPECT_EQ(failed.error().detail, static_cast<std::uint32_t>(ENOENT));
  EXPECT_FALSE(store.spooled());
}

TEST(BodyStore, ResetGivesFileAndMemoryBack) {
  const int before = open_descriptors();
  Files files;
  BodyStore store(files.file);
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(store.append("abcdef", 2));
    EXPECT_EQ(open_descriptors(), before + 1);
    store.reset();
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_EQ(store.size(), 0u);
    EXPECT_FALSE(store.spooled());
    store.borrow("xy");
    EXPECT_EQ(test::read_all(store), "xy") << "usable again";
    store.reset();
  }
}

TEST(BodyStore, WhatIsInMemoryIsCharged) {
  Files files;
  {
    BodyStore store(files.file);
    ASSERT_TRUE(store.append(pattern(5000), 8000));
    EXPECT_GE(files.budget.used(), 5000u);
    ASSERT_TRUE(store.append(pattern(50'000), 8000));
    EXPECT_LE(files.budget.used(), 10'000u) << "the rest is in the file";
    store.reset();
    EXPECT_EQ(files.budget.used(), 0u);
    store.borrow("abc");
    ASSERT_TRUE(store.own());
    EXPECT_GE(files.budget.used(), 3u);
  }
  EXPECT_EQ(files.budget.used(), 0u);
}

TEST(BodyStore, DestructionClosesTheFile) {
  const int before = open_descriptors();
  {
    Files files;
    BodyStore store(files.file);
    ASSERT_TRUE(store.append("abcdef", 2));
  }
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace lanner::server
