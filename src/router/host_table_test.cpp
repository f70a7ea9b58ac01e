#include "router/host_table.h"

#include <string>

#include <gtest/gtest.h>

#include "router/test_router.h"

namespace lanner::router {
namespace {

// The trees in order, each with the values of the host: "3(acme) 7".
std::string trees(const HostTable& table, std::string_view authority) {
  std::string text;
  HostTable::Search search(table, authority);
  Match match;
  for (std::uint32_t tree = 0; search.next(&tree, &match);) {
    text += (text.empty() ? "" : " ") + std::to_string(tree);
    for (const Value& value : match.values()) text += "(" + value_text(value) + ")";
  }
  return text;
}

HostTable make_table(const std::vector<const char*>& hosts) {
  HostTable table;
  for (std::uint32_t i = 0; i < hosts.size(); ++i) {
    Pattern pattern;
    std::string why;
    const bool parsed = parse_host(hosts[i], &pattern, &why);
    EXPECT_TRUE(parsed) << why;
    table.add(pattern, i);
  }
  table.freeze();
  return table;
}

TEST(HostTable, ComparesWithoutCaseAndPort) {
  const HostTable table =
      make_table({"api.example.com", "[::1]", "LOCALHOST", "xn--bcher-kva.example"});
  EXPECT_EQ(trees(table, "api.example.com"), "0");
  EXPECT_EQ(trees(table, "API.Example.COM"), "0");
  EXPECT_EQ(trees(table, "api.example.com:8443"), "0");
  EXPECT_EQ(trees(table, "api.example.com."), "0");
  EXPECT_EQ(trees(table, "[::1]:80"), "1");
  EXPECT_EQ(trees(table, "localhost"), "2");
  EXPECT_EQ(trees(table, "XN--BCHER-KVA.example"), "3");
  for (const char* other : {"", "example.com", "x.api.example.com", "api.example.com.evil",
                            "api.example.com..", "[::2]"}) {
    EXPECT_EQ(trees(table, other), "") << other;
  }
}

TEST(HostTable, NamesComeBeforeParametersAndNarrowOnesFirst) {
  const HostTable table = make_table({"{any}.example.com", "{n:int}.example.com", "api.example.com",
                                      "api-{region}.example.com", "{a}.{b}.com"});
  EXPECT_EQ(trees(table, "api.example.com"), "2 0(api) 4(api)(example)");
  EXPECT_EQ(trees(table, "Acme.Example.com:80"), "0(acme) 4(acme)(example)");
  EXPECT_EQ(trees(table, "42.example.com"), "1(42) 0(42) 4(42)(example)");
  EXPECT_EQ(trees(table, "api-eu.example.com"), "3(eu) 0(api-eu) 4(api-eu)(example)");
  EXPECT_EQ(trees(table, "x.y.com"), "4(x)(y)");
  for (const char* other :
       {"example.com", "x.y.example.com", ".example.com", "x.example.com.evil"}) {
    EXPECT_EQ(trees(table, other), "") << other;
  }
}

TEST(HostTable, ValuesAreViewsOfTheHost) {
  const HostTable table = make_table({"{tenant}.example.com"});
  const std::string_view host = "ACME.example.com:8000";
  HostTable::Search search(table, host);
  Match match;
  std::uint32_t tree = 9;
  ASSERT_TRUE(search.next(&tree, &match));
  EXPECT_EQ(tree, 0U);
  ASSERT_EQ(match.values().size(), 1U);
  EXPECT_EQ(match.values()[0].data, host.data());
  EXPECT_EQ(match.values()[0].raw(), "ACME");
  EXPECT_TRUE(match.values()[0].in_host);
}

TEST(HostTable, LongHostsMatchNothing) {
  const HostTable table = make_table({"{tenant}.com"});
  const std::string longest(HostTable::kHostBytesMax - 4, 'x');
  EXPECT_EQ(trees(table, longest + ".com"), "0(" + longest + ")");
  EXPECT_EQ(trees(table, longest + "x.com"), "");
}

}  // namespace
}  // namespace lanner::router
