// http/head.h: the head of a request, in the form that all protocols produce.
//
// Everything in it is a view: valid while http::Handler::handle runs, or until the exchange ends if
// it was retained.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "http/method.h"
#include "http/token.h"

namespace lanner::http {

struct Field {
  std::string_view name;   // as sent, a token (RFC 9110, section 5.1)
  std::string_view value;  // without surrounding SP and HTAB; bytes above 0x7F kept as they came
  Token token = Token::unknown;
};

enum class TargetForm : std::uint8_t {
  origin,
  absolute,
  authority,
  asterisk
};                                                                // RFC 9112, section 3.2
enum class BodyFraming : std::uint8_t { none, length, chunked };  // RFC 9112, section 6.3

struct RequestHead {
  Method method = Method::unknown;
  std::string_view method_text;  // case kept: methods are case-sensitive
  std::string_view target;       // as sent
  TargetForm form = TargetForm::origin;
  std::string_view path;   // still percent-encoded; "*" for the asterisk form; never empty
  std::string_view query;  // without '?'; see has_query
  std::string_view
      authority;  // host[:port] of the absolute form, else the Host value; may be empty on 1.0
  std::uint8_t major_version = 1;
  std::uint8_t minor_version = 1;
  bool has_query = false;         // a '?' was there, even if nothing followed
  bool path_has_escapes = false;  // a '%' is in path (each followed by two hex digits, never %00)
  bool keep_alive = true;         // what the client wants (RFC 9112, section 9.3)
  bool expect_continue = false;   // Expect: 100-continue on 1.1 with a body
  bool upgrade = false;           // Connection names "upgrade" and an Upgrade field is there
  bool forwarded = false;         // a Forwarded or X-Forwarded-* field is there (http/forwarded.h)
  bool secure = false;            // came over TLS, or a trusted proxy says so
  BodyFraming framing = BodyFraming::none;
  std::uint64_t content_length = 0;  // framing length only
  std::span<const Field> fields;

  // The first field of that token, or nullptr.
  const Field* find(Token token) const noexcept {
    for (const Field& field : fields) {
      if (field.token == token) return &field;
    }
    return nullptr;
  }
};

}  // namespace lanner::http
