#include "log/access_line.h"

#include <array>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::log {
namespace {

constexpr std::int64_t kWhen = 1'796'031'620'123'456;  // 2026-11-30 09:40:20.123456 UTC

// A request and its answer, as most tests need them.
class Request {
 public:
  Request() {
    head_.method = http::Method::get;
    head_.method_text = "GET";
    head_.target = "/a%20b?x=1";
    head_.path = "/a%20b";
    head_.query = "x=1";
    head_.authority = "example.org";
    head_.minor_version = 1;
    record.client = {"192.0.2.7", 5123, false};
    record.status = 200;
    record.body_bytes = 1234;
    record.duration_us = 1'002'345;
    record.unix_us = kWhen;
    record.pid = 77;
  }
  Request& field(std::string_view name, std::string_view value) {
    fields_.push_back({name, value, http::token_from_name(name)});
    return *this;
  }
  http::RequestHead& head() { return head_; }
  std::string line(std::string_view text) {
    Result<AccessFormat> format = AccessFormat::compile(text);
    EXPECT_TRUE(format) << text;
    return line(*format);
  }
  std::string line(AccessFormat& format) {
    head_.fields = fields_;
    if (!unparsed) record.head = &head_;
    Buffer out;
    format.format(record, &out);
    return std::string(out.view());
  }

  AccessRecord record;
  bool unparsed = false;

 private:
  http::RequestHead head_;
  std::vector<http::Field> fields_;
};

class AccessLine : public ::testing::Test {
 protected:
  void SetUp() override { set_zone("UTC0"); }
  static void set_zone(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
};

// A last part of less than three bytes is left out.
std::string base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string encoded;
  for (std::size_t i = 0; i + 2 < text.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t j = 0; j < 3; ++j) bits = bits << 8 | static_cast<unsigned char>(text[i + j]);
    for (int shift = 18; shift >= 0; shift -= 6) encoded += kDigits[bits >> shift & 63];
  }
  return encoded;
}

TEST_F(AccessLine, WritesGunicornsDefault) {
  Request request;
  request.field("Referer", "http://a/").field("User-Agent", "curl/8");
  EXPECT_EQ(request.line(AccessFormat::kDefault),
            "192.0.2.7 - - [30/Nov/2026:09:40:20 +0000] \"GET /a%20b?x=1 HTTP/1.1\" 200 1234 "
            "\"http://a/\" \"curl/8\"\n");
}

TEST_F(AccessLine, WritesDashesForWhatIsNotThere) {
  Request request;
  request.unparsed = true;
  request.record.status = 400;
  request.record.body_bytes = 0;
  EXPECT_EQ(request.line(AccessFormat::kDefault),
            "192.0.2.7 - - [30/Nov/2026:09:40:20 +0000] \"-\" 400 - \"-\" \"-\"\n");
  EXPECT_EQ(request.line("%(m)s %(U)s %(q)s %(H)s %(scheme)s %(u)s %({x}i)s %({x}o)s "
                         "%({QUERY_STRING}e)s"),
            "- - - - - - - - -\n");
}

TEST_F(AccessLine, KnowsEveryAtomOfGunicorn) {
  Request request;
  EXPECT_EQ(request.line("%(m)s|%(U)s|%(q)s|%(H)s|%(B)s|%(T)s|%(M)s|%(D)s|%(L)s|%(p)s|%(l)s"),
            "GET|/a%20b|x=1|HTTP/1.1|1234|1|1002|1002345|1.002345|<77>|-\n");
}

TEST_F(AccessLine, ReadsVariablesOfTheEnvironFromTheRequest) {
  Request request;
  request.field("X-Request-Id", "r1").field("Content-Type", "text/plain");
  EXPECT_EQ(request.line("%({REMOTE_ADDR}e)s %({REQUEST_METHOD}e)s %({QUERY_STRING}e)s "
                         "%({SERVER_PROTOCOL}e)s %({wsgi.url_scheme}e)s"),
            "192.0.2.7 GET x=1 HTTP/1.1 http\n");
  EXPECT_EQ(request.line("%({HTTP_X_REQUEST_ID}e)s %({CONTENT_TYPE}e)s %({CONTENT_LENGTH}e)s "
                         "%({HTTP_ACCEPT}e)s"),
            "r1 text/plain - -\n");
}

TEST_F(AccessLine, KnowsTheNamesOfGranian) {
  Request request;
  EXPECT_EQ(request.line("[%(time)s] %(addr)s - \"%(method)s %(path)s %(protocol)s\" %(status)d "
                         "%(dt_ms).3f"),
            "[2026-11-30 09:40:20 +0000] 192.0.2.7 - \"GET /a%20b HTTP/1.1\" 200 1002.345\n");
  request.head().secure = true;
  EXPECT_EQ(request.line("%(scheme)s %(query_string)s %(rbl)d"), "https x=1 1234\n");
}

TEST_F(AccessLine, WritesFieldsOfAnyName) {
  Request request;
  request.field("X-Request-Id", "7").field("X-Request-Id", "8").field("Host", "a.b");
  EXPECT_EQ(request.line("%({x-REQUEST-id}i)s %({host}i)s %({missing}i)s"), "7 a.b -\n");
}

TEST_F(AccessLine, WritesFieldsOfTheAnswer) {
  http::ResponseHead answer;
  ASSERT_TRUE(answer.set_status(200, ""));
  ASSERT_TRUE(answer.add("Content-Type", "text/plain", 1000));
  ASSERT_TRUE(answer.add("X-Id", "a\"b", 1000));
  Request request;
  request.record.response = &answer;
  EXPECT_EQ(request.line("%({content-type}o)s %({X-ID}o)s %({etag}o)s"), "text/plain a\\\"b -\n");
}

TEST_F(AccessLine, EscapesWhatCouldForgeALine) {
  Request request;
  request.field("User-Agent", "a\r\n127.0.0.1 - - \"GET / HTTP/1.1\" 200\x1b[2J\\\x7f\xff\t");
  EXPECT_EQ(request.line("\"%(a)s\""),
            "\"a\\x0d\\x0a127.0.0.1 - - \\\"GET / HTTP/1.1\\\" 200\\x1b[2J\\\\\\x7f\\xff\\x09\"\n");
}

TEST_F(AccessLine, EscapesEveryByteOfEveryPart) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  Request request;
  request.head().method_text = request.head().target = request.head().path = all;
  request.head().query = request.head().authority = request.record.client.host = all;
  request.field("Referer", all).field("X", all);
  for (const char* format : {"%(r)s%(U)s%(q)s%(m)s%(h)s%(f)s%({x}i)s", "json"}) {
    const std::string line = request.line(format);
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      ASSERT_TRUE(line[i] >= 0x20 && line[i] < 0x7f) << format << " at " << i;
    }
    ASSERT_FALSE(line.empty()) << format;
    EXPECT_EQ(line.back(), '\n');
  }
}

TEST_F(AccessLine, TakesTheUserFromBasicCredentials) {
  const auto user = [](std::string_view value) {
    return Request().field("Authorization", value).line("%(u)s");
  };
  EXPECT_EQ(user("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "Aladdin\n");
  EXPECT_EQ(user("basic  dTo="), "u\n");
  EXPECT_EQ(user("Basic YSBiCmM6eA=="), "a\\x20b\\x0ac\n");  // "a b\nc:x"
  EXPECT_EQ(user("Basic Onh4"), "-\n");                      // ":xx"
  EXPECT_EQ(user("Basic bm9jb2xvbg=="), "-\n");              // "nocolon"
  EXPECT_EQ(user("Basic !!!!"), "-\n");
  EXPECT_EQ(user("Basic"), "-\n");
  EXPECT_EQ(user("Bearer dTo="), "-\n");
  // No user-id is longer than 256 bytes: what is, is cut.
  EXPECT_EQ(user("Basic " + base64(std::string(300, 'u') + ":xx")), std::string(256, 'u') + "\n");
}

TEST_F(AccessLine, PadsAndCutsAsPythonDoes) {
  Request request;
  request.record.duration_us = 1'999'960;
  EXPECT_EQ(request.line("[%(s)5d][%(s)-5d][%(s)05d][%(m)6s][%(m)-6s][%(m)06s]"),
            "[  200][200  ][00200][   GET][GET   ][   GET]\n");
  EXPECT_EQ(request.line("%(U).2s %(dt_ms).1f %(dt_ms)d %(dt_ms)f %(dt_ms).0f %(L).2f %(L)s %(D)i"),
            "/a 2000.0 1999 1999.960000 2000 2.00 1.999960 1999960\n");
  EXPECT_EQ(request.line("%(s).2f %(h)3s %(L).9f"), "200.00 192.0.2.7 1.999960000\n");
  request.record.body_bytes = 0;
  EXPECT_EQ(request.line("[%(b)03d]"), "[  -]\n");
}

TEST_F(AccessLine, CutsLongValues) {
  Request request;
  const std::string longest(AccessFormat::kValueBytesMax, 'x');
  const std::string longer = longest + "y";
  request.field("User-Agent", longest).field("Referer", longer);
  EXPECT_EQ(request.line("%(a)s"), longest + "\n");
  EXPECT_EQ(request.line("%(f)s"), longest + "...\n");
}

TEST_F(AccessLine, ShowsUnixClients) {
  Request request;
  request.record.client = {"", 0, true};
  EXPECT_EQ(request.line("%(h)s"), "-\n");
  request.record.client = {"/run/x", 0, true};
  EXPECT_EQ(request.line("%(h)s"), "/run/x\n");
}

TEST_F(AccessLine, ShowsNoStatusAsADash) {
  Request request;
  request.record.status = 0;
  EXPECT_EQ(request.line("%(s)s"), "-\n");
  EXPECT_NE(request.line("json").find("\"status\":null,"), std::string::npos);
}

TEST_F(AccessLine, WritesJson) {
  Request request;
  request.field("User-Agent", "a\"\\\n\xff b");
  EXPECT_EQ(request.line("json"),
            "{\"time\":\"2026-11-30T09:40:20.123456Z\",\"client\":\"192.0.2.7\",\"port\":5123,"
            "\"method\":\"GET\",\"target\":\"/a%20b?x=1\",\"protocol\":\"HTTP/1.1\",\"status\":200,"
            "\"bytes\":1234,\"duration_us\":1002345,\"host\":\"example.org\",\"referer\":null,"
            "\"user_agent\":\"a\\\"\\\\\\u000a\\u00ff b\",\"pid\":77}\n");
}

TEST_F(AccessLine, WritesJsonForWhatCouldNotBeParsed) {
  Request request;
  request.unparsed = true;
  request.record.client = {"", 0, true};
  request.record.unix_us = 1'000'005;
  EXPECT_EQ(
      request.line("json"),
      "{\"time\":\"1970-01-01T00:00:01.000005Z\",\"client\":null,\"port\":null,"
      "\"method\":null,\"target\":null,\"protocol\":null,\"status\":200,\"bytes\":1234,"
      "\"duration_us\":1002345,\"host\":null,\"referer\":null,\"user_agent\":null,\"pid\":77}\n");
}

}  // namespace
}  // namespace lanner::log
