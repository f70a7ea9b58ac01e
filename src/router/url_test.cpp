#include "router/url.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "router/test_router.h"

namespace lanner::router {
namespace {

using Arguments = std::vector<Argument>;

// "host path", or why not.
std::string url(const char* host, const char* path, const Arguments& arguments) {
  Pattern host_pattern;
  Pattern path_pattern;
  std::string why;
  EXPECT_TRUE(parse_host(host, &host_pattern, &why) && parse_path(path, &path_pattern, &why))
      << why;
  Url url;
  if (!write_url(host_pattern, path_pattern, arguments, &url, &why)) return why;
  return url.host.empty() ? url.path : url.host + " " + url.path;
}

TEST(Url, WritesValuesEncoded) {
  EXPECT_EQ(url("", "/", {}), "/");
  EXPECT_EQ(url("", "/a/", {}), "/a/");
  EXPECT_EQ(url("", "/a b/{x}", {{"x", "1"}}), "/a%20b/1");
  EXPECT_EQ(url("", "/{x}", {{"x", "a/b c?d#e%f\\\"\xC3\xA4"}}),
            "/a%2Fb%20c%3Fd%23e%25f%5C%22%C3%A4");
  EXPECT_EQ(url("", "/{x}", {{"x", "a-._~!$&'()*+,;=:@"}}), "/a-._~!$&'()*+,;=:@");
  EXPECT_EQ(url("", "/f/{p:path}", {{"p", "a b/c"}}), "/f/a%20b/c");
  EXPECT_EQ(url("", "/f/{p:path}", {{"p", ""}}), "/f/");
  EXPECT_EQ(url("", "/f/{p:path}", {{"p", "/a//"}}), "/f//a//");
  EXPECT_EQ(url("", "/{a}.{b}/{c:int}", {{"c", "7"}, {"b", "gz"}, {"a", "x.tar"}}), "/x.tar.gz/7");
  EXPECT_EQ(url("{t}.example.com", "/{x}", {{"x", "1"}, {"t", "acme"}}), "acme.example.com /1");
}

TEST(Url, NeverBeginsWithAnotherHost) {
  EXPECT_EQ(url("", "/{p:path}", {{"p", "/evil.example"}}),
            "the value of parameter 'p' begins with '/': '//' at the front of a path is a host");
  EXPECT_EQ(url("", "/x{p:path}", {{"p", "/evil.example"}}), "/x/evil.example");
  EXPECT_EQ(url("", "/{x}", {{"x", "/evil.example"}}), "/%2Fevil.example");
  EXPECT_EQ(url("", "/{x}", {{"x", "\\evil.example"}}), "/%5Cevil.example");
}

TEST(Url, MistakesAreNamed) {
  EXPECT_EQ(url("", "/a/{x}", {}), "no value for parameter 'x' of /a/{x}");
  EXPECT_EQ(url("", "/a/{x}", {{"x", "1"}, {"y", "2"}}), "/a/{x} has no parameter 'y'");
  EXPECT_EQ(url("", "/a/{x}", {{"x", "1"}, {"x", "2"}}), "/a/{x} was given two values for 'x'");
  EXPECT_EQ(url("", "/a/{x}", {{"x", ""}}),
            "the value of parameter 'x' does not fit {x:str} of /a/{x}");
  EXPECT_EQ(url("", "/a/{x:int}", {{"x", "-1"}}),
            "the value of parameter 'x' does not fit {x:int} of /a/{x:int}");
  EXPECT_EQ(url("", "/a/{x}", {{"x", ".."}}),
            "the value of parameter 'x' makes '..' a segment, which clients take out of a path");
}

TEST(Url, RefusesValuesThatWouldNotComeBack) {
  for (const auto& [path, value] : std::vector<std::pair<const char*, std::string_view>>{
           {"/{x:int}", "%31"},
           {"/{x:int}", "1.0"},
           {"/{x:float}", "nan"},
           {"/{x:uuid}", "123"},
           {"/{x}", "."},
           {"/{x}", std::string_view("a\0b", 3)},
           {"/{x:path}", "a/../b"},
           {"/{x:path}", "."},
           {"/{x:path}", std::string_view("\0", 1)},
           {"/.{x}", "."},
       }) {
    EXPECT_NE(url("", path, {{"x", value}}).find("the value of parameter 'x'"), std::string::npos)
        << path;
  }
  EXPECT_NE(url("", "/{a}-{b}", {{"a", "x"}, {"b", "y-z"}}).find("read back"), std::string::npos);
  EXPECT_EQ(url("", "/{a}-{b}", {{"a", "x-y"}, {"b", "z"}}), "/x-y-z");
  for (const char* value : {"a.b", "a/b", "a b", "a:1", ""}) {
    EXPECT_NE(url("{x}.example.com", "/", {{"x", value}}).find("does not fit"), std::string::npos)
        << value;
  }
}

TEST(Url, IsMatchedByTheRouteWithTheSameValues) {
  for (const std::string_view value : {"a", "a/b", "%2F", "a%", "..a", "\xC3\xA4 ?#", "\\", "+"}) {
    for (const char* line : {"GET /x/{v}", "GET /x/{v:path}", "GET /{v:path}", "GET /y-{v}.z/"}) {
      const auto router = make_router({line});
      const Argument argument{"v", value};
      Url url;
      std::string why;
      ASSERT_TRUE(router->url_for(router->routes()[0].path.text, {&argument, 1}, &url, &why))
          << why;
      EXPECT_EQ(ask(*router, "GET " + url.path),
                router->routes()[0].path.text + " v=" + std::string(value));
    }
  }
}

}  // namespace
}  // namespace lanner::router
