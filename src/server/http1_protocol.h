// server/http1_protocol.h: HTTP/1 on a connection: requests one after another, each handed to the
// handler, answered, and followed by the next; and the deadlines of each stage.
//
//   head ----> receiving -----> answering ---> head
//                                    \---> discarding ---> head
//
//   receiving    a whole body is being collected before the handler is called
//   discarding   the answer is out; the rest of the request's body is read and dropped
//
// From every stage the connection may be closed: by an error, a deadline, the client.

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
  bool at_rest() const noexcept override { return stage_ == Stage::head && !session_.head_begun(); }
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
  bool body_begun() const noexcept override { return session_.body_bytes() > 0; }
  bool body_complete() const noexcept override {
    return session_.phase() == http1::Session::Phase::done;
  }
  void pause_body(bool paused) noexcept override;
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
  enum class Stage : std::uint8_t { head, receiving, answering, discarding };

  bool step(std::string_view* in) noexcept;  // false = no more now
  void on_head(std::string_view raw) noexcept;
  void on_body(std::string_view piece) noexcept;
  void on_body_end() noexcept;
  void dispatch() noexcept;
  void fail(Errc code) noexcept;
  // While answering: the handler reads the body, and there is more.
  bool takes_body() const noexcept { return streaming_ && !body_paused_ && !body_complete(); }
  bool may_persist() const noexcept;
  std::uint64_t discard_bytes_max() const noexcept;
  void on_request_timeout() noexcept;
  std::uint64_t read_deadline_ms() const noexcept;
  std::uint64_t body_deadline_ms() const noexcept;
  std::uint64_t now_ms() const noexcept;

  Connection& connection_;
  Server& server_;
  const http::Limits& limits_;
  http1::Session session_;
  ExchangeCore exchange_;
  http1::ResponsePlan plan_;
  std::uint64_t since_ms_;  // accepted, idle since, head or body begun: by stage
  std::uint64_t body_progress_ms_ = 0;
  std::uint64_t pause_since_ms_ = 0;
  std::uint64_t request_until_ms_ = kNever;  // the request at hand, until its answer is taken
  std::uint64_t discarded_bytes_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t turn_requests_ = 0;
  Stage stage_ = Stage::head;
  bool streaming_ = false;    // the handler takes the body as it comes
  bool body_paused_ = false;  // the handler asked for a pause
  bool gone_ = false;         // another protocol speaks now
};

}  // namespace lanner::server
