#include "router/converter.h"

#include <cstddef>

#include "router/limits.h"
#include "router/raw_text.h"

namespace lanner::router {

namespace {

constexpr std::string_view kNames[] = {"uuid", "int", "float", "str", "path"};

// The beginning of the run of digits that ends at `end`; `end` itself if there is none.
const char* digits_back(const char* begin, const char* end) noexcept {
  while (begin != end) {
    const RawStep step = step_back(begin, end);
    if (!http::is_digit(step.byte)) break;
    end = step.at;
  }
  return end;
}

const char* integer_back(const char* begin, const char* end) noexcept {
  std::size_t digits = 0;
  for (; begin != end && digits < kIntegerDigitsMax; ++digits) {
    const RawStep step = step_back(begin, end);
    if (!http::is_digit(step.byte)) break;
    end = step.at;
  }
  return digits == 0 ? nullptr : end;
}

const char* floating_back(const char* begin, const char* end) noexcept {
  const char* fraction = digits_back(begin, end);
  if (fraction == end) return nullptr;
  if (fraction == begin) return fraction;
  const RawStep point = step_back(begin, fraction);
  if (point.byte != '.') return fraction;
  const char* whole = digits_back(begin, point.at);
  return whole == point.at ? fraction : whole;
}

const char* uuid_back(const char* begin, const char* end) noexcept {
  constexpr int kGroups[] = {12, 4, 4, 4, 8};
  bool first = true;
  for (const int digits : kGroups) {
    if (!first && begin != end) {
      const RawStep hyphen = step_back(begin, end);
      if (hyphen.byte == '-') end = hyphen.at;
    }
    first = false;
    for (int i = 0; i < digits; ++i) {
      if (begin == end) return nullptr;
      const RawStep step = step_back(begin, end);
      if (http::hex_value(step.byte) < 0) return nullptr;
      end = step.at;
    }
  }
  return end;
}

}  // namespace

std::string_view converter_name(Converter converter) noexcept {
  return kNames[static_cast<std::size_t>(converter)];
}

bool converter_from_name(std::string_view name, Converter* converter) noexcept {
  for (std::size_t i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
    if (name != kNames[i]) continue;
    *converter = static_cast<Converter>(i);
    return true;
  }
  return false;
}

bool converts(Converter converter, std::string_view raw) noexcept {
  if (converter == Converter::path) return true;
  if (raw.empty()) return false;
  if (converter == Converter::str) return true;
  return take_back(converter, raw.data(), raw.data() + raw.size()) == raw.data();
}

const char* take_back(Converter converter, const char* begin, const char* end) noexcept {
  switch (converter) {
    case Converter::uuid:
      return uuid_back(begin, end);
    case Converter::integer:
      return integer_back(begin, end);
    default:
      return floating_back(begin, end);
  }
}

}  // namespace lanner::router
