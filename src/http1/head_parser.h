// http1/head_parser.h: request line and fields of one request (RFC 9112, sections 2, 3, 5 and 6).
//
//   head = *2CRLF method SP request-target SP HTTP-version CRLF *( field-line CRLF ) CRLF
//
// Strict on purpose: CRLF only, no folding, no whitespace before a colon, one Host, one framing.
// Pure: views into the input, no allocation, no clock. Reads nothing past the end of the input.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "http/head.h"
#include "http/limits.h"

namespace lanner::http1 {

// Parses the head at the front of `in`. Returns the number of bytes consumed, or 0 if the head is
// incomplete and has no error so far (a malformed or over-long beginning is refused as soon as it
// is seen). `seen`: bytes at the front of `in` for which an earlier call returned 0; only the rest
// is examined until a line or another 4 KiB is complete. So n bytes, one at a time, cost O(n), plus
// one parse per line. The first invalid byte determines the error, so that the result never depends
// on how the input was split. `fields`: room for at least limits.fields; head->fields points into
// it. Everything in *head is a view of `in`. Error::detail is the byte offset.
Result<std::size_t> parse_head(std::string_view in, std::size_t seen, const http::Limits& limits,
                               std::span<http::Field> fields, http::RequestHead* head) noexcept;

}  // namespace lanner::http1
