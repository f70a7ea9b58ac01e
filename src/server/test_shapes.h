// server/test_shapes.h: answers of every shape, given in every way that handlers have; for tests of
// what goes wrong meanwhile; not for the server.
//
// A request's path names the shape: "/small". The ways are those of the real handlers: at once on
// the loop thread and pulled on as the client takes it (WSGI), after a while with the body as it
// comes (ASGI), on a thread of its own through a relay (WSGI with --threads).

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/relay_queue.h"
#include "server/test_rig.h"
#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::server::test {

enum class Way : char { pulled, suspended, relayed };
inline constexpr Way kWays[] = {Way::pulled, Way::suspended, Way::relayed};

inline constexpr std::string_view kShapes[] = {"small",  "empty",   "chunked", "large",
                                               "stream", "file",    "spooled", "trailers",
                                               "hinted", "through", "fails"};

// What every answer is made of: bytes that are referenced (and who still holds them), and a file.
class Stock {
 public:
  Stock() : large(kLargeBytes, 'L') {
    const Result<int> made = sys::make_spool_file("/tmp");
    EXPECT_TRUE(made);
    file = made ? *made : -1;
    EXPECT_TRUE(sys::write_all_at(file, std::string(kFileBytes, 'F'), 0));
  }
  Stock(const Stock&) = delete;
  Stock& operator=(const Stock&) = delete;
  ~Stock() { sys::close(file); }

  // By reference; nothing is allocated.
  http::Payload payload() {
    ++held;
    return {large, this, release};
  }
  static void release(void* owner) noexcept { --static_cast<Stock*>(owner)->held; }

  static constexpr std::size_t kLargeBytes = 20'000;
  static constexpr std::size_t kFileBytes = 3'000;
  const std::string large;
  int file = -1;
  std::atomic<int> held = 0;  // payloads that were not released
};

// One answer under way. Steps are made until the exchange is full; they go on when it is not.
class Answer {
 public:
  Answer(http::Exchange& exchange, Stock& stock) : exchange_(&exchange), stock_(stock) {
    shape_ = exchange.head().path.substr(1);
  }

  // True: ended, and the exchange is not ours any more. False: full.
  bool go(std::string_view body) {
    for (;;) {
      const http::WriteState state = step(body);
      if (state == http::WriteState::closed) return end(false);
      if (done_) return end(true);
      if (exchange_->blocking()) {
        if (exchange_->flush() == http::WriteState::closed) return end(false);
      } else if (state == http::WriteState::full) {
        return false;
      }
    }
  }
  bool end(bool whole) {
    if (whole) {
      (void)exchange_->finish();
    } else {
      exchange_->abort();
    }
    return true;
  }
  const std::string& shape() const { return shape_; }

 private:
  // A head with one field; not when memory is out.
  static bool build(http::ResponseHead* head, int status, std::string_view name,
                    std::string_view value) {
    return head->set_status(status, "") && head->add(name, value, 65536);
  }
  http::WriteState begin(std::optional<std::uint64_t> bytes, int status = 200) {
    http::ResponseHead head;
    const bool started = build(&head, status, "X-Shape", shape_) && exchange_->start(head, bytes);
    return started ? http::WriteState::ok : http::WriteState::closed;
  }
  http::WriteState last(http::WriteState state) {
    done_ = true;
    return state;
  }

  http::WriteState step(std::string_view body) {
    const int number = step_++;
    if (shape_ == "large") return large(number);
    if (shape_ == "stream") return stream(number);
    if (shape_ == "file" || shape_ == "through") return file(number, shape_ == "through");
    if (shape_ == "spooled") return spooled(number);
    if (shape_ == "trailers") return trailers(number);
    if (shape_ == "fails") return number == 0 ? begin({}) : http::WriteState::closed;
    if (shape_ == "empty") {
      done_ = true;
      return begin(0, 204);
    }
    if (shape_ == "chunked") {
      if (number == 0) return begin({});
      if (number == 3) return last(http::WriteState::ok);
      return exchange_->write({"piece", nullptr, nullptr});
    }
    if (shape_ == "hinted" && number == 0) {
      http::ResponseHead hints;
      if (build(&hints, 103, "Link", "</a>")) (void)exchange_->inform(hints);
      return http::WriteState::ok;
    }
    text_ = "[" + std::string(body) + "]";
    if (begin(text_.size()) == http::WriteState::closed) return http::WriteState::closed;
    return last(exchange_->write({text_, nullptr, nullptr}));
  }
  http::WriteState large(int number) {
    if (number == 0) return begin(2 * Stock::kLargeBytes);
    if (number == 3) return last(http::WriteState::ok);
    return exchange_->write(stock_.payload());
  }
  http::WriteState stream(int number) {
    if (number == 0) return begin({});
    if (number == 5) return last(http::WriteState::ok);
    if (number % 2 == 1) return exchange_->write({"small", nullptr, nullptr});
    return exchange_->write(stock_.payload());
  }
  // Known or in chunks.
  http::WriteState file(int number, bool chunked) {
    if (number == 0)
      return begin(chunked ? std::nullopt : std::optional<std::uint64_t>(Stock::kFileBytes));
    if (number == 2) return last(http::WriteState::ok);
    return exchange_->write_file({stock_.file, 0, Stock::kFileBytes});
  }
  http::WriteState spooled(int number) {
    if (number == 0) return begin({});
    if (number == 5) return last(http::WriteState::ok);
    return exchange_->write_spooled(stock_.large.substr(0, 9'000));
  }
  http::WriteState trailers(int number) {
    if (number == 0) return begin({});
    if (number == 1) return exchange_->write({"body", nullptr, nullptr});
    done_ = true;
    http::ResponseHead fields;
    const bool added = build(&fields, 200, "X-Sum", "1") && exchange_->add_trailers(fields);
    return added ? http::WriteState::ok : http::WriteState::closed;
  }

  http::Exchange* exchange_;
  Stock& stock_;
  std::string shape_;
  std::string text_;
  int step_ = 0;
  bool done_ = false;
};

// A connection has one exchange at a time, but several connections may: each has its own of these.
struct Held final : http::Observer {
  Held(http::Exchange& to, Stock& stock) : exchange(to), answer(to, stock) {}
  void on_writable() noexcept override { ended = ended || (begun && answer.go(body)); }
  void on_disconnect() noexcept override {
    if (!ended) ended = answer.end(false);
  }
  void on_half_close() noexcept override {}
  void on_body(std::string_view piece) noexcept override { body += piece; }
  void on_body_end(Errc error) noexcept override {
    whole = error == Errc::ok;
    broken = !whole;
  }
  http::Exchange& exchange;
  Answer answer;
  std::string body;
  bool whole = false;   // the body is here
  bool broken = false;  // and will never be
  bool begun = false;
  bool ended = false;
};

// Way::pulled and Way::suspended.
class LoopHandler final : public http::Handler {
 public:
  LoopHandler(Way way, Stock& stock) : way_(way), stock_(stock) {}
  http::Plan plan(const http::RequestHead&) noexcept override {
    const bool whole = way_ == Way::pulled;
    return {.body_mode = whole ? http::BodyMode::whole : http::BodyMode::stream};
  }
  void handle(http::Exchange& exchange, const http::Plan&) noexcept override {
    drop_ended();
    auto held = std::make_unique<Held>(exchange, stock_);
    held->body = read_all(exchange.body(), 500);
    if (way_ == Way::pulled) {
      held->begun = true;
      if (held->answer.go(held->body)) return;
    } else {
      held->whole = exchange.body_complete();
      exchange.want_body();
    }
    if (!exchange.retain(held.get())) {
      (void)held->answer.end(false);
      return;
    }
    held_.push_back(std::move(held));
  }
  // Between turns: what was suspended goes on. False: nothing was.
  bool resume() {
    drop_ended();
    bool some = false;
    for (std::size_t i = 0; i < held_.size(); ++i) {
      Held& held = *held_[i];
      if (held.begun || held.ended || (!held.whole && !held.broken)) continue;
      some = held.begun = true;
      held.ended = held.broken ? held.answer.end(false) : held.answer.go(held.body);
    }
    return some;
  }

 private:
  void drop_ended() {
    std::erase_if(held_, [](const auto& held) { return held->ended; });
  }
  const Way way_;
  Stock& stock_;
  std::vector<std::unique_ptr<Held>> held_;
};

// A thread that answers what comes through the queue.
class RelayThread {
 public:
  RelayThread(RelayQueue& queue, Stock& stock)
      : queue_(queue), stock_(stock), thread_([this] { run(); }) {}
  RelayThread(const RelayThread&) = delete;
  RelayThread& operator=(const RelayThread&) = delete;
  ~RelayThread() {  // REQUIRES: no exchange is under way
    queue_.close();
    thread_.join();
  }

 private:
  void run() {
    bool nudged = false;
    while (Relay* relay = queue_.take(&nudged)) {
      Errc why = Errc::ok;
      const std::string body = read_all(*relay, 500, &why);
      Answer answer(*relay, stock_);
      if (why != Errc::ok) {
        (void)answer.end(false);
      } else {
        (void)answer.go(body);
      }
    }
  }
  RelayQueue& queue_;
  Stock& stock_;
  std::thread thread_;
};

// A server whose handler answers in one way.
class ShapeRig {
 public:
  explicit ShapeRig(Way way, const Options& options = small_buffers())
      : options_(options),
        loop_(std::move(*net::Loop::create())),
        queue_(*loop_, options_.limits),
        handler_(way, stock),
        rig(std::move(loop_), way == Way::relayed ? static_cast<http::Handler&>(queue_) : handler_,
            options_) {
    if (way == Way::relayed) thread_ = std::make_unique<RelayThread>(queue_, stock);
  }
  ShapeRig(const ShapeRig&) = delete;
  ShapeRig& operator=(const ShapeRig&) = delete;
  ~ShapeRig() { settle(); }  // then the thread's exchanges are over
  // Small marks: even these answers have to wait for the client.
  static Options small_buffers() {
    Options options = Rig::plain_options();
    options.limits.out_high_bytes = 15'000;
    options.limits.out_low_bytes = 4'000;
    options.limits.body_memory_bytes = 600;
    return options;
  }
  // Until every request that came is answered. REQUIRES: no client is in the way.
  void settle() {
    for (int turns = 0; turns < kTurnsMax; ++turns) {
      rig.settle();
      if (handler_.resume()) continue;
      if (queue_.relay_count() == 0) return;
      rig.turn(1);
    }
    ADD_FAILURE() << "it never comes to rest";
  }
  // Some turns, in which what can be done without the client is done; a relay's thread may be late.
  void pause() {
    for (int turns = 0; turns < kPauseTurns || handler_.resume(); ++turns) {
      rig.settle();
      if (queue_.relay_count() > 0) rig.turn(1);
    }
  }
  // Until all clients are gone, and nobody owes them anything.
  void bury() {
    for (int turns = 0; turns < kTurnsMax && rig.server().connection_count() > 0; ++turns) {
      settle();
    }
    EXPECT_EQ(rig.server().connection_count(), 0u);
    EXPECT_EQ(stock.held, 0);
  }
  Client& ask(std::string_view wire) {
    Client& client = rig.connect();
    client.send(wire);
    settle();
    return client;
  }
  // All of the answers to `wire`, with nothing in the way.
  std::string answers(std::string_view wire) {
    Client& client = ask(wire);
    std::string all = client.take();
    client.send_reset();
    bury();
    return all;
  }

 private:
  static constexpr int kTurnsMax = 20'000;
  static constexpr int kPauseTurns = 3;

  const Options options_;
  std::unique_ptr<net::Loop> loop_;
  RelayQueue queue_;

 public:
  Stock stock;

 private:
  LoopHandler handler_;

 public:
  Rig rig;

 private:
  std::unique_ptr<RelayThread> thread_;
};

}  // namespace lanner::server::test
