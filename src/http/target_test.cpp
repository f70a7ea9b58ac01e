#include "http/target.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

RequestHead split(std::string_view target, Method method = Method::get) {
  RequestHead head;
  head.method = method;
  head.target = target;
  const Result<void> result = split_target(&head);
  EXPECT_EQ(result.code(), Errc::ok) << target;
  return head;
}

Errc refusal(std::string_view target, Method method = Method::get) {
  RequestHead head;
  head.method = method;
  head.target = target;
  return split_target(&head).code();
}

TEST(Target, SplitsOriginForm) {
  const RequestHead head = split("/a/b?x=1?y");
  EXPECT_EQ(head.form, TargetForm::origin);
  EXPECT_EQ(head.path, "/a/b");
  EXPECT_EQ(head.query, "x=1?y");
  EXPECT_TRUE(head.has_query);
  EXPECT_FALSE(head.path_has_escapes);
}

TEST(Target, TellsNoQueryFromEmptyQuery) {
  EXPECT_FALSE(split("/").has_query);
  const RequestHead head = split("/?");
  EXPECT_TRUE(head.has_query);
  EXPECT_EQ(head.path, "/");
  EXPECT_EQ(head.query, "");
}

TEST(Target, SeesEscapesInThePathOnly) {
  EXPECT_TRUE(split("/a%20b").path_has_escapes);
  EXPECT_FALSE(split("/ab?%20").path_has_escapes);
  EXPECT_FALSE(split("/ab?%zz%").path_has_escapes);  // queries are the application's
}

TEST(Target, RefusesBrokenEscapesInThePath) {
  for (const char* target :
       {"/%", "/%4", "/%zz", "/a%4gb", "/%00", "/a%00b", "/%2", "/%20%0", "http://h/%00"}) {
    EXPECT_EQ(refusal(target), Errc::target_invalid) << target;
  }
  EXPECT_EQ(refusal("/%01%10%a0%0A"), Errc::ok);
}

TEST(Target, SplitsAbsoluteForm) {
  const RequestHead head = split("HTTP://t.example:8080/a%41?b");
  EXPECT_EQ(head.form, TargetForm::absolute);
  EXPECT_EQ(head.authority, "t.example:8080");
  EXPECT_EQ(head.path, "/a%41");
  EXPECT_EQ(head.query, "b");
  EXPECT_TRUE(head.path_has_escapes);
}

TEST(Target, EmptyPathOfAbsoluteFormIsSlash) {
  EXPECT_EQ(split("http://t").path, "/");
  const RequestHead head = split("https://t?q");
  EXPECT_EQ(head.path, "/");
  EXPECT_EQ(head.query, "q");
  EXPECT_TRUE(head.has_query);
}

TEST(Target, RefusesOtherFormsAndSchemes) {
  for (const char* target :
       {"a/b", "@evil/", "*", "**", "t:80", "ftp://t/", "http:/t", "http://", "http:///x",
        "http://u@t/", "http://u:p@t/", "http://t:x/", "http//t", "", "?q", "\\a"}) {
    EXPECT_EQ(refusal(target), Errc::target_invalid) << target;
  }
}

TEST(Target, AsteriskIsForOptionsOnly) {
  EXPECT_EQ(split("*", Method::options).form, TargetForm::asterisk);
  EXPECT_EQ(split("*", Method::options).path, "*");
  EXPECT_EQ(refusal("*", Method::post), Errc::target_invalid);
}

TEST(Target, ConnectNeedsHostAndPort) {
  EXPECT_EQ(split("t.example:443", Method::connect).form, TargetForm::authority);
  EXPECT_EQ(split("t.example:443", Method::connect).authority, "t.example:443");
  EXPECT_EQ(refusal("t.example", Method::connect), Errc::target_invalid);
  EXPECT_EQ(refusal("t.example:", Method::connect), Errc::target_invalid);
  EXPECT_EQ(refusal("/", Method::connect), Errc::target_invalid);
  EXPECT_EQ(refusal("http://t:1/", Method::connect), Errc::target_invalid);
}

TEST(Host, AcceptsNamesAndAddresses) {
  for (const char* host : {"t",
                           "t.example",
                           "t.example:80",
                           "t.example:",
                           "t_a-b.example",
                           "127.0.0.1:9101",
                           "t:0",
                           "t:65535",
                           "[::]",
                           "[::1]",
                           "[2001:db8::1]:8443",
                           "[::ffff:1.2.3.4]",
                           "[1:2:3:4:5:6:7:8]",
                           "[1::8]",
                           "[1:2:3:4:5:6:7::]",
                           "[1:2:3:4:5:6:1.2.3.4]",
                           "[v1.a:b]",
                           "a%20b",
                           "xn--a",
                           "T.EXAMPLE",
                           "1.2.3.4.5",
                           "a~!$&'()*+;="}) {
    EXPECT_TRUE(is_valid_host(host)) << host;
  }
}

TEST(Host, RefusesTheRest) {
  for (const char* host : {"",
                           ":80",
                           "a b",
                           "a,b",
                           "a/b",
                           "a?b",
                           "u@t",
                           "a\\b",
                           "t:80x",
                           "t:x",
                           "t:65536",
                           "t:99999999999999999999",
                           "t:8:0",
                           "[",
                           "[]",
                           "[::1",
                           "::1",
                           "[::1]x",
                           "[::1]8080",
                           "[:::]",
                           "[:1]",
                           "[1:]",
                           "[1:2:3:4:5:6:7]",
                           "[1:2:3:4:5:6:7:8:9]",
                           "[1::2::3]",
                           "[12345::]",
                           "[::1.2.3]",
                           "[::1.2.3.256]",
                           "[::1.2.3.04]",
                           "[1:2:3:4:5:6:7:1.2.3.4]",
                           "[fe80::1%25eth0]",
                           "[v.a]",
                           "[v1.]",
                           "[vg.a]",
                           "[1:2:3:4:5:6:7:8::]",
                           "a%2",
                           "a%zz",
                           "a\"b",
                           "a<b",
                           "a#b",
                           "t:-1",
                           "t:+1",
                           "\xC3\xA9"}) {
    EXPECT_FALSE(is_valid_host(host)) << host;
  }
}

TEST(Host, ComparesWithTheTarget) {
  const auto same = [](std::string_view target, std::string_view host) {
    return is_target_of_host(split(target), host);
  };
  EXPECT_TRUE(same("http://t.example/", "T.Example"));
  EXPECT_TRUE(same("http://t:80/", "t"));
  EXPECT_TRUE(same("http://t/", "t:"));
  EXPECT_TRUE(same("https://t/", "t:443"));
  EXPECT_TRUE(same("http://[::1]:8080/", "[::1]:8080"));
  EXPECT_FALSE(same("http://t/", "u"));
  EXPECT_FALSE(same("http://t/", "t:443"));
  EXPECT_FALSE(same("https://t/", "t:80"));
  EXPECT_FALSE(same("http://t:1/", "t:2"));
}

TEST(PercentEncode, LeavesTheCharactersOfPathsAlone) {
  Buffer out;
  ASSERT_TRUE(percent_encode_path("/a b/\xc3\xa9~-._,:@!$&'()*+;=%2F?#", &out));
  EXPECT_EQ(out.view(), "/a%20b/%C3%A9~-._,:@!$&'()*+;=%252F%3F%23");
}

TEST(PercentDecode, DecodesTripletsOnly) {
  const auto decode = [](std::string_view text) {
    std::string out(text.size(), '\0');
    out.resize(percent_decode(text, out.data()));
    return out;
  };
  EXPECT_EQ(decode("/a%20b%C3%a9"), "/a b\xC3\xA9");
  EXPECT_EQ(decode("%"), "%");
  EXPECT_EQ(decode("%4"), "%4");
  EXPECT_EQ(decode("%zz%41"), "%zzA");
  EXPECT_EQ(decode("%%41"), "%A");
  EXPECT_EQ(decode("a+b"), "a+b");
  EXPECT_EQ(decode(""), "");
}

TEST(Host, SplitsIntoNameAndPort) {
  const struct {
    const char* host;
    const char* name;
    int port;
  } cases[] = {{"t.example:8443", "t.example", 8443},
               {"t.example", "t.example", 0},
               {"t.example:", "t.example", 0},
               {"[2001:db8::1]:80", "[2001:db8::1]", 80},
               {"[::1]", "[::1]", 0},
               {"", "", 0}};
  for (const auto& [host, name, port] : cases) {
    EXPECT_EQ(split_host(host).host, name) << host;
    EXPECT_EQ(split_host(host).port, port) << host;
  }
}

}  // namespace
}  // namespace lanner::http
