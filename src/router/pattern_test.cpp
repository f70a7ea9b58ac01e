#include "router/pattern.h"

#include <string>

#include <gtest/gtest.h>

#include "router/limits.h"

namespace lanner::router {
namespace {

std::string path_why(std::string_view text) {
  Pattern pattern;
  std::string why;
  return parse_path(text, &pattern, &why) ? "" : why;
}

std::string host_why(std::string_view text) {
  Pattern pattern;
  std::string why;
  return parse_host(text, &pattern, &why) ? "" : why;
}

TEST(Pattern, ReadsPaths) {
  const struct {
    const char* text;
    const char* shape;
    const char* names;
  } kCases[] = {
      {"/", "/", ""},
      {"/cards", "/cards", ""},
      {"/cards/", "/cards/", ""},
      {"/cards/{card_id}", "/cards/{str}", "card_id "},
      {"/cards/{card_id:str}/", "/cards/{str}/", "card_id "},
      {"/a/{i:int}/{x:float}/{u:uuid}", "/a/{int}/{float}/{uuid}", "i x u "},
      {"/files/{rest:path}", "/files/{path}", "rest "},
      {"/{rest:path}", "/{path}", "rest "},
      {"/static-{rest:path}", "/static-{path}", "rest "},
      {"/files/{name}.json", "/files/{str}.json", "name "},
      {"/v{version:int}/x", "/v{int}/x", "version "},
      {"/{a}.{b}-{c:int}/{_d1}", "/{str}.{str}-{int}/{str}", "a b c _d1 "},
      {"/a b/\xC3\xA4/100%/%zz", "/a b/\xC3\xA4/100%/%zz", ""},
      {"/things:close/a:b", "/things:close/a:b", ""},
      {"/a*/<x/~u/@me/...", "/a*/<x/~u/@me/...", ""},
  };
  for (const auto& one : kCases) {
    Pattern pattern;
    std::string why;
    ASSERT_TRUE(parse_path(one.text, &pattern, &why)) << why;
    std::string names;
    for (const Parameter& parameter : pattern.parameters) names += parameter.name + " ";
    EXPECT_EQ(path_shape(pattern), one.shape);
    EXPECT_EQ(names, one.names);
    EXPECT_EQ(pattern.text, one.text);
  }
}

TEST(Pattern, MistakesSayWhatToWrite) {
  const struct {
    const char* text;
    const char* why;
  } kCases[] = {
      {"", "path '': a path begins with '/'; write '/'"},
      {"cards", "path 'cards': a path begins with '/'; write '/cards'"},
      {"//", "path '//': an empty segment ('//'); write '/'"},
      {"/a//b", "path '/a//b': an empty segment ('//'); write '/'"},
      {"/{id", "path '/{id': '{' is not closed; write {name} or {name:converter}"},
      {"/{id/x}", "path '/{id/x}': '{' is not closed; write {name} or {name:converter}"},
      {"/{a{b}", "path '/{a{b}': '{' is not closed; write {name} or {name:converter}"},
      {"/id}", "path '/id}': '}' without '{'; write {name} or {name:converter}"},
      {"/{}", "path '/{}': a parameter without a name; write {name} or {name:converter}"},
      {"/{:int}", "path '/{:int}': a parameter without a name; write {name} or {name:converter}"},
      {"/{card-id}",
       "path '/{card-id}': 'card-id' is no name of a parameter; write letters, digits and '_'"},
      {"/{ id}", "path '/{ id}': ' id' is no name of a parameter; write letters, digits and '_'"},
      {"/{1}", "path '/{1}': '1' is no name of a parameter; write letters, digits and '_'"},
      {"/{id:integer}",
       "path '/{id:integer}': 'integer' is no converter; write {id} or one of int, float, uuid, "
       "str, path behind the colon"},
      {"/{id:}",
       "path '/{id:}': '' is no converter; write {id} or one of int, float, uuid, str, path behind "
       "the colon"},
      {"/{a}/{a}", "path '/{a}/{a}': two parameters are named 'a'"},
      {"/{a}{b}", "path '/{a}{b}': no text between {a} and {b}"},
      {"/{a}0{b:int}", "path '/{a}0{b:int}': the text before {b} could be part of its number"},
      {"/{a}.{b:float}", "path '/{a}.{b:float}': the text before {b} could be part of its number"},
      {"/{a}-1.{b:float}",
       "path '/{a}-1.{b:float}': the text before {b} could be part of its number"},
      {"/{p:path}/x", "path '/{p:path}/x': {p:path} takes all that is left, so it comes last"},
      {"/{p:path}.html",
       "path '/{p:path}.html': {p:path} takes all that is left, so it comes last"},
      {"/{p:path}-{a}", "path '/{p:path}-{a}': {p:path} takes all that is left, so it comes last"},
      {"/{p:path}/",
       "path '/{p:path}/': a parameter of type path takes the last '/', too; leave it out"},
      {"/{a}-{p:path}",
       "path '/{a}-{p:path}': {p:path} shares its segment with another parameter; write '/' "
       "between"},
      {"/users/:id", "path '/users/:id': write {id} instead of :id"},
      {"/users/<int:id>", "path '/users/<int:id>': write {name:converter} instead of <int:id>"},
      {"/files/*",
       "path '/files/*': write {rest:path} for what is left of a path, or {name} for one segment"},
      {"/a/../b", "path '/a/../b': clients take '.' and '..' out of a path before they send it"},
      {"/.", "path '/.': clients take '.' and '..' out of a path before they send it"},
      {"/a?x=1", "path '/a?x=1': a path ends before '?'; query parameters are not part of it"},
      {"/a#b", "path '/a#b': a path ends before '#'; query parameters are not part of it"},
      {"/a%20b", "path '/a%20b': write the character itself instead of '%20'"},
      {"/a\n", "path '/a\n': control character"},
      {"/{a}.{b}.{c}.{d}.{e}",
       "path '/{a}.{b}.{c}.{d}.{e}': more than 4 parameters between two '/'"},
  };
  for (const auto& one : kCases) EXPECT_EQ(path_why(one.text), one.why);
}

TEST(Pattern, NumbersAreRefusedBesideTextThatMayBeTheirs) {
  EXPECT_EQ(path_why("/{a}x.{b:float}"), "");
  EXPECT_EQ(path_why("/{a}.{b:int}"), "");
  EXPECT_EQ(path_why("/{a:float}.{b:int}"), "");
  EXPECT_EQ(path_why("/{a:int}0"), "");
  EXPECT_EQ(path_why("/0{a:int}"), "");
  EXPECT_EQ(path_why("/{a}-{b:uuid}"), "");
}

TEST(Pattern, HasLimits) {
  const auto repeated = [](std::string_view text, std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
  };
  EXPECT_EQ(path_why(repeated("/a", kSegmentsMax)), "");
  EXPECT_NE(path_why(repeated("/a", kSegmentsMax + 1)).find("more than 64 segments"),
            std::string::npos);
  EXPECT_EQ(path_why("/" + std::string(kLiteralBytesMax, 'x')), "");
  EXPECT_NE(path_why("/" + std::string(kLiteralBytesMax + 1, 'x')).find("more than 255 bytes"),
            std::string::npos);
  EXPECT_NE(path_why("/" + std::string(kPatternBytesMax, 'x')).find("more than 2048 bytes"),
            std::string::npos);
  std::string many;
  for (std::size_t i = 0; i < kParametersMax; ++i) many += "/{p" + std::to_string(i) + "}";
  EXPECT_EQ(path_why(many), "");
  EXPECT_NE(path_why(many + "/{q}").find("more than 16 parameters"), std::string::npos);
}

TEST(Pattern, ReadsHosts) {
  for (const char* text : {"", "localhost", "api.example.com", "{tenant}.example.com",
                           "{t:uuid}.{n:int}.example.com", "api-{region}.example.com", "[::1]",
                           "xn--bcher-kva.example", "127.0.0.1", "_dmarc.example"}) {
    EXPECT_EQ(host_why(text), "") << text;
  }
  Pattern pattern;
  std::string why;
  ASSERT_TRUE(parse_host("API-{Region}.Example.COM", &pattern, &why));
  EXPECT_EQ(host_shape(pattern), "api-{str}.example.com");
  EXPECT_EQ(pattern.parameters.at(0).name, "Region");
}

TEST(Pattern, MistakesInHostsSayWhatToWrite) {
  const struct {
    const char* text;
    const char* why;
  } kCases[] = {
      {"example.com:80",
       "host 'example.com:80': ':' in a host; a host is a name without port, such as "
       "api.example.com (other than ASCII as xn--...)"},
      {"http://a",
       "host 'http://a': ':' in a host; a host is a name without port, such as api.example.com "
       "(other than ASCII as xn--...)"},
      {".example.com", "host '.example.com': an empty label; write a name such as api.example.com"},
      {"a..b", "host 'a..b': an empty label; write a name such as api.example.com"},
      {"a.", "host 'a.': an empty label; write a name such as api.example.com"},
      {"*.example.com",
       "host '*.example.com': '*' in a host; a host is a name without port, such as "
       "api.example.com (other than ASCII as xn--...)"},
      {"{all:path}.com",
       "host '{all:path}.com': a parameter of a host takes one label: str, int or uuid"},
      {"{x:float}.com",
       "host '{x:float}.com': a parameter of a host takes one label: str, int or uuid"},
      {"[::1]:80", "host '[::1]:80': an IPv6 address stands in brackets, without port: [::1]"},
      {"[x]", "host '[x]': an IPv6 address stands in brackets, without port: [::1]"},
      {"{a}.{a}", "host '{a}.{a}': two parameters are named 'a'"},
  };
  for (const auto& one : kCases) EXPECT_EQ(host_why(one.text), one.why);
  EXPECT_NE(host_why(std::string(kPatternBytesMax + 1, 'x')), "");
}

}  // namespace
}  // namespace lanner::router
