// http/exchange.h: one request and its answer, whatever the protocol; and the handler that answers.
//
//   handle() -> [inform()]* -> start() -> [write() | write_file()]* -> finish()
//       \------------\------------\------------------\-------------> abort()
//
// On the loop thread nothing here waits: write() says `full` when the source should pause, and the
// observer hears on_writable() later. An exchange that was handed to another thread
// (server/relay.h) is `blocking()`: there write() and Body::read() wait, and a Python caller lets
// go of the GIL around them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "http/head.h"
#include "http/response_head.h"

namespace lanner::http {

// Bytes of an answer. With `release`, `bytes` may be referenced instead of copied: release(owner)
// is called once, on the loop thread, when they are no longer needed (also when the write failed).
// Without, they are copied before the call returns.
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
  // What is left to read if known without waiting: whole bodies and Content-Length.
  virtual std::optional<std::uint64_t> bytes_left() const noexcept = 0;

 protected:
  ~Body() = default;
};

// Hears what happens to an exchange that was retained. Called on the loop thread, never from inside
// a call to that exchange: a loss that a call runs into is what it returns.
class Observer {
 public:
  virtual void on_writable() noexcept = 0;  // the out buffer fell under the low mark
  virtual void
  on_disconnect() noexcept = 0;  // the client is gone; finish() or abort() is still owed
  virtual void
  on_half_close() noexcept = 0;  // the client sends no more, but may still read (FIN); at most once
  // BodyMode::stream only. A piece is never empty and valid during the call. The end comes once:
  // Errc::ok, or why the body broke off. Nothing follows on_disconnect().
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
  // REQUIRES: BodyMode::whole, or blocking().
  virtual Body& body() noexcept = 0;
  virtual bool blocking() const noexcept = 0;
  // BodyMode::stream: sends 100 Continue if the client waits for it (RFC 9110, section 10.1.1).
  virtual void want_body() noexcept = 0;
  // BodyMode::stream: no more on_body() until resume_body(), but for what was already read.
  virtual void pause_body() noexcept = 0;
  virtual void resume_body() noexcept = 0;

  // Sends an informational answer (status 100..199) to a 1.1 client; nothing for others.
  virtual Result<void> inform(const ResponseHead& head) noexcept = 0;
  // Begins the answer. `body_bytes`: the whole body's size when the caller knows it; becomes
  // Content-Length where the application set none. Nothing leaves before the first write, finish or
  // flush.
  virtual Result<void> start(const ResponseHead& head,
                             std::optional<std::uint64_t> body_bytes) noexcept = 0;
  // REQUIRES: started. Bytes beyond the Content-Length are cut off (and reported once by finish()).
  // Empty writes are nothing. Bytes of an answer without content (http/status.h) are
  // dropped.
  virtual WriteState write(Payload payload) noexcept = 0;
  virtual WriteState write_file(FilePart part) noexcept = 0;
  // For a source that cannot pause: beyond the high mark the bytes go to an unlinked file. Never
  // `full`.
  virtual WriteState write_spooled(std::string_view bytes) noexcept = 0;
  // Sends what is buffered now instead of at the end of the loop's turn.
  virtual WriteState flush() noexcept = 0;
  // Trailer fields behind the body, before finish(); may be called again for more. Dropped where
  // the framing has no place for them (Content-Length, 1.0, HEAD).
  virtual Result<void> add_trailers(const ResponseHead& fields) noexcept = 0;
  // On the loop thread: the observer's on_writable() comes in a later turn, so that others have
  // theirs. Nothing where blocking().
  virtual void yield() noexcept = 0;
  // The answer is complete; the exchange may be gone on return, touch it no more. Errors are for
  // the log: response_too_long, response_too_short (then the connection is closed).
  virtual Result<void> finish() noexcept = 0;
  // Gives up: a 500 of the server's own if nothing has started, else the connection is cut
  // without a clean end (RFC 9112, section 8). The exchange may be gone on return.
  virtual void abort() noexcept = 0;
  virtual bool started() const noexcept = 0;

  // The answer comes after handle() returns: moves the head to memory of the exchange's own and
  // keeps the exchange until finish() or abort(). On error nothing was retained: abort().
  virtual Result<void> retain(Observer* observer) noexcept = 0;

 protected:
  ~Exchange() = default;
};

enum class BodyMode : std::uint8_t {
  whole,   // handle() runs when the body is complete, in memory or spooled
  stream,  // handle() runs at the head; the body is read as it comes
};

// Answers exchanges. All calls on the loop thread.
class Handler {
 public:
  virtual BodyMode body_mode(const RequestHead& head) noexcept = 0;
  // Answers, or retains and answers later. An exchange neither finished, aborted nor retained on
  // return is aborted by the server.
  virtual void handle(Exchange& exchange) noexcept = 0;
  // No handler is needed for a while: the loop is about to write. A Python handler lets go of the
  // GIL here.
  virtual void rest() noexcept = 0;
  // The loop is about to wait: what was released while writing may be dropped now.
  virtual void settle() noexcept = 0;
  // A signal woke the loop (EINTR).
  virtual void on_interrupt() noexcept = 0;

 protected:
  ~Handler() = default;
};

}  // namespace lanner::http
