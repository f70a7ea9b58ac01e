// http/media_type.h: what a Content-Type says (RFC 9110, section 8.3.1).

#pragma once

#include <string_view>

#include "http/ascii.h"

namespace lanner::http {

// "Text/HTML; charset=utf-8" -> "Text/HTML"
constexpr std::string_view media_type_of(std::string_view content_type) noexcept {
  return trim_blanks(content_type.substr(0, content_type.find(';')));
}

// application/json, or a type with the suffix +json (RFC 6839, section 3.1), in any case.
constexpr bool is_json(std::string_view content_type) noexcept {
  constexpr std::string_view kSuffix = "+json";
  const std::string_view type = media_type_of(content_type);
  if (equals_ignoring_case(type, "application/json")) return true;
  return type.size() > kSuffix.size() && type.find('/') != type.npos &&
         equals_ignoring_case(type.substr(type.size() - kSuffix.size()), kSuffix);
}

}  // namespace lanner::http
