#include "cache/store.h"

#include <string>

#include <gtest/gtest.h>

#include "base/test_shortage.h"
#include "cache/test_fields.h"
#include "cache/vary.h"

namespace lanner::cache {
namespace {

std::string key_of(int number) { return "GET http://a/cards/" + std::to_string(number); }

Refusal put(Store& store, std::string_view key, std::string_view body, std::string_view tags = "",
            std::string_view vary_names = "", std::string_view request_text = "") {
  const Request request(request_text);
  char memory[256];
  TextWriter variant(memory);
  write_variant(request.head, vary_names, variant);
  EntryParts parts;
  parts.body = body;
  parts.tags = tags;
  parts.variant = variant.text();
  return store.add(key, vary_names, parts);
}
std::string get(Store& store, std::string_view key, std::string_view request_text = "") {
  const Request request(request_text);
  const Found found = store.find(key, request.head);
  if (!found.entry) return found.key_known ? "other variant" : "none";
  return std::string(found.entry->body());
}

TEST(Store, FindsWhatWasAdded) {
  Store store({}, 1);
  EXPECT_EQ(get(store, "k"), "none");
  EXPECT_EQ(put(store, "k", "one"), Refusal::none);
  EXPECT_EQ(get(store, "k"), "one");
  EXPECT_EQ(put(store, "k", "two"), Refusal::none);
  EXPECT_EQ(get(store, "k"), "two");
  EXPECT_EQ(store.statistics().entries, 1U);
  EXPECT_EQ(store.statistics().hits, 2U);
  EXPECT_EQ(store.statistics().misses, 1U);
}

TEST(Store, Variants) {
  Store store({.bytes = 1'000'000, .entry_bytes = 100'000, .variants = 2}, 1);
  put(store, "k", "en", "", "accept-language", "Accept-Language: en");
  put(store, "k", "de", "", "accept-language", "Accept-Language: de");
  EXPECT_EQ(get(store, "k", "Accept-Language: EN"), "en");
  EXPECT_EQ(get(store, "k", "Accept-Language: de"), "de");
  EXPECT_EQ(get(store, "k", "Accept-Language: fr"), "other variant");
  put(store, "k", "fr", "", "accept-language", "Accept-Language: fr");
  EXPECT_EQ(get(store, "k", "Accept-Language: en"), "other variant");  // the oldest went
  EXPECT_EQ(store.statistics().entries, 2U);
  put(store, "k", "all");  // Vary says something else now
  EXPECT_EQ(store.statistics().entries, 1U);
  EXPECT_EQ(get(store, "k", "Accept-Language: de"), "all");
}

TEST(Store, KeepsWithinItsBudget) {
  constexpr std::uint64_t kBytes = 200'000;
  Store store({.bytes = kBytes, .entry_bytes = kBytes, .variants = 8}, 1);
  const std::string body(1000, 'x');
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(put(store, key_of(i), body), Refusal::none);
    ASSERT_LE(store.statistics().bytes, kBytes);
  }
  EXPECT_GT(store.statistics().entries, 100U);
  EXPECT_GT(store.statistics().evicted, 1000U);
  EXPECT_EQ(put(store, "large", std::string(kBytes / 8, 'x')), Refusal::too_large);
  EXPECT_EQ(store.statistics().refused, 1U);
}

TEST(Store, WhatIsTooLargeReplacesItsPredecessorByNothing) {
  Store store({.bytes = 80'000, .entry_bytes = 1000, .variants = 8}, 1);
  put(store, "k", "old");
  EXPECT_EQ(put(store, "k", std::string(2000, 'x')), Refusal::too_large);
  EXPECT_EQ(get(store, "k"), "none");
}

TEST(Store, AnAnswerUnderWaySurvivesAndCounts) {
  Store store({.bytes = 40'000, .entry_bytes = 5000, .variants = 8}, 1);
  const std::string body(4000, 'x');
  {
    std::vector<EntryRef> held;
    const Request request("");
    Refusal refusal = Refusal::none;
    for (int i = 0; refusal == Refusal::none; ++i) {
      refusal = put(store, key_of(i), body);
      Found found = store.find(key_of(i), request.head);
      if (found.entry) held.push_back(std::move(found.entry));
    }
    EXPECT_EQ(refusal, Refusal::memory);
    EXPECT_LE(store.statistics().bytes, 40'000U);
    store.clear();
    EXPECT_EQ(store.statistics().entries, 0U);
    EXPECT_GT(store.statistics().bytes, 30'000U);
    for (const EntryRef& entry : held) EXPECT_EQ(entry->body(), body);
  }
  EXPECT_LT(store.statistics().bytes, 5'000U);
  EXPECT_EQ(put(store, "k", body), Refusal::none);
}

TEST(Store, Clears) {
  Store store({}, 1);
  const auto fill = [&store] {
    put(store, "GET http://a/cards?q=1", "1", "cards,all");
    put(store, "GET https://b/cards/7", "2", "card-7,all");
    put(store, "GET https://b/users", "3");
    put(store, "GET http://a/users", "4", "", "accept", "Accept: x");
    put(store, "GET http://a/users", "5", "", "accept", "Accept: y");
  };
  fill();
  EXPECT_EQ(store.clear_tag("cards"), 1U);
  EXPECT_EQ(store.clear_tag("all"), 1U);
  fill();
  EXPECT_EQ(store.clear_path("/cards"), 2U);
  EXPECT_EQ(store.clear_path("/users"), 3U);
  fill();
  EXPECT_EQ(store.clear_key("GET http://a/users"), 2U);
  EXPECT_EQ(store.clear_key("GET http://a/users"), 0U);
  EXPECT_EQ(store.clear(), 3U);
  EXPECT_EQ(store.statistics().entries, 0U);
}

TEST(Store, FreshnessIsRenewedInPlace) {
  Store store({}, 1);
  put(store, "k", "one");
  const Request request("");
  store.find("k", request.head).entry->freshness.lifetime_s = 77;
  EXPECT_EQ(store.find("k", request.head).entry->freshness.lifetime_s, 77U);
}

TEST(Store, AllocationsThatFailAreAnswered) {
  for (int number = 0; number < 12; ++number) {
    test::shortage.begin(number, false);
    Store store({}, 1);
    const Refusal one = store.add("k", "accept", {});
    const Refusal two = store.add("l", "", {});
    test::shortage.end();
    const auto expected =
        static_cast<std::uint64_t>((one == Refusal::none) + (two == Refusal::none));
    EXPECT_EQ(store.statistics().entries, expected) << number;
    EXPECT_EQ(test::shortage.thrown, 0);
    EXPECT_EQ(put(store, "k", "body"), Refusal::none);
    EXPECT_EQ(get(store, "k"), "body");
  }
}

TEST(Store, AHitAllocatesNothing) {
  Store store({}, 1);
  put(store, "k", "body", "", "accept,accept-encoding", "Accept-Encoding: gzip, br");
  const Request request("Accept-Encoding: br, gzip");
  test::shortage.begin(0, true);
  const bool hit = static_cast<bool>(store.find("k", request.head).entry);
  test::shortage.end();
  EXPECT_TRUE(hit);
  EXPECT_EQ(test::shortage.failed, 0);
  EXPECT_EQ(test::shortage.thrown, 0);
}

}  // namespace
}  // namespace lanner::cache
