#include "router/tree.h"

#include <string>

#include <gtest/gtest.h>

#include "router/test_router.h"

namespace lanner::router {
namespace {

constexpr Options kStrict{SlashPolicy::strict, false};

TEST(Tree, TheFirstSegmentThatDiffersDecides) {
  const std::vector<const char*> lines = {
      "GET /{rest:path}", "GET /x/{a}/{b}",    "GET /x/{a:int}/{b}", "GET /x/y/{b}",
      "GET /x/y/z",       "GET /x/{u:uuid}/z", "GET /x/{f:float}/z", "GET /x/v{n:int}/z",
      "GET /x/v{n}/{b}",  "GET /x/{a}.json",   "GET /x/y-{q:path}",  "GET /x/{q:path}",
  };
  const struct {
    const char* request;
    const char* outcome;
  } kCases[] = {
      {"GET /x/y/z", "/x/y/z"},
      {"GET /x/y/w", "/x/y/{b} b=w"},
      {"GET /x/1/z", "/x/{a:int}/{b} a=1 b=z"},
      {"GET /x/1.5/z", "/x/{f:float}/z f=1.5"},
      {"GET /x/1.5/w", "/x/{a}/{b} a=1.5 b=w"},
      {"GET /x/v1/z", "/x/v{n:int}/z n=1"},
      {"GET /x/v1/w", "/x/v{n}/{b} n=1 b=w"},
      {"GET /x/vx/z", "/x/v{n}/{b} n=x b=z"},
      {"GET /x/0123456789abcdef0123456789abcdef/z",
       "/x/{u:uuid}/z u=0123456789abcdef0123456789abcdef"},
      {"GET /x/01234567890123456789012345678901/w",
       "/x/{a:int}/{b} a=01234567890123456789012345678901 b=w"},
      {"GET /x/y/z/w", "/x/{q:path} q=y/z/w"},
      {"GET /x/y-/z/w", "/x/y-{q:path} q=/z/w"},
      {"GET /x/a.json", "/x/{a}.json a=a"},
      {"GET /x/y", "/x/{q:path} q=y"},
      {"GET /x/", "/x/{q:path} q="},
      {"GET /x", "/{rest:path} rest=x"},
      {"GET /", "/{rest:path} rest="},
      {"GET //", "/{rest:path} rest=/"},
      {"GET /x//z", "/x/{q:path} q=/z"},
      {"GET /w/y/z/", "/{rest:path} rest=w/y/z/"},
  };
  // The order in which they were added does not matter.
  std::vector<const char*> backwards(lines.rbegin(), lines.rend());
  const auto router = make_router(lines, kStrict);
  const auto turned = make_router(backwards, kStrict);
  for (const auto& one : kCases) {
    EXPECT_EQ(ask(*router, one.request), one.outcome) << one.request;
    EXPECT_EQ(ask(*turned, one.request), one.outcome) << one.request;
  }
}

TEST(Tree, ComesBackFromWaysThatLeadNowhere) {
  const auto router = make_router(
      {"GET /a/b/c", "GET /a/{x}/d", "GET /{x}/b/e", "GET /{x:int}/b/f", "GET /{p}/{q}/{r}/g"},
      kStrict);
  EXPECT_EQ(ask(*router, "GET /a/b/c"), "/a/b/c");
  EXPECT_EQ(ask(*router, "GET /a/b/d"), "/a/{x}/d x=b");
  EXPECT_EQ(ask(*router, "GET /a/b/e"), "/{x}/b/e x=a");
  EXPECT_EQ(ask(*router, "GET /1/b/f"), "/{x:int}/b/f x=1");
  EXPECT_EQ(ask(*router, "GET /1/b/e"), "/{x}/b/e x=1");
  EXPECT_EQ(ask(*router, "GET /a/b/c/g"), "/{p}/{q}/{r}/g p=a q=b r=c");
  EXPECT_EQ(ask(*router, "GET /a/b/f"), "404");
}

TEST(Tree, TextIsComparedDecodedAndSplitBefore) {
  const auto router = make_router({"GET /cards/new", "GET /cards/{name}", "GET /a b/\xC3\xA4",
                                   "GET /{n:int}/x", "GET /f/{name}.json", "GET /files/{p:path}"},
                                  kStrict);
  EXPECT_EQ(ask(*router, "GET /%63ards/n%65w"), "/cards/new");
  EXPECT_EQ(ask(*router, "GET /cards/n%65"), "/cards/{name} name=ne");
  EXPECT_EQ(ask(*router, "GET /cards/a%2Fb"), "/cards/{name} name=a/b");
  EXPECT_EQ(ask(*router, "GET /cards%2Fnew"), "404");
  EXPECT_EQ(ask(*router, "GET /cards/%2e%2e"), "/cards/{name} name=..");
  EXPECT_EQ(ask(*router, "GET /a%20b/%c3%A4"), "/a b/\xC3\xA4");
  EXPECT_EQ(ask(*router, "GET /a+b/%c3%A4"), "404");
  EXPECT_EQ(ask(*router, "GET /%34%32/x"), "/{n:int}/x n=42");
  EXPECT_EQ(ask(*router, "GET /f/a%2Ejson"), "/f/{name}.json name=a");
  EXPECT_EQ(ask(*router, "GET /files/a%2Fb/c"), "/files/{p:path} p=a/b/c");
  EXPECT_EQ(ask(*router, "GET /Cards/new"), "404");
  EXPECT_EQ(ask(*router, "GET /cards/%25zz"), "/cards/{name} name=%zz");
}

TEST(Tree, ValuesAreViewsOfThePath) {
  const auto router = make_router({"GET /a/{x}/{y}.{z}/{p:path}"}, kStrict);
  Target target;
  target.method = http::Method::get;
  target.path = "/a/1%20/c.%41/d/e";
  target.has_escapes = true;
  Match match;
  router->match(target, &match);
  ASSERT_EQ(match.outcome, Outcome::matched);
  ASSERT_EQ(match.values().size(), 4U);
  EXPECT_EQ(match.values()[0].data, target.path.data() + 3);
  EXPECT_EQ(match.values()[0].raw(), "1%20");
  EXPECT_TRUE(match.values()[0].has_escapes);
  EXPECT_EQ(match.values()[1].raw(), "c");
  EXPECT_FALSE(match.values()[1].has_escapes);
  EXPECT_EQ(match.values()[2].raw(), "%41");
  EXPECT_TRUE(match.values()[2].has_escapes);
  EXPECT_EQ(match.values()[3].raw(), "d/e");
  EXPECT_FALSE(match.values()[3].has_escapes);
}

TEST(Tree, LongSegmentsMatchNoText) {
  const std::string longest = "/" + std::string(kLiteralBytesMax, 'x');
  const auto router = make_router({("GET " + longest).c_str(), "GET /{x}/y"}, kStrict);
  std::string escaped = "/";
  for (std::size_t i = 0; i < kLiteralBytesMax; ++i) escaped += "%78";
  EXPECT_EQ(ask(*router, "GET " + longest), longest);
  EXPECT_EQ(ask(*router, "GET " + escaped), longest);
  EXPECT_EQ(ask(*router, "GET " + escaped + "%78"), "404");
  EXPECT_EQ(ask(*router, "GET " + longest + "x"), "404");
}

TEST(Tree, DepthIsThatOfTheRoutes) {
  std::string deep;
  for (std::size_t i = 0; i < kSegmentsMax; ++i) deep += "/a";
  const auto router = make_router({("GET " + deep).c_str(), "GET /{x}"}, kStrict);
  EXPECT_EQ(ask(*router, "GET " + deep), deep);
  std::string deeper;
  for (int i = 0; i < 100'000; ++i) deeper += "/a";
  EXPECT_EQ(ask(*router, "GET " + deeper), "404");
}

TEST(Tree, ManyChildrenAreFoundEach) {
  RouterBuilder builder(kStrict);
  std::string why;
  for (int i = 0; i < 3000; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_TRUE(add_line(&builder, "GET /n" + number + "/{x}/t" + number, &why)) << why;
  }
  const auto router = builder.freeze();
  for (int i = 0; i < 3000; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(ask(*router, "GET /n" + number + "/v/t" + number),
              "/n" + number + "/{x}/t" + number + " x=v");
    EXPECT_EQ(ask(*router, "GET /n" + number + "/v/t" + std::to_string(i + 1)), "404");
  }
}

}  // namespace
}  // namespace lanner::router
