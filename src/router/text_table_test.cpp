#include "router/text_table.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::router {
namespace {

TEST(TextTable, FindsNothingInAnEmptyOne) {
  TextTable table;
  table.freeze();
  EXPECT_EQ(table.find(0, ""), kNone);
  EXPECT_EQ(table.find(0, "a"), kNone);
}

TEST(TextTable, FindsWhatWasAddedAndNothingElse) {
  TextTable table;
  const std::string all(40, 'x');
  for (std::uint32_t owner = 0; owner < 50; ++owner) {
    for (std::uint32_t bytes = 0; bytes <= 40; ++bytes) {
      table.add(owner, all.substr(0, bytes), owner * 100 + bytes);
    }
  }
  table.freeze();
  for (std::uint32_t owner = 0; owner < 50; ++owner) {
    for (std::uint32_t bytes = 0; bytes <= 40; ++bytes) {
      EXPECT_EQ(table.find(owner, all.substr(0, bytes)), owner * 100 + bytes);
    }
    EXPECT_EQ(table.find(owner, all + "x"), kNone);
    EXPECT_EQ(table.find(owner + 50, all), kNone);
  }
}

TEST(TextTable, ComparesEveryByte) {
  for (std::size_t bytes = 1; bytes <= 40; ++bytes) {
    const std::string text(bytes, 'x');
    TextTable table;
    table.add(7, text, 1);
    table.freeze();
    for (std::size_t at = 0; at < bytes; ++at) {
      std::string other = text;
      other[at] = 'y';
      if (bytes <= TextKey::kWhole) {
        EXPECT_NE(TextKey::of(text), TextKey::of(other));
      }
      EXPECT_EQ(table.find(7, other), kNone);
    }
    EXPECT_EQ(table.find(7, text), 1U);
  }
}

}  // namespace
}  // namespace lanner::router
