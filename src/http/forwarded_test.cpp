#include "http/forwarded.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

using Lines = std::initializer_list<std::pair<std::string_view, std::string_view>>;

constexpr std::string_view kFor = "X-Forwarded-For";
constexpr std::string_view kProto = "X-Forwarded-Proto";
constexpr std::string_view kHost = "X-Forwarded-Host";
constexpr std::string_view kPort = "X-Forwarded-Port";
constexpr std::string_view kStandard = "Forwarded";

// "client:port scheme host port" of what is said; "-" for what is not.
std::string said(Lines lines, std::string_view trusted = "10.0.0.0/8",
                 std::uint8_t believed = kAllForwardedFields) {
  std::vector<Field> fields = {{"Host", "t", Token::host}};
  for (const auto& [name, value] : lines) fields.push_back({name, value, token_from_name(name)});
  RequestHead head;
  head.fields = fields;
  const Result<TrustList> trust = TrustList::parse(trusted);
  EXPECT_EQ(trust.code(), Errc::ok);
  const Forwarding found = read_forwarding(head, *trust, believed);
  char room[kIpTextBytesMax];
  std::string text = "-";
  if (found.has_client) {
    text.assign(room, write_ip(found.client, room));
    if (found.client_port) text += " port " + std::to_string(found.client_port);
  }
  const char* const schemes[] = {"-", "http", "https"};
  text += std::string(" ") + schemes[static_cast<int>(found.scheme)];
  text += " " + (found.host.empty() ? "-" : std::string(found.host));
  return text + " " + (found.port ? std::to_string(found.port) : "-");
}
std::string client(std::string_view list, std::string_view trusted = "10.0.0.0/8") {
  const std::string all = said({{kFor, list}}, trusted);
  return all.substr(0, all.size() - std::string_view(" - - -").size());
}
std::string standard(std::string_view value, std::string_view trusted = "10.0.0.0/8") {
  return said({{kStandard, value}}, trusted);
}

TEST(Forwarded, SaysNothingWithoutFields) { EXPECT_EQ(said({}), "- - - -"); }

TEST(XForwardedFor, TheRightMostUntrustedAddressIsTheClient) {
  EXPECT_EQ(client("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(client("203.0.113.66, 192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(client("203.0.113.66, 192.0.2.1, 10.0.0.1"), "192.0.2.1");
  EXPECT_EQ(client("203.0.113.66,192.0.2.1,10.0.0.1 ,\t10.2.3.4"), "192.0.2.1");
  EXPECT_EQ(client("10.0.0.9, 192.0.2.1"), "192.0.2.1") << "a proxy's address, but from anybody";
}

// uvicorn issue 1068: there the client became None.
TEST(XForwardedFor, AClientOnATrustedHostIsStillTheClient) {
  EXPECT_EQ(client("10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(client("10.0.0.7, 10.0.0.1"), "10.0.0.7");
}

// X02; uvicorn takes the left-most.
TEST(XForwardedFor, AStarDoesNotBelieveTheLeftMost) {
  EXPECT_EQ(client("203.0.113.66, 192.0.2.1", "*"), "192.0.2.1");
  EXPECT_EQ(client("203.0.113.66, 192.0.2.1, 10.0.0.1", "*,10.0.0.0/8"), "192.0.2.1");
}

// uvicorn issue 2789, waitress: with ports, also of trusted hops.
TEST(XForwardedFor, TakesPortsAndBrackets) {
  EXPECT_EQ(client("192.0.2.1:4711"), "192.0.2.1 port 4711");
  EXPECT_EQ(client("192.0.2.1:4711, 10.0.0.1:80"), "192.0.2.1 port 4711");
  EXPECT_EQ(client("[2001:DB8::1]:4711"), "2001:db8::1 port 4711");
  EXPECT_EQ(client("[2001:db8::1]"), "2001:db8::1");
  EXPECT_EQ(client("2001:db8::1"), "2001:db8::1");
  EXPECT_EQ(client("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(client("192.0.2.1, ::ffff:10.0.0.1"), "192.0.2.1");
}

// X03: what is left of it is nobody's word.
TEST(XForwardedFor, AnUnreadableEntryEndsTheWalk) {
  for (const char* junk :
       {"", "unknown", "_hidden", "junk", "1.2.3", "1.2.3.4:", "1.2.3.4:99999", "1.2.3.4:x", "[::1",
        "::1]", "[::1]80", "[1.2.3.4]", "\"1.2.3.4\"", "1.2.3.4 5.6.7.8", "for=1.2.3.4",
        "fe80::1%eth0", "1.2.3.4;", "a.example", "0x7f.1"}) {
    const std::string bad(junk);
    EXPECT_EQ(client(bad), "-") << junk;
    EXPECT_EQ(client("203.0.113.66, " + bad), "-") << junk;
    EXPECT_EQ(client("203.0.113.66, " + bad + ", 10.0.0.1"), "10.0.0.1") << junk;
    EXPECT_EQ(client(bad + ", 192.0.2.1"), "192.0.2.1") << junk;
  }
}

// X03: the last line wins, as if they were one list.
TEST(XForwardedFor, LinesAreOneList) {
  EXPECT_EQ(said({{kFor, "203.0.113.66"}, {kFor, "192.0.2.1"}}), "192.0.2.1 - - -");
  EXPECT_EQ(said({{kFor, "203.0.113.66, 192.0.2.1"}, {"X", "y"}, {kFor, "10.0.0.1"}}),
            "192.0.2.1 - - -");
  EXPECT_EQ(said({{kFor, "192.0.2.1"}, {kFor, ""}}), "- - - -");
}

TEST(XForwardedFor, HopsAreBounded) {
  std::string list = "192.0.2.1";
  for (std::size_t i = 1; i < kForwardedHopsMax; ++i) list += ",10.0.0." + std::to_string(i);
  EXPECT_EQ(client(list), "192.0.2.1");
  EXPECT_EQ(client(list + ",10.0.1.1"), "10.0.0.1") << "the furthest that was looked at";
}

// X05.
TEST(XForwardedProto, IsOneOfFour) {
  for (const char* secure : {"https", "HTTPS", "wss", " https "}) {
    EXPECT_EQ(said({{kProto, secure}}), "- https - -") << secure;
  }
  for (const char* plain : {"http", "ws", "Http"}) {
    EXPECT_EQ(said({{kProto, plain}}), "- http - -") << plain;
  }
  for (const char* other :
       {"", "javascript", "https:", "on", "httpss", "ftp", "https/1.1", "\"https\""}) {
    EXPECT_EQ(said({{kProto, other}}), "- - - -") << other;
  }
}

TEST(XForwardedProto, OfAListTheOneBesideTheClientCounts) {
  EXPECT_EQ(said({{kProto, "https,http"}}), "- http - -") << "the left one may be the client's";
  EXPECT_EQ(said({{kFor, "192.0.2.1, 10.0.0.1"}, {kProto, "https, http"}}), "192.0.2.1 https - -");
  EXPECT_EQ(said({{kFor, "203.0.113.66, 192.0.2.1, 10.0.0.1"}, {kProto, "http, https, http"}}),
            "192.0.2.1 https - -");
  EXPECT_EQ(said({{kFor, "192.0.2.1, 10.0.0.1"}, {kProto, "https"}}), "192.0.2.1 https - -");
  EXPECT_EQ(said({{kFor, "192.0.2.1"}, {kProto, "http"}, {kProto, "https"}}),
            "192.0.2.1 https - -");
}

// X06; uvicorn issues 965 and 1974: there neither is read.
TEST(XForwardedHost, IsValidAsHostIs) {
  EXPECT_EQ(said({{kHost, "shop.example:8443"}}), "- - shop.example:8443 -");
  EXPECT_EQ(said({{kHost, "[2001:db8::1]"}}), "- - [2001:db8::1] -");
  EXPECT_EQ(said({{kHost, "evil.example, shop.example"}}), "- - shop.example -");
  for (const char* bad :
       {"", "a/b", "a?b", "u@h", "[::1", "a b", "a:b", "a:99999", "a\tb", "http://a"}) {
    EXPECT_EQ(said({{kHost, bad}}), "- - - -") << bad;
  }
}

TEST(XForwardedPort, IsANumber) {
  EXPECT_EQ(said({{kPort, "8443"}}), "- - - 8443");
  EXPECT_EQ(said({{kPort, "1, 65535"}}), "- - - 65535");
  for (const char* bad : {"", "0", "65536", "-1", "+80", "80a", "000443", "99999999999999999999"}) {
    EXPECT_EQ(said({{kPort, bad}}), "- - - -") << bad;
  }
}

TEST(Forwarded, ReadsTheStandardField) {
  EXPECT_EQ(standard("for=192.0.2.1"), "192.0.2.1 - - -");
  EXPECT_EQ(standard("For=\"[2001:db8:cafe::17]:4711\""), "2001:db8:cafe::17 port 4711 - - -");
  EXPECT_EQ(standard("for=192.0.2.60;proto=https;by=203.0.113.43;host=shop.example"),
            "192.0.2.60 https shop.example -");
  EXPECT_EQ(standard("host=\"shop.example:8443\" ; PROTO=\"http\"; for=\"192.0.2.1:5\""),
            "192.0.2.1 port 5 http shop.example:8443 -");
  EXPECT_EQ(standard("for=\"192.0.2.1:_obfuscated\""), "192.0.2.1 - - -");
  EXPECT_EQ(standard("secret=\"a,b;c\\\"d\";for=192.0.2.1"), "192.0.2.1 - - -");
  EXPECT_EQ(standard(";;for=192.0.2.1;"), "192.0.2.1 - - -");
  EXPECT_EQ(standard("for=192.0.2.1:80"), "192.0.2.1 port 80 - - -") << "lacks its quotes";
}

TEST(Forwarded, WalksFromTheRight) {
  EXPECT_EQ(standard("for=203.0.113.66, for=192.0.2.1"), "192.0.2.1 - - -");
  EXPECT_EQ(standard("for=203.0.113.66;proto=http;host=evil, for=192.0.2.1;proto=https;host=shop, "
                     "for=10.0.0.1;proto=http;host=inner"),
            "192.0.2.1 https shop -");
  EXPECT_EQ(standard("for=192.0.2.1, for=10.0.0.1;proto=https;host=shop"), "192.0.2.1 https shop -")
      << "what an outer proxy does not say, an inner one may";
  EXPECT_EQ(said({{kStandard, "for=203.0.113.66"}, {kStandard, "for=192.0.2.1, for=10.0.0.1"}}),
            "192.0.2.1 - - -");
}

// X04: the client's own name may be hidden; what else the proxy says still counts.
TEST(Forwarded, AHiddenClientIsUnknown) {
  for (const char* node : {"unknown", "_hidden", "\"_SEVKISEK\"", "\"unknown:80\""}) {
    const std::string hidden = std::string("for=") + node + ";proto=https";
    EXPECT_EQ(standard(hidden), "- https - -") << node;
    EXPECT_EQ(standard("for=203.0.113.66;host=evil, " + hidden), "- https - -") << node;
    EXPECT_EQ(standard(hidden + ", for=10.0.0.1"), "10.0.0.1 https - -") << node;
  }
  EXPECT_EQ(standard("for=203.0.113.66, proto=https"), "- https - -");
}

// waitress issue 257: there a 500.
TEST(Forwarded, AnUnreadableEntryEndsTheWalk) {
  for (const char* junk :
       {"for", "for=", "=1.2.3.4", "for=\"1.2.3.4", "for=1.2.3.4\"", "for =1.2.3.4", "for= 1.2.3.4",
        "for=1.2.3.4;for=5.6.7.8", "proto=http;proto=https", "192.0.2.9", ";", "for=\"1.2.3.4\"x",
        "for=1.2.3.4 proto=https", "for=a\\b", "f(r=1.2.3.4"}) {
    const std::string bad(junk);
    EXPECT_EQ(standard(bad), "- - - -") << junk;
    EXPECT_EQ(standard("for=203.0.113.66;proto=https, " + bad), "- - - -") << junk;
    EXPECT_EQ(standard(bad + ", for=192.0.2.1"), "192.0.2.1 - - -") << junk;
  }
}

// RFC 9110, section 5.6.1: empty members of a list mean nothing, on one line and on several.
TEST(Forwarded, EmptyEntriesMeanNothing) {
  for (const char* list :
       {"for=192.0.2.1,", ", for=192.0.2.1 , ,", "for=192.0.2.1,,for=10.0.0.1"}) {
    EXPECT_EQ(standard(list), "192.0.2.1 - - -") << list;
  }
  EXPECT_EQ(standard(""), "- - - -");
  EXPECT_EQ(standard(" , "), "- - - -");
  EXPECT_EQ(said({{kStandard, "for=192.0.2.1"}, {kStandard, ""}, {kStandard, ", for=10.0.0.1"}}),
            "192.0.2.1 - - -");
}

// What a client has sent stands left of what the proxies append, and changes nothing of it.
TEST(Forwarded, NothingToTheLeftMovesTheClient) {
  for (const char* attack :
       {"for=\"", "for=\"\\", "\"", "\\", "for=\"a, for=10.0.0.9", "for=10.0.0.9",
        "for=10.0.0.9;x=\"", ",", "for=\"\\\"", "\\\"", "proto=https;host=evil"}) {
    EXPECT_EQ(standard(std::string(attack) + ", for=192.0.2.1;proto=http, for=\"10.0.0.1\""),
              "192.0.2.1 http - -")
        << attack;
    EXPECT_EQ(
        standard(std::string(attack) + ", for=192.0.2.1;x=\"a\\\\\", for=10.0.0.1;y=\",\\\"\""),
        "192.0.2.1 - - -")
        << attack;
  }
}

// X04: a proxy that sets one kind passes the other on as it came.
TEST(Forwarded, KindsAreNeverMixed) {
  EXPECT_EQ(said({{kStandard, "for=203.0.113.66;host=evil;proto=https"}, {kFor, "192.0.2.1"}}),
            "192.0.2.1 - - -");
  EXPECT_EQ(said({{kStandard, "for=203.0.113.66;host=evil"}, {kProto, "https"}}), "- https - -");
  EXPECT_EQ(said({{kStandard, "for=192.0.2.1"}, {kFor, "203.0.113.66"}}, "", kForwarded),
            "192.0.2.1 - - -")
      << "unless the other kind is not believed";
}

TEST(Forwarded, OnlyWhatIsBelievedCounts) {
  const Lines all = {{kFor, "192.0.2.1"}, {kProto, "https"}, {kHost, "a"}, {kPort, "81"}};
  EXPECT_EQ(said(all), "192.0.2.1 https a 81");
  EXPECT_EQ(said(all, "", kXForwardedFor), "192.0.2.1 - - -");
  EXPECT_EQ(said(all, "", kXForwardedProto), "- https - -");
  EXPECT_EQ(said(all, "", kXForwardedHost), "- - a -");
  EXPECT_EQ(said(all, "", kXForwardedPort), "- - - 81");
  EXPECT_EQ(said(all, "", kForwarded), "- - - -");
  EXPECT_EQ(said(all, "", 0), "- - - -");
}

TEST(ForwardedNames, AreThoseOfForwardingFields) {
  EXPECT_EQ(ForwardedNames::parse("")->believed(), 0);
  EXPECT_EQ(ForwardedNames::parse("Forwarded")->believed(), kForwarded);
  EXPECT_EQ(
      ForwardedNames::parse("x-forwarded-for x-forwarded-proto,X-Forwarded-Host ,")->believed(),
      kXForwardedFor | kXForwardedProto | kXForwardedHost);
  EXPECT_EQ(ForwardedNames::parse("x-real-ip, X-Forwarded-User cf-connecting-ip")->believed(), 0);
  EXPECT_EQ(ForwardedNames::parse("x-forwarded-for, cookie").error(),
            (Error{Errc::field_name_invalid, 17}));
  for (const char* other : {"host", "x-forwarded-", "x-forwarded-a;b", "x-real", "x-request-id"}) {
    EXPECT_EQ(ForwardedNames::parse(other).code(), Errc::field_name_invalid) << other;
  }
}

TEST(ForwardedNames, WithoutAListAllAreVouchedFor) {
  const Field prefix{"X-Forwarded-Prefix", "/x", Token::unknown};
  EXPECT_EQ(ForwardedNames().believed(), kAllForwardedFields);
  EXPECT_FALSE(ForwardedNames().listed());
  EXPECT_TRUE(ForwardedNames().has(prefix));
  EXPECT_TRUE(ForwardedNames::parse("")->listed());
  EXPECT_FALSE(ForwardedNames::parse("")->has(prefix));
  EXPECT_FALSE(ForwardedNames::parse("x-forwarded-for")->has(prefix));
  EXPECT_TRUE(ForwardedNames::parse("x-forwarded-for,x-forwarded-prefix")->has(prefix));
}

}  // namespace
}  // namespace lanner::http
