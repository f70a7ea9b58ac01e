#include "cache/hash.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace lanner::cache {
namespace {

TEST(Hash, EachByteAndTheLengthCount) {
  std::set<std::uint64_t> seen;
  std::size_t texts = 0;
  for (std::size_t bytes = 0; bytes < 70; ++bytes) {
    std::string text(bytes, '\0');
    seen.insert(hash_text(text, 7));
    ++texts;
    for (std::size_t i = 0; i < bytes; ++i) {
      text[i] = 'x';
      seen.insert(hash_text(text, 7));
      text[i] = '\0';
      ++texts;
    }
  }
  EXPECT_EQ(seen.size(), texts);
}

TEST(Hash, TheSeedCounts) { EXPECT_NE(hash_text("/cards", 1), hash_text("/cards", 2)); }

}  // namespace
}  // namespace lanner::cache
