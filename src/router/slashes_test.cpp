#include "router/slashes.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace lanner::router {
namespace {

TEST(Slashes, AreFoundInPathsOfAnyLength) {
  for (std::size_t bytes = 1; bytes < 200; ++bytes) {
    for (std::size_t every = 1; every < 80; every += 3) {
      // Of exactly that size: AddressSanitizer sees a byte read too far.
      const std::unique_ptr<char[]> path = std::make_unique<char[]>(bytes);
      for (std::size_t i = 0; i < bytes; ++i) path[i] = i % every == 0 ? '/' : 'a';
      const std::string_view text(path.get(), bytes);
      const Slashes slashes(text);
      for (std::size_t at = 0; at < bytes; ++at) {
        const std::size_t found = std::min(text.find('/', at), bytes);
        ASSERT_EQ(slashes.next(path.get() + at), path.get() + found) << bytes << " " << every;
      }
    }
  }
}

}  // namespace
}  // namespace lanner::router
