// http1/vectors_test.cpp: every case of tests/vectors/http1/cases.txt, as a server would live
// through it: whole, cut in two, byte by byte.

#include <algorithm>
#include <array>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/ascii.h"
#include "http1/session.h"

namespace lanner::http1 {
namespace {

struct Case {
  std::string name;
  bool accept = false;
  std::vector<int> statuses;
  std::size_t requests = 0;
  bool close = false;
  std::vector<std::string> bodies;
  std::string wire;
};

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    const char kind = text[++at];
    if (kind == 'x') {
      out += static_cast<char>(http::hex_value(text[at + 1]) * 16 + http::hex_value(text[at + 2]));
      at += 2;
    } else {
      out += kind == 'r' ? '\r' : kind == 'n' ? '\n' : kind == 't' ? '\t' : kind;
    }
  }
  return out;
}

std::vector<Case> load_cases() {
  std::ifstream file(LANNER_HTTP1_CASES, std::ios::binary);
  std::vector<Case> cases;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = line.find(' ');
    const std::string key = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (key == "case") {
      cases.emplace_back();
      cases.back().name = rest;
      continue;
    }
    Case& last = cases.back();
    std::istringstream words(rest);
    if (key == "expect") last.accept = rest == "accept";
    if (key == "requests") words >> last.requests;
    if (key == "close") words >> last.close;
    if (key == "body") last.bodies.push_back(unescape(rest));
    if (key == "wire") last.wire = unescape(rest);
    for (int status = 0; key == "status" && words >> status;) last.statuses.push_back(status);
  }
  return cases;
}

// What came of a connection.
struct Outcome {
  std::vector<std::string> bodies;  // of complete requests
  Errc code = Errc::ok;
  bool ended = false;  // by the last request's own wish

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << outcome.bodies.size() << " requests, " << error_name(outcome.code)
             << (outcome.ended ? ", ended" : "");
}

// A server's side of one connection: keeps what the session leaves, answers at once, reads on.
class Server {
 public:
  void receive(std::string_view bytes) {
    if (stopped()) return;
    pending_ += bytes;
    std::string_view in = pending_;
    while (!stopped() && step(in)) {
    }
    pending_.erase(0, pending_.size() - in.size());
  }
  const Outcome& outcome() const { return outcome_; }

 private:
  bool stopped() const { return outcome_.code != Errc::ok || outcome_.ended; }

  bool step(std::string_view& in) {
    std::string_view piece;
    const Result<Session::Event> event = session_.next(in, limits_, fields_, &head_, &piece);
    if (!event) {
      outcome_.code = event.code();
      return false;
    }
    switch (*event) {
      case Session::Event::need_more:
        return false;
      case Session::Event::head:
        keep_alive_ = head_.keep_alive;
        body_.clear();
        return true;
      case Session::Event::body:
        body_ += piece;
        return true;
      case Session::Event::body_end:
        outcome_.bodies.push_back(body_);
        outcome_.ended = !keep_alive_;
        session_.begin_next();
        return true;
    }
    return false;
  }

  Session session_;
  http::Limits limits_;
  std::array<http::Field, 100> fields_;
  http::RequestHead head_;
  std::string pending_;
  std::string body_;
  bool keep_alive_ = true;
  Outcome outcome_;
};

Outcome run_whole(const std::string& wire) {
  Server server;
  server.receive(wire);
  return server.outcome();
}

Outcome run_cut(const std::string& wire, std::size_t cut) {
  Server server;
  server.receive(std::string_view(wire).substr(0, cut));
  server.receive(std::string_view(wire).substr(cut));
  return server.outcome();
}

Outcome run_byte_by_byte(const std::string& wire) {
  Server server;
  for (const char byte : wire) server.receive({&byte, 1});
  return server.outcome();
}

void judge(const Case& test, const Outcome& outcome) {
  EXPECT_EQ(outcome.bodies.size(), test.requests);
  if (test.accept) {
    EXPECT_EQ(outcome.code, Errc::ok) << error_name(outcome.code);
    EXPECT_EQ(outcome.bodies, test.bodies);
    EXPECT_EQ(outcome.ended, test.close);
    return;
  }
  const int status = error_status(outcome.code);
  EXPECT_NE(outcome.code, Errc::ok);
  EXPECT_TRUE(std::count(test.statuses.begin(), test.statuses.end(), status) > 0)
      << status << ' ' << error_name(outcome.code);
}

bool is_for_websocket(const Case& test) {
  return test.name.starts_with("ws/");
}  // websocket/handshake_test.cpp

TEST(Vectors, AreAllThere) {
  const std::vector<Case> cases = load_cases();
  EXPECT_GE(cases.size(), 153u);
  EXPECT_EQ(std::count_if(cases.begin(), cases.end(), is_for_websocket), 2);
  for (const Case& test : cases) EXPECT_FALSE(test.wire.empty()) << test.name;
}

TEST(Vectors, ComeOutRight) {
  for (const Case& test : load_cases()) {
    if (is_for_websocket(test)) continue;
    SCOPED_TRACE(test.name);
    judge(test, run_whole(test.wire));
  }
}

TEST(Vectors, DoNotDependOnCuts) {
  constexpr std::size_t kEveryByte = 2000;  // long wires: every cut at both ends, some between
  constexpr std::size_t kStride = 97;
  for (const Case& test : load_cases()) {
    SCOPED_TRACE(test.name);
    const Outcome whole = run_whole(test.wire);
    for (std::size_t cut = 1; cut < test.wire.size(); ++cut) {
      const bool near_an_end = cut < kEveryByte / 4 || test.wire.size() - cut < kEveryByte / 4;
      if (test.wire.size() > kEveryByte && !near_an_end && cut % kStride != 0) continue;
      ASSERT_EQ(run_cut(test.wire, cut), whole) << "cut at " << cut;
    }
    EXPECT_EQ(run_byte_by_byte(test.wire), whole);
  }
}

}  // namespace
}  // namespace lanner::http1
