#include "http/method.h"

#include <array>
#include <cstddef>

namespace lanner::http {

namespace {

constexpr std::array<std::string_view, 10> kMethodTexts = {
    "", "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"};
static_assert(kMethodTexts[static_cast<std::size_t>(Method::patch)] == "PATCH");

}  // namespace

Method method_from_text(std::string_view text) noexcept {
  for (std::size_t i = 1; i < kMethodTexts.size(); ++i) {
    if (text == kMethodTexts[i]) return static_cast<Method>(i);
  }
  return Method::unknown;
}

std::string_view method_text(Method method) noexcept {
  return kMethodTexts[static_cast<std::size_t>(method)];
}

}  // namespace lanner::http
