#include "http/media_type.h"

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

TEST(MediaType, IsWhatStandsBeforeTheParameters) {
  EXPECT_EQ(media_type_of("text/html; charset=utf-8"), "text/html");
  EXPECT_EQ(media_type_of(" application/json "), "application/json");
  EXPECT_EQ(media_type_of(""), "");
}

TEST(MediaType, JsonHasManyNames) {
  for (const char* text : {"application/json", "Application/JSON; charset=utf-8",
                           "application/problem+json", "application/vnd.api+JSON ;v=1"}) {
    EXPECT_TRUE(is_json(text)) << text;
  }
  for (const char* text : {"", "text/plain", "application/jsonp", "+json", "json", "text/json5",
                           "application/x-www-form-urlencoded", "application/xml; x=+json"}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
}

}  // namespace
}  // namespace lanner::http
