// bench/ladder.cpp: the rungs of the ladder that are C++: each does what the one below it does, and
// one thing more.
//
//   ladder RUNG FD     serves the listening socket FD until it is killed; bench/run.py does the
//   rest
//
//   raw        epoll, read, look for the empty line, write a constant answer
//   parse      + the request head is parsed and checked
//   session    + the connection's state machine, and the answer's head is built
//   exchange   + the server: connections, deadlines, limits, out buffer; a handler in C++
//   router     + the handler's route is sought, among 10
//   router-10k the same, among 10,000

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "github_routes.h"
#include "hello_handler.h"
#include "http1/head_parser.h"
#include "http1/response_writer.h"
#include "http1/session.h"
#include "server/server.h"

namespace lanner::bench {
namespace {

constexpr std::string_view kAnswer =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 14\r\nServer: lanner\r\n"
    "Date: Mon, 30 Nov 2026 10:00:00 GMT\r\n\r\nHello, world!\n";
constexpr std::string_view kServerLine = "Server: lanner\r\n";
constexpr std::string_view kDateLine = "Date: Mon, 30 Nov 2026 10:00:00 GMT\r\n";

// A rung takes one request off the front of `in` and appends its answer; false: it is not whole
// yet.

struct Raw {
  bool serve(std::string_view& in, std::string* out) noexcept {
    const std::size_t end = in.find("\r\n\r\n");
    if (end == std::string_view::npos) return false;
    in.remove_prefix(end + 4);
    out->append(kAnswer);
    return true;
  }
};

struct Parse {
  bool serve(std::string_view& in, std::string* out) noexcept {
    http::RequestHead head;
    const Result<std::size_t> used = http1::parse_head(in, 0, limits, fields, &head);
    if (!used || *used == 0) return false;
    in.remove_prefix(*used);
    out->append(kAnswer);
    return true;
  }
  http::Limits limits;
  std::array<http::Field, 100> fields;
};

struct Session {
  bool serve(std::string_view& in, std::string* out) noexcept {
    using Event = http1::Session::Event;
    std::string_view piece;
    Result<Event> event = session.next(in, limits, fields, &request, &piece);
    if (!event || *event != Event::head) return false;
    while (event && *event != Event::body_end) {
      event = session.next(in, limits, fields, &request, &piece);
    }
    session.begin_next();
    const http1::ServerFields own{kServerLine, kDateLine};
    if (!set_hello_head(&response)) return false;
    const http1::ResponsePlan plan = http1::plan_response(request, response, kHello.size(), true);
    const std::size_t before = out->size();
    out->resize(before + http1::head_bytes_bound(response, own));
    const char* end = http1::write_head(out->data() + before, request, response, plan, own);
    out->resize(static_cast<std::size_t>(end - out->data()));
    out->append(kHello);
    return true;
  }
  http::Limits limits;
  std::array<http::Field, 100> fields;
  http1::Session session;
  http::RequestHead request;
  http::ResponseHead response;
};

// The loop of the rungs below the server: what a benchmark of system calls would do, and no more.
template <class Rung>
class Loop {
 public:
  explicit Loop(int listener) : listener_(listener), poller_(::epoll_create1(0)) {
    ::fcntl(listener, F_SETFL, O_NONBLOCK);
    watch(listener);
  }
  [[noreturn]] void run() {
    for (;;) {
      std::array<epoll_event, 256> events;
      const int count = ::epoll_wait(poller_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == listener_) {
          accept();
        } else if (!serve(fd)) {
          ::close(fd);
        }
      }
    }
  }

 private:
  void watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    ::epoll_ctl(poller_, EPOLL_CTL_ADD, fd, &event);
  }
  void accept() {
    for (;;) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (fd < 0) return;
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      const auto index = static_cast<std::size_t>(fd);
      if (rungs_.size() <= index) rungs_.resize(index + 1);
      rungs_[index] = std::make_unique<Rung>();
      watch(fd);
    }
  }
  // Requests come whole: the load generator's are small. False: the connection is over.
  bool serve(int fd) {
    const ssize_t got = ::recv(fd, in_.data(), in_.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (got <= 0) return false;
    std::string_view in(in_.data(), static_cast<std::size_t>(got));
    out_.clear();
    while (!in.empty()) {
      if (!rungs_[static_cast<std::size_t>(fd)]->serve(in, &out_)) return false;
    }
    return ::send(fd, out_.data(), out_.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(out_.size());
  }

  int listener_;
  int poller_;
  std::vector<std::unique_ptr<Rung>> rungs_;  // by descriptor
  std::array<char, 131072> in_;
  std::string out_;
};

// Answers what is routed, and nothing else.
class RoutedHandler final : public http::Handler {
 public:
  explicit RoutedHandler(std::size_t routes) : router_(make_github_router(routes, &examples_)) {}
  http::Plan plan(const http::RequestHead& head) noexcept override {
    http::Plan plan;
    router_->match(router::Target::of(head), &match_);
    if (match_.outcome == router::Outcome::matched) plan.route = &router_->routes()[match_.route];
    return plan;
  }
  void handle(http::Exchange& exchange, const http::Plan& plan) noexcept override {
    if (!plan.route) return exchange.abort();
    hello_.handle(exchange, plan);
  }

 private:
  std::vector<std::string> examples_;
  std::unique_ptr<const router::Router> router_;
  router::Match match_{};
  HelloHandler hello_;
};

int serve(int listener, http::Handler& handler) {
  Result<std::unique_ptr<net::Loop>> loop = net::Loop::create();
  if (!loop) return 1;
  const std::unique_ptr<server::Server> server = server::Server::create(**loop, handler, {});
  if (!server || !server->listen(listener)) return 1;
  (void)server->run();
  return 0;
}

int run(std::string_view rung, int listener) {
  if (rung == "raw") std::make_unique<Loop<Raw>>(listener)->run();
  if (rung == "parse") std::make_unique<Loop<Parse>>(listener)->run();
  if (rung == "session") std::make_unique<Loop<Session>>(listener)->run();
  if (rung == "exchange") return serve(listener, *std::make_unique<HelloHandler>());
  if (rung == "router") return serve(listener, *std::make_unique<RoutedHandler>(10));
  if (rung == "router-10k") return serve(listener, *std::make_unique<RoutedHandler>(10'000));
  std::fprintf(stderr, "ladder: no such rung\n");
  return 2;
}

}  // namespace
}  // namespace lanner::bench

int main(int count, char** words) {
  int listener = -1;
  if (count == 3) {
    const std::string_view number = words[2];
    std::from_chars(number.data(), number.data() + number.size(), listener);
  }
  if (listener >= 0) return lanner::bench::run(words[1], listener);
  std::fprintf(stderr, "usage: ladder raw|parse|session|exchange|router|router-10k FD\n");
  return 2;
}
