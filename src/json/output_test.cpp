#include "json/output.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::json {
namespace {

// Memory that ends.
class Meagre final : public OutputSpace {
 public:
  char* grow(char*, std::size_t used, std::size_t more, std::size_t* capacity) noexcept override {
    *capacity = sizeof memory_;
    return used + more <= sizeof memory_ ? memory_ : nullptr;
  }

 private:
  char memory_[100];
};

TEST(Output, WhatIsWrittenStaysWhenTheMemoryMoves) {
  HeapSpace space;
  Output out(space);
  std::string all;
  for (int i = 0; i < 3000; ++i) {
    const std::string piece = std::to_string(i) + ",";
    ASSERT_TRUE(out.append(piece));
    all += piece;
  }
  EXPECT_EQ(std::string_view(out.data(), out.size()), all);
}

TEST(Output, CommitTakesLessThanWasReserved) {
  HeapSpace space;
  Output out(space);
  char* to = out.reserve(5000);
  ASSERT_NE(to, nullptr);
  *to++ = 'x';
  out.commit(to);
  EXPECT_EQ(std::string_view(out.data(), out.size()), "x");
}

TEST(Output, MemoryThatEndsIsSaidAndChangesNothing) {
  Meagre space;
  Output out(space);
  ASSERT_TRUE(out.append(std::string(90, 'a')));
  EXPECT_FALSE(out.append(std::string(11, 'b')));
  EXPECT_EQ(out.reserve(SIZE_MAX), nullptr);
  EXPECT_TRUE(out.append(std::string(10, 'c')));
  EXPECT_EQ(std::string_view(out.data(), out.size()), std::string(90, 'a') + std::string(10, 'c'));
}

TEST(Output, TruncateTakesBack) {
  HeapSpace space;
  Output out(space);
  ASSERT_TRUE(out.append("[1,2"));
  out.truncate(2);
  ASSERT_TRUE(out.append("]"));
  EXPECT_EQ(std::string_view(out.data(), out.size()), "[1]");
}

TEST(Output, AHeapSpaceIsUsedAgain) {
  HeapSpace space;
  const char* first = nullptr;
  for (int round = 0; round < 2; ++round) {
    Output out(space);
    ASSERT_TRUE(out.append(std::string(3000, 'a')));
    if (first == nullptr) first = out.data();
    EXPECT_EQ(out.data(), first);
  }
}

}  // namespace
}  // namespace lanner::json
