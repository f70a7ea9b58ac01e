#include "cache/text_writer.h"

#include <gtest/gtest.h>

namespace lanner::cache {
namespace {

TEST(TextWriter, WritesUntilThereIsNoRoom) {
  char memory[8];
  TextWriter writer(memory);
  writer.add("a");
  writer.add_lower("BC");
  writer.add_number(0);
  writer.add_number(120);
  EXPECT_EQ(writer.text(), "abc0120");
  writer.add("xy");
  EXPECT_FALSE(writer.good());
  writer.add('z');
  EXPECT_EQ(writer.text(), "abc0120");
}

}  // namespace
}  // namespace lanner::cache
