#include "http/ip_address.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

std::string canonical(std::string_view text) {
  IpAddress address;
  if (!parse_ip(text, &address)) return "";
  char room[kIpTextBytesMax];
  return {room, write_ip(address, room)};
}

IpAddress address_of(std::string_view text) {
  IpAddress address;
  EXPECT_TRUE(parse_ip(text, &address)) << text;
  return address;
}

bool holds(std::string_view network, std::string_view address) {
  const Result<IpNetwork> parsed = parse_network(network);
  EXPECT_EQ(parsed.code(), Errc::ok) << network;
  return parsed->contains(address_of(address));
}

// Pairs: as written, as RFC 5952 writes it.
TEST(IpAddress, HasOneText) {
  const char* const texts[][2] = {
      {"0.0.0.0", "0.0.0.0"},
      {"127.0.0.1", "127.0.0.1"},
      {"255.255.255.255", "255.255.255.255"},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"2001:DB8::00A1", "2001:db8::a1"},
      {"2001:db8:0:0:0:0:2:1", "2001:db8::2:1"},
      {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},  // one group is not shortened
      {"2001:db8::1:0:0:1", "2001:db8::1:0:0:1"},        // the first of two equal runs
      {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},           // the longer one
      {"0:0:1::", "0:0:1::"},
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
      {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
      {"fe80:1234:5678:9abc:def0:1234:5678:9abc", "fe80:1234:5678:9abc:def0:1234:5678:9abc"},
      {"64:ff9b::192.0.2.33", "64:ff9b::c000:221"},
      {"::ffff:192.0.2.1", "192.0.2.1"},
      {"::FFFF:c000:0201", "192.0.2.1"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
  };
  for (const auto& [written, wanted] : texts) {
    EXPECT_EQ(canonical(written), wanted) << written;
    EXPECT_EQ(canonical(wanted), wanted);
    EXPECT_EQ(address_of(written), address_of(wanted));
  }
}

TEST(IpAddress, RefusesWhatIsNone) {
  for (const char* text : {"",
                           " ",
                           "1",
                           "1.2.3",
                           "1.2.3.4.",
                           "1.2.3.4.5",
                           "01.2.3.4",
                           "1.2.3.04",
                           "1.2.3.256",
                           "1.2.3.-4",
                           "1.2.3.4 ",
                           " 1.2.3.4",
                           "0x7f.0.0.1",
                           "2130706433",
                           "1.2.3.4:80",
                           "1..3.4",
                           ":",
                           ":::",
                           "1:",
                           ":1",
                           "1:2",
                           "1:2:3:4:5:6:7",
                           "1::2::3",
                           "1:2:3:4:5:6:7:8:9",
                           "12345::",
                           "g::",
                           "::1%eth0",
                           "[::1]",
                           "1:2:3:4:5:6:7:1.2.3.4",
                           "::1.2.3",
                           "::1.2.3.4:5",
                           "1.2.3.4::",
                           "1:2:3:4:5:6:7:8::",
                           "::1:2:3:4:5:6:7:8",
                           "::ffff:1.2.3.256",
                           "unknown",
                           "localhost",
                           "_hidden",
                           "::1:",
                           "::1::"}) {
    EXPECT_EQ(canonical(text), "") << text;
  }
}

TEST(IpAddress, KeepsFamiliesApart) {
  EXPECT_TRUE(address_of("10.0.0.1").is_v4());
  EXPECT_TRUE(address_of("::ffff:10.0.0.1").is_v4());
  EXPECT_FALSE(address_of("::1").is_v4());
  EXPECT_FALSE(address_of("::10.0.0.1").is_v4());
}

// Every byte of every group, written and read again.
TEST(IpAddress, SurvivesTextInAnyValue) {
  IpAddress address;
  for (unsigned mask = 0; mask < 65536; ++mask) {
    for (unsigned i = 0; i < 16; ++i) {
      address.bytes[i] = static_cast<std::uint8_t>(mask >> i & 1 ? 1 + i * 13 : 0);
    }
    char room[kIpTextBytesMax];
    const std::string_view text(room, write_ip(address, room));
    ASSERT_LE(text.size(), sizeof room);
    ASSERT_EQ(address_of(text), address) << text;
  }
}

TEST(IpNetwork, HoldsWhatSharesItsPrefix) {
  EXPECT_TRUE(holds("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(holds("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(holds("192.168.128.0/17", "192.168.255.255"));
  EXPECT_FALSE(holds("192.168.128.0/17", "192.168.127.255"));
  EXPECT_TRUE(holds("1.2.3.4", "1.2.3.4"));
  EXPECT_FALSE(holds("1.2.3.4/32", "1.2.3.5"));
  EXPECT_TRUE(holds("0.0.0.0/0", "255.1.2.3"));
  EXPECT_TRUE(holds("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(holds("2001:db8::/33", "2001:db8:8000::1"));
  EXPECT_TRUE(holds("::/0", "fe80::1"));
  EXPECT_TRUE(holds("::1", "0:0::1"));
}

TEST(IpNetwork, KnowsAMappedAddressAsIPv4) {
  EXPECT_TRUE(holds("10.0.0.0/8", "::ffff:10.1.2.3"));
  EXPECT_TRUE(holds("::ffff:10.0.0.0/104", "10.1.2.3"));
  EXPECT_FALSE(holds("0.0.0.0/0", "::1"));
  EXPECT_FALSE(holds("::/0", "127.0.0.1"));
}

TEST(IpNetwork, RefusesWhatIsNone) {
  for (const char* text : {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8",
                           "::/129", "10/8", "10.0.0.0/a", "::ffff:0:0/90", "example.com"}) {
    EXPECT_EQ(parse_network(text).code(), Errc::network_invalid) << text;
  }
}

TEST(IpNetwork, RefusesBitsBeyondThePrefix) {
  for (const char* text : {"10.0.0.1/8", "10.0.0.1/31", "2001:db8::1/64", "128.0.0.0/0"}) {
    EXPECT_EQ(parse_network(text).code(), Errc::network_host_bits) << text;
  }
}

}  // namespace
}  // namespace lanner::http
