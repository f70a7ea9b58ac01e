#include "base/base64.h"

#include <string_view>

#include <gtest/gtest.h>

namespace lanner {
namespace {

TEST(Base64, EveryDigitHasItsValueAndNothingElseHasOne) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int byte = -128; byte < 128; ++byte) {
    const std::size_t at = kDigits.find(static_cast<char>(byte));
    const int expected = at == std::string_view::npos ? -1 : static_cast<int>(at);
    EXPECT_EQ(base64_value(static_cast<char>(byte)), expected) << byte;
  }
}

}  // namespace
}  // namespace lanner
