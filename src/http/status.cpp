#include "http/status.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lanner::http {

namespace {

struct Status {
  int code;
  std::string_view line;  // the whole status line: the phrase is a part of it
};

constexpr auto kStatuses = std::to_array<Status>({
    {0, ""},
#define LANNER_STATUS(code, phrase) {code, "HTTP/1.1 " #code " " phrase "\r\n"},
#include "http/status.def"
#undef LANNER_STATUS
});

constexpr std::size_t kPrefixBytes = sizeof "HTTP/1.1 200 " - 1;
constexpr int kCodeMin = 100;
constexpr int kCodeMax = 599;

// code - kCodeMin to an index into kStatuses; 0 = not registered.
constexpr auto kIndexes = [] {
  std::array<std::uint8_t, kCodeMax - kCodeMin + 1> indexes{};
  for (std::size_t i = 1; i < kStatuses.size(); ++i) {
    indexes[static_cast<std::size_t>(kStatuses[i].code - kCodeMin)] = static_cast<std::uint8_t>(i);
  }
  return indexes;
}();

}  // namespace

std::string_view status_line(int status) noexcept {
  if (status < kCodeMin || status > kCodeMax) return {};
  return kStatuses[kIndexes[static_cast<std::size_t>(status - kCodeMin)]].line;
}

std::string_view reason_phrase(int status) noexcept {
  const std::string_view line = status_line(status);
  return line.empty() ? line : line.substr(kPrefixBytes, line.size() - kPrefixBytes - 2);
}

}  // namespace lanner::http
