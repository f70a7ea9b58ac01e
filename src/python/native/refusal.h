// python/native/refusal.h: bodies of the refusals that need no Python: 404, 405, 413, 415 and 422.

#pragma once

#include <string_view>

namespace lanner::python {

// In one of two forms: {"detail":...}, or problem details (RFC 9457).
struct Refusals {
  std::string_view media_type;
  std::string_view not_found;
  std::string_view method_not_allowed;
  std::string_view content_too_large;
  std::string_view unsupported_media_type;
  std::string_view errors_begin;  // of a 422, whose list of errors and "}" follow

  // Empty: such an answer has no body.
  std::string_view body_of(int status) const noexcept {
    switch (status) {
      case 404:
        return not_found;
      case 405:
        return method_not_allowed;
      case 413:
        return content_too_large;
      case 415:
        return unsupported_media_type;
      default:
        return {};
    }
  }
};

inline constexpr Refusals kPlainRefusals{
    "application/json",
    R"({"detail":"Not Found"})",
    R"({"detail":"Method Not Allowed"})",
    R"({"detail":"Content Too Large"})",
    R"({"detail":"Unsupported Media Type"})",
    R"({"detail":)",
};
inline constexpr Refusals kProblems{
    "application/problem+json",
    R"({"title":"Not Found","status":404})",
    R"({"title":"Method Not Allowed","status":405})",
    R"({"title":"Content Too Large","status":413})",
    R"({"title":"Unsupported Media Type","status":415})",
    R"({"title":"Unprocessable Content","status":422,"errors":)",
};

}  // namespace lanner::python
