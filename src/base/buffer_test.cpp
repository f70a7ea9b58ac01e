#include "base/buffer.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner {
namespace {

TEST(Buffer, StartsWithoutMemory) {
  Buffer buffer;
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.capacity(), 0u);
  EXPECT_EQ(buffer.view(), "");
}

TEST(Buffer, AppendsAndGrows) {
  Buffer buffer;
  std::string want;
  for (int i = 0; i < 2000; ++i) {
    const std::string piece(static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26));
    ASSERT_TRUE(buffer.append(piece));
    want += piece;
  }
  EXPECT_EQ(buffer.view(), want);
}

TEST(Buffer, AppendingNothingToNothingSucceeds) {
  Buffer buffer;
  EXPECT_TRUE(buffer.append({}));
  EXPECT_EQ(buffer.capacity(), 0u);
}

TEST(Buffer, CommitsWhatWasWrittenInPlace) {
  Buffer buffer;
  char* to = buffer.reserve(1000);
  ASSERT_NE(to, nullptr);
  std::memcpy(to, "abc", 3);
  buffer.commit(3);
  EXPECT_EQ(buffer.view(), "abc");
  EXPECT_GE(buffer.capacity(), 1000u);
}

TEST(Buffer, ConsumesFromTheFront) {
  Buffer buffer;
  ASSERT_TRUE(buffer.append("headbody"));
  buffer.consume(4);
  EXPECT_EQ(buffer.view(), "body");
  buffer.consume(4);
  EXPECT_TRUE(buffer.empty());
}

TEST(Buffer, ClearKeepsAndReleaseGivesBackTheMemory) {
  Buffer buffer;
  ASSERT_TRUE(buffer.append("text"));
  buffer.clear();
  EXPECT_TRUE(buffer.empty());
  EXPECT_GT(buffer.capacity(), 0u);
  buffer.release();
  EXPECT_EQ(buffer.capacity(), 0u);
  EXPECT_TRUE(buffer.append("again"));
  EXPECT_EQ(buffer.view(), "again");
}

TEST(Buffer, MovesItsMemory) {
  Buffer from;
  ASSERT_TRUE(from.append("text"));
  Buffer to(std::move(from));
  EXPECT_EQ(to.view(), "text");
  Buffer third;
  third = std::move(to);
  EXPECT_EQ(third.view(), "text");
}

TEST(Buffer, SaysNoToTheImpossibleAndKeepsWhatItHas) {
  Buffer buffer;
  ASSERT_TRUE(buffer.append("text"));
  EXPECT_EQ(buffer.reserve(SIZE_MAX), nullptr);
  EXPECT_EQ(buffer.reserve(SIZE_MAX - 2), nullptr);
  EXPECT_EQ(buffer.view(), "text");
}

}  // namespace
}  // namespace lanner
