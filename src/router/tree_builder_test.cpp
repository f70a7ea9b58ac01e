#include "router/tree_builder.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::router {
namespace {

Pattern pattern(const std::string& text) {
  Pattern parsed;
  std::string why;
  const bool ok = parse_path(text, &parsed, &why);
  EXPECT_TRUE(ok) << why;
  return parsed;
}

TEST(TreeBuilder, NamesTheRouteOfTheSameShape) {
  TreeBuilder builder;
  const std::uint32_t root = builder.add_root();
  const MethodSet put = method_bit(http::Method::put);
  EXPECT_EQ(builder.add(root, pattern("/a/{x}"), kGet | put, 0, false).clash, kNone);
  EXPECT_EQ(builder.add(root, pattern("/a/{y}"), kGet, 1, false).clash, 0U);
  EXPECT_EQ(builder.add(root, pattern("/a/{y}"), kHead, 1, false).clash, kNone);
  EXPECT_EQ(builder.add(root, pattern("/a/{x}/"), kGet, 2, false).clash, kNone);
  EXPECT_EQ(builder.add(root, pattern("/a/{x:int}"), kGet, 3, false).clash, kNone);
  EXPECT_EQ(builder.add(root, pattern("/{p:path}"), kGet, 4, false).clash, kNone);
  EXPECT_EQ(builder.add(root, pattern("/{q:path}"), kGet, 5, false).clash, 4U);
  const std::uint32_t other = builder.add_root();
  EXPECT_EQ(builder.add(other, pattern("/a/{x}"), kGet, 6, false).clash, kNone);
}

TEST(TreeBuilder, AddsNothingAfterAClashUnlessTheFirstWins) {
  for (const bool first_wins : {false, true}) {
    TreeBuilder builder;
    const std::uint32_t root = builder.add_root();
    const MethodSet post = method_bit(http::Method::post);
    builder.add(root, pattern("/a"), kGet, 0, first_wins);
    EXPECT_EQ(builder.add(root, pattern("/a"), kGet | post, 1, first_wins).clash, 0U);
    Tree tree;
    builder.freeze(&tree);
    Match match{};
    EXPECT_EQ(tree.find(root, {"/a", post}, &match), first_wins);
    ASSERT_TRUE(tree.find(root, {"/a", kGet}, &match));
    EXPECT_EQ(match.route, 0U);
  }
}

TEST(TreeBuilder, BoundsWhatIsTriedOneAfterTheOther) {
  TreeBuilder builder;
  const std::uint32_t root = builder.add_root();
  for (std::uint32_t i = 0; i < kMixedSegmentsMax; ++i) {
    const std::string path = "/x/{a}." + std::to_string(i);
    EXPECT_FALSE(builder.add(root, pattern(path), kGet, i, false).too_many_mixed);
  }
  EXPECT_TRUE(builder.add(root, pattern("/x/{a}.more"), kGet, 9999, false).too_many_mixed);
  EXPECT_FALSE(builder.add(root, pattern("/x/{a}.0"), kHead, 9999, false).too_many_mixed);
  EXPECT_FALSE(builder.add(root, pattern("/y/{a}.more"), kGet, 9999, false).too_many_mixed);
  EXPECT_FALSE(builder.add(root, pattern("/x/more"), kGet, 9999, false).too_many_mixed);
}

}  // namespace
}  // namespace lanner::router
