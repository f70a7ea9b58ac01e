#include "cache/storability.h"

#include <gtest/gtest.h>

#include "cache/test_fields.h"

namespace lanner::cache {
namespace {

struct Case {
  const char* request;
  int status;
  const char* answer;
  const char* word;
};

std::string_view word_of(const Case& one, const StoreRules& rules = {}) {
  const Request request(one.request);
  const Answer answer(one.answer, one.status);
  return refusal_word(find_storability(request.head, answer.head, rules, 784'111'777).refusal);
}

TEST(Storability, Decides) {
  const Case cases[] = {
      {"", 200, "Cache-Control: max-age=60", "none"},
      {"", 200, "", "no-lifetime"},
      {"", 200, "ETag: \"a\"", "no-lifetime"},
      {"", 200, "Cache-Control: max-age=0", "no-lifetime"},
      {"", 200, "Cache-Control: max-age=0\nETag: \"a\"", "none"},
      {"", 200, "Cache-Control: no-cache\nETag: \"a\"", "none"},
      {"", 200, "Cache-Control: no-cache, max-age=60", "no-lifetime"},
      {"", 200, "Cache-Control: max-age=0, stale-while-revalidate=5", "none"},
      {"", 200, "Cache-Control: no-store, max-age=60", "no-store"},
      {"", 200, "Cache-Control: private, max-age=60", "private"},
      {"", 200, "Cache-Control: max-age=60\nSet-Cookie: a=b", "set-cookie"},
      {"", 200, "Cache-Control: max-age=60\nVary: Accept, *", "vary-any"},
      {"", 206, "Cache-Control: max-age=60", "partial"},
      {"", 200, "Cache-Control: max-age=60\nContent-Range: bytes 0-1/2", "partial"},
      {"", 304, "Cache-Control: max-age=60", "status"},
      {"", 101, "Cache-Control: max-age=60", "status"},
      {"", 599, "Cache-Control: max-age=60", "none"},
      {"", 404, "Cache-Control: max-age=60", "none"},
      {"", 599, "Cache-Control: max-age=60, must-understand, no-store", "not-understood"},
      {"", 200, "Cache-Control: max-age=60, must-understand, no-store", "none"},
      {"Cache-Control: no-store", 200, "Cache-Control: max-age=60", "request-no-store"},
      {"Authorization: x", 200, "Cache-Control: max-age=60", "authorization"},
      {"Authorization: x", 200, "Cache-Control: max-age=60, public", "none"},
      {"Authorization: x", 200, "Cache-Control: s-maxage=60", "none"},
      {"Authorization: x", 200, "Cache-Control: max-age=60, must-revalidate", "none"},
  };
  for (const Case& one : cases)
    EXPECT_EQ(word_of(one), one.word) << one.request << " | " << one.status << " " << one.answer;
}

TEST(Storability, RulesOfARoute) {
  EXPECT_EQ(word_of({"", 200, "", ""}, {.lifetime = {.ttl_s = 5}}), "none");
  EXPECT_EQ(word_of({"", 200, "Set-Cookie: a=b", ""}, {.lifetime = {.ttl_s = 5}}), "set-cookie");
  const StoreRules keyed{.lifetime = {.ttl_s = 5}, .keyed_by_user = true};
  EXPECT_EQ(word_of({"Authorization: x", 200, "Cache-Control: private", ""}, keyed), "none");
}

TEST(Storability, OnlyAnswersToGet) {
  const Request request("", "/", http::Method::post);
  const Answer answer("Cache-Control: max-age=60");
  EXPECT_EQ(find_storability(request.head, answer.head, {}, 0).refusal, Refusal::method);
}

TEST(Storability, EachRefusalHasWords) {
  for (int i = 0; i <= static_cast<int>(Refusal::memory); ++i) {
    EXPECT_FALSE(refusal_word(static_cast<Refusal>(i)).empty());
    EXPECT_FALSE(refusal_text(static_cast<Refusal>(i)).empty());
  }
}

}  // namespace
}  // namespace lanner::cache
