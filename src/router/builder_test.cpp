#include "router/builder.h"

#include <string>

#include <gtest/gtest.h>

#include "router/test_router.h"

namespace lanner::router {
namespace {

std::string why_not(RouterBuilder* builder, std::string_view line) {
  std::string why;
  return add_line(builder, line, &why) ? "" : why;
}

TEST(Builder, RefusesARouteTwice) {
  RouterBuilder builder;
  EXPECT_EQ(why_not(&builder, "GET,POST /cards/{id}"), "");
  EXPECT_EQ(why_not(&builder, "PUT /cards/{id}"), "");
  EXPECT_EQ(why_not(&builder, "GET /cards/{card_id}"),
            "path '/cards/{card_id}': '/cards/{id}' was added before, matches the same paths and "
            "has one of the methods GET, too");
  EXPECT_EQ(why_not(&builder, "GET /cards/{id}/"), "");
  EXPECT_EQ(why_not(&builder, "GET /cards/{id:int}"), "");
  EXPECT_EQ(why_not(&builder, "GET api.example.com/cards/{id}"), "");
  EXPECT_NE(why_not(&builder, "GET API.example.com/cards/{x}"), "");
  EXPECT_EQ(why_not(&builder, "GET {t}.example.com/cards/{x}"), "");
  EXPECT_NE(why_not(&builder, "GET {u}.example.com/cards/{y}"), "");
}

TEST(Builder, OrLetsTheFirstAnswer) {
  const auto router = make_router({"GET /users", "GET,POST /users"}, {SlashPolicy::strict, true});
  Match match;
  router->match({http::Method::get, "GET", "/users", "", false}, &match);
  EXPECT_EQ(match.route, 0U);
  router->match({http::Method::post, "POST", "/users", "", false}, &match);
  EXPECT_EQ(match.route, 1U);
}

TEST(Builder, MistakesAddNothing) {
  RouterBuilder builder;
  for (const char* line :
       {"GET cards", "GET /{id", " /x", "get /x", "GET a:80/x", "GET {x}.a/{x}"}) {
    EXPECT_NE(why_not(&builder, line), "") << line;
  }
  EXPECT_EQ(why_not(&builder, " /x"), "path '/x': no methods; write at least one, such as GET");
  EXPECT_EQ(why_not(&builder, "GET {x}.a/{x}"),
            "the host '{x}.a' and the path '/{x}' both have a parameter 'x'");
  EXPECT_TRUE(builder.freeze()->routes().empty());
  EXPECT_EQ(ask(*builder.freeze(), "GET /x"), "404");
}

TEST(Builder, GoesOnAfterFreezing) {
  RouterBuilder builder;
  EXPECT_EQ(why_not(&builder, "GET /a"), "");
  const auto first = builder.freeze();
  EXPECT_EQ(why_not(&builder, "GET /b/{x}"), "");
  const auto second = builder.freeze();
  EXPECT_EQ(ask(*first, "GET /b/1"), "404");
  EXPECT_EQ(ask(*second, "GET /b/1"), "/b/{x} x=1");
  EXPECT_EQ(ask(*second, "GET /a"), "/a");
}

TEST(Builder, BoundsHostsWithParametersAndParameters) {
  RouterBuilder builder;
  for (std::size_t i = 0; i < kHostPatternsMax; ++i) {
    EXPECT_EQ(why_not(&builder, "GET {t}.h" + std::to_string(i) + ".example/"), "");
  }
  EXPECT_EQ(why_not(&builder, "GET {t}.more.example/"), "more than 256 hosts with parameters");
  EXPECT_EQ(why_not(&builder, "GET more.example/"), "");
  EXPECT_EQ(why_not(&builder, "GET {t}.h0.example/x"), "");
  std::string path;
  for (std::size_t i = 0; i < kParametersMax; ++i) path += "/{p" + std::to_string(i) + "}";
  EXPECT_EQ(why_not(&builder, "GET " + path), "");
  EXPECT_NE(why_not(&builder, "GET {t}.h0.example" + path).find("more than 16 parameters"),
            std::string::npos);
}

TEST(Builder, BoundsRoutes) {
  RouterBuilder builder;
  for (std::size_t i = 0; i < kRoutesMax; ++i) {
    if (!why_not(&builder, "GET /" + std::to_string(i)).empty()) FAIL();
  }
  EXPECT_EQ(why_not(&builder, "GET /more"), "more than 100000 routes");
  EXPECT_EQ(ask(*builder.freeze(), "GET /99999"), "/99999");
}

TEST(Builder, BoundsMixedSegments) {
  RouterBuilder builder;
  for (std::size_t i = 0; i < kMixedSegmentsMax; ++i) {
    if (!why_not(&builder, "GET /{x}." + std::to_string(i)).empty()) FAIL();
  }
  EXPECT_EQ(why_not(&builder, "GET /{x}.more"),
            "path '/{x}.more': more than 1000 segments of text and parameters beside each other; "
            "write a parameter alone");
}

}  // namespace
}  // namespace lanner::router
