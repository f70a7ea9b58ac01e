// http/exchange.h: one request and its answer, whatever the protocol; and the handler that plans and
// answers.
//
//   plan() -> handle() -> [inform()]* -> start() -> [write() | write_file()]* -> finish()
//                 \------------\------------\------------------\-------------> abort()
//
// On the loop's thread no call waits: write() returns `full` when the source should pause, and the
// observer's on_writable() is called later. An exchange that was passed to another thread
// (server/relay.h) is `blocking()`: its write() and Body::read() wait, and a Python caller releases
// the GIL around them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "http/head.h"
#include "http/response_head.h"

namespace lanner::http {

class AnswerTap;

// Smaller payloads are copied where they could be referenced: that is cheaper.
inline constexpr std::size_t kReferenceBytesMin = 16384;

// Bytes of an answer. With `release`, `bytes` may be referenced instead of copied: release(owner)
// is called once, on the loop thread, when they are no longer needed (also when the write failed).
// Without it, they are copied before the call returns.
struct Payload {
  std::string_view bytes;
  void* owner = nullptr;
  void (*release)(void* owner) noexcept = nullptr;
};

// Part of a regular file, sent by sendfile. The descriptor is duplicated: the caller keeps its own.
struct FilePart {
  int fd = -1;
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
};

enum class WriteState : std::uint8_t {
  ok,
  full,    // taken, but pause the source until on_writable()
  closed,  // the client is gone or the answer ended: the bytes went nowhere; nobody else tells of
           // it
};

struct Endpoint {
  std::string_view
      host;  // numeric address without brackets or zone; a unix socket's path; "" = unnamed
  std::uint16_t port = 0;  // 0 for unix sockets
  bool unix_socket = false;
};

// The body of a request, as one stream of bytes.
class Body {
 public:
  // Copies up to `room` bytes (room > 0); 0 = the end. Errors: body_incomplete, body_timeout,
  // body_too_large, disconnected, the framing errors, spool_failed. Waits only if the exchange is
  // blocking().
  virtual Result<std::size_t> read(char* to, std::size_t room) noexcept = 0;
  // The number of bytes left to read, if it is known without waiting: for whole bodies and
  // Content-Length. BodyMode::stream: of those that came before handle().
  virtual std::optional<std::uint64_t> bytes_left() const noexcept = 0;
  // What read() would give next, as far as it is in memory, in one piece and not copied: all of a
  // body that did not go to a file. Valid until the next read(), skip() or retain(), or the end of
  // handle(). Empty if blocking(): its bytes are another thread's.
  virtual std::string_view view() noexcept = 0;
  // As if so many had been read. REQUIRES: bytes <= view().size()
  virtual void skip(std::size_t bytes) noexcept = 0;
  // Around a read() on another thread than the exchange's, which is blocking(): the exchange does
  // not end between the two; that makes read() return. One thread reads at a time.
  virtual void begin_read() noexcept {}
  virtual void end_read() noexcept {}

 protected:
  ~Body() = default;
};

// Is notified of events on a retained exchange. Called on the loop's thread, never from inside a
// call to that exchange: such a call returns the error instead.
class Observer {
 public:
  virtual void on_writable() noexcept = 0;  // the out buffer fell under the low mark
  virtual void
  on_disconnect() noexcept = 0;  // the client is gone; finish() or abort() is still owed
  virtual void
  on_half_close() noexcept = 0;  // the client sends no more, but may still read (FIN); at most once
  // BodyMode::stream only, and what came after handle() was called. A piece is never empty and is
  // valid during the call. The end is reported once: Errc::ok, or the reason why the body is
  // incomplete. Nothing follows on_disconnect().
  virtual void on_body(std::string_view piece) noexcept = 0;
  virtual void on_body_end(Errc error) noexcept = 0;

 protected:
  ~Observer() = default;
};

class Exchange {
 public:
  virtual const RequestHead& head() const noexcept = 0;
  virtual Endpoint client() const noexcept = 0;
  virtual Endpoint server() const noexcept = 0;
  // BodyMode::whole: all of it. BodyMode::stream: what came with the head; the rest, if the body is
  // not complete yet, is the observer's. blocking(): all of it, as it comes.
  virtual Body& body() noexcept = 0;
  // Nothing more will come to the observer.
  virtual bool body_complete() const noexcept = 0;
  virtual bool blocking() const noexcept = 0;
  // BodyMode::stream: sends 100 Continue if the client waits for it (RFC 9110, section 10.1.1).
  virtual void want_body() noexcept = 0;
  // BodyMode::stream: no further on_body() until resume_body(), except for data that was already
  // read.
  virtual void pause_body() noexcept = 0;
  virtual void resume_body() noexcept = 0;

  // Sends an informational answer (status 100..199) to a 1.1 client; nothing for others.
  virtual Result<void> inform(const ResponseHead& head) noexcept = 0;
  // Begins the answer. `body_bytes`: the whole body's size when the caller knows it; becomes
  // Content-Length where the application set none. Nothing is sent before the first write, finish
  // or flush.
  virtual Result<void> start(const ResponseHead& head,
                             std::optional<std::uint64_t> body_bytes) noexcept = 0;
  // REQUIRES: started. Bytes beyond the Content-Length are cut off (and reported once by finish()).
  // Empty writes are nothing. Bytes of an answer without content (http/status.h) are
  // dropped.
  virtual WriteState write(Payload payload) noexcept = 0;
  virtual WriteState write_file(FilePart part) noexcept = 0;
  // An answer whose body is written before its size, or its head, is known: reserve, write, reserve
  // again, commit. Contiguous memory of the loop's own in which the first `used` bytes are what was
  // written so far, and `more` or more can be written behind them; empty when memory is out. Valid
  // until the next call of reserve_body() or commit_body(), or until the handler returns to the
  // loop. REQUIRES: used <= the size of what the last call gave, 0 at first.
  virtual std::span<char> reserve_body(std::size_t used, std::size_t more) noexcept = 0;
  // Begins the answer with the first `bytes` of that as its body: start() and write() in one;
  // finish() is still to be called. Errors are those of start().
  virtual Result<void> commit_body(const ResponseHead& head, std::size_t bytes) noexcept = 0;
  // For a source that cannot pause: bytes above the high-water mark go to an unlinked file. Never
  // returns `full`.
  virtual WriteState write_spooled(std::string_view bytes) noexcept = 0;
  // Sends the buffered bytes now instead of at the end of the loop's iteration.
  virtual WriteState flush() noexcept = 0;
  // Trailer fields behind the body, before finish(); may be called again for more. Dropped if the
  // framing has no room for them (Content-Length, 1.0, HEAD).
  virtual Result<void> add_trailers(const ResponseHead& fields) noexcept = 0;
  // On the loop's thread: the observer's on_writable() is called in a later iteration, so that
  // other connections are served first. No effect if blocking().
  virtual void yield() noexcept = 0;
  // The answer is complete. The exchange may be destroyed on return and must not be used any more.
  // Errors are for the log: response_too_long, response_too_short (then the connection is closed).
  virtual Result<void> finish() noexcept = 0;
  // Gives up: a 500 of the server's own if nothing has started, else the connection is cut
  // without a clean end (RFC 9112, section 8). The exchange may be gone on return.
  virtual void abort() noexcept = 0;
  virtual bool started() const noexcept = 0;
  // Who is told of the answer (http/answer_tap.h), at most one; borrowed until its on_end(). No
  // effect if blocking(). REQUIRES: the answer has not started.
  virtual void tap(AnswerTap& tap) noexcept = 0;

  // Announces that the answer comes after handle() returns: copies the head into memory of the
  // exchange and keeps the exchange until finish() or abort(). On error nothing was retained; call
  // abort().
  virtual Result<void> retain(Observer* observer) noexcept = 0;

 protected:
  ~Exchange() = default;
};

enum class BodyMode : std::uint8_t {
  whole,   // handle() runs when the body is complete, in memory or spooled
  stream,  // handle() runs once what came with the head was read; the rest is read as it comes
};

// What a handler says of a request by one look at its head.
struct Plan {
  static constexpr std::uint64_t kUnlimited = UINT64_MAX;

  BodyMode body_mode = BodyMode::whole;
  // The largest body that is taken; larger: 413, and handle() is not called or hears of it as of an
  // incomplete body. 0 = Limits::body_bytes, kUnlimited = whatever comes.
  std::uint64_t body_bytes_max = 0;
  const void* route = nullptr;  // for handle(); the handler's own
};

// Plans and answers exchanges. All calls on the loop thread.
class Handler {
 public:
  // Once for each request, before its body is read.
  virtual Plan plan(const RequestHead& head) noexcept = 0;
  // Answers now, or retains the exchange and answers later. The server aborts an exchange that is
  // neither finished, aborted nor retained on return. `plan` is valid during the call.
  virtual void handle(Exchange& exchange, const Plan& plan) noexcept = 0;

 protected:
  ~Handler() = default;
};

}  // namespace lanner::http
