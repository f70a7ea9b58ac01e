#include "http1/response_writer.h"

#include <initializer_list>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace lanner::http1 {
namespace {

using http::RequestHead;
using http::ResponseHead;
using Fields = std::initializer_list<std::pair<const char*, const char*>>;

ResponseHead response(int status, Fields fields = {}, std::string_view reason = "") {
  ResponseHead head;
  EXPECT_TRUE(head.set_status(status, reason));
  for (const auto& [name, value] : fields) EXPECT_TRUE(head.add(name, value, 100'000)) << name;
  return head;
}

RequestHead request(http::Method method = http::Method::get, std::uint8_t minor = 1,
                    bool keep_alive = true) {
  RequestHead head;
  head.method = method;
  head.minor_version = minor;
  head.keep_alive = keep_alive;
  return head;
}

std::string written(const RequestHead& asked, const ResponseHead& answer, const ResponsePlan& plan,
                    const ServerFields& own = {}) {
  const std::size_t bound = head_bytes_bound(answer, own);
  std::string out(bound, '?');
  const char* end = write_head(out.data(), asked, answer, plan, own);
  EXPECT_LE(end, out.data() + bound);
  out.resize(static_cast<std::size_t>(end - out.data()));
  return out;
}

TEST(ResponsePlan, KnownSizesAreLengths) {
  const ResponsePlan plan = plan_response(request(), response(200), 7, true);
  EXPECT_EQ(plan.framing, ResponseFraming::length);
  EXPECT_EQ(plan.body_bytes, 7u);
  EXPECT_TRUE(plan.write_content_length);
  EXPECT_EQ(plan.content_length, 7u);
  EXPECT_TRUE(plan.keep_alive);
  EXPECT_EQ(plan_response(request(), response(200), 0, true).framing, ResponseFraming::length);
}

TEST(ResponsePlan, TheApplicationsContentLengthWins) {
  const ResponsePlan plan =
      plan_response(request(), response(200, {{"Content-Length", "9"}}), 7, true);
  EXPECT_EQ(plan.framing, ResponseFraming::length);
  EXPECT_EQ(plan.body_bytes, 9u);
}

TEST(ResponsePlan, UnknownSizesAreChunked) {
  const ResponsePlan plan = plan_response(request(), response(200), std::nullopt, true);
  EXPECT_EQ(plan.framing, ResponseFraming::chunked);
  EXPECT_FALSE(plan.write_content_length);
  EXPECT_TRUE(plan.keep_alive);
}

TEST(ResponsePlan, UnknownSizesEndTheConnectionOfOldClients) {
  const ResponsePlan plan =
      plan_response(request(http::Method::get, 0), response(200), std::nullopt, true);
  EXPECT_EQ(plan.framing, ResponseFraming::close);
  EXPECT_FALSE(plan.keep_alive);
}

TEST(ResponsePlan, HeadHasNoBody) {
  const RequestHead head = request(http::Method::head);
  const ResponsePlan set =
      plan_response(head, response(200, {{"Content-Length", "0"}}), std::nullopt, true);
  EXPECT_EQ(set.framing, ResponseFraming::none);
  EXPECT_TRUE(set.write_content_length);
  EXPECT_EQ(set.content_length, 0u);
  const ResponsePlan known = plan_response(head, response(200), 12, true);
  EXPECT_EQ(known.framing, ResponseFraming::none);
  EXPECT_TRUE(known.write_content_length);
  EXPECT_EQ(known.content_length, 12u);
  EXPECT_FALSE(plan_response(head, response(200), 0, true).write_content_length);
  EXPECT_FALSE(plan_response(head, response(200), std::nullopt, true).write_content_length);
}

TEST(ResponsePlan, ResetContentIsFramedAndEmpty) {
  for (const http::Method method : {http::Method::get, http::Method::head}) {
    for (const ResponseHead& answer : {response(205), response(205, {{"Content-Length", "3"}})}) {
      const ResponsePlan plan = plan_response(request(method), answer, 3, true);
      EXPECT_EQ(plan.framing, ResponseFraming::none);
      EXPECT_TRUE(plan.write_content_length);
      EXPECT_EQ(plan.content_length, 0u);
      EXPECT_TRUE(plan.keep_alive);
    }
  }
}

TEST(ResponsePlan, ATunnelHasNoBodyAndNoLength) {
  const RequestHead connect = request(http::Method::connect);
  const ResponsePlan plan = plan_response(connect, response(200), 3, true);
  EXPECT_EQ(plan.framing, ResponseFraming::none);
  EXPECT_FALSE(plan.write_content_length);
  EXPECT_EQ(plan_response(connect, response(404), 3, true).framing, ResponseFraming::length);
}

TEST(ResponsePlan, NoContentAndNotModifiedHaveNoBody) {
  const ResponsePlan no_content =
      plan_response(request(), response(204, {{"Content-Length", "3"}}), 3, true);
  EXPECT_EQ(no_content.framing, ResponseFraming::none);
  EXPECT_FALSE(no_content.write_content_length);
  const ResponsePlan not_modified =
      plan_response(request(), response(304, {{"Content-Length", "3"}}), 0, true);
  EXPECT_EQ(not_modified.framing, ResponseFraming::none);
  EXPECT_TRUE(not_modified.write_content_length);
  EXPECT_EQ(not_modified.content_length, 3u);
  EXPECT_FALSE(plan_response(request(), response(304), 0, true).write_content_length);
  EXPECT_FALSE(plan_response(request(), response(103), std::nullopt, true).write_content_length);
}

TEST(ResponsePlan, AnyoneMayEndTheConnection) {
  const auto get = http::Method::get;
  EXPECT_FALSE(plan_response(request(get, 1, false), response(200), 0, true).keep_alive);
  EXPECT_FALSE(plan_response(request(), response(200), 0, false).keep_alive);
  EXPECT_FALSE(
      plan_response(request(), response(200, {{"Connection", "close"}}), 0, true).keep_alive);
  EXPECT_TRUE(plan_response(request(get, 0, true), response(200), 0, true).keep_alive);
}

TEST(ResponseWriter, WritesAHead) {
  const RequestHead asked = request();
  const ResponseHead answer = response(200, {{"Content-Type", "text/plain"}, {"X-A", "b"}});
  const ServerFields own{"Server: lanner\r\n", "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"};
  EXPECT_EQ(written(asked, answer, plan_response(asked, answer, 12, true), own),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: b\r\nContent-Length: "
            "12\r\nServer: lanner\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
}

TEST(ResponseWriter, WritesChunkedAndClose) {
  const RequestHead asked = request();
  const ResponseHead answer = response(404);
  EXPECT_EQ(written(asked, answer, plan_response(asked, answer, std::nullopt, false)),
            "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
}

TEST(ResponseWriter, SaysKeepAliveToOldClientsOnly) {
  const RequestHead old = request(http::Method::get, 0, true);
  const ResponseHead answer = response(200);
  EXPECT_EQ(written(old, answer, plan_response(old, answer, 0, true)),
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(written(old, answer, plan_response(old, answer, std::nullopt, true)),
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
}

TEST(ResponseWriter, ReplacesContentLength) {
  const RequestHead asked = request();
  const ResponseHead answer = response(200, {{"content-length", "007"}, {"Connection", "close"}});
  EXPECT_EQ(written(asked, answer, plan_response(asked, answer, std::nullopt, true)),
            "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\n");
}

TEST(ResponseWriter, TheApplicationsServerAndDateReplaceOurs) {
  const RequestHead asked = request();
  const ResponseHead answer = response(200, {{"server", "x"}, {"date", "y"}});
  const ServerFields own{"Server: lanner\r\n", "Date: z\r\n"};
  EXPECT_EQ(written(asked, answer, plan_response(asked, answer, 0, true), own),
            "HTTP/1.1 200 OK\r\nserver: x\r\ndate: y\r\nContent-Length: 0\r\n\r\n");
}

TEST(ResponseWriter, WritesOtherReasonsAndStatuses) {
  const RequestHead asked = request();
  const auto line = [&](int status, std::string_view reason) {
    const ResponseHead answer = response(status, {}, reason);
    const std::string head = written(asked, answer, plan_response(asked, answer, 0, true));
    return head.substr(0, head.find("\r\n"));
  };
  EXPECT_EQ(line(200, "Fine"), "HTTP/1.1 200 Fine");
  EXPECT_EQ(line(299, ""), "HTTP/1.1 299 ");
  EXPECT_EQ(line(999, "Odd"), "HTTP/1.1 999 Odd");
  EXPECT_EQ(line(511, ""), "HTTP/1.1 511 Network Authentication Required");
}

TEST(ResponseWriter, TheBoundHoldsAtItsWorst) {
  const RequestHead old = request(http::Method::get, 0, true);
  const ResponseHead answer = response(511, {{"Content-Length", "9223372036854775807"}});
  const ResponsePlan plan = plan_response(old, answer, std::nullopt, true);
  EXPECT_TRUE(plan.keep_alive);
  EXPECT_NE(written(old, answer, plan).find("Content-Length: 9223372036854775807\r\n"),
            std::string::npos);
}

TEST(ResponseWriter, WritesInformationalAnswers) {
  const auto text = [](const ResponseHead& answer) {
    std::string out(head_bytes_bound(answer, {}), '?');
    out.resize(static_cast<std::size_t>(write_informational(out.data(), answer) - out.data()));
    return out;
  };
  EXPECT_EQ(text(response(100)), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(text(response(103, {{"Link", "</a>; rel=preload"}, {"Content-Length", "3"}})),
            "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n");
}

TEST(ResponseWriter, WritesChunkHeads) {
  const auto text = [](std::uint64_t bytes) {
    char out[kChunkHeadBytesMax];
    return std::string(out, write_chunk_head(out, bytes));
  };
  EXPECT_EQ(text(0), "0\r\n");
  EXPECT_EQ(text(1), "1\r\n");
  EXPECT_EQ(text(15), "f\r\n");
  EXPECT_EQ(text(16), "10\r\n");
  EXPECT_EQ(text(0x1a2b), "1a2b\r\n");
  EXPECT_EQ(text(UINT64_MAX), "ffffffffffffffff\r\n");
}

std::string error(int status, std::string_view text, std::string_view extra = "",
                  const ServerFields& own = {}, bool with_body = true) {
  std::string out(kErrorBytesMax, '?');
  out.resize(static_cast<std::size_t>(write_error(out.data(), status, text, extra, own, with_body) -
                                      out.data()));
  return out;
}

TEST(ErrorAnswer, SaysWhatIsWrong) {
  EXPECT_EQ(error(400, "malformed chunk size", "", {"Server: lanner\r\n", "Date: x\r\n"}),
            "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; "
            "charset=utf-8\r\nContent-Length: 38\r\n"
            "Connection: close\r\nServer: lanner\r\nDate: x\r\n\r\n400 Bad Request: malformed "
            "chunk size\n");
}

TEST(ErrorAnswer, TakesAnExtraField) {
  EXPECT_EQ(error(426, "", "Sec-WebSocket-Version: 13\r\n"),
            "HTTP/1.1 426 Upgrade Required\r\nContent-Type: text/plain; "
            "charset=utf-8\r\nContent-Length: 21\r\n"
            "Connection: close\r\nSec-WebSocket-Version: 13\r\n\r\n426 Upgrade Required\n");
}

TEST(ErrorAnswer, LeavesTheBodyOfHeadOut) {
  const std::string with = error(500, "internal error");
  const std::string without = error(500, "internal error", "", {}, false);
  EXPECT_EQ(with, without + "500 Internal Server Error: internal error\n");
  EXPECT_NE(without.find("Content-Length: 42\r\n"), std::string::npos);
}

TEST(ErrorAnswer, ContentLengthIsRight) {
  for (const int status : {400, 404, 431, 499, 599}) {
    const std::string answer = error(status, "text");
    const std::size_t body = answer.find("\r\n\r\n") + 4;
    EXPECT_NE(answer.find("Content-Length: " + std::to_string(answer.size() - body) + "\r\n"),
              std::string::npos);
  }
}

TEST(ErrorAnswer, IsBounded) {
  const std::string text(5000, 't');
  const std::string line = "X: " + std::string(5000, 'v') + "\r\n";
  EXPECT_LE(error(511, text, line, {line, line}).size(), kErrorBytesMax);
  const std::string fits = "X: " + std::string(123, 'v') + "\r\n";
  const std::string longer = "X: " + std::string(251, 'v') + "\r\n";
  const std::string answer = error(511, text, fits, {longer, fits});
  EXPECT_LE(answer.size(), kErrorBytesMax);
  EXPECT_NE(answer.find(longer), std::string::npos);
}

}  // namespace
}  // namespace lanner::http1
