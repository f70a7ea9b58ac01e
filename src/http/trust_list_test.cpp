#include "http/trust_list.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

TrustList parse(std::string_view text) {
  Result<TrustList> list = TrustList::parse(text);
  EXPECT_EQ(list.code(), Errc::ok) << text;
  return std::move(*list);
}

bool trusts_hop(const TrustList& list, std::string_view text) {
  IpAddress address;
  EXPECT_TRUE(parse_ip(text, &address)) << text;
  return list.trusts_hop(address);
}

TEST(TrustList, TrustsNobodyByItself) {
  for (const char* text : {"", ",", " , ,\t"}) {
    const TrustList list = parse(text);
    EXPECT_FALSE(list.trusts_peer("127.0.0.1", false));
    EXPECT_FALSE(list.trusts_peer("", true));
  }
  EXPECT_FALSE(TrustList().trusts_peer("127.0.0.1", false));
}

TEST(TrustList, TakesCommasAndBlanks) {
  for (const char* text : {"127.0.0.1,::1,10.0.0.0/8", " 127.0.0.1 ::1\t10.0.0.0/8 ",
                           "10.0.0.0/8 , ::1,, 127.0.0.1,"}) {
    const TrustList list = parse(text);
    for (const char* peer : {"127.0.0.1", "::1", "10.9.8.7"}) {
      EXPECT_TRUE(list.trusts_peer(peer, false)) << text << ": " << peer;
    }
    EXPECT_FALSE(list.trusts_peer("127.0.0.2", false));
    EXPECT_FALSE(list.trusts_peer("::2", false));
  }
}

// X10: only by choice.
TEST(TrustList, TrustsUnixPeersOnlyIfListed) {
  EXPECT_FALSE(parse("127.0.0.1,0.0.0.0/0,::/0").trusts_peer("/run/a.sock", true));
  const TrustList list = parse("unix:");
  EXPECT_TRUE(list.trusts_peer("", true));
  EXPECT_TRUE(list.trusts_peer("127.0.0.1", true)) << "a path, whatever it looks like";
  EXPECT_FALSE(list.trusts_peer("127.0.0.1", false));
}

// X02: or the left-most address, which any client can write, would be the client's.
TEST(TrustList, AStarIsAboutThePeerAlone) {
  const TrustList list = parse("*");
  EXPECT_TRUE(list.trusts_peer("203.0.113.9", false));
  EXPECT_TRUE(list.trusts_peer("2001:db8::1", false));
  EXPECT_TRUE(list.trusts_peer("", true));
  EXPECT_FALSE(trusts_hop(list, "203.0.113.9"));
  EXPECT_TRUE(trusts_hop(parse("*,203.0.113.0/24"), "203.0.113.9"));
}

TEST(TrustList, SaysWhereItIsWrong) {
  const std::pair<const char*, Error> wrong[] = {
      {"example.com", {Errc::network_invalid, 0}},
      {"127.0.0.1, 10.0.0.1/8,::1", {Errc::network_host_bits, 11}},
      {"::1 [::1]", {Errc::network_invalid, 4}},
      {"unix:/run/a.sock", {Errc::network_invalid, 0}},
      {"**", {Errc::network_invalid, 0}},
  };
  for (const auto& [text, error] : wrong) {
    EXPECT_EQ(TrustList::parse(text).error(), error) << text;
  }
  EXPECT_EQ(TrustList::entry_at("127.0.0.1, 10.0.0.1/8,::1", 11), "10.0.0.1/8");
}

TEST(TrustList, HoldsManyButNotAnyNumber) {
  std::string text;
  for (std::size_t i = 0; i < TrustList::kNetworksMax; ++i) {
    text += "10." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ".0/24,";
  }
  const TrustList list = parse(text);
  EXPECT_TRUE(list.trusts_peer("10.15.255.7", false));
  EXPECT_FALSE(list.trusts_peer("10.16.0.7", false));
  EXPECT_EQ(TrustList::parse(text + "::1").code(), Errc::trust_list_too_long);
}

}  // namespace
}  // namespace lanner::http
