// json/allocation_failure_test.cpp: memory runs out at the first allocation of reading or writing,
// at the second, and so on: the result is right, or says so, and nothing allocates by a plain
// `new`, which would end the process.

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/test_shortage.h"
#include "json/escape.h"
#include "json/reader.h"
#include "json/utf8.h"

namespace lanner::json {
namespace {

using lanner::test::shortage;

constexpr int kAllocationsMax = 100;

// work() gives true, or false for want of memory; it ends the shortage before it makes claims. It is
// called until no allocation is left to fail.
template <class Work>
int survives(Work work) {
  EXPECT_TRUE(is_utf8("\xC3\xA9"));  // simdjson allocates once
  for (const bool lasts : {false, true}) {
    for (int number = 0; number < kAllocationsMax; ++number) {
      shortage.begin(number, lasts);
      const bool done = work();
      EXPECT_EQ(shortage.thrown, 0) << "allocation " << number;
      EXPECT_EQ(done, shortage.failed == 0) << "allocation " << number;
      if (shortage.failed == 0 && lasts) return number;
      if (shortage.failed == 0) break;
    }
  }
  return kAllocationsMax;
}

TEST(AllocationFailure, IsNotTakenForTheEndOfAString) {
  const std::string plain = R"("nothing to do")";
  const std::string escaped = "\"" + std::string(100, 'a') + R"(\u00e9\n")";
  const std::string long_one = "\"" + std::string(100'000, 'a') + R"(\n")";
  for (const std::string& text : {plain, escaped, long_one}) {
    const int allocations = survives([&] {
      Reader reader{std::string_view(text)};
      String string;
      const char* const end = reader.string(reader.begin() + 1, &string);
      shortage.end();
      EXPECT_EQ(reader.error().code, end ? Errc::ok : Errc::no_memory);
      return end == text.data() + text.size();
    });
    EXPECT_EQ(allocations > 0, text != plain);
  }
}

TEST(AllocationFailure, EndsASkippedValue) {
  const std::string text = R"({"a":[1,2.5,"\u00e9",123456789012345678901234567890],"\t":{}})";
  const int allocations = survives([&] {
    Reader reader{std::string_view(text)};
    const char* const end = reader.skip_value(reader.begin(), 0);
    shortage.end();
    EXPECT_EQ(end == nullptr, reader.error().code == Errc::no_memory);
    return end == text.data() + text.size();
  });
  EXPECT_GT(allocations, 0);
}

TEST(AllocationFailure, EndsAText) {
  const std::string text(50'000, '\n');
  const int allocations = survives([&] {
    HeapSpace space;
    Output out(space);
    const Written written = out.append("[") ? write_string(out, text) : Written::no_memory;
    shortage.end();
    EXPECT_NE(written, Written::surrogate);
    return written == Written::ok && out.size() == 1 + 2 + 2 * text.size();
  });
  EXPECT_GT(allocations, 2);
}

}  // namespace
}  // namespace lanner::json
