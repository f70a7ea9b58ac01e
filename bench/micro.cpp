// bench/micro.cpp: single functions by themselves: nanoseconds a call, the best of several rounds.

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "github_routes.h"
#include "hello_handler.h"
#include "http/date.h"
#include "http/target.h"
#include "http/token.h"
#include "http1/chunked.h"
#include "http1/head_parser.h"
#include "http1/response_writer.h"
#include "sys/clock.h"

namespace lanner::bench {
namespace {

constexpr std::string_view kSmallHead =
    "GET /hello?name=world HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nUser-Agent: curl/8.0\r\nAccept: "
    "*/*\r\n"
    "\r\n";
constexpr std::string_view kBrowserHead =
    "GET /shop/cart/items?sort=price&page=2 HTTP/1.1\r\nHost: shop.example.org\r\n"
    "Connection: keep-alive\r\nUpgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/131.0.0.0 Safari/537.36\r\n"
    "Accept: "
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n"
    "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
    "Referer: https://shop.example.org/shop/cart\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
    "Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\nCookie: session=0123456789abcdef0123456789abcdef; "
    "theme=dark; consent=1\r\n\r\n";

// Keeps the compiler from dropping what it computes.
template <class T>
void use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Hides from the compiler that it knows the text.
std::string_view hidden(std::string_view text) {
  asm volatile("" : "+g"(text) : : "memory");
  return text;
}

template <class Call>
void measure(const char* name, Call call) {
  constexpr int kCalls = 200'000;
  constexpr int kRounds = 7;
  std::uint64_t best_us = ~std::uint64_t{0};
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t begin_us = sys::monotonic_us();
    for (int i = 0; i < kCalls; ++i) call();
    best_us = std::min(best_us, sys::monotonic_us() - begin_us);
  }
  std::printf("%-44s %8.1f ns\n", name, static_cast<double>(best_us) * 1000 / kCalls);
}

void measure_parsing() {
  const http::Limits limits;
  std::array<http::Field, 100> fields;
  http::RequestHead head;
  const auto parse = [&](std::string_view wire) {
    use(http1::parse_head(wire, 0, limits, fields, &head));
    use(head);
  };
  measure("parse_head, 3 fields", [&] { parse(kSmallHead); });
  measure("parse_head, a browser's 12 fields", [&] { parse(kBrowserHead); });
  const std::string chunks = "400\r\n" + std::string(1024, 'x') + "\r\n0\r\n\r\n";
  measure("chunked decoder, 1 KiB", [&] {
    http1::ChunkedDecoder decoder;
    std::string_view in = chunks;
    std::string_view piece;
    for (;;) {
      const auto step = decoder.next(in, limits, &piece);
      use(piece);
      if (!step || *step == http1::ChunkedDecoder::Step::done) break;
    }
  });
}

void measure_words() {
  measure("token_from_name, known", [] { use(http::token_from_name(hidden("Accept-Encoding"))); });
  measure("token_from_name, unknown",
          [] { use(http::token_from_name(hidden("X-Some-Field-Of-Ours"))); });
  std::array<char, 64> room{};
  measure("percent_decode, 16 bytes", [&] {
    use(http::percent_decode("/a%20b/c%C3%A4d/x", room.data()));
    use(room);
  });
  measure("write_date", [&] {
    http::write_date(room.data(), 1'796'031'620);
    use(room);
  });
}

void measure_writing() {
  http::RequestHead request;
  http::ResponseHead response;
  const http1::ServerFields own{"Server: lanner\r\n", "Date: Mon, 30 Nov 2026 10:00:00 GMT\r\n"};
  std::array<char, 1024> room{};
  measure("ResponseHead, status and one field", [&] {
    use(set_hello_head(&response));
    use(response);
  });
  measure("plan_response and write_head", [&] {
    const http1::ResponsePlan plan = http1::plan_response(request, response, kHello.size(), true);
    use(http1::write_head(room.data(), request, response, plan, own));
    use(room);
  });
}

// One path again and again, or a path of each route in turn: then 10,000 routes do not stay in the
// cache.
void measure_routing(std::size_t routes) {
  const std::string of = ", " + std::to_string(routes) + " routes";
  std::vector<std::string> examples;
  const std::unique_ptr<const router::Router> router = make_github_router(routes, &examples);
  router::Match match{};
  const auto ask = [&](std::string_view path) {
    router->match({http::Method::get, "GET", hidden(path), "api.example.com", false}, &match);
    use(match);
  };
  measure(("match, no parameter" + of).c_str(), [&] { ask("/user"); });
  measure(("match, three parameters" + of).c_str(),
          [&] { ask("/repos/octocat/hello-world/issues/1347"); });
  measure(("match, none" + of).c_str(), [&] { ask("/repos/octocat/hello-world/nothing/1347"); });
  std::size_t next = 0;
  measure(("match, each in turn" + of).c_str(), [&] {
    ask(examples[next]);
    next = (next + 1) % examples.size();
  });
}

}  // namespace
}  // namespace lanner::bench

int main() {
  lanner::bench::measure_parsing();
  lanner::bench::measure_words();
  lanner::bench::measure_writing();
  lanner::bench::measure_routing(10);
  lanner::bench::measure_routing(10'000);
}
