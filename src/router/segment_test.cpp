#include "router/segment.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "router/limits.h"
#include "router/pattern.h"

namespace lanner::router {
namespace {

Segment segment(const std::string& text) {
  Pattern pattern;
  std::string why;
  const bool parsed = parse_path("/" + text, &pattern, &why);
  EXPECT_TRUE(parsed) << why;
  return pattern.segments.at(0);
}

// The values with '|' between; "-": no match.
std::string matched(const char* pattern, std::string_view raw) {
  std::array<std::string_view, kSegmentParametersMax> values;
  const Segment one = segment(pattern);
  if (!match_segment(one, raw, values.data())) return "-";
  std::string text;
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    text += (i ? "|" : "") + std::string(values[i]);
  }
  return text;
}

TEST(Segment, TellsItsKind) {
  EXPECT_TRUE(segment("cards").is_literal());
  EXPECT_TRUE(segment("{id:int}").is_parameter());
  EXPECT_TRUE(segment("{a}.{b}").is_mixed());
  EXPECT_TRUE(segment("v{a}").is_mixed());
  EXPECT_TRUE(segment("{rest:path}").is_rest());
  EXPECT_TRUE(segment("x{rest:path}").is_rest());
  EXPECT_FALSE(segment("{rest:path}").is_parameter());
  EXPECT_EQ(segment_shape(segment("v{major:int}.{minor}x")), "v{int}.{str}x");
}

TEST(Segment, MatchesTextAndParameters) {
  const struct {
    const char* pattern;
    const char* raw;
    const char* values;
  } kCases[] = {
      {"{name}.json", "a.json", "a"},
      {"{name}.json", "a.b.json", "a.b"},
      {"{name}.json", ".json", "-"},
      {"{name}.json", "a.jso", "-"},
      {"{name}.json", "a.JSON", "-"},
      {"{name}.json", "a%2Ejson", "a"},
      {"{name}.json", "a%2Fb.json", "a%2Fb"},
      {"v{version:int}", "v12", "12"},
      {"v{version:int}", "v", "-"},
      {"v{version:int}", "vx", "-"},
      {"v{version:int}", "%76%31", "%31"},
      {"{x:int}0", "100", "10"},
      {"1{x:int}", "11", "1"},
      {"a{x}a", "a", "-"},
      {"a{x}a", "aa", "-"},
      {"a{x}a", "aba", "b"},
      {"{name}.{ext}", "a.tar.gz", "a.tar|gz"},
      {"{name}.{ext}", "a..", "a|."},
      {"{name}.{ext}", ".a.", "-"},
      {"{name}.{ext}", "a.", "-"},
      {"{base}...{head}", "main...topic", "main|topic"},
      {"{base}...{head}", "a....b", "a.|b"},
      {"{base}...{head}", "...b", "-"},
      {"{y:int}-{m:int}-{d:int}", "2026-12-01", "2026|12|01"},
      {"{y:int}-{m:int}-{d:int}", "2026-12", "-"},
      {"{y:int}-{m:int}-{d:int}", "2026-12-01-02", "-"},
      {"{lat:float},{lon:float}", "1.5,2", "1.5|2"},
      {"{lat:float},{lon:float}", "1.5%2C2.25", "1.5|2.25"},
      {"{a:int}.{b}", "1.2.3", "1|2.3"},
      {"{a:float}.{b}", "1.2.3", "1.2|3"},
      {"{a:float}.{b}", "1.5", "1|5"},
      {"{a}-{b:int}", "x-1-2", "x-1|2"},
      {"{a}-{b:int}-{c}", "x-1-2-y-z", "x-1|2|y-z"},
      {"{a}-{b:int}-{c}", "1-2-3", "1|2|3"},
      {"{a}-{b:int}-{c}", "a-b-c", "-"},
      {"{a}-{b}-{c}-{d}", "1-2-3-4-5", "1-2|3|4|5"},
      {"{u:uuid}-{n}", "0123456789abcdef0123456789abcdef-x", "0123456789abcdef0123456789abcdef|x"},
      {"{n}-{u:uuid}", "x-01234567-89ab-cdef-0123-456789abcdef",
       "x|01234567-89ab-cdef-0123-456789abcdef"},
  };
  for (const auto& one : kCases)
    EXPECT_EQ(matched(one.pattern, one.raw), one.values) << one.pattern << " " << one.raw;
}

// In time that grows with the square of the length, this would take hours.
TEST(Segment, IsMatchedInLinearTime) {
  const std::string dashes(1 << 20, '-');
  const std::string ones(1 << 20, '1');
  EXPECT_EQ(matched("{a}-{b}-{c}-{d:int}", dashes), "-");
  EXPECT_EQ(matched("{a}-{b:int}-{c:int}-{d}", dashes + "x"), "-");
  EXPECT_EQ(matched("{a:int}.{b:int}-{c}", ones + "-" + ones), "-");
  EXPECT_EQ(matched("{a:int}-{b}-{c}-{d}x", dashes + ones + dashes), "-");
}

TEST(Segment, ComesInOneOrderHoweverItStarts) {
  // Each before the next.
  const std::vector<std::string> sorted = {
      "cards",   "v{a}.json", "{a}.json", "abc{a}",      "v{a:int}.{b:int}", "a{a:int}",
      "a{a}",    "b{a}",      "{a:int}a", "{a}-{b:int}", "{a}-{b}",          "{u:uuid}",
      "{n:int}", "{x:float}", "{s}",      "ab{p:path}",  "a{p:path}",        "{p:path}",
  };
  std::vector<Segment> order;
  for (const std::string& text : sorted) order.push_back(segment(text));
  for (int round = 0; round < 20; ++round) {
    std::vector<Segment> mixed = order;
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      std::swap(mixed[i], mixed[(i * 7 + static_cast<std::size_t>(round) * 5) % mixed.size()]);
    }
    std::sort(mixed.begin(), mixed.end(), comes_before);
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      EXPECT_EQ(segment_shape(mixed[i]), segment_shape(order[i])) << i;
    }
  }
}

}  // namespace
}  // namespace lanner::router
