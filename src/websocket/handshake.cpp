#include "websocket/handshake.h"

#include <cstddef>
#include <string_view>

#include "base/base64.h"
#include "http/list.h"

namespace lanner::websocket {

namespace {

using http::Field;
using http::RequestHead;
using http::Token;

// The value of the one field of that token; nullptr when there is none or more than one.
const std::string_view* find_single(const RequestHead& head, Token token) noexcept {
  const std::string_view* found = nullptr;
  for (const Field& field : head.fields) {
    if (field.token != token) continue;
    if (found) return nullptr;
    found = &field.value;
  }
  return found;
}

// Base64 of 16 bytes: 22 digits, the last one with its 4 spare bits unset, and "==".
bool is_valid_key(std::string_view key) noexcept {
  constexpr std::size_t kDigits = 22;
  if (key.size() != kDigits + 2 || !key.ends_with("==")) return false;
  for (const char byte : key.substr(0, kDigits)) {
    if (base64_value(byte) < 0) return false;
  }
  return base64_value(key[kDigits - 1]) % 16 == 0;
}

}  // namespace

bool asks_for_websocket(const RequestHead& head) noexcept {
  return head.upgrade && http::has_member(head, Token::upgrade, "websocket");
}

Result<Handshake> check_handshake(const RequestHead& head) noexcept {
  if (!asks_for_websocket(head)) return Handshake::none;
  const bool has_body = head.framing == http::BodyFraming::chunked || head.content_length > 0;
  const bool old = head.major_version == 1 && head.minor_version == 0;
  if (head.method != http::Method::get || old || has_body) return Errc::websocket_handshake_invalid;
  const std::string_view* const key = find_single(head, Token::sec_websocket_key);
  if (!key || !is_valid_key(*key)) return Errc::websocket_handshake_invalid;
  const std::string_view* const version = find_single(head, Token::sec_websocket_version);
  if (!version || *version != "13") return Errc::websocket_version;
  return Handshake::valid;
}

}  // namespace lanner::websocket
