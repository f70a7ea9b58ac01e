// fuzz/fuzz_session.cpp: a connection: cuts chosen by the input change neither requests, bodies,
// nor the error; every step makes progress.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/http1_mutator.h"
#include "http1/session.h"

namespace {

using namespace lanner;
using http1::Session;

struct Request {
  std::string target;
  std::string body;
  bool complete = false;

  bool operator==(const Request&) const = default;
};

class Server {
 public:
  explicit Server(const http::Limits& limits) : limits_(limits) {}

  void receive(std::string_view bytes) {
    if (stopped_) return;
    pending_ += bytes;
    std::string_view in = pending_;
    while (!stopped_ && step(in)) {
    }
    pending_.erase(0, pending_.size() - in.size());
  }
  const std::vector<Request>& requests() const { return requests_; }
  Errc code() const { return code_; }
  bool begun() const { return session_.phase() == Session::Phase::head && session_.head_begun(); }

 private:
  bool step(std::string_view& in) {
    const std::size_t before = in.size();
    const Session::Phase phase = session_.phase();
    std::string_view piece;
    const Result<Session::Event> event = session_.next(in, limits_, fields_, &head_, &piece);
    LANNER_FUZZ_CHECK(in.size() <= before);
    if (!event) {
      code_ = event.code();
      LANNER_FUZZ_CHECK(code_ != Errc::ok && code_ != Errc::internal);
      LANNER_FUZZ_CHECK(session_.phase() == Session::Phase::failed);
      stopped_ = true;
      return false;
    }
    switch (*event) {
      case Session::Event::need_more:
        LANNER_FUZZ_CHECK(phase == Session::Phase::head ? in.size() == before : in.empty());
        return false;
      case Session::Event::head:
        LANNER_FUZZ_CHECK(phase == Session::Phase::head && in.size() < before);
        keep_alive_ = head_.keep_alive;
        framing_ = head_.framing;
        length_ = head_.content_length;
        requests_.push_back({std::string(head_.target), {}, false});
        return true;
      case Session::Event::body:
        LANNER_FUZZ_CHECK(!piece.empty() && in.size() < before);
        requests_.back().body += piece;
        return true;
      case Session::Event::body_end:
        finish_request();
        return true;
    }
    return false;
  }

  void finish_request() {
    Request& request = requests_.back();
    request.complete = true;
    LANNER_FUZZ_CHECK(session_.phase() == Session::Phase::done);
    LANNER_FUZZ_CHECK(session_.body_bytes() == request.body.size());
    if (framing_ == http::BodyFraming::none) LANNER_FUZZ_CHECK(request.body.empty());
    if (framing_ == http::BodyFraming::length) LANNER_FUZZ_CHECK(request.body.size() == length_);
    stopped_ = !keep_alive_;
    session_.begin_next();
  }

  const http::Limits& limits_;
  Session session_;
  std::array<http::Field, 100> fields_;
  http::RequestHead head_;
  std::string pending_;
  std::vector<Request> requests_;
  Errc code_ = Errc::ok;
  http::BodyFraming framing_ = http::BodyFraming::none;
  std::uint64_t length_ = 0;
  bool keep_alive_ = true;
  bool stopped_ = false;
};

}  // namespace

// The first 8 bytes: a choice of limits, and the sizes of the pieces, used in turn.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kChoices = 8;
  if (size < kChoices) return 0;
  const std::string in(data + kChoices, data + size);
  http::Limits limits;
  if (data[0] & 1) limits.field_bytes = 100;
  if (data[0] & 2) limits.head_bytes = 200;

  Server whole(limits);
  whole.receive(in);
  Server pieces(limits);
  std::size_t turn = 0;
  for (std::size_t at = 0; at < in.size();) {
    const std::size_t bytes = 1 + data[1 + turn++ % (kChoices - 1)] % 64;
    pieces.receive(std::string_view(in).substr(at, bytes));
    at += bytes;
  }

  // An incomplete line may hide an error from the one that got it in pieces; all before it must be
  // equal.
  const bool undecided = pieces.begun() && pieces.code() == Errc::ok && whole.code() != Errc::ok;
  LANNER_FUZZ_CHECK(undecided || whole.code() == pieces.code());
  LANNER_FUZZ_CHECK(whole.requests() == pieces.requests());
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned int seed) {
  return lanner::fuzz::mutate_http1(data, size, size_max, seed, 8);
}
