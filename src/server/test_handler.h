// server/test_handler.h: a handler and an observer that a test scripts, and that record what they
// are told; not for the server.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/exchange.h"
#include "http/response_head.h"

namespace lanner::server::test {

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

inline http::ResponseHead make_head(int status, const Fields& fields = {}) {
  http::ResponseHead head;
  (void)head.set_status(status, "");
  for (const auto& [name, value] : fields) (void)head.add(name, value, 65536);
  return head;
}

// A whole answer of known size.
inline Result<void> answer(http::Exchange& exchange, std::string_view body, int status = 200,
                           const Fields& fields = {}) {
  Result<void> started = exchange.start(make_head(status, fields), body.size());
  if (started) (void)exchange.write({body, nullptr, nullptr});
  const Result<void> finished = exchange.finish();
  return started ? finished : started;
}

// All that read() gives, `room` bytes at a time; `*why`: how it ended.
inline std::string read_all(http::Body& body, std::size_t room = 4096, Errc* why = nullptr) {
  std::string all, part(room, '\0');
  for (;;) {
    const Result<std::size_t> got = body.read(part.data(), part.size());
    if (why) *why = got.code();
    if (!got || *got == 0) return all;
    all.append(part, 0, *got);
  }
}

// Bytes of which somebody counts the releases; lives until it was released.
struct Counted {
  std::string bytes;
  int* releases;
  http::Payload payload() { return {bytes, this, release}; }
  static void release(void* owner) noexcept {
    auto* self = static_cast<Counted*>(owner);
    ++*self->releases;
    delete self;
  }
};
inline http::Payload counted(std::string bytes, int* releases) {
  return (new (std::nothrow) Counted{std::move(bytes), releases})->payload();
}

// Records; `on_...` run after the record was made.
struct TestObserver final : http::Observer {
  void on_writable() noexcept override {
    ++writables;
    if (then_writable) then_writable();
  }
  void on_disconnect() noexcept override {
    ++disconnects;
    if (then_disconnect) then_disconnect();
  }
  void on_half_close() noexcept override { ++half_closes; }
  void on_body(std::string_view piece) noexcept override {
    after_the_end = after_the_end || ends > 0 || disconnects > 0;
    body += piece;
    ++pieces;
    if (then_body) then_body(piece);
  }
  void on_body_end(Errc error) noexcept override {
    after_the_end = after_the_end || disconnects > 0;
    ++ends;
    end = error;
    if (then_end) then_end(error);
  }
  std::string body;
  int pieces = 0;
  int writables = 0;
  int disconnects = 0;
  int half_closes = 0;
  int ends = 0;
  Errc end = Errc::ok;
  bool after_the_end = false;  // something came that must not
  std::function<void()> then_writable;
  std::function<void()> then_disconnect;
  std::function<void(std::string_view)> then_body;
  std::function<void(Errc)> then_end;
};

// Runs `script` for each exchange; keeps those that the script retains with retain().
class TestHandler final : public http::Handler {
 public:
  http::Plan plan(const http::RequestHead& head) noexcept override {
    if (planner) return planner(head);
    return {.body_mode = mode};
  }
  void handle(http::Exchange& exchange, const http::Plan& plan) noexcept override {
    ++handled;
    planned = plan;
    targets.emplace_back(exchange.head().target);
    script(exchange);
  }

  // For scripts: the answer comes later, through `held`. The observer is told of what has come of
  // the body as of the rest.
  void hold(http::Exchange& exchange, TestObserver& observer) {
    if (!exchange.retain(&observer)) return;
    held = &exchange;
    if (planned.body_mode == http::BodyMode::whole) return;
    const bool complete = exchange.body_complete();
    const std::string early(exchange.body().view());
    exchange.body().skip(early.size());
    if (!early.empty()) observer.on_body(early);
    if (complete && exchange.head().framing != http::BodyFraming::none) {
      observer.on_body_end(Errc::ok);
    }
  }

  std::function<void(http::Exchange&)> script = [](http::Exchange& exchange) {
    (void)answer(exchange, "ok");
  };
  http::BodyMode mode = http::BodyMode::whole;
  std::function<http::Plan(const http::RequestHead&)> planner;  // instead of `mode`
  http::Plan planned;                                           // as handle() got it
  http::Exchange* held = nullptr;
  std::vector<std::string> targets;
  int handled = 0;
};

}  // namespace lanner::server::test
