#include "http/list.h"

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

TEST(List, FindsMembersInAnyCase) {
  EXPECT_TRUE(has_member("close", "close"));
  EXPECT_TRUE(has_member("x-foo , Close", "close"));
  EXPECT_TRUE(has_member("\tUpgrade\t,keep-alive", "upgrade"));
  EXPECT_TRUE(has_member(",,a,,", "a"));
}

TEST(List, WantsWholeMembers) {
  EXPECT_FALSE(has_member("", "close"));
  EXPECT_FALSE(has_member("closed", "close"));
  EXPECT_FALSE(has_member("not close", "close"));
  EXPECT_FALSE(has_member("clo,se", "close"));
}

TEST(List, TakesMembersInOrder) {
  std::string_view rest = " a ,, b";
  EXPECT_EQ(take_member(rest), "a");
  EXPECT_EQ(take_member(rest), "");
  EXPECT_EQ(take_member(rest), "b");
  EXPECT_TRUE(rest.empty());
}

TEST(List, CommasInQuotedStringsSeparateNothing) {
  std::string_view rest = "a;b=\"x, y\\\", z\" , c,d=\"open, e";
  EXPECT_EQ(take_quoted_member(rest), "a;b=\"x, y\\\", z\"");
  EXPECT_EQ(take_quoted_member(rest), "c");
  EXPECT_EQ(take_quoted_member(rest), "d=\"open");
  EXPECT_EQ(take_quoted_member(rest), "e");
  EXPECT_TRUE(rest.empty());
}

TEST(List, FieldsOfOneNameAreOneList) {
  const Field fields[] = {{"TE", "gzip;a=\"trailers, b\"", Token::te},
                          {"Upgrade", "trailers", Token::upgrade},
                          {"TE", "", Token::te},
                          {"te", ", deflate, Trailers", Token::te}};
  RequestHead head;
  head.fields = std::span(fields).first(3);
  EXPECT_FALSE(has_member(head, Token::te, "trailers"));
  head.fields = fields;
  EXPECT_TRUE(has_member(head, Token::te, "trailers"));
}

TEST(List, TrailersAreTakenByWhoSaysSo) {
  RequestHead head;
  head.minor_version = 1;
  EXPECT_FALSE(takes_trailers(head));
  Field fields[] = {{"TE", "gzip;q=0.5, Trailers", Token::te}};
  head.fields = fields;
  EXPECT_TRUE(takes_trailers(head));
  head.minor_version = 0;
  EXPECT_FALSE(takes_trailers(head));
}

}  // namespace
}  // namespace lanner::http
