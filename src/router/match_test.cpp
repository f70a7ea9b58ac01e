#include "router/match.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::router {
namespace {

std::string written(std::string_view raw, bool in_host) {
  Match match;
  match.count = 0;
  match.push(raw, false, in_host);
  std::string text(raw.size(), '?');
  text.resize(write_value(match.values()[0], text.data()));
  return text;
}

TEST(Match, WritesValuesDecodedOrInLowerCase) {
  EXPECT_EQ(written("a%20B%2f%2E", false), "a B/.");
  EXPECT_EQ(written("a+b", false), "a+b");
  EXPECT_EQ(written("", false), "");
  EXPECT_EQ(written("ACME-1", true), "acme-1");
  EXPECT_EQ(written("a%41", true), "a%41");
}

}  // namespace
}  // namespace lanner::router
