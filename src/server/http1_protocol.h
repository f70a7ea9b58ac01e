// server/http1_protocol.h: HTTP/1 on a connection: requests one after another, each answered before
// the next is looked at. It passes on what its two parts say to each other: the session, which knows
// the wire, and the exchange, whose states are a request's (exchange_core.h):
//
//   exchange   session           here
//   idle       head              the next head is awaited, or a part of it is there
//   idle       body              the answer is out; the rest of the request's body is read and dropped
//   busy       body              the body is the exchange's, while it takes it
//   busy       done              nothing is read: pipelined requests wait
//   any        failed            what comes is nobody's, and the connection is closing
//
// From every state the connection may be closed: by an error, a deadline, the client.

#pragma once

#include <cstdint>
#include <string_view>

#include "http1/response_writer.h"
#include "http1/session.h"
#include "server/exchange_core.h"
#include "server/exchange_sink.h"
#include "server/protocol.h"

namespace lanner::server {

class Connection;
class Server;

class Http1Protocol final : public Protocol, public ExchangeSink {
 public:
  explicit Http1Protocol(Connection& connection) noexcept;
  Http1Protocol(const Http1Protocol&) = delete;
  Http1Protocol& operator=(const Http1Protocol&) = delete;

  // The request at hand asked for another protocol and got it: `next` speaks from the next byte
  // behind the request on. Nothing is sent; `next` says 101 itself. Gives the exchange up; touch it
  // no more. REQUIRES: the handler has the exchange, has not started an answer, and the request's
  // body is complete.
  void upgrade(Protocol& next) noexcept;

  // Protocol
  std::size_t feed(std::string_view in) noexcept override;
  bool wants_input() const noexcept override;
  bool at_rest() const noexcept override { return reading_head() && !session_.head_begun(); }
  void on_input_end() noexcept override;
  void on_half_close() noexcept override;
  bool on_drained(bool all) noexcept override;
  void on_space() noexcept override;
  void on_memory() noexcept override;
  std::uint64_t deadline_ms() const noexcept override;
  void on_deadline(std::uint64_t now_ms) noexcept override;
  void begin_drain() noexcept override;
  void on_closed() noexcept override;
  bool busy() const noexcept override { return exchange_.state() != ExchangeCore::State::idle; }
  std::uint64_t request_number() const noexcept override { return requests_; }
  void release() noexcept override;

  // ExchangeSink: http1_sink.cpp
  void resume_body() noexcept override;
  void send_continue() noexcept override;
  Result<void> send_informational(const http::ResponseHead& head) noexcept override;
  Result<void> send_head(const http::ResponseHead& head, std::optional<std::uint64_t> body_bytes,
                         AnswerFrame* frame) noexcept override;
  bool send_body(const http::Payload& payload, std::uint64_t bytes, bool spooled) noexcept override;
  bool send_file(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept override;
  bool send_end(std::string_view trailer_lines) noexcept override;
  int send_error(Errc code) noexcept override;
  void flush() noexcept override;
  bool full() const noexcept override;
  void yield() noexcept override;
  void break_off() noexcept override;
  void cut() noexcept override;
  void request_ended(bool persist) noexcept override;

 private:
  bool reading_head() const noexcept {
    return !busy() && session_.phase() == http1::Session::Phase::head;
  }
  bool discarding() const noexcept {
    return !busy() && session_.phase() == http1::Session::Phase::body;
  }
  bool step(std::string_view* in) noexcept;  // false = no more now
  void on_head(std::string_view raw) noexcept;
  void discard(std::string_view piece) noexcept;
  void on_body_end() noexcept;
  void check(const Result<void>& done) noexcept;  // fail() unless it is
  void fail(Errc code) noexcept;
  bool may_persist() const noexcept;
  std::uint64_t discard_bytes_max() const noexcept;
  void on_request_timeout() noexcept;
  std::uint64_t read_deadline_ms() const noexcept;
  std::uint64_t now_ms() const noexcept;

  Connection& connection_;
  Server& server_;
  const http::Limits& limits_;
  http1::Session session_;
  ExchangeCore exchange_;
  http1::ResponsePlan plan_;
  std::uint64_t since_ms_;   // accepted, idle since, or a head has begun
  BodyClock discard_clock_;  // of what is left of a body
  std::uint64_t discarded_bytes_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t turn_requests_ = 0;
  bool gone_ = false;  // another protocol speaks now
};

}  // namespace lanner::server
