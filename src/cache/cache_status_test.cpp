#include "cache/cache_status.h"

#include <string>

#include <gtest/gtest.h>

#include "cache/dictionary.h"

namespace lanner::cache {
namespace {

std::string text_of(const CacheStatus& status) {
  char to[kCacheStatusBytesMax];
  TextWriter writer(to);
  write_cache_status(status, writer);
  EXPECT_TRUE(writer.good());
  return std::string(writer.text());
}

TEST(CacheStatus, Members) {
  CacheStatus hit;
  hit.hit = true;
  hit.ttl_s = -30;
  EXPECT_EQ(text_of(hit), "lanner; hit; ttl=-30");
  CacheStatus miss;
  miss.forward = Forward::uri_miss;
  miss.stored = true;
  EXPECT_EQ(text_of(miss), "lanner; fwd=uri-miss; stored");
  CacheStatus full;
  full.forward = Forward::vary_miss;
  full.forward_status = 599;
  full.ttl_s = INT64_MAX;
  full.stored = full.collapsed = true;
  full.detail = "too-many-variants";
  const std::string text = text_of(full);
  EXPECT_EQ(text,
            "lanner; fwd=vary-miss; fwd-status=599; ttl=9223372036854775807; stored; collapsed; "
            "detail=too-many-variants");
}

}  // namespace
}  // namespace lanner::cache
