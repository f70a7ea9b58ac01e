#include "http1/chunked.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::http1 {
namespace {

struct Outcome {
  std::string data;
  Errc code = Errc::ok;
  bool done = false;
  std::size_t used = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << '"' << outcome.data << "\" " << error_name(outcome.code)
             << (outcome.done ? " done" : "") << " used " << outcome.used;
}

void feed(ChunkedDecoder& decoder, std::string_view in, const http::Limits& limits,
          Outcome* outcome) {
  while (!in.empty() && outcome->code == Errc::ok && !outcome->done) {
    const std::size_t before = in.size();
    std::string_view piece;
    const Result<ChunkedDecoder::Step> step = decoder.next(in, limits, &piece);
    outcome->used += before - in.size();
    if (!step) {
      outcome->code = step.code();
      return;
    }
    if (*step == ChunkedDecoder::Step::data) {
      ASSERT_FALSE(piece.empty());
      outcome->data += piece;
    }
    outcome->done = *step == ChunkedDecoder::Step::done;
    ASSERT_LT(in.size(), before) << "no progress";
  }
}

Outcome decode(std::string_view wire, std::size_t step, const http::Limits& limits) {
  ChunkedDecoder decoder;
  Outcome outcome;
  for (std::size_t at = 0; at < wire.size(); at += step)
    feed(decoder, wire.substr(at, step), limits, &outcome);
  EXPECT_EQ(decoder.data_bytes(), outcome.data.size());
  return outcome;
}

// Cut in two at each byte, and byte by byte: a decoder that is right must not notice.
Outcome run(std::string_view wire, const http::Limits& limits = {}) {
  const Outcome whole = decode(wire, wire.size() + 1, limits);
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    ChunkedDecoder decoder;
    Outcome outcome;
    feed(decoder, wire.substr(0, cut), limits, &outcome);
    feed(decoder, wire.substr(cut), limits, &outcome);
    EXPECT_EQ(outcome, whole) << "cut at " << cut << " of " << wire;
  }
  EXPECT_EQ(decode(wire, 1, limits), whole) << wire;
  return whole;
}

void accepts(std::string_view wire, std::string_view data) {
  EXPECT_EQ(run(wire), (Outcome{std::string(data), Errc::ok, true, wire.size()})) << wire;
}

Errc refusal(std::string_view wire) { return run(wire).code; }

// The code for what follows a chunk size of 5 in its line.
Errc refusal_of_line(std::string_view line) {
  return refusal(std::string(line) + "\r\nhello\r\n0\r\n\r\n");
}

TEST(Chunked, JoinsChunks) { accepts("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde"); }

TEST(Chunked, MayBeEmpty) { accepts("0\r\n\r\n", ""); }

TEST(Chunked, ReadsHexSizes) {
  const std::string data(0xaB, 'x');
  accepts("aB\r\n" + data + "\r\n0\r\n\r\n", data);
  accepts("0005\r\nhello\r\n000\r\n\r\n", "hello");
}

TEST(Chunked, WaitsForTheRest) { EXPECT_EQ(run("5\r\nab"), (Outcome{"ab", Errc::ok, false, 5})); }

TEST(Chunked, LeavesWhatFollows) {
  const Outcome outcome = run("1\r\na\r\n0\r\n\r\nGET /");
  EXPECT_TRUE(outcome.done);
  EXPECT_EQ(outcome.used, 11u);
}

TEST(Chunked, RefusesMalformedSizes) {
  for (const char* line : {"", "x", "0x5", "-5", "+5", " 5", "5x", "5_", ";a", "g"}) {
    EXPECT_EQ(refusal_of_line(line), Errc::chunk_size_invalid) << line;
  }
}

TEST(Chunked, LimitsTheDigits) {
  EXPECT_EQ(run("0000000000000001\r\na\r\n0\r\n\r\n").code, Errc::ok);
  EXPECT_EQ(refusal("00000000000000001\r\n"), Errc::chunk_size_invalid);
  EXPECT_EQ(refusal("10000000000000005\r\n"), Errc::chunk_size_invalid);
  EXPECT_EQ(refusal("8000000000000000\r\n"), Errc::chunk_size_invalid);
  EXPECT_EQ(refusal("7fffffffffffffff\r\nab"), Errc::ok);
}

TEST(Chunked, RefusesBareLf) {
  EXPECT_EQ(refusal("1\nx\r\n0\r\n\r\n"), Errc::bare_lf);
  EXPECT_EQ(refusal_of_line("5;\n"), Errc::bare_lf);
  EXPECT_EQ(refusal_of_line("5;a\n"), Errc::bare_lf);
  EXPECT_EQ(refusal_of_line("5;a=\"\n\""), Errc::bare_lf);
  EXPECT_EQ(refusal("0\r\nA: b\n\r\n"), Errc::bare_lf);
  EXPECT_EQ(refusal("0\r\n\n"), Errc::bare_lf);
}

TEST(Chunked, RefusesBareCr) {
  EXPECT_EQ(refusal("5\rhello\r\n0\r\n\r\n"), Errc::bare_cr);
  EXPECT_EQ(refusal_of_line("5\r\r;AB"), Errc::bare_cr);
  EXPECT_EQ(refusal("0\r\n\rX"), Errc::bare_cr);
  EXPECT_EQ(refusal("0\r\nA: b\rX"), Errc::bare_cr);
}

TEST(Chunked, IgnoresValidExtensions) {
  for (const char* line : {"5;a", "5;a=b", "5;a=b;c", "5 ; a = b ; c", "5\t;\ta", "5;a=\"q;\\\"x\"",
                           "5;a=\"\"", "5;a=\"\tx\xE9\";b", "5;a=\"x\" ;b", "5;!#$=1"}) {
    accepts(std::string(line) + "\r\nhello\r\n0;z\r\n\r\n", "hello");
  }
}

TEST(Chunked, RefusesMalformedExtensions) {
  for (const char* line : {"5;",      "5; ",        "5;;",     "5;a;",         "5;=b",
                           "5;a=",    "5;a= ",      "5;a=;",   "5;a=b=c",      "5;a b",
                           "5;a=b c", "5 ",         "5;a ",    "5;a=b ",       "5;a=\"b\" ",
                           "5;a=\"b", "5;a=\"b\"c", "5;\"a\"", "5;a=\"\x01\"", "5;a=\"\\\x01\"",
                           "5;(a)",   "5;\x7F",     "5 5",     "5;a\x80"}) {
    EXPECT_EQ(refusal_of_line(line), Errc::chunk_extension_invalid) << line;
  }
  EXPECT_EQ(refusal_of_line(std::string_view("5;\0a", 4)), Errc::chunk_extension_invalid);
}

TEST(Chunked, RefusesDataLongerThanItsSize) {
  EXPECT_EQ(run("1\r\nab\r\n"), (Outcome{"a", Errc::chunk_data_invalid, false, 4}));
  EXPECT_EQ(refusal("1\r\na\n0\r\n\r\n"), Errc::chunk_data_invalid);
  EXPECT_EQ(refusal("1\r\na\rX"), Errc::chunk_data_invalid);
}

TEST(Chunked, DropsTrailers) { accepts("1\r\na\r\n0\r\nX-Sum: 1\r\nY:\r\n\r\n", "a"); }

TEST(Chunked, RefusesMalformedTrailers) {
  for (const char* line :
       {"X Y: z", ": z", " X: z", "X", "X: \x01", "X: \x7F", "X\x80: z", "@: z"}) {
    EXPECT_EQ(refusal("0\r\n" + std::string(line) + "\r\n\r\n"), Errc::trailer_invalid) << line;
  }
}

TEST(Chunked, DropsTrailersWhateverTheirNames) {
  for (const char* name :
       {"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "Content-Type",
        "Content-Encoding", "Content-Range", "Connection", "Expect", "Keep-Alive", "TE", "Trailer",
        "Upgrade", "Forwarded", "Hosts", "Content_Length", "Transfer-Encodings"}) {
    accepts("1\r\na\r\n0\r\n" + std::string(name) + ": 1\r\n\r\n", "a");
  }
}

TEST(Chunked, RefusesFramingAndRoutingInTrailers) {
  for (const char* name : {"Content-Length", "transfer-encoding", "HOST"}) {
    EXPECT_EQ(refusal("0\r\n" + std::string(name) + ": 1\r\n\r\n"), Errc::trailer_forbidden)
        << name;
    EXPECT_EQ(refusal("0\r\nX: y\r\n" + std::string(name) + ": 1\r\n\r\n"), Errc::trailer_forbidden)
        << name;
  }
}

TEST(Chunked, LimitsTrailers) {
  http::Limits limits;
  limits.trailer_fields = 2;
  EXPECT_EQ(run("0\r\nA: b\r\nA: b\r\n\r\n", limits).code, Errc::ok);
  EXPECT_EQ(run("0\r\nA: b\r\nA: b\r\nA: b\r\n\r\n", limits).code, Errc::trailer_too_long);
  limits.trailer_bytes = 12;
  EXPECT_EQ(run("0\r\nA: b\r\nA: b\r\n\r\n", limits).code, Errc::ok);
  EXPECT_EQ(run("0\r\nA: b\r\nA: bc\r\n\r\n", limits).code, Errc::trailer_too_long);
  limits.trailer_fields = limits.trailer_bytes = 0;
  EXPECT_EQ(run("0\r\n\r\n", limits).code, Errc::ok);
  EXPECT_EQ(run("0\r\nA: b\r\n\r\n", limits).code, Errc::trailer_too_long);
}

TEST(Chunked, LimitsFramingBeyondTheData) {
  http::Limits limits;
  limits.chunk_overhead_bytes = 20;
  EXPECT_EQ(run("5;aaaaaaaaaa\r\nhello\r\n0\r\n\r\n", limits).code, Errc::ok);
  EXPECT_EQ(run("5;aaaaaaaaaaaaaaaaaaaaaaaa\r\nhello\r\n0\r\n\r\n", limits).code,
            Errc::chunk_overhead);
  std::string flood;
  for (int i = 0; i < 30; ++i) flood += "1\r\na\r\n";  // 5 bytes of framing for each of data
  EXPECT_EQ(run(flood, limits).code, Errc::chunk_overhead);
  std::string fair;
  for (int i = 0; i < 30; ++i) fair += "5\r\nhello\r\n";
  EXPECT_EQ(run(fair, limits).code, Errc::ok);
}

TEST(Chunked, TellsWhereTheErrorIs) {
  ChunkedDecoder decoder;
  std::string_view in = "3\r\nabcX";
  std::string_view piece;
  ASSERT_TRUE(decoder.next(in, {}, &piece));
  EXPECT_EQ(decoder.next(in, {}, &piece).error(), (Error{Errc::chunk_data_invalid, 6}));
}

}  // namespace
}  // namespace lanner::http1
