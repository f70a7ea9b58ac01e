// server/exchange_sink.h: where the answer of an exchange goes: all that differs between protocols.
//
// The exchange keeps the rules of requests and answers (exchange_core.h); its sink frames what is
// sent, for a connection (HTTP/1) or a stream of one (HTTP/2). A sink calls the exchange only from
// its protocol, never from inside one of these calls, but for a loss: see ExchangeCore::fail().

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "http/exchange.h"

namespace lanner::server {

// How an answer is framed, as far as its exchange has to know.
struct AnswerFrame {
  bool content = false;                     // its body goes on the wire; else its bytes are dropped
  bool trailers = false;                    // trailer fields have a place behind it
  bool persists = false;                    // the connection may serve another request after it
  std::optional<std::uint64_t> body_bytes;  // what must follow; what is beyond is cut off
  std::optional<std::uint64_t> content_length;  // what the head says, for the access log
};

class ExchangeSink {
 public:
  // The request's side. takes_body() of the exchange has become true.
  virtual void resume_body() noexcept = 0;
  // 100 Continue (RFC 9110, section 10.1.1). Without memory for it the client sends its body
  // unasked, after a while.
  virtual void send_continue() noexcept = 0;

  // The answer's side. Errors and false: memory is out, nothing more may be sent.
  virtual Result<void> send_informational(const http::ResponseHead& head) noexcept = 0;
  virtual Result<void> send_head(const http::ResponseHead& head,
                                 std::optional<std::uint64_t> body_bytes,
                                 AnswerFrame* frame) noexcept = 0;
  // The first `bytes` (> 0) of the payload, which is released in all cases. `spooled`: to the file,
  // not to memory.
  virtual bool send_body(const http::Payload& payload, std::uint64_t bytes,
                         bool spooled) noexcept = 0;
  // Takes ownership of `fd`, also on failure.
  virtual bool send_file(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept = 0;
  // The answer is complete. `trailer_lines`: "" or whole lines; only with AnswerFrame::trailers.
  virtual bool send_end(std::string_view trailer_lines) noexcept = 0;
  // A short answer of the server's own instead of the handler's; returns its status, 0 = none could
  // be sent. Then the connection, or the stream, ends.
  virtual int send_error(Errc code) noexcept = 0;
  // Hands to the kernel what is buffered, now.
  virtual void flush() noexcept = 0;
  // The source should pause: on_space() of the exchange comes later.
  virtual bool full() const noexcept = 0;
  // on_space() comes in a later turn of the loop.
  virtual void yield() noexcept = 0;

  // The end. What was sent goes out, and the client can tell that it is not all.
  virtual void break_off() noexcept = 0;
  // At once, and what was not written is lost.
  virtual void cut() noexcept = 0;
  // The exchange is free for another request. `persist`: the connection may have one.
  virtual void request_ended(bool persist) noexcept = 0;

 protected:
  ~ExchangeSink() = default;
};

}  // namespace lanner::server
