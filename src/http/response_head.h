// http/response_head.h: the head of an answer as an application gives it: checked, copied,
// independent of the protocol.
//
// Reused: clear() keeps the memory. All checks against response splitting are made here (RFC 9110,
// section 5.5).

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "base/result.h"
#include "http/token.h"

namespace lanner::http {

class ResponseHead {
 public:
  struct FieldView {
    std::string_view name;
    std::string_view value;
    Token token;
  };

  ResponseHead() noexcept = default;
  ResponseHead(ResponseHead&&) noexcept = default;
  ResponseHead& operator=(ResponseHead&&) noexcept = default;

  // Forgets everything, keeps the memory.
  void clear() noexcept;
  // status 100..999. The reason may be empty, and may hold HTAB, SP, VCHAR and obs-text only.
  Result<void> set_status(int status, std::string_view reason) noexcept;
  // Copies one field after checking name (token) and value (no CTL but HTAB; leading and trailing
  // whitespace is cut). Hop-by-hop fields (Connection, Keep-Alive, Proxy-Connection, TE, Trailer,
  // Transfer-Encoding, Upgrade) are refused: framing is the server's (PEP 3333). Content-Length is
  // parsed and stored separately, see content_length(), and is not among the fields below; a second
  // one is an error if it differs, and dropped if it is equal.
  Result<void> add(std::string_view name, std::string_view value, std::uint64_t bytes_max) noexcept;

  // A copy of another, whole. On error this one is empty.
  Result<void> copy_from(const ResponseHead& other) noexcept;

  int status() const noexcept { return status_; }
  // As given; empty if it was.
  std::string_view reason() const noexcept;
  // The reason is the registered phrase of the status, or was left empty.
  bool has_usual_reason() const noexcept { return usual_reason_; }
  std::size_t field_count() const noexcept { return count_; }
  FieldView field(std::size_t index) const noexcept;  // REQUIRES: index < field_count()
  // All fields as HTTP/1 writes them, "name: value\r\n". Valid until the next add() or clear().
  std::string_view field_lines() const noexcept { return lines_.view(); }
  // The bytes of all names and values, plus 4 for each field.
  std::size_t text_bytes() const noexcept { return lines_.size(); }
  // The value of the Content-Length field that the application set.
  std::optional<std::uint64_t> content_length() const noexcept;
  bool has_date() const noexcept { return has_date_; }
  bool has_server() const noexcept { return has_server_; }
  // Connection: close was asked for by the application (accepted instead of refused).
  bool wants_close() const noexcept { return wants_close_; }

 private:
  struct Slot {
    std::uint32_t name_offset;
    std::uint32_t value_offset;
    std::uint32_t value_bytes;
    std::uint16_t name_bytes;
    Token token;
  };

  Result<void> set_content_length(std::string_view value) noexcept;
  Result<void> append(std::string_view name, std::string_view value, Token token) noexcept;

  Buffer reason_;  // only if it is not the registered phrase
  Buffer lines_;   // field lines
  Buffer slots_;   // Slot[count_]
  std::uint32_t count_ = 0;
  int status_ = 0;
  std::uint64_t content_length_ = 0;
  bool usual_reason_ = true;
  bool empty_reason_ = true;
  bool has_content_length_ = false;
  bool has_date_ = false;
  bool has_server_ = false;
  bool wants_close_ = false;
};

}  // namespace lanner::http
