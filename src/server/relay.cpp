// server/relay.cpp: an exchange handed to another thread and back.

#include "server/relay.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "http/status.h"
#include "server/relay_queue.h"
#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::server {

namespace {
enum Kind : int { kInform, kStart, kWrite, kFile, kNothing, kTrailers };
}  // namespace

struct Relay::Command {
  int kind = kNothing;
  Command* next = nullptr;
  http::ResponseHead head;
  std::optional<std::uint64_t> body_bytes;
  Buffer copy;  // the bytes of a payload that nobody else keeps
  http::Payload payload;
  http::FilePart file;
};

Relay::Relay(net::Loop& loop, RelayQueue& queue, const http::Limits& limits,
             http::Exchange& exchange) noexcept
    : loop_(loop),
      queue_(queue),
      limits_(limits),
      exchange_(exchange),
      body_charge_(loop.budget()) {}

Relay::~Relay() {
  destroy(batch_);
  destroy(commands_);
}

void Relay::destroy(Command* command) noexcept {
  while (command) {
    Command* next = command->next;
    if (command->payload.release) command->payload.release(command->payload.owner);
    if (command->file.fd >= 0) sys::close(command->file.fd);
    delete command;
    command = next;
  }
}

// ---- handler thread

Relay::Command* Relay::add(int kind) noexcept {
  Command* command = new (std::nothrow) Command;
  if (!command) return nullptr;
  command->kind = kind;
  *batch_end_ = command;
  batch_end_ = &command->next;
  return command;
}

// Needs no memory: an end, or a body that is waited for, is never held up by the lack of it.
void Relay::send_batch(Ending ending) noexcept {
  if (!batch_ && ending == Ending::none) return;
  if (batch_bytes_ > 0) queue_.hand_over(batch_bytes_);
  bool post = false;
  {
    std::lock_guard lock(mutex_);
    if (batch_) {
      *commands_end_ = batch_;
      commands_end_ = batch_end_;
    }
    queued_bytes_ += batch_bytes_;
    ending_ = ending;
    post = !posted_;
    posted_ = true;
    batch_ = nullptr;
    batch_end_ = &batch_;
    batch_bytes_ = 0;
    // Posted under the lock: once it is released, run() may end and destroy this.
    if (post) loop_.post(*this);
  }
}

// Touches nothing that belongs to who writes.
void Relay::call_body(BodyCall call) noexcept {
  std::lock_guard lock(mutex_);
  (call == BodyCall::want ? body_called_ : body_resumed_) = true;
  if (!posted_) loop_.post(*this);
  posted_ = true;
}

// Without memory the command does nothing.
bool Relay::fill(Command& command, const http::ResponseHead& head) noexcept {
  if (command.head.copy_from(head)) return true;
  command.kind = kNothing;
  return false;
}

void Relay::want_body() noexcept {
  if (body_wanted_) return;
  body_wanted_ = true;
  if (exchange_.head().expect_continue) call_body(BodyCall::want);
}

Result<void> Relay::inform(const http::ResponseHead& head) noexcept {
  if (started_) return Errc::response_started;
  Command* command = add(kInform);
  if (!command || !fill(*command, head)) return Errc::no_memory;
  send_batch();
  return {};
}

Result<void> Relay::start(const http::ResponseHead& head,
                          std::optional<std::uint64_t> body_bytes) noexcept {
  if (started_) return Errc::response_started;
  if (head.status() < 200 || head.status() > 999) return Errc::status_invalid;
  Command* command = add(kStart);
  if (!command || !fill(*command, head)) return Errc::no_memory;
  command->body_bytes = body_bytes;
  const std::optional<std::uint64_t> length = head.content_length();
  const bool bodyless = http::is_without_content(exchange_.head().method, head.status());
  has_length_ = !bodyless && (length || body_bytes);
  length_ = length ? *length : body_bytes.value_or(0);
  started_ = true;
  return {};
}

http::WriteState Relay::write(http::Payload payload) noexcept {
  Command* command = payload.bytes.empty() ? nullptr : add(kWrite);
  const bool kept = command && (payload.release || command->copy.append(payload.bytes));
  if (!kept) {
    if (command) command->kind = kNothing;
    if (payload.release) payload.release(payload.owner);
    if (payload.bytes.empty()) return http::WriteState::ok;
    incomplete_ = true;
    return http::WriteState::closed;
  }
  command->payload = payload;
  if (!payload.release) command->payload.bytes = command->copy.view();
  written_bytes_ += payload.bytes.size();
  batch_bytes_ += payload.bytes.size();
  return batch_bytes_ > limits_.out_high_bytes ? http::WriteState::full : http::WriteState::ok;
}

http::WriteState Relay::write_spooled(std::string_view bytes) noexcept {
  return write({bytes, nullptr, nullptr});
}

http::WriteState Relay::write_file(http::FilePart part) noexcept {
  Result<int> copy = sys::duplicate(part.fd);
  Command* command = copy ? add(kFile) : nullptr;
  if (!command) {
    if (copy) sys::close(*copy);
    incomplete_ = true;
    return http::WriteState::closed;
  }
  command->file = {*copy, part.offset, part.count};
  written_bytes_ += part.count;
  return http::WriteState::ok;
}

std::span<char> Relay::reserve_body(std::size_t used, std::size_t more) noexcept {
  space_.truncate(used);
  if (!space_.reserve(more)) return {};
  return {space_.data(), space_.capacity()};
}

Result<void> Relay::commit_body(const http::ResponseHead& head, std::size_t bytes) noexcept {
  Result<void> begun = start(head, bytes);
  Command* command = begun && bytes > 0 ? add(kWrite) : nullptr;
  if (!command) {
    incomplete_ = incomplete_ || (begun && bytes > 0);
    return begun;
  }
  space_.truncate(bytes);
  command->copy = std::move(space_);
  command->payload.bytes = command->copy.view();
  written_bytes_ += bytes;
  batch_bytes_ += bytes;
  return {};
}

bool Relay::must_wait() const noexcept {
  return !gone_ && (queued_bytes_ > limits_.out_high_bytes || (full_ && !hurried_));
}

http::WriteState Relay::flush() noexcept {
  send_batch();
  {
    std::lock_guard lock(mutex_);
    if (!must_wait()) return gone_ ? http::WriteState::closed : http::WriteState::ok;
  }
  queue_.block(*this);
  bool gone = false;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !must_wait(); });
    gone = gone_;
  }
  queue_.unblock(*this);
  return gone ? http::WriteState::closed : http::WriteState::ok;
}

bool Relay::hurry() noexcept {
  {
    std::lock_guard lock(mutex_);
    if (hurried_ || !may_hurry_) return false;
    hurried_ = true;
  }
  changed_.notify_all();
  return true;
}

Result<void> Relay::add_trailers(const http::ResponseHead& fields) noexcept {
  Command* command = add(kTrailers);
  if (command && fill(*command, fields)) return {};
  incomplete_ = true;
  return Errc::no_memory;
}

Result<void> Relay::finish() noexcept {
  end_reads();
  Result<void> result;
  {
    std::lock_guard lock(mutex_);
    if (gone_) result = Errc::disconnected;
  }
  if (result && has_length_ && written_bytes_ != length_) {
    result = written_bytes_ > length_ ? Errc::response_too_long : Errc::response_too_short;
  }
  if (incomplete_) result = Errc::no_memory;
  send_batch(incomplete_ ? Ending::abort : Ending::finish);
  return result;
}

void Relay::abort() noexcept {
  end_reads();
  send_batch(Ending::abort);
}

void Relay::begin_read() noexcept {
  std::lock_guard lock(mutex_);
  ++readers_;
}

void Relay::end_read() noexcept {
  std::lock_guard lock(mutex_);
  if (--readers_ == 0) changed_.notify_all();
}

// What is sent next destroys this.
void Relay::end_reads() noexcept {
  std::unique_lock lock(mutex_);
  reads_over_ = true;
  if (readers_ == 0) return;
  changed_.notify_all();
  changed_.wait(lock, [this] { return readers_ == 0; });
}

Result<std::size_t> Relay::read(char* to, std::size_t room) noexcept {
  want_body();
  bool resume = false;
  std::size_t count = 0;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(
        lock, [this] { return gone_ || reads_over_ || body_ended_ || body_read_ < body_.size(); });
    count = std::min(room, body_.size() - body_read_);
    if (count == 0) {
      if (body_error_ != Errc::ok) return body_error_;
      if ((gone_ || reads_over_) && !body_ended_) return Errc::disconnected;
      return std::size_t{0};
    }
    std::memcpy(to, body_.data() + body_read_, count);
    body_read_ += count;
    if (body_read_ == body_.size()) {
      body_.clear();
      body_read_ = 0;
      resume = body_paused_;
      body_paused_ = false;
    }
  }
  body_taken_ += count;
  if (resume) call_body(BodyCall::resume);
  return count;
}

std::optional<std::uint64_t> Relay::bytes_left() const noexcept {
  const http::RequestHead& head = exchange_.head();
  switch (head.framing) {
    case http::BodyFraming::none:
      return 0;
    case http::BodyFraming::length:
      return head.content_length - body_taken_;
    case http::BodyFraming::chunked:
      return std::nullopt;
  }
  return std::nullopt;
}

// ---- loop thread

void Relay::run() noexcept {
  Command* command;
  Ending ending;
  bool wanted;
  bool resumed;
  {
    std::lock_guard lock(mutex_);
    command = commands_;
    commands_ = nullptr;
    commands_end_ = &commands_;
    posted_ = false;
    ending = ending_;
    wanted = std::exchange(body_called_, false);
    resumed = std::exchange(body_resumed_, false);
  }
  std::uint64_t bytes = 0;
  while (command) {
    Command* next = command->next;
    command->next = nullptr;
    bytes += command->kind == kWrite ? command->payload.bytes.size() : 0;
    apply(*command);
    destroy(command);
    command = next;
  }
  if (bytes > 0) queue_.take_over(bytes);
  if (wanted) exchange_.want_body();
  if (resumed) exchange_.resume_body();
  if (ending != Ending::none) {
    if (ending == Ending::finish && !trailers_lost_) {
      (void)exchange_.finish();  // told to the handler by Relay::finish(), or logged there
    } else {
      exchange_.abort();
    }
    return queue_.release(*this);  // destroys this
  }
  {
    std::lock_guard lock(mutex_);
    queued_bytes_ -= bytes;
  }
  changed_.notify_all();
}

void Relay::apply(Command& command) noexcept {
  http::WriteState state = http::WriteState::ok;
  switch (command.kind) {
    case kInform:
      (void)exchange_.inform(command.head);  // a client without it misses nothing
      break;
    case kStart:
      // Where it has failed, finish() answers with a 500.
      (void)exchange_.start(command.head, command.body_bytes);
      break;
    case kWrite:
      state = write_now(command);
      break;
    case kFile:
      state = exchange_.write_file(command.file);
      break;
    case kTrailers:
      trailers_lost_ = !exchange_.add_trailers(command.head) || trailers_lost_;
      break;
    default:
      break;
  }
  if (state == http::WriteState::ok) return;
  std::lock_guard lock(mutex_);
  full_ = full_ || state == http::WriteState::full;
  gone_ = gone_ || state == http::WriteState::closed;
}

http::WriteState Relay::write_now(Command& command) noexcept {
  const std::string_view bytes = command.payload.bytes;
  bool hurried = false;
  {
    std::lock_guard lock(mutex_);
    if (hurried_ && hurried_bytes_ > kHurriedBytesMax) {
      hurried_ = may_hurry_ = full_ = false;  // this write says whether it is full
    }
    hurried = hurried_;
  }
  if (hurried) {
    hurried_bytes_ += bytes.size();
    return exchange_.write_spooled(bytes);  // destroy() releases them
  }
  const http::Payload payload = command.payload;
  command.payload.release = nullptr;  // passed on
  return exchange_.write(payload);
}

void Relay::on_writable() noexcept {
  {
    std::lock_guard lock(mutex_);
    full_ = false;
  }
  changed_.notify_all();
}

void Relay::on_disconnect() noexcept {
  {
    std::lock_guard lock(mutex_);
    gone_ = true;
  }
  changed_.notify_all();
}

// What was read goes first: a reader that is always a little behind must not make it grow.
bool Relay::keep_body(std::string_view piece) noexcept {
  if (body_read_ > 0 && body_read_ >= body_.size() - body_read_) {
    body_.consume(body_read_);
    body_read_ = 0;
  }
  return body_.append(piece);
}

void Relay::on_body(std::string_view piece) noexcept {
  const std::uint64_t most = loop_.budget().near() ? 0 : limits_.body_memory_bytes;
  bool pause = false;
  std::size_t held = 0;
  {
    std::lock_guard lock(mutex_);
    if (!keep_body(piece)) {
      body_error_ = Errc::no_memory;
      body_ended_ = true;
    }
    held = body_.capacity();
    pause = body_.size() - body_read_ > most;
    body_paused_ = body_paused_ || pause;
  }
  body_charge_.set(held);
  changed_.notify_all();
  if (pause) exchange_.pause_body();
}

void Relay::take_early_body() noexcept {
  if (exchange_.body_complete() && exchange_.body().bytes_left() == 0) {
    body_ended_ = true;
    return;
  }
  http::Body& body = exchange_.body();
  const std::string_view early = body.view();
  if (!early.empty()) on_body(early);
  body.skip(early.size());
  if (exchange_.body_complete()) on_body_end(Errc::ok);
}

void Relay::on_body_end(Errc error) noexcept {
  {
    std::lock_guard lock(mutex_);
    if (body_error_ == Errc::ok) body_error_ = error;
    body_ended_ = true;
  }
  changed_.notify_all();
}

}  // namespace lanner::server
