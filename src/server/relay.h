// server/relay.h: an exchange that is handed to another thread: the body goes one way, the answer
// the other.
//
//   loop thread                             handler thread
//   RelayQueue::handle() -> queue  ---->   RelayQueue::take() -> Relay, an http::Exchange that waits
//   Relay::on_body() ...  ------------>    read()
//   Relay::run()  <--------------------    start() write() flush() finish(): commands, posted once
//                                          for each batch
//
// The loop thread never waits for a handler thread. A caller that holds the GIL must release it
// around the calls that may wait, read() and flush(). After finish() or abort() the relay must not
// be used any more.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/budget.h"
#include "base/buffer.h"
#include "base/intrusive_list.h"
#include "http/exchange.h"
#include "http/limits.h"
#include "net/loop.h"

namespace lanner::server {

class RelayQueue;

struct BlockedTag {};  // its handler thread waits for a client: the queue's list

class Relay final : public http::Exchange,
                    public http::Body,
                    public http::Observer,
                    public net::Task,
                    public ListNode<BlockedTag> {
 public:
  // Of one answer in the spool for the sake of others; beyond, its thread waits after all.
  static constexpr std::uint64_t kHurriedBytesMax = 64u << 20;

  Relay(net::Loop& loop, RelayQueue& queue, const http::Limits& limits,
        http::Exchange& exchange) noexcept;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  // Handler thread: http::Exchange
  const http::RequestHead& head() const noexcept override { return exchange_.head(); }
  http::Endpoint client() const noexcept override { return exchange_.client(); }
  http::Endpoint server() const noexcept override { return exchange_.server(); }
  http::Body& body() noexcept override { return *this; }
  bool body_complete() const noexcept override { return false; }  // read() says when it is
  bool blocking() const noexcept override { return true; }
  void want_body() noexcept override;
  void pause_body() noexcept override {}  // read() paces the body
  void resume_body() noexcept override {}
  Result<void> inform(const http::ResponseHead& head) noexcept override;
  Result<void> start(const http::ResponseHead& head,
                     std::optional<std::uint64_t> body_bytes) noexcept override;
  http::WriteState write(http::Payload payload) noexcept override;
  http::WriteState write_file(http::FilePart part) noexcept override;
  std::span<char> reserve_body(std::size_t used, std::size_t more) noexcept override;
  Result<void> commit_body(const http::ResponseHead& head, std::size_t bytes) noexcept override;
  http::WriteState write_spooled(std::string_view bytes) noexcept override;
  // Passes everything on and waits until the client has taken enough of it, unless other exchanges
  // need this thread (hurry()).
  http::WriteState flush() noexcept override;
  Result<void> add_trailers(const http::ResponseHead& fields) noexcept override;
  void yield() noexcept override {}
  Result<void> finish() noexcept override;
  void abort() noexcept override;
  bool started() const noexcept override { return started_; }
  void tap(http::AnswerTap&) noexcept override {}
  Result<void> retain(http::Observer*) noexcept override { return {}; }

  // Any thread, while this is blocked in flush(): others wait for its thread, so what the client
  // does not take goes to the spool from now on. False: it does already, or there is enough there.
  bool hurry() noexcept;

  // Handler thread, or another one between begin_read() and end_read(): http::Body
  void begin_read() noexcept override;
  void end_read() noexcept override;
  Result<std::size_t> read(char* to, std::size_t room) noexcept override;
  std::optional<std::uint64_t> bytes_left() const noexcept override;
  std::string_view view() noexcept override { return {}; }
  void skip(std::size_t) noexcept override {}

  // Loop thread, before anybody else has this: what came with the head.
  void take_early_body() noexcept;
  // Loop thread: http::Observer and net::Task
  void on_writable() noexcept override;
  void on_disconnect() noexcept override;
  void on_half_close() noexcept override {}  // a handler thread only writes: it may still be read
  void on_body(std::string_view piece) noexcept override;
  void on_body_end(Errc error) noexcept override;
  void run() noexcept override;

 private:
  friend class RelayQueue;
  struct Command;
  Command* add(int kind) noexcept;  // to the batch; null when memory is out
  static bool fill(Command& command, const http::ResponseHead& head) noexcept;
  enum class Ending : std::uint8_t { none, finish, abort };
  enum class BodyCall : std::uint8_t { want, resume };
  void send_batch(Ending ending = Ending::none) noexcept;
  void call_body(BodyCall call) noexcept;
  void end_reads() noexcept;
  void apply(Command& command) noexcept;
  http::WriteState write_now(Command& command) noexcept;
  bool must_wait() const noexcept;  // REQUIRES: mutex_
  bool keep_body(std::string_view piece) noexcept;
  static void destroy(Command* command) noexcept;

  net::Loop& loop_;
  RelayQueue& queue_;
  const http::Limits& limits_;
  http::Exchange& exchange_;
  Relay* queue_next_ = nullptr;  // the queue's

  // Handler thread only.
  Command* batch_ = nullptr;
  Command** batch_end_ = &batch_;
  std::uint64_t batch_bytes_ = 0;
  Buffer space_;  // of a body that is being written
  std::uint64_t written_bytes_ = 0;
  std::uint64_t length_ = 0;  // Content-Length of the answer
  bool has_length_ = false;
  bool started_ = false;
  bool incomplete_ = false;  // a part was lost for lack of memory: it must not end as if whole

  // The thread that reads.
  std::uint64_t body_taken_ = 0;
  bool body_wanted_ = false;

  bool trailers_lost_ = false;       // loop thread only: likewise
  std::uint64_t hurried_bytes_ = 0;  // loop thread only
  Charge body_charge_;               // loop thread only: of body_

  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  Command* commands_ = nullptr;
  Command** commands_end_ = &commands_;
  std::uint64_t queued_bytes_ = 0;
  Buffer body_;
  std::size_t body_read_ = 0;
  int readers_ = 0;          // between begin_read() and end_read()
  bool reads_over_ = false;  // the exchange ends
  Errc body_error_ = Errc::ok;
  bool body_ended_ = false;
  bool body_paused_ = false;
  bool body_called_ = false;   // want_body() is to be passed on
  bool body_resumed_ = false;  // resume_body()
  Ending ending_ = Ending::none;
  bool posted_ = false;
  bool full_ = false;
  bool gone_ = false;
  bool hurried_ = false;
  bool may_hurry_ = true;
};

}  // namespace lanner::server
