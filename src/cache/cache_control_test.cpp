#include "cache/cache_control.h"

#include <gtest/gtest.h>

#include "cache/test_fields.h"

namespace lanner::cache {
namespace {

CacheControl of(std::string_view value) {
  const std::string text = "Cache-Control: " + std::string(value);
  return read_cache_control(fields_of(text));
}
CacheControl answer(std::string_view text) { return read_answer_control(fields_of(text)); }

TEST(CacheControl, ReadsNumbers) {
  EXPECT_EQ(of("max-age=60").max_age, 60U);
  EXPECT_EQ(of("Max-Age=\"60\"").max_age, 60U);
  EXPECT_EQ(of("max-age=0060 , S-MaxAge=5").max_age, 60U);
  EXPECT_EQ(of("max-age=60, s-maxage=5").s_maxage, 5U);
  EXPECT_EQ(of("max-age=99999999999999999999999").max_age, kDeltaMax);
  EXPECT_EQ(of("max-age=2147483649").max_age, kDeltaMax);
  EXPECT_EQ(of("stale-while-revalidate=3").stale_while_revalidate, 3U);
  EXPECT_EQ(of("").max_age, std::nullopt);
}

TEST(CacheControl, InvalidLifetimesAreStale) {
  for (const char* text :
       {"max-age", "max-age=", "max-age=x", "max-age=-1", "max-age=1.5", "max-age=60s",
        "max-age='60'", "max-age =60", "max-age= 60", "max-age=\"60", "max-age=\"6\\0\"",
        "max-age=60, max-age=61", "max-age=60, max-age=x", "max-age=61, max-age=60"})
    EXPECT_EQ(of(text).max_age, 0U) << text;
  EXPECT_EQ(of("max-age=60, max-age=60").max_age, 60U);
}

TEST(CacheControl, WhatIsQuotedIsNoDirective) {
  EXPECT_EQ(of("x=\"max-age=60, no-store\"").max_age, std::nullopt);
  EXPECT_FALSE(of("x=\"max-age=60, no-store\"").no_store);
  EXPECT_TRUE(of("x=\"a\", no-store").no_store);
  EXPECT_TRUE(of("x=\"a, no-store").no_store);  // never closed
  EXPECT_EQ(of("xmax-age=60, max-agex=60").max_age, std::nullopt);
}

TEST(CacheControl, FlagsThatForbidCountWithAnArgument) {
  EXPECT_TRUE(of("No-Cache=\"Set-Cookie\"").no_cache);
  EXPECT_TRUE(of("private=\"X\"").private_);
  EXPECT_TRUE(of("no-store=x").no_store);
  EXPECT_FALSE(of("public=x").public_);
  EXPECT_TRUE(of("public").public_);
  EXPECT_TRUE(of("foo, must-revalidate").must_revalidate);
}

TEST(CacheControl, RequestsSayHowStale) {
  EXPECT_EQ(of("max-stale").max_stale, kDeltaMax);
  EXPECT_EQ(of("max-stale=10").max_stale, 10U);
  EXPECT_EQ(of("max-stale=x").max_stale, 0U);
  EXPECT_EQ(of("min-fresh=x").min_fresh, kDeltaMax);
  EXPECT_TRUE(of("only-if-cached").only_if_cached);
}

TEST(CacheControl, SeveralFieldsAreOneList) {
  const CacheControl control = answer("Cache-Control: max-age=1\nX: y\ncache-control: no-cache");
  EXPECT_EQ(control.max_age, 1U);
  EXPECT_TRUE(control.no_cache);
}

TEST(CacheControl, TheTargetedFieldComesFirst) {
  const CacheControl control =
      answer("Cache-Control: no-store\nCDN-Cache-Control: max-age=60;x, must-revalidate");
  EXPECT_EQ(control.max_age, 60U);
  EXPECT_FALSE(control.no_store);
  EXPECT_TRUE(control.must_revalidate);
  EXPECT_TRUE(control.targeted);
  EXPECT_FALSE(answer("CDN-Cache-Control: max-age=1, no-store=?0").no_store);
  EXPECT_EQ(answer("CDN-Cache-Control: max-age=1, max-age=2").max_age, 2U);
  EXPECT_EQ(answer("CDN-Cache-Control: max-age=\"60\"").max_age, 0U);
  EXPECT_EQ(answer("CDN-Cache-Control: max-age=-1").max_age, 0U);
}

TEST(CacheControl, ATargetedFieldThatIsInvalidIsIgnored) {
  for (const char* text : {"CDN-Cache-Control: \nCache-Control: max-age=7",
                           "CDN-Cache-Control: max-age=60, &\nCache-Control: max-age=7",
                           "CDN-Cache-Control: Max-Age=60\nCache-Control: max-age=7"}) {
    EXPECT_EQ(answer(text).max_age, 7U) << text;
    EXPECT_FALSE(answer(text).targeted) << text;
  }
}

}  // namespace
}  // namespace lanner::cache
