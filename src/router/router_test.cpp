#include "router/router.h"

#include <string>

#include <gtest/gtest.h>

#include "router/test_router.h"

namespace lanner::router {
namespace {

struct Case {
  const char* request;
  const char* outcome;
};

void check(const Router& router, std::initializer_list<Case> cases, std::string_view host = "") {
  for (const Case& one : cases) {
    EXPECT_EQ(ask(router, one.request, host), one.outcome) << one.request;
  }
}

TEST(Router, HeadFollowsGet) {
  const auto router = make_router({"GET /a", "GET /b", "HEAD /b", "POST /c"});
  check(*router, {{"HEAD /a", "/a"}, {"HEAD /c", "405 OPTIONS, POST"}});
  Match match;
  router->match({http::Method::head, "HEAD", "/b", "", false}, &match);
  EXPECT_EQ(match.route, 2U);
  router->match({http::Method::get, "GET", "/b", "", false}, &match);
  EXPECT_EQ(match.route, 1U);
}

TEST(Router, TheMethodIsSoughtInAllRoutesOfThePath) {
  const auto router = make_router({"GET /cards/new", "PUT,DELETE /cards/{id:int}",
                                   "POST,PROPFIND /cards/{id}", "PATCH /cards/{rest:path}",
                                   "OPTIONS /own", "GET /own", "OPTIONS /wide/{x}", "GET /wide/y"});
  check(*router, {{"GET /cards/new", "/cards/new"},
                  {"POST /cards/new", "/cards/{id} id=new"},
                  {"PATCH /cards/new", "/cards/{rest:path} rest=new"},
                  {"PATCH /cards/7", "/cards/{rest:path} rest=7"},
                  {"PROPFIND /cards/7", "/cards/{id} id=7"},
                  {"DELETE /cards/new", "405 GET, HEAD, OPTIONS, PATCH, POST, PROPFIND"},
                  {"GET /cards/7", "405 DELETE, OPTIONS, PATCH, POST, PROPFIND, PUT"},
                  {"GET /cards/a/b", "405 OPTIONS, PATCH"},
                  {"BREW /cards/new", "405 GET, HEAD, OPTIONS, PATCH, POST, PROPFIND"},
                  {"propfind /cards/7", "405 DELETE, OPTIONS, PATCH, POST, PROPFIND, PUT"},
                  {"OPTIONS /cards/new", "options GET, HEAD, OPTIONS, PATCH, POST, PROPFIND"},
                  {"OPTIONS /cards/7", "options DELETE, OPTIONS, PATCH, POST, PROPFIND, PUT"},
                  {"OPTIONS /own", "/own"},
                  {"OPTIONS /wide/y", "/wide/{x} x=y"},
                  {"PUT /own", "405 GET, HEAD, OPTIONS"},
                  {"OPTIONS /none", "404"},
                  {"BREW /none", "404"},
                  {"OPTIONS *", "options DELETE, GET, HEAD, OPTIONS, PATCH, POST, PROPFIND, PUT"},
                  {"GET *", "404"},
                  {"GET ", "404"},
                  {"GET cards/new", "404"}});
}

TEST(Router, SlashStrict) {
  const auto router = make_router({"GET /a", "GET /b/", "GET /both", "POST /both/", "GET /"},
                                  {SlashPolicy::strict, false});
  check(*router, {{"GET /a", "/a"},
                  {"GET /a/", "404"},
                  {"GET /b", "404"},
                  {"GET /b/", "/b/"},
                  {"POST /both", "405 GET, HEAD, OPTIONS"},
                  {"GET /both/", "405 OPTIONS, POST"},
                  {"GET /", "/"},
                  {"GET //", "404"}});
}

TEST(Router, SlashRedirect) {
  const auto router = make_router({"GET /a", "POST /b/", "GET /both", "POST /both/", "GET /x/{y}/",
                                   "GET /z/{y}", "GET /f/{p:path}", "GET /w/{n:int}/"});
  check(*router, {{"GET /a/", "-> /a"},
                  {"HEAD /a/", "-> /a"},
                  {"POST /a/", "404"},
                  {"OPTIONS /a/", "404"},
                  {"POST /b", "-> /b/"},
                  {"GET /b", "404"},
                  {"POST /both", "405 GET, HEAD, OPTIONS"},
                  {"GET /x/%2F", "-> /x/%2F/"},
                  {"GET /z/1/", "-> /z/1"},
                  {"GET /f", "-> /f/"},
                  {"GET /f/", "/f/{p:path} p="},
                  {"GET /f/a/", "/f/{p:path} p=a/"},
                  {"GET /w/1", "-> /w/1/"},
                  {"GET /w/x", "404"},
                  {"GET /a//", "404"},
                  {"GET /", "404"}});
}

TEST(Router, ARedirectKeepsToTheHost) {
  const auto router = make_router({"GET /{a}", "GET /{a}/{b}", "GET /x/{a}/", "GET /"});
  check(*router, {{"GET /evil.example/", "-> /evil.example"},
                  {"GET /\\evil.example/", "-> /%5Cevil.example"},
                  {"GET //", "404"},
                  {"GET //evil.example", "404"},
                  {"GET //evil.example/", "404"},
                  {"GET ///evil.example/", "404"}});
  const auto rest = make_router({"POST /{p:path}", "GET /{a}/{b}/"});
  check(*rest, {{"GET //evil.example", "405 OPTIONS, POST"}});
}

TEST(Router, SlashIgnore) {
  const auto router = make_router(
      {"GET /a", "GET /b/", "GET /both", "POST /both/", "GET /x/{y}/", "GET /f/{p:path}", "GET /"},
      {SlashPolicy::ignore, false});
  check(*router, {{"GET /a", "/a"},
                  {"GET /a/", "/a"},
                  {"GET /b", "/b/"},
                  {"HEAD /b", "/b/"},
                  {"POST /both", "/both/"},
                  {"GET /both/", "/both"},
                  {"PUT /both", "405 GET, HEAD, OPTIONS, POST"},
                  {"OPTIONS /both/", "options GET, HEAD, OPTIONS, POST"},
                  {"GET /x/1", "/x/{y}/ y=1"},
                  {"GET /f", "/f/{p:path} p="},
                  {"GET /f/a/", "/f/{p:path} p=a/"},
                  {"GET /a//", "404"},
                  {"GET /", "/"}});
}

TEST(Router, HostsComeBeforeRoutesWithout) {
  const auto router = make_router({"GET /", "GET /{p:path}", "GET api.example.com/cards",
                                   "POST {tenant}.example.com/cards",
                                   "GET {tenant}.example.com/{x:int}", "DELETE /cards"});
  check(*router, {{"GET /cards", "/{p:path} p=cards"}, {"GET /1", "/{p:path} p=1"}});
  check(*router,
        {{"GET /cards", "api.example.com/cards"},
         {"POST /cards", "{tenant}.example.com/cards tenant=api"},
         {"DELETE /cards", "/cards"},
         {"PUT /cards", "405 DELETE, GET, HEAD, OPTIONS, POST"},
         {"GET /1", "{tenant}.example.com/{x:int} tenant=api x=1"},
         {"GET /a", "/{p:path} p=a"}},
        "API.example.com:8443");
  check(*router,
        {{"GET /cards", "/{p:path} p=cards"},
         {"GET /1", "{tenant}.example.com/{x:int} tenant=acme x=1"},
         {"OPTIONS /cards", "options DELETE, GET, HEAD, OPTIONS, POST"}},
        "Acme.Example.com");
}

TEST(Router, HostsAreRedirectedToo) {
  const auto router = make_router({"GET {t}.example.com/a/", "GET /b"});
  check(*router, {{"GET /a", "-> /a/"}, {"GET /b/", "-> /b"}}, "x.example.com");
  check(*router, {{"GET /a", "404"}}, "example.org");
}

TEST(Router, ParametersAreThoseOfTheHostThenOfThePath) {
  const auto router = make_router({"GET {t}.example.com/{x:int}/{p:path}"});
  const Route& route = router->routes()[0];
  ASSERT_EQ(route.parameters.size(), 3U);
  EXPECT_EQ(route.parameters[0].name, "t");
  EXPECT_EQ(route.parameters[1].name, "x");
  EXPECT_EQ(route.parameters[1].converter, Converter::integer);
  EXPECT_EQ(route.parameters[2].name, "p");
}

TEST(Router, TakesItsTargetFromAHead) {
  http::RequestHead head;
  head.method = http::Method::get;
  head.method_text = "GET";
  head.path = "/a%20b";
  head.path_has_escapes = true;
  head.authority = "example.com";
  const auto router = make_router({"GET example.com/a b"});
  Match match;
  router->match(Target::of(head), &match);
  EXPECT_EQ(match.outcome, Outcome::matched);
}

TEST(Router, FindsUrlsByNameAndParameters) {
  RouterBuilder builder;
  std::string why;
  const std::string_view get[] = {"GET"};
  ASSERT_TRUE(builder.add({"/cards", "", get, "cards"}, &why));
  ASSERT_TRUE(builder.add({"/cards/{id:int}", "", get, "card"}, &why));
  ASSERT_TRUE(builder.add({"/sets/{set}/{id}", "{t}.example.com", get, "card"}, &why));
  const auto router = builder.freeze();
  Url url;
  const Argument arguments[] = {{"id", "7"}, {"set", "a/b"}, {"t", "acme"}};
  const std::span<const Argument> all(arguments);
  ASSERT_TRUE(router->url_for("cards", {}, &url, &why));
  EXPECT_EQ(url.path, "/cards");
  ASSERT_TRUE(router->url_for("card", all.first(1), &url, &why));
  EXPECT_EQ(url.path, "/cards/7");
  EXPECT_EQ(url.host, "");
  ASSERT_TRUE(router->url_for("card", all, &url, &why));
  EXPECT_EQ(url.path, "/sets/a%2Fb/7");
  EXPECT_EQ(url.host, "acme.example.com");
  EXPECT_FALSE(router->url_for("card", all.first(2), &url, &why));
  EXPECT_EQ(why, "none of the 2 routes named 'card' has exactly the parameters given (id, set)");
  EXPECT_FALSE(router->url_for("cards", all.first(1), &url, &why));
  EXPECT_EQ(why, "/cards has no parameter 'id'");
  EXPECT_FALSE(router->url_for("nobody", {}, &url, &why));
  EXPECT_EQ(why, "no route is named 'nobody'");
}

}  // namespace
}  // namespace lanner::router
