#include "router/location.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::router {
namespace {

std::string location(const Redirected& from) {
  std::string text(location_bytes_bound(from), '?');
  text.resize(static_cast<std::size_t>(write_location(from, text.data()) - text.data()));
  return text;
}

TEST(Location, AddsOrTakesAwayTheLastSlash) {
  EXPECT_EQ(location({"", "/a", "", false}), "/a/");
  EXPECT_EQ(location({"", "/a/", "", false}), "/a");
  EXPECT_EQ(location({"", "/a/b%2Fc", "", false}), "/a/b%2Fc/");
  EXPECT_EQ(location({"/api", "/a/", "", false}), "/api/a");
}

TEST(Location, KeepsTheQuery) {
  EXPECT_EQ(location({"", "/a", "x=1&y=%2F", true}), "/a/?x=1&y=%2F");
  EXPECT_EQ(location({"", "/a", "", true}), "/a/?");
  EXPECT_EQ(location({"", "/a/", "//evil.example", true}), "/a?//evil.example");
}

TEST(Location, BackslashesAreNoSlashes) {
  EXPECT_EQ(location({"", "/\\evil.example/", "", false}), "/%5Cevil.example");
  EXPECT_EQ(location({"", "/\\\\\\", "", false}), "/%5C%5C%5C/");
}

}  // namespace
}  // namespace lanner::router
