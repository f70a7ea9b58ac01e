// server/exchange_core.h: the http::Exchange of every protocol: the state of one request and its
// answer, what the answer may still send, who asked, and what the access log says. A protocol adds
// the sink that frames what is sent, and reuses the exchange for one request after another.
//
//   idle ---> open ---> started ---> idle
//               \--------> lost ---> idle
//
//   open   the head has been read; nothing of the answer has been sent
//   lost   the server has answered or cut the connection itself; the handler does not know yet

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
#include "server/body_store.h"
#include "server/exchange_sink.h"

namespace lanner::server {

class Connection;

class ExchangeCore final : public http::Exchange {
 public:
  enum class State : std::uint8_t { idle, open, started, lost };

  // Both borrowed: the connection that the request came by, and where the answer goes.
  ExchangeCore(Connection& connection, ExchangeSink& sink) noexcept;
  ExchangeCore(const ExchangeCore&) = delete;
  ExchangeCore& operator=(const ExchangeCore&) = delete;

  // For the protocol.
  http::RequestHead& head_slot() noexcept { return head_; }
  // A head was parsed into head_slot(); `raw` is the memory that all its views point into. Fields
  // of a trusted proxy are applied here, before anyone reads the head.
  void open(std::string_view raw) noexcept;
  // Moves the head out of the receive buffer; once.
  Result<void> keep_head() noexcept;
  // The request failed from outside (framing, time, disconnect): answers with `code` if no answer
  // has started, otherwise cuts the connection, and notifies the observer. `gone`: the peer is
  // gone, nothing is written.
  void fail(Errc code, bool gone) noexcept;
  // Forgets the request and releases all memory.
  void reset() noexcept;
  // The handler has been called: it must call finish() or abort().
  void set_dispatched() noexcept { dispatched_ = true; }
  State state() const noexcept { return state_; }
  bool retained() const noexcept { return observer_ != nullptr; }
  http::Observer* observer() noexcept { return observer_; }
  BodyStore& store() noexcept { return store_; }
  bool waits_for_space() const noexcept { return waits_for_space_; }
  void on_space() noexcept;  // the output fell under the low mark

  // http::Exchange
  const http::RequestHead& head() const noexcept override { return head_; }
  http::Endpoint client() const noexcept override;
  http::Endpoint server() const noexcept override;
  http::Body& body() noexcept override { return store_; }
  bool blocking() const noexcept override { return false; }
  void want_body() noexcept override;
  void pause_body() noexcept override;
  void resume_body() noexcept override;
  Result<void> inform(const http::ResponseHead& head) noexcept override;
  Result<void> start(const http::ResponseHead& head,
                     std::optional<std::uint64_t> body_bytes) noexcept override;
  http::WriteState write(http::Payload payload) noexcept override;
  http::WriteState write_file(http::FilePart part) noexcept override;
  http::WriteState write_spooled(std::string_view bytes) noexcept override;
  http::WriteState flush() noexcept override;
  Result<void> add_trailers(const http::ResponseHead& fields) noexcept override;
  void yield() noexcept override;
  Result<void> finish() noexcept override;
  void abort() noexcept override;
  bool started() const noexcept override { return state_ == State::started; }
  Result<void> retain(http::Observer* observer) noexcept override;

 private:
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
  void end(bool persist) noexcept;

  Connection& connection_;
  ExchangeSink& sink_;
  Arena arena_;
  BodyStore store_;
  http::RequestHead head_;
  AnswerFrame frame_;
  Buffer trailer_lines_;
  std::string_view raw_;
  http::Observer* observer_ = nullptr;
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
  bool dispatched_ = false;
  bool in_call_ = false;  // the handler learns of a loss from what its own call returns
};

}  // namespace lanner::server
