#include "http1/head_parser.h"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lanner::http1 {
namespace {

using http::RequestHead;

// A parse whose memory lives as long as it does.
struct Parsed {
  std::vector<http::Field> fields = std::vector<http::Field>(128);
  RequestHead head;
  Result<std::size_t> result = std::size_t{0};
};

Parsed parse(std::string_view wire, const http::Limits& limits = {}) {
  Parsed parsed;
  parsed.result = parse_head(wire, 0, limits, parsed.fields, &parsed.head);
  return parsed;
}

// Whole, at every cut, and byte by byte: the verdict must be one.
Errc verdict(const std::string& wire, const http::Limits& limits = {}) {
  const Errc whole = parse(wire, limits).result.code();
  Parsed parsed;
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    const std::string_view all = wire;
    Result<std::size_t> first =
        parse_head(all.substr(0, cut), 0, limits, parsed.fields, &parsed.head);
    if (first && *first == 0) first = parse_head(all, cut, limits, parsed.fields, &parsed.head);
    EXPECT_EQ(first.code(), whole) << "cut at " << cut << " of " << wire;
  }
  Result<std::size_t> last = std::size_t{0};
  for (std::size_t bytes = 1; bytes <= wire.size() && last && *last == 0; ++bytes) {
    last = parse_head({wire.data(), bytes}, bytes - 1, limits, parsed.fields, &parsed.head);
  }
  EXPECT_EQ(last.code(), whole) << "byte by byte: " << wire;
  return whole;
}

std::string get(std::string_view fields) {
  return "GET / HTTP/1.1\r\nHost: t\r\n" + std::string(fields) + "\r\n";
}

TEST(HeadParser, ReadsRequestLineAndFields) {
  const std::string wire =
      "POST /a%20b?c=d HTTP/1.1\r\nHost: t.example:80\r\nX-Two:  v \t w\t \r\ncontent-LENGTH: "
      "12\r\n\r\nbody";
  const Parsed parsed = parse(wire);
  ASSERT_TRUE(parsed.result);
  EXPECT_EQ(*parsed.result, wire.size() - 4);
  const RequestHead& head = parsed.head;
  EXPECT_EQ(head.method, http::Method::post);
  EXPECT_EQ(head.method_text, "POST");
  EXPECT_EQ(head.target, "/a%20b?c=d");
  EXPECT_EQ(head.path, "/a%20b");
  EXPECT_TRUE(head.path_has_escapes);
  EXPECT_EQ(head.query, "c=d");
  EXPECT_EQ(head.authority, "t.example:80");
  EXPECT_EQ(head.minor_version, 1);
  EXPECT_EQ(head.framing, http::BodyFraming::length);
  EXPECT_EQ(head.content_length, 12u);
  EXPECT_TRUE(head.keep_alive);
  ASSERT_EQ(head.fields.size(), 3u);
  EXPECT_EQ(head.fields[1].name, "X-Two");
  EXPECT_EQ(head.fields[1].value, "v \t w");
  EXPECT_EQ(head.fields[1].token, http::Token::unknown);
  EXPECT_EQ(head.fields[2].token, http::Token::content_length);
  EXPECT_EQ(head.find(http::Token::host)->value, "t.example:80");
}

TEST(HeadParser, ViewsPointIntoTheInput) {
  const std::string wire = get("A: b\r\n");
  const Parsed parsed = parse(wire);
  ASSERT_TRUE(parsed.result);
  for (const http::Field& field : parsed.head.fields) {
    EXPECT_GE(field.name.data(), wire.data());
    EXPECT_LE(field.value.data() + field.value.size(), wire.data() + wire.size());
  }
}

TEST(HeadParser, AsksForMoreUntilTheHeadIsWhole) {
  const std::string wire =
      get("User-Agent: x\r\nAccept: */*\r\nX-Long: " + std::string(100, 'v') + "\r\n");
  for (std::size_t bytes = 0; bytes < wire.size(); ++bytes) {
    const Parsed parsed = parse({wire.data(), bytes});
    ASSERT_TRUE(parsed.result) << bytes;
    EXPECT_EQ(*parsed.result, 0u) << bytes;
  }
  EXPECT_EQ(*parse(wire).result, wire.size());
  EXPECT_EQ(*parse(wire + "GET").result, wire.size());
}

TEST(HeadParser, ReadsNothingPastTheInput) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* const memory = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
  const std::string wire =
      get("User-Agent: some/1.0\r\nX-A-Long-Name-That-Nobody-Knows-At-All: b\r\nA:" +
          std::string(90, 'v') + "\r\n");
  for (std::size_t bytes = 0; bytes <= wire.size(); ++bytes) {
    std::memcpy(memory + page - bytes, wire.data(), bytes);
    const Parsed parsed = parse({memory + page - bytes, bytes});
    ASSERT_TRUE(parsed.result);
    EXPECT_EQ(*parsed.result, bytes == wire.size() ? bytes : 0);
  }
  munmap(memory, 2 * page);
}

TEST(HeadParser, SkipsAFewLeadingEmptyLines) {
  std::string wire = get("");
  for (int lines = 0; lines <= http::kLeadingEmptyLines; ++lines) {
    EXPECT_EQ(verdict(wire), Errc::ok);
    EXPECT_EQ(*parse(wire).result, wire.size());
    wire = "\r\n" + wire;
  }
  EXPECT_EQ(verdict(wire), Errc::empty_lines);
  EXPECT_EQ(verdict("\rX"), Errc::bare_cr);
  EXPECT_EQ(verdict("\nGET"), Errc::bare_lf);
}

TEST(HeadParser, RefusesGarbageAtTheFirstByte) {
  EXPECT_EQ(verdict("\x16\x03\x01"), Errc::method_invalid);  // a TLS ClientHello
  EXPECT_EQ(verdict(std::string("\0", 1)), Errc::method_invalid);
  EXPECT_EQ(verdict(" "), Errc::method_invalid);
  EXPECT_EQ(verdict("{"), Errc::method_invalid);
}

TEST(HeadParser, RefusesMalformedRequestLines) {
  const std::string rest = "\r\nHost: t\r\n\r\n";
  EXPECT_EQ(verdict("GET  / HTTP/1.1" + rest), Errc::request_line_invalid);
  EXPECT_EQ(verdict("GET / HTTP/1.1 " + rest), Errc::request_line_invalid);
  EXPECT_EQ(verdict("GET /" + rest), Errc::request_line_invalid);
  EXPECT_EQ(verdict("GET / " + rest), Errc::request_line_invalid);
  EXPECT_EQ(verdict("GET" + rest), Errc::request_line_invalid);
  EXPECT_EQ(verdict("GET HTTP/1.1" + rest), Errc::request_line_invalid);
  EXPECT_EQ(verdict("GET\t/ HTTP/1.1" + rest), Errc::method_invalid);
  EXPECT_EQ(verdict("G(T / HTTP/1.1" + rest), Errc::method_invalid);
  EXPECT_EQ(verdict("GET /\t HTTP/1.1" + rest), Errc::target_invalid);
  EXPECT_EQ(verdict("GET /#a HTTP/1.1" + rest), Errc::target_invalid);
  EXPECT_EQ(verdict("GET /\xC3\xA9 HTTP/1.1" + rest), Errc::target_invalid);
  EXPECT_EQ(verdict("GET /\x7F HTTP/1.1" + rest), Errc::target_invalid);
  EXPECT_EQ(verdict("GET / HTTP/1.1\nHost: t\r\n\r\n"), Errc::bare_lf);
  EXPECT_EQ(verdict("GET / HTTP/1.1\rHost: t\r\n\r\n"), Errc::bare_cr);
  EXPECT_EQ(verdict("GET /\n"), Errc::bare_lf);
  EXPECT_EQ(verdict("GET\n"), Errc::bare_lf);
}

TEST(HeadParser, ReadsVersions) {
  const auto version = [](std::string_view text) {
    return verdict("GET / " + std::string(text) + "\r\nHost: t\r\n\r\n");
  };
  for (const char* text : {"HTTP/1.0", "HTTP/1.1", "HTTP/1.2", "HTTP/1.9"})
    EXPECT_EQ(version(text), Errc::ok) << text;
  for (const char* text : {"HTTP/0.9", "HTTP/2.0", "HTTP/3.0", "HTTP/9.9"}) {
    EXPECT_EQ(version(text), Errc::version_not_supported) << text;
  }
  for (const char* text :
       {"http/1.1", "HTTP/1", "HTTP/1.", "HTTP/1.10", "HTTP/01.1", "HTTP/4294967297.1", "ICE/1.1",
        "HTTP/1,1", "HTTP 1.1", "HTTP/a.1", "HTTPS/1.1", "HTTP/1.1x", "HTTP/2"}) {
    EXPECT_EQ(version(text), Errc::request_line_invalid) << text;
  }
  EXPECT_EQ(parse("GET / HTTP/1.0\r\n\r\n").head.minor_version, 0);
  EXPECT_EQ(parse("GET / HTTP/1.7\r\nHost: t\r\n\r\n").head.minor_version, 1);
  EXPECT_EQ(verdict("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Errc::version_not_supported);
}

TEST(HeadParser, PassesUnknownMethodsOn) {
  const Parsed parsed = parse("get / HTTP/1.1\r\nHost: t\r\n\r\n");
  ASSERT_TRUE(parsed.result);
  EXPECT_EQ(parsed.head.method, http::Method::unknown);
  EXPECT_EQ(parsed.head.method_text, "get");
  EXPECT_EQ(verdict("CONNECT t:443 HTTP/1.1\r\nHost: t:443\r\n\r\n"), Errc::method_not_supported);
}

TEST(HeadParser, RefusesMalformedFieldLines) {
  EXPECT_EQ(verdict(get("A : b\r\n")), Errc::field_name_invalid);
  EXPECT_EQ(verdict(get("A\t: b\r\n")), Errc::field_name_invalid);
  EXPECT_EQ(verdict(get("A\x85: b\r\n")), Errc::field_name_invalid);
  EXPECT_EQ(verdict(get(": b\r\n")), Errc::field_name_invalid);
  EXPECT_EQ(verdict(get("A[]: b\r\n")), Errc::field_name_invalid);
  EXPECT_EQ(verdict(get("A b\r\n")), Errc::field_name_invalid);
  EXPECT_EQ(verdict(get("AB\r\n")), Errc::field_invalid);
  EXPECT_EQ(verdict(get("A: b\r\n c\r\n")), Errc::field_folded);
  EXPECT_EQ(verdict(get("A: b\r\n\tc\r\n")), Errc::field_folded);
  EXPECT_EQ(verdict(get("A: b\n")), Errc::bare_lf);
  EXPECT_EQ(verdict(get("A\n: b\r\n")), Errc::bare_lf);
  EXPECT_EQ(verdict(get("\nA: b\r\n")), Errc::bare_lf);
  EXPECT_EQ(verdict(get("A: b\rC: d\r\n")), Errc::bare_cr);
  EXPECT_EQ(verdict(get("\rZ\r\n")), Errc::bare_cr);
  EXPECT_EQ(verdict(get(std::string("A: b\0c\r\n", 8))), Errc::field_value_invalid);
  EXPECT_EQ(verdict(get("A: b\x7F\r\n")), Errc::field_value_invalid);
  EXPECT_EQ(verdict(get("A: \x0B"
                        "b\r\n")),
            Errc::field_value_invalid);
  EXPECT_EQ(verdict(get("Content-Length\r: 5\r\n")), Errc::field_invalid);
}

TEST(HeadParser, RefusesInvalidNamesOfAnyLength) {
  for (std::size_t bytes = 1; bytes < 80; ++bytes) {
    std::string name(bytes, 'n');
    EXPECT_EQ(verdict(get(name + ": v\r\n")), Errc::ok);
    name[bytes / 2] = '@';
    EXPECT_EQ(verdict(get(name + ": v\r\n")), Errc::field_name_invalid);
  }
}

TEST(HeadParser, KeepsHighBytesOfValues) {
  const std::string wire = get("A: \xA0 caf\xE9 \x85\r\nB:\r\nC: \t \r\n");
  const Parsed parsed = parse(wire);
  ASSERT_TRUE(parsed.result);
  EXPECT_EQ(parsed.head.fields[1].value, "\xA0 caf\xE9 \x85");
  EXPECT_EQ(parsed.head.fields[2].value, "");
  EXPECT_EQ(parsed.head.fields[3].value, "");
}

TEST(HeadParser, WantsOneHost) {
  const std::string line = "GET / HTTP/1.1\r\n";
  EXPECT_EQ(verdict(line + "\r\n"), Errc::host_missing);
  EXPECT_EQ(verdict(line + "Host: a\r\nhost: a\r\n\r\n"), Errc::host_repeated);
  EXPECT_EQ(verdict(line + "Host: \r\n\r\n"), Errc::host_invalid);
  EXPECT_EQ(verdict(line + "Host: a/b\r\n\r\n"), Errc::host_invalid);
  EXPECT_EQ(verdict("GET / HTTP/1.0\r\n\r\n"), Errc::ok);
  EXPECT_EQ(verdict("GET / HTTP/1.0\r\nHost: \r\n\r\n"), Errc::host_invalid);
}

TEST(HeadParser, HostAgreesWithAnAbsoluteTarget) {
  EXPECT_EQ(verdict("GET http://a/ HTTP/1.1\r\nHost: A:80\r\n\r\n"), Errc::ok);
  EXPECT_EQ(verdict("GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n"), Errc::host_mismatch);
  EXPECT_EQ(verdict("GET http://a/ HTTP/1.1\r\n\r\n"), Errc::host_missing);
  EXPECT_EQ(parse("GET http://a:1/ HTTP/1.0\r\n\r\n").head.authority, "a:1");
  EXPECT_EQ(verdict("GET * HTTP/1.1\r\nHost: a\r\n\r\n"), Errc::target_invalid);
  EXPECT_EQ(verdict("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n"), Errc::target_invalid);
}

TEST(HeadParser, ForgetsTheHeadBefore) {
  Parsed parsed =
      parse(get("Transfer-Encoding: chunked\r\nConnection: close, upgrade\r\nUpgrade: x\r\n"));
  const std::string wire = "OPTIONS * HTTP/1.0\r\n\r\n";
  ASSERT_TRUE(parse_head(wire, 0, {}, parsed.fields, &parsed.head));
  EXPECT_EQ(parsed.head.framing, http::BodyFraming::none);
  EXPECT_EQ(parsed.head.authority, "");
  EXPECT_FALSE(parsed.head.upgrade);
  EXPECT_TRUE(parsed.head.fields.empty());
}

http::Limits limited() {
  http::Limits limits;
  limits.request_line_bytes = 30;
  limits.field_bytes = 20;
  limits.fields = 3;
  limits.head_bytes = 100;
  return limits;
}

TEST(HeadParser, LimitsTheRequestLine) {
  const auto line = [](std::size_t bytes) {  // without CRLF
    return "GET /" + std::string(bytes - 14, 'a') + " HTTP/1.1\r\nHost: t\r\n\r\n";
  };
  EXPECT_EQ(verdict(line(30), limited()), Errc::ok);
  EXPECT_EQ(verdict(line(31), limited()), Errc::request_line_too_long);
  EXPECT_EQ(verdict(line(60), limited()), Errc::request_line_too_long);
  EXPECT_EQ(verdict(std::string(32, 'G') + "\r\n", limited()), Errc::request_line_too_long);
  EXPECT_EQ(parse(std::string(32, 'G'), limited()).result.code(), Errc::request_line_too_long);
  EXPECT_EQ(parse("GET /" + std::string(16385, 'a')).result.code(), Errc::request_line_too_long);
}

TEST(HeadParser, LimitsFields) {
  const auto field = [](std::size_t bytes) {
    return get("A:" + std::string(bytes - 2, 'b') + "\r\n");
  };
  EXPECT_EQ(verdict(field(20), limited()), Errc::ok);
  EXPECT_EQ(verdict(field(21), limited()), Errc::field_too_long);
  EXPECT_EQ(verdict(get(std::string(22, 'n')), limited()), Errc::field_too_long);
  EXPECT_EQ(verdict(get("A: b\r\nA: b\r\n"), limited()), Errc::ok);
  EXPECT_EQ(verdict(get("A: b\r\nA: b\r\nA: b\r\n"), limited()), Errc::fields_too_many);
  http::Limits many;
  many.fields = 1'000'000;  // never more than there is room for
  std::string lines;
  for (int i = 0; i < 128; ++i) lines += "A: b\r\n";
  EXPECT_EQ(parse(get(lines), many).result.code(), Errc::fields_too_many);
}

TEST(HeadParser, LimitsTheHead) {
  http::Limits limits;
  const std::string wire = get("A: " + std::string(100, 'b') + "\r\n");
  limits.head_bytes = wire.size();
  EXPECT_EQ(verdict(wire, limits), Errc::ok);
  EXPECT_EQ(verdict(wire + "GET / HTTP/1.1\r\n", limits), Errc::ok);
  for (std::size_t less = 1; less < wire.size(); ++less) {
    limits.head_bytes = wire.size() - less;
    EXPECT_EQ(parse(wire, limits).result.code(), Errc::head_too_long) << less;
  }
  limits.head_bytes = 50;
  EXPECT_EQ(verdict(wire, limits), Errc::head_too_long);
}

TEST(HeadParser, LooksAtLateBytesOnlyOnce) {
  // Nothing in the rest can end a line: it is not parsed, so the invalid name waits for its line
  // end ...
  const std::string begun = "GET / HTTP/1.1\r\nA";
  Parsed parsed;
  Result<std::size_t> result =
      parse_head(begun + "@b", begun.size(), {}, parsed.fields, &parsed.head);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 0u);
  // ... or for any control byte, or for the next 4 KiB.
  EXPECT_EQ(parse_head(begun + "@b\x01", begun.size(), {}, parsed.fields, &parsed.head).code(),
            Errc::field_name_invalid);
  EXPECT_EQ(parse_head(begun + "@" + std::string(5000, 'b'), begun.size(), {}, parsed.fields,
                       &parsed.head)
                .code(),
            Errc::field_name_invalid);
}

TEST(HeadParser, TellsWhereTheErrorIs) {
  EXPECT_EQ(parse("GET /\x01").result.error().detail, 5u);
  EXPECT_EQ(parse("\x16").result.error().detail, 0u);
  EXPECT_EQ(parse(get("A: b\x01\r\n")).result.error().detail, 29u);
}

}  // namespace
}  // namespace lanner::http1
