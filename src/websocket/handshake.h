// websocket/handshake.h: checks opening handshakes against RFC 6455, section 4.2. Pure.

#pragma once

#include "base/result.h"
#include "http/head.h"

namespace lanner::websocket {

enum class Handshake : std::uint8_t {
  none,   // not a WebSocket handshake: nothing names "websocket" in Upgrade
  valid,  // may be accepted, or ignored (RFC 9110, section 7.8)
};

// "websocket" in Upgrade, with "upgrade" in Connection.
bool asks_for_websocket(const http::RequestHead& head) noexcept;

// A request that asks for WebSocket must be GET on 1.1
// or later, without a body, with one Sec-WebSocket-Key that decodes to 16 bytes and
// Sec-WebSocket-Version 13. Errors: websocket_handshake_invalid (400), websocket_version (426:
// answer with "Sec-WebSocket-Version: 13").
Result<Handshake> check_handshake(const http::RequestHead& head) noexcept;

}  // namespace lanner::websocket
