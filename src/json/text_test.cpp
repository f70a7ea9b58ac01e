#include "json/text.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::json {
namespace {

TEST(Text, LinesAndColumnsAreCountedInCodePoints) {
  const std::string text = "{\n \"\xC3\xA9\": x\n}";
  EXPECT_EQ(position_of(text, 0).line, 1u);
  EXPECT_EQ(position_of(text, 0).column, 1u);
  const std::size_t x = text.find('x');
  EXPECT_EQ(position_of(text, x).line, 2u);
  EXPECT_EQ(position_of(text, x).column, 7u);
  EXPECT_EQ(position_of("\xFF\xFFx", 2).column, 3u);
}

}  // namespace
}  // namespace lanner::json
