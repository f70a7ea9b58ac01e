#include "cache/freshness.h"

#include <gtest/gtest.h>

#include "cache/test_fields.h"

namespace lanner::cache {
namespace {

constexpr std::int64_t kNow = 784'111'777;  // Sun, 06 Nov 1994 08:49:37 GMT

Lifetime lifetime(std::string_view text, const LifetimeRules& rules = {}, int status = 200) {
  const Answer answer(text, status);
  return find_lifetime(answer.head, read_answer_control(answer.fields), rules, kNow);
}
std::uint32_t age(std::string_view text, std::uint64_t delay_ms = 0) {
  const Answer answer(text);
  return initial_age_s(answer.head, delay_ms, kNow);
}
Freshness stored(std::string_view control, std::uint32_t initial_age = 0) {
  const Answer answer(control);
  const CacheControl parsed = read_answer_control(answer.fields);
  return make_freshness(parsed, find_lifetime(answer.head, parsed, {}, kNow), initial_age, 1000);
}
CacheControl request(const std::string& value) {
  const std::string text = "Cache-Control: " + value;
  return read_cache_control(fields_of(text));
}

TEST(Freshness, TheFirstOfTheSourcesCounts) {
  EXPECT_EQ(lifetime("Cache-Control: max-age=5, s-maxage=7").seconds, 7U);
  EXPECT_EQ(lifetime("Cache-Control: max-age=5\nExpires: 0").seconds, 5U);
  const std::string dates =
      "Date: Sun, 06 Nov 1994 08:49:37 GMT\nExpires: Sun, 06 Nov 1994 08:50:37 GMT";
  EXPECT_EQ(lifetime(dates).seconds, 60U);
  EXPECT_EQ(lifetime(dates).source, LifetimeSource::expires);
  EXPECT_EQ(lifetime("CDN-Cache-Control: public\n" + dates).source, LifetimeSource::none);
  EXPECT_EQ(lifetime("", {.ttl_s = 9}).seconds, 9U);
  EXPECT_EQ(lifetime("Cache-Control: max-age=1", {.ttl_s = 9}).seconds, 1U);
  EXPECT_EQ(lifetime("").source, LifetimeSource::none);
}

TEST(Freshness, AnInvalidExpiresIsInThePast) {
  for (const char* text : {"Expires: 0", "Expires: ", "Expires: Sun, 06 Nov 2094 08:49:37 UTC",
                           "Expires: Sun, 06 Nov 1994 08:49:36 GMT"}) {
    EXPECT_EQ(lifetime(text).seconds, 0U) << text;
    EXPECT_EQ(lifetime(text).source, LifetimeSource::expires) << text;
  }
  EXPECT_EQ(lifetime("Expires: Sunday, 06-Nov-94 08:49:47 GMT").seconds, 10U);
  EXPECT_EQ(lifetime("Expires: Sun Nov  6 08:49:47 1994").seconds, 10U);
}

TEST(Freshness, HeuristicOnlyWhenAsked) {
  const char* modified = "Last-Modified: Sun, 06 Nov 1994 08:32:57 GMT";  // 1000 s ago
  EXPECT_EQ(lifetime(modified).source, LifetimeSource::none);
  EXPECT_EQ(lifetime(modified, {.ttl_s = {}, .heuristic = true}).seconds, 100U);
  EXPECT_EQ(lifetime(modified, {.ttl_s = {}, .heuristic = true, .heuristic_max_s = 50}).seconds,
            50U);
  EXPECT_EQ(lifetime(modified, {.ttl_s = {}, .heuristic = true}, 500).source, LifetimeSource::none);
  EXPECT_EQ(
      lifetime("Last-Modified: Mon, 07 Nov 1994 08:32:57 GMT", {.ttl_s = {}, .heuristic = true})
          .seconds,
      0U);
}

TEST(Freshness, InitialAge) {
  EXPECT_EQ(age(""), 0U);
  EXPECT_EQ(age("Date: Sun, 06 Nov 1994 08:49:27 GMT"), 10U);
  EXPECT_EQ(age("Date: Sun, 06 Nov 1994 08:49:27 GMT\nAge: 30", 2000), 32U);
  EXPECT_EQ(age("Date: Sun, 06 Nov 1995 08:49:27 GMT"), 0U);
  EXPECT_EQ(age("Age: 7, 100"), 7U);
  EXPECT_EQ(age("Age: -7"), 0U);
  EXPECT_EQ(age("Age: 7.5"), 0U);
  EXPECT_EQ(age("Age: 99999999999999999999", 60'000), kDeltaMax);
  EXPECT_EQ(age("Date: nonsense"), 0U);
}

TEST(Freshness, AgesByASteadyClock) {
  const Freshness one = stored("Cache-Control: max-age=10", 3);
  EXPECT_EQ(one.age_s(1000), 3U);
  EXPECT_EQ(one.age_s(0), 3U);
  EXPECT_EQ(one.age_s(3999), 5U);
  EXPECT_TRUE(one.is_fresh(7999));
  EXPECT_FALSE(one.is_fresh(8000));
  EXPECT_EQ(one.age_s(UINT64_MAX), kDeltaMax);
}

struct Case {
  const char* answer;
  const char* request;
  std::uint64_t second;
  Use use;
};

TEST(Freshness, UseForARequest) {
  const Case cases[] = {
      {"max-age=10", "", 9, Use::fresh},
      {"max-age=10", "", 10, Use::validate},
      {"max-age=10", "no-cache", 0, Use::validate},
      {"max-age=10, no-cache", "", 0, Use::validate},
      {"max-age=10", "max-age=5", 5, Use::fresh},
      {"max-age=10", "max-age=5", 6, Use::validate},
      {"max-age=10", "max-age=5, max-stale=1", 6, Use::fresh},
      {"max-age=10", "min-fresh=5", 4, Use::fresh},
      {"max-age=10", "min-fresh=5", 5, Use::validate},
      {"max-age=10", "max-stale=5", 15, Use::stale},
      {"max-age=10", "max-stale=5", 16, Use::validate},
      {"max-age=10", "max-stale", 1'000'000, Use::stale},
      {"max-age=10, must-revalidate", "max-stale", 11, Use::validate},
      {"max-age=10, proxy-revalidate", "max-stale", 11, Use::validate},
      {"s-maxage=10", "max-stale", 11, Use::validate},
      {"s-maxage=10, stale-while-revalidate=5", "", 12, Use::stale_and_renew},
      {"max-age=10, stale-while-revalidate=5", "", 14, Use::stale_and_renew},
      {"max-age=10, stale-while-revalidate=5", "", 15, Use::validate},
      {"max-age=10, stale-while-revalidate=5, must-revalidate", "", 11, Use::validate},
  };
  for (const Case& one : cases) {
    const Freshness entry = stored(std::string("Cache-Control: ") + one.answer);
    EXPECT_EQ(find_use(entry, request(one.request), 1000 + one.second * 1000), one.use)
        << one.answer << " | " << one.request << " | " << one.second;
  }
}

TEST(Freshness, StandsInForErrors) {
  const Freshness one = stored("Cache-Control: max-age=10, stale-if-error=5");
  EXPECT_TRUE(one.may_stand_in({}, 16'000));
  EXPECT_FALSE(one.may_stand_in({}, 17'000));
  EXPECT_TRUE(stored("Cache-Control: max-age=1").may_stand_in(request("stale-if-error=9"), 5000));
  EXPECT_FALSE(stored("Cache-Control: s-maxage=1").may_stand_in(request("stale-if-error=9"), 5000));
  EXPECT_FALSE(stored("Cache-Control: max-age=1, must-revalidate, stale-if-error=9")
                   .may_stand_in(request("stale-if-error=9"), 5000));
}

}  // namespace
}  // namespace lanner::cache
