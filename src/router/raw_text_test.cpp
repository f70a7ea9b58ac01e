#include "router/raw_text.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "http/target.h"

namespace lanner::router {
namespace {

TEST(RawText, BothEndsReadWhatPercentDecodeWrites) {
  for (const std::string raw : {"", "a", "%41", "a%41b", "%4%41", "%%41", "%4141", "%41%", "%4",
                                "%%%", "%zz%7", "%25%34%31", "a%2Fb%00"}) {
    std::string decoded(raw.size(), '?');
    decoded.resize(http::percent_decode(raw, decoded.data()));
    std::string front;
    for (const char* at = raw.data(); at != raw.data() + raw.size();) {
      const RawStep step = step_front(at, raw.data() + raw.size());
      front += step.byte;
      at = step.at;
    }
    std::string back;
    for (const char* at = raw.data() + raw.size(); at != raw.data();) {
      const RawStep step = step_back(raw.data(), at);
      back += step.byte;
      at = step.at;
    }
    std::reverse(back.begin(), back.end());
    EXPECT_EQ(front, decoded) << raw;
    EXPECT_EQ(back, decoded) << raw;
  }
}

TEST(RawText, SkipsTextAtEitherEnd) {
  const std::string raw = "v%31-x%2Ejson";
  const char* begin = raw.data();
  const char* end = begin + raw.size();
  EXPECT_EQ(skip_front(begin, end, "v1"), begin + 4);
  EXPECT_EQ(skip_front(begin, end, ""), begin);
  EXPECT_EQ(skip_front(begin, end, "v2"), nullptr);
  EXPECT_EQ(skip_front(begin, begin + 1, "v1"), nullptr);
  EXPECT_EQ(skip_back(begin, end, ".json"), begin + 6);
  EXPECT_EQ(skip_back(begin, end, "2Ejson"), nullptr);
  EXPECT_EQ(skip_back(end - 3, end, "json"), nullptr);
}

}  // namespace
}  // namespace lanner::router
