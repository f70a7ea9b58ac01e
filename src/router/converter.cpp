#include "router/converter.h"

#include <cstddef>
#include <cstdint>

#include "router/limits.h"
#include "router/raw_text.h"

namespace lanner::router {

namespace {

constexpr std::string_view kNames[] = {"uuid", "int", "float", "str", "path"};

using Step = RawStep (*)(const char* begin, const char* end) noexcept;

// The beginning of the run of at most `most` digits that ends at `end`; `end` itself if there is
// none.
template <Step step_back>
const char* digits_back(const char* begin, const char* end, std::size_t most) noexcept {
  for (; begin != end && most > 0; --most) {
    const RawStep step = step_back(begin, end);
    if (!http::is_digit(step.byte)) break;
    end = step.at;
  }
  return end;
}

template <Step step_back>
const char* floating_back(const char* begin, const char* end) noexcept {
  const char* fraction = digits_back<step_back>(begin, end, SIZE_MAX);
  if (fraction == end) return nullptr;
  if (fraction == begin) return fraction;
  const RawStep point = step_back(begin, fraction);
  if (point.byte != '.') return fraction;
  const char* whole = digits_back<step_back>(begin, point.at, SIZE_MAX);
  return whole == point.at ? fraction : whole;
}

template <Step step_back>
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

template <Step step_back>
const char* any_back(Converter converter, const char* begin, const char* end) noexcept {
  switch (converter) {
    case Converter::uuid:
      return uuid_back<step_back>(begin, end);
    case Converter::integer: {
      const char* at = digits_back<step_back>(begin, end, kIntegerDigitsMax);
      return at == end ? nullptr : at;
    }
    default:
      return floating_back<step_back>(begin, end);
  }
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

bool converts(Converter converter, std::string_view raw, bool has_escapes) noexcept {
  if (converter == Converter::path) return true;
  if (raw.empty()) return false;
  if (converter == Converter::str) return true;
  const char* end = raw.data() + raw.size();
  const auto back = has_escapes ? any_back<step_back> : any_back<plain_step_back>;
  return back(converter, raw.data(), end) == raw.data();
}

const char* take_back(Converter converter, const char* begin, const char* end) noexcept {
  return any_back<step_back>(converter, begin, end);
}

}  // namespace lanner::router
