#include "router/methods.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::router {
namespace {

std::string listed(const MethodTable& table, MethodSet set) {
  AllowText room;
  return std::string(table.write(set, &room));
}

TEST(Methods, AreListedInOrder) {
  MethodTable table;
  MethodSet set = 0;
  std::string why;
  EXPECT_EQ(listed(table, 0), "");
  for (const char* name : {"PUT", "VERSION", "GET", "ACL", "GET", "PROPFIND", "DELETE"}) {
    ASSERT_TRUE(table.add(name, &set, &why)) << why;
  }
  EXPECT_EQ(listed(table, set), "ACL, DELETE, GET, PROPFIND, PUT, VERSION");
  EXPECT_EQ(listed(table, set | kHead | kOptions),
            "ACL, DELETE, GET, HEAD, OPTIONS, PROPFIND, PUT, VERSION");
  EXPECT_EQ(listed(table, ~MethodSet{0} & ~set), "CONNECT, HEAD, OPTIONS, PATCH, POST, TRACE");
}

TEST(Methods, OfARequestAreFoundByIdOrName) {
  MethodTable table;
  MethodSet set = 0;
  std::string why;
  ASSERT_TRUE(table.add("PROPFIND", &set, &why));
  ASSERT_TRUE(table.add("acl", &set, &why));
  EXPECT_EQ(table.of(http::Method::unknown, "PROPFIND") | table.of(http::Method::unknown, "acl"),
            set);
  EXPECT_EQ(table.of(http::Method::get, "GET"), kGet);
  EXPECT_EQ(table.of(http::Method::unknown, "propfind"), 0U);
  EXPECT_EQ(table.of(http::Method::unknown, "ACL"), 0U);
}

TEST(Methods, MistakesSayWhatToWrite) {
  const struct {
    const char* name;
    const char* why;
  } kCases[] = {
      {"", "'' is no method; a method is a token of at most 32 bytes, such as GET"},
      {"GET POST", "'GET POST' is no method; a method is a token of at most 32 bytes, such as GET"},
      {"get", "methods are case-sensitive; write 'GET' instead of 'get'"},
      {"Delete", "methods are case-sensitive; write 'DELETE' instead of 'Delete'"},
      {"CONNECT", "CONNECT has no path; it cannot be routed"},
  };
  for (const auto& one : kCases) {
    MethodTable table;
    MethodSet set = 0;
    std::string why;
    EXPECT_FALSE(table.add(one.name, &set, &why));
    EXPECT_EQ(why, one.why);
    EXPECT_EQ(set, 0U);
  }
}

TEST(Methods, TheLongestListFits) {
  MethodTable table;
  MethodSet set = 0;
  std::string why;
  for (std::size_t i = 0; i < kMethodsMax; ++i) {
    std::string name(kMethodBytesMax, 'X');
    name[0] = static_cast<char>('A' + i / 10);
    name[1] = static_cast<char>('0' + i % 10);
    ASSERT_TRUE(table.add(name, &set, &why)) << why;
  }
  EXPECT_FALSE(table.add("MORE", &set, &why));
  EXPECT_EQ(why, "more than 54 methods beside those of HTTP itself");
  EXPECT_TRUE(table.add("PATCH", &set, &why));
  EXPECT_LE(listed(table, ~MethodSet{0}).size(), kAllowBytesMax);
  EXPECT_FALSE(table.add(std::string(kMethodBytesMax + 1, 'X'), &set, &why));
}

}  // namespace
}  // namespace lanner::router
