// http/answer_tap.h: who gets a copy of one answer as it is given: what a cache fills by.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/exchange.h"

namespace lanner::http {

// Is told of what the client will get, however the protocol frames it: the head as the application
// gave it, the bytes of the content in their order, and one end. Of an answer without content
// (http/status.h) no bytes are told, of one that never starts only the end; informational answers
// and trailers are not told. On the loop's thread, inside calls of the handler's: it must not call
// the exchange.
class AnswerTap {
 public:
  // `body_bytes`: the size of the body where it is known. Valid during the call.
  virtual void on_start(const ResponseHead& head,
                        std::optional<std::uint64_t> body_bytes) noexcept = 0;
  // Never empty; valid during the call.
  virtual void on_body(std::string_view piece) noexcept = 0;
  // Never empty. The descriptor is valid during the call: duplicate it, or read the part now.
  virtual void on_file(FilePart part) noexcept = 0;
  // Once, then it is forgotten. `complete`: all of the answer has been handed over, and the
  // application made no mistake in it; else it must not be used: it was broken off, the client has
  // gone, or the server has answered instead.
  virtual void on_end(bool complete) noexcept = 0;

 protected:
  ~AnswerTap() = default;
};

}  // namespace lanner::http
