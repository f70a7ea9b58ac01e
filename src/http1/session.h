// http1/session.h: the server's side of one HTTP/1 connection as a state machine: bytes in, events
// out.
//
//   head -> (body)* -> body_end -> [begin_next()] -> head ...
//   any error: the connection must close
//
// Pure: no I/O, no clock, no Python. It is small, because every idle connection contains one.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "http/head.h"
#include "http/limits.h"
#include "http1/chunked.h"

namespace lanner::http1 {

class Session {
 public:
  enum class Event : std::uint8_t {
    need_more,  // the rest of `in` is incomplete; call again with the same bytes and more
    head,       // *head is filled; its views point into the consumed part of `in`
    body,       // *piece is a non-empty slice of the body
    body_end,   // the body is complete (comes at once after a head without body)
  };
  enum class Phase : std::uint8_t { head, body, done, failed };

  // Takes one step and consumes the bytes it used from the front of `in`. In Phase::head nothing is
  // consumed until the head is whole: the caller keeps the bytes and passes them again together
  // with more (`in` starts at the same byte). In Phase::done nothing is consumed (need_more); in
  // Phase::failed every call is an error. How large a body may be is for the caller to say
  // (body_bytes()). `fields`: see parse_head(); `head`, `piece`: filled by their events only.
  Result<Event> next(std::string_view& in, const http::Limits& limits,
                     std::span<http::Field> fields, http::RequestHead* head,
                     std::string_view* piece) noexcept;
  // Instead of the next() that gives body_end. REQUIRES: the last event was a head without a body.
  void skip_body_end() noexcept { phase_ = Phase::done; }
  // REQUIRES: phase() == done. Ready for the next head.
  void begin_next() noexcept;

  Phase phase() const noexcept { return phase_; }
  // Bytes of an incomplete head were seen.
  bool head_begun() const noexcept { return head_seen_ > 0; }
  // Body bytes handed out so far, of the current request.
  std::uint64_t body_bytes() const noexcept { return body_bytes_; }

 private:
  Result<Event> next_head(std::string_view& in, const http::Limits& limits,
                          std::span<http::Field> fields, http::RequestHead* head) noexcept;
  Result<Event> next_body(std::string_view& in, std::string_view* piece) noexcept;
  Result<Event> next_chunk(std::string_view& in, const http::Limits& limits,
                           std::string_view* piece) noexcept;
  Error fail(Error error) noexcept;

  Phase phase_ = Phase::head;
  http::BodyFraming framing_ = http::BodyFraming::none;
  std::uint32_t head_seen_ = 0;
  std::uint64_t length_left_ = 0;
  std::uint64_t body_bytes_ = 0;
  ChunkedDecoder chunked_;
};

}  // namespace lanner::http1
