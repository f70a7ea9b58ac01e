// server/exchange_core.h: the http::Exchange of every protocol: the state of one request and its
// answer, its body and how long that may take, what the answer may still send, who asked, and what
// the access log says. A protocol adds the sink that frames what is sent, and reuses the exchange
// for one request after another.
//
//   idle ---> receiving ---> open ---> started ---> idle
//                 |            \---------/ |
//                 v                 v       v
//               idle              lost --> idle
//
//   idle        no request: the protocol reads a head, or the rest of a body that nobody wants
//   receiving   the head was read and planned. The body is kept: all of it (BodyMode::whole), or
//               what came together with the head (stream). A failure is answered by the server
//   open        the handler has the exchange; nothing of its answer has been sent
//   started     the head of the answer has been sent
//   lost        the server has answered or cut the connection itself; the handler does not know yet
//
// The body goes its own way beside it, and is complete before `open` in BodyMode::whole:
//
//   expected (or paused by the handler) ---> complete
//
// These are all the states of a request. A protocol has none of its own: what is on the wire is its
// parser's (http1/session.h).

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/arena.h"
#include "base/buffer.h"
#include "http/exchange.h"
#include "http/ip_address.h"
#include "server/body_clock.h"
#include "server/body_store.h"
#include "server/exchange_sink.h"

namespace lanner::server {

class Connection;
class Server;

class ExchangeCore final : public http::Exchange {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  enum class State : std::uint8_t { idle, receiving, open, started, lost };

  // Both borrowed: the connection that the request came by, and where the answer goes.
  ExchangeCore(Connection& connection, ExchangeSink& sink) noexcept;
  ExchangeCore(const ExchangeCore&) = delete;
  ExchangeCore& operator=(const ExchangeCore&) = delete;

  // For the protocol.
  http::RequestHead& head_slot() noexcept { return head_; }
  // A head was parsed into head_slot(); `raw` is the memory that all its views point into, and its
  // first byte came at `since_ms`. Fields of a trusted proxy are applied here, before anyone reads
  // the head; then the handler plans. Error: fail() must be called. A request without a body has
  // its end at once: end_body().
  Result<void> open(std::string_view raw, std::uint64_t since_ms) noexcept;
  // A piece of the body (not empty), or its end, which may call the handler. Error: fail() must be
  // called.
  Result<void> add_body(std::string_view piece) noexcept;
  void end_body() noexcept;
  // What there is of the body was added, and more must be waited for; `all`: nor is there a part of
  // its framing. May call the handler. Error: fail() must be called.
  Result<void> wait_for_body(bool all) noexcept;
  // More of the body is of use now.
  bool takes_body() const noexcept {
    return !body_complete_ && (state_ == State::receiving ||
                               (plan_.body_mode == http::BodyMode::stream && !body_paused_));
  }
  // The request failed from outside (framing, time, disconnect): answers with `code` if no answer
  // has started, otherwise cuts the connection, and notifies the observer. `gone`: the peer is
  // gone, nothing is written.
  void fail(Errc code, bool gone) noexcept;
  // Forgets the request and releases all memory.
  void reset() noexcept;
  State state() const noexcept { return state_; }
  bool retained() const noexcept { return observer_ != nullptr; }
  bool waits_for_space() const noexcept { return waits_for_space_; }
  void on_space() noexcept;  // the output fell under the low mark
  void on_half_close() noexcept;

  // When the client is too slow with the body that it sends (body_timeout); kNever = not waited
  // for.
  std::uint64_t body_deadline_ms() const noexcept {
    return takes_body() ? clock_.deadline_ms(body_bytes_, limits_) : kNever;
  }
  // When the request must be over, its answer taken included (Limits::request_ms). It is kept by
  // reset(), until the protocol says that the answer is taken.
  std::uint64_t until_ms() const noexcept { return until_ms_; }
  void clear_until() noexcept { until_ms_ = kNever; }

  // http::Exchange
  const http::RequestHead& head() const noexcept override { return head_; }
  http::Endpoint client() const noexcept override;
  http::Endpoint server() const noexcept override;
  http::Body& body() noexcept override { return store_; }
  bool body_complete() const noexcept override { return body_complete_; }
  bool blocking() const noexcept override { return false; }
  void want_body() noexcept override;
  void pause_body() noexcept override;
  void resume_body() noexcept override;
  Result<void> inform(const http::ResponseHead& head) noexcept override;
  Result<void> start(const http::ResponseHead& head,
                     std::optional<std::uint64_t> body_bytes) noexcept override;
  http::WriteState write(http::Payload payload) noexcept override;
  http::WriteState write_file(http::FilePart part) noexcept override;
  std::span<char> reserve_body(std::size_t used, std::size_t more) noexcept override;
  Result<void> commit_body(const http::ResponseHead& head, std::size_t bytes) noexcept override;
  http::WriteState write_spooled(std::string_view bytes) noexcept override;
  http::WriteState flush() noexcept override;
  Result<void> add_trailers(const http::ResponseHead& fields) noexcept override;
  void yield() noexcept override;
  Result<void> finish() noexcept override;
  void abort() noexcept override;
  bool started() const noexcept override { return state_ == State::started; }
  void tap(http::AnswerTap& tap) noexcept override { tap_ = &tap; }
  Result<void> retain(http::Observer* observer) noexcept override;

 private:
  void dispatch() noexcept;
  // Moves the head out of the receive buffer; once.
  Result<void> keep_head() noexcept;
  Result<void> keep_body(std::string_view piece) noexcept;
  std::uint64_t now_ms() const noexcept;
  void apply_forwarding() noexcept;
  void drop_forwarding(bool all) noexcept;
  void set_host(std::string_view host) noexcept;
  std::string_view join_port(std::string_view host, std::uint16_t port) noexcept;
  // Truncates `bytes` to the rest of Content-Length; 0 = nothing is sent.
  std::uint64_t admit(std::uint64_t bytes) noexcept;
  http::WriteState sent(bool stored) noexcept;
  void cut() noexcept;
  void answer_error() noexcept;
  void log_access() noexcept;
  void log_mistake(Errc code) noexcept;
  void end_tap(bool complete) noexcept;
  void end(bool persist) noexcept;

  Connection& connection_;
  Server& server_;
  const http::Limits& limits_;
  ExchangeSink& sink_;
  Arena arena_;
  BodyStore store_;
  http::RequestHead head_;
  AnswerFrame frame_;
  Buffer trailer_lines_;
  http::Plan plan_;
  BodyClock clock_;
  std::uint64_t body_bytes_max_ = 0;  // of plan_, or of the limits
  std::uint64_t body_bytes_ = 0;      // received
  std::uint64_t until_ms_ = kNever;
  std::string_view raw_;
  http::Observer* observer_ = nullptr;
  http::AnswerTap* tap_ = nullptr;
  std::unique_ptr<http::ResponseHead> logged_head_;  // a copy, only when the access log needs it
  std::uint64_t body_sent_ = 0;  // body bytes put on the wire, framing not counted
  std::uint64_t opened_us_ = 0;  // for the access log
  std::array<char, http::kIpTextBytesMax> client_text_;  // as a proxy says
  std::uint8_t client_bytes_ = 0;                        // 0 = the peer is the client
  bool server_named_ = false;  // a proxy says by what host it was asked: that of head_
  std::uint16_t client_port_ = 0;
  std::uint16_t server_port_ = 0;  // as a proxy says; 0 = the listener's
  std::uint16_t status_ = 0;
  State state_ = State::idle;
  bool head_kept_ = false;
  bool overflow_ = false;  // the application sent more than its Content-Length
  bool waits_for_space_ = false;
  bool continue_sent_ = false;
  bool body_complete_ = false;
  bool body_paused_ = false;  // the handler asked for a pause
  bool in_call_ = false;      // the handler learns of a loss from what its own call returns
};

}  // namespace lanner::server
