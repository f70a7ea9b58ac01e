// fuzz/session_events.cpp: what http1::Session makes of bytes, as text: for tests that compare it
// with other engines.
//
// stdin, again and again: a line "BYTES CUT CUT ..." (the wire's size; where the network cuts it,
// rising), then that many bytes. stdout, for each:
//
//   head OFFSET METHOD MINOR KEEP_ALIVE TARGET   OFFSET: of its first byte; KEEP_ALIVE: 0 | 1
//   field NAME VALUE
//   body BYTES                                   one line a piece
//   end                                          of the request
//   error NAME OFFSET START                      the offending byte; the request's first
//   . OFFSET                                     the last line; OFFSET: bytes that were used
//
// Words are escaped as in tests/vectors/http1/cases.txt; a blank in them is \x20. After a request
// that ends the connection nothing more is looked at.

#include <array>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "http1/session.h"

namespace {

using namespace lanner;
using http1::Session;

std::string escape(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if (value > 0x20 && value < 0x7f && byte != '\\') {
      out += byte;
    } else {
      out += "\\x";
      out += kHex[value >> 4];
      out += kHex[value & 15];
    }
  }
  return out;
}

// A server's side of one connection that answers at once, and writes down what it sees.
class Server {
 public:
  void receive(std::string_view bytes) {
    pending_ += bytes;
    std::string_view in = pending_;
    while (!stopped_ && step(in)) {
    }
    used_ += pending_.size() - in.size();
    pending_.erase(0, pending_.size() - in.size());
  }
  std::string events() const { return events_ + ". " + std::to_string(used_) + "\n"; }

 private:
  bool step(std::string_view& in) {
    const std::uint64_t at = used_ + (pending_.size() - in.size());
    const bool in_head = session_.phase() == Session::Phase::head;
    std::string_view piece;
    const Result<Session::Event> event = session_.next(in, limits_, fields_, &head_, &piece);
    if (!event) {
      // The decoder of a body counts from the body's first byte.
      if (in_head) start_ = at;
      put_error(event.error(), in_head ? at : body_at_);
      return false;
    }
    switch (*event) {
      case Session::Event::need_more:
        return false;
      case Session::Event::head:
        body_at_ = used_ + (pending_.size() - in.size());
        start_ = at;
        put_head();
        return true;
      case Session::Event::body:
        events_ += "body " + escape(piece) + "\n";
        return true;
      case Session::Event::body_end:
        events_ += "end\n";
        stopped_ = !keep_alive_;
        session_.begin_next();
        return true;
    }
    return false;
  }
  void put_head() {
    keep_alive_ = head_.keep_alive;
    events_ += "head " + std::to_string(start_) + " " + escape(head_.method_text) + " " +
               std::to_string(head_.minor_version) + (keep_alive_ ? " 1 " : " 0 ") +
               escape(head_.target) + "\n";
    for (const http::Field& field : head_.fields) {
      events_ += "field " + escape(field.name) + " " + escape(field.value) + "\n";
    }
  }
  void put_error(Error error, std::uint64_t base) {
    stopped_ = true;
    events_ += "error " + std::string(error_name(error.code)) + " " +
               std::to_string(base + error.detail) + " " + std::to_string(start_) + "\n";
  }

  const http::Limits limits_;
  Session session_;
  std::array<http::Field, 100> fields_;
  http::RequestHead head_;
  std::string pending_;
  std::string events_;
  std::uint64_t used_ = 0;     // bytes before pending_
  std::uint64_t start_ = 0;    // where the request began
  std::uint64_t body_at_ = 0;  // where its body began
  bool keep_alive_ = true;
  bool stopped_ = false;
};

bool read_line(std::string* line) {
  line->clear();
  for (int byte = std::getchar(); byte != EOF; byte = std::getchar()) {
    if (byte == '\n') return true;
    *line += static_cast<char>(byte);
  }
  return false;
}

std::string run(std::string_view wire, const std::vector<std::size_t>& cuts) {
  Server server;
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    if (cut < from || cut > wire.size()) continue;
    server.receive(wire.substr(from, cut - from));
    from = cut;
  }
  server.receive(wire.substr(from));
  return server.events();
}

}  // namespace

int main() {
  std::string line;
  while (read_line(&line)) {
    std::istringstream numbers(line);
    std::size_t bytes = 0;
    if (!(numbers >> bytes)) return 2;
    std::vector<std::size_t> cuts;
    for (std::size_t cut = 0; numbers >> cut;) cuts.push_back(cut);
    std::string wire(bytes, '\0');
    if (std::fread(wire.data(), 1, bytes, stdin) != bytes) return 2;
    const std::string events = run(wire, cuts);
    if (std::fwrite(events.data(), 1, events.size(), stdout) != events.size()) return 2;
    std::fflush(stdout);
  }
  return 0;
}
