#include "http1/field_rules.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "http/ascii.h"

namespace lanner::http1 {
namespace {

using http::BodyFraming;
using http::RequestHead;
using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

struct Outcome {
  Errc code = Errc::ok;
  RequestHead head;
};

Outcome apply(const Fields& fields, RequestHead head = {}) {
  FieldRules rules;
  for (const auto& [name, value] : fields) {
    const Errc code = rules.apply({name, value, http::token_from_name(name)}, &head);
    if (code != Errc::ok) return {code, head};
  }
  return {rules.finish(&head), head};
}

// With a Host before them.
Outcome on_11(Fields fields) {
  fields.insert(fields.begin(), {"Host", "t"});
  return apply(fields);
}

Outcome on_10(const Fields& fields) {
  RequestHead head;
  head.minor_version = 0;
  return apply(fields, head);
}

TEST(FieldRules, WantsOneHost) {
  EXPECT_EQ(apply({}).code, Errc::host_missing);
  EXPECT_EQ(apply({{"Host", "a"}, {"host", "a"}}).code, Errc::host_repeated);
  EXPECT_EQ(apply({{"Host", ""}}).code, Errc::host_invalid);
  EXPECT_EQ(apply({{"Host", "a b"}}).code, Errc::host_invalid);
  EXPECT_EQ(apply({{"HOST", "a:80"}}).head.authority, "a:80");
  EXPECT_EQ(on_10({}).code, Errc::ok);
  EXPECT_EQ(on_10({}).head.authority, "");
  EXPECT_EQ(on_10({{"Host", ""}}).code, Errc::host_invalid);
}

TEST(FieldRules, HostAgreesWithTheTarget) {
  RequestHead head;
  head.target = "http://a/";
  head.form = http::TargetForm::absolute;
  head.authority = "a";
  EXPECT_EQ(apply({{"Host", "A:80"}}, head).code, Errc::ok);
  EXPECT_EQ(apply({{"Host", "A:80"}}, head).head.authority, "a");
  EXPECT_EQ(apply({{"Host", "b"}}, head).code, Errc::host_mismatch);
}

TEST(FieldRules, ReadsContentLength) {
  EXPECT_EQ(on_11({}).head.framing, BodyFraming::none);
  EXPECT_EQ(on_11({{"Content-Length", "0"}}).head.framing, BodyFraming::length);
  EXPECT_EQ(on_11({{"content-length", "010"}}).head.content_length, 10u);
  EXPECT_EQ(on_11({{"Content-Length", "9223372036854775807"}}).head.content_length,
            9223372036854775807u);
  EXPECT_EQ(on_10({{"Content-Length", "3"}}).head.framing, BodyFraming::length);
}

TEST(FieldRules, RefusesMalformedContentLength) {
  for (const char* value :
       {"", "+5", "-1", "-0", "0x5", "5x", "1 0", "1_0", "5, 5", "5, 6", "\"5\"", "5.0",
        "9223372036854775808", "18446744073709551621", "\xD9\xA5"}) {
    EXPECT_EQ(on_11({{"Content-Length", value}}).code, Errc::content_length_invalid) << value;
  }
}

TEST(FieldRules, TakesChunkedOnly) {
  EXPECT_EQ(on_11({{"transfer-encoding", "ChunKed"}}).head.framing, BodyFraming::chunked);
  for (const char* value : {"gzip", "identity", "xchunked", "chunkedx", "gzip, chunked",
                            "gzip;q=\"a, chunked\"", "gzip ; a=b"}) {
    EXPECT_EQ(on_11({{"Transfer-Encoding", value}}).code, Errc::transfer_encoding_unknown) << value;
  }
  for (const char* value : {"", "chunked, chunked", "chunked, gzip", "chunked;q=1", "\"chunked\"",
                            "chunked,", "gzip chunked", "=, gzip",
                            "\xA0"
                            "chunked"}) {
    EXPECT_EQ(on_11({{"Transfer-Encoding", value}}).code, Errc::transfer_encoding_invalid) << value;
  }
  EXPECT_EQ(on_10({{"Transfer-Encoding", "chunked"}}).code, Errc::transfer_encoding_invalid);
}

TEST(FieldRules, RefusesTwoFramings) {
  EXPECT_EQ(on_11({{"Content-Length", "5"}, {"Content-Length", "5"}}).code,
            Errc::content_length_repeated);
  EXPECT_EQ(on_11({{"Content-Length", "5"}, {"Transfer-Encoding", "chunked"}}).code,
            Errc::framing_ambiguous);
  EXPECT_EQ(on_11({{"Transfer-Encoding", "chunked"}, {"Content-Length", "0"}}).code,
            Errc::framing_ambiguous);
  EXPECT_EQ(on_11({{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}).code,
            Errc::transfer_encoding_invalid);
}

// The list on one line, and with each comma as a line's end.
std::pair<Outcome, Outcome> whole_and_split(std::string_view name, std::string_view list,
                                            const Fields& before) {
  Fields whole = before;
  whole.push_back({name, list});
  Fields split = before;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    split.push_back({name, http::trim_blanks(list.substr(at, end - at))});
    at = end + 1;
  }
  return {on_11(whole), on_11(split)};
}

TEST(FieldRules, ListsMeanTheSameOnOneLineAndOnSeveral) {
  constexpr std::string_view kMembers[] = {"",           "chunked",      "gzip",  "x y",
                                           "keep-alive", "100-continue", "close", "upgrade"};
  for (const std::string_view name : {"Transfer-Encoding", "Connection", "Expect", "Upgrade"}) {
    for (const std::string_view a : kMembers) {
      for (const std::string_view b : kMembers) {
        for (const std::string_view c : kMembers) {
          const std::string list = std::string(a) + ", " + std::string(b) + " ," + std::string(c);
          for (const Fields& before :
               {Fields{}, Fields{{"Content-Length", "1"}}, Fields{{"Connection", "upgrade"}}}) {
            const auto [whole, split] = whole_and_split(name, list, before);
            EXPECT_EQ(whole.code, split.code) << name << ": " << list;
            if (whole.code != Errc::ok || split.code != Errc::ok) continue;
            EXPECT_EQ(whole.head.framing, split.head.framing) << name << ": " << list;
            EXPECT_EQ(whole.head.keep_alive, split.head.keep_alive) << name << ": " << list;
            EXPECT_EQ(whole.head.expect_continue, split.head.expect_continue)
                << name << ": " << list;
            EXPECT_EQ(whole.head.upgrade, split.head.upgrade) << name << ": " << list;
          }
        }
      }
    }
  }
}

TEST(FieldRules, EmptyMembersMeanNothing) {
  EXPECT_EQ(on_11({{"Transfer-Encoding", ", ,chunked"}}).head.framing, BodyFraming::chunked);
  EXPECT_EQ(on_11({{"Transfer-Encoding", ""}, {"Transfer-Encoding", "chunked"}}).head.framing,
            BodyFraming::chunked);
  EXPECT_FALSE(on_11({{"Connection", ", close,"}}).head.keep_alive);
  EXPECT_EQ(on_11({{"Expect", ""}, {"Content-Length", "1"}}).code, Errc::ok);
  EXPECT_FALSE(on_11({{"Expect", " , "}, {"Content-Length", "1"}}).head.expect_continue);
  EXPECT_TRUE(on_11({{"Expect", ",100-continue,"}, {"Content-Length", "1"}}).head.expect_continue);
  EXPECT_FALSE(on_11({{"Connection", "upgrade"}, {"Upgrade", ","}}).head.upgrade);
  EXPECT_TRUE(
      on_11({{"Connection", "upgrade"}, {"Upgrade", ""}, {"Upgrade", ",h2c"}}).head.upgrade);
}

TEST(FieldRules, ContentLengthIsNoList) {
  for (const char* list : {"5, 5", "5, 6", "5,", ",5", "5, "}) {
    const auto [whole, split] = whole_and_split("Content-Length", list, {});
    EXPECT_NE(whole.code, Errc::ok) << list;
    EXPECT_NE(split.code, Errc::ok) << list;
  }
}

TEST(FieldRules, LookalikesFrameNothing) {
  EXPECT_EQ(on_11({{"Transfer_Encoding", "chunked"}, {"Content_Length", "9"}}).head.framing,
            BodyFraming::none);
}

TEST(FieldRules, RefusesRepeatedSingles) {
  for (const char* name : {"Authorization", "Content-Range", "Content-Type", "Date", "From",
                           "If-Modified-Since", "If-Range", "If-Unmodified-Since", "Origin",
                           "Proxy-Authorization", "Range", "Referer", "User-Agent"}) {
    EXPECT_EQ(on_11({{name, "a"}}).code, Errc::ok) << name;
    EXPECT_EQ(on_11({{name, "a"}, {"X", "b"}, {name, "a"}}).code, Errc::field_repeated) << name;
  }
  EXPECT_EQ(on_11({{"Cookie", "a"},
                   {"Cookie", "b"},
                   {"Accept", "a"},
                   {"Accept", "b"},
                   {"X", "a"},
                   {"X", "a"}})
                .code,
            Errc::ok);
}

TEST(FieldRules, ConnectionsOf11PersistUnlessClosed) {
  const auto keeps = [](const Fields& fields) { return on_11(fields).head.keep_alive; };
  EXPECT_TRUE(keeps({}));
  EXPECT_TRUE(keeps({{"Connection", "closed, x-close"}}));
  EXPECT_FALSE(keeps({{"Connection", "x-foo , Close"}}));
  EXPECT_FALSE(keeps({{"Connection", "keep-alive"}, {"Connection", "close"}}));
}

TEST(FieldRules, ConnectionsOf10PersistIfAsked) {
  const auto keeps = [](const Fields& fields) { return on_10(fields).head.keep_alive; };
  EXPECT_FALSE(keeps({}));
  EXPECT_TRUE(keeps({{"Connection", "keep-alive"}}));
  EXPECT_TRUE(keeps({{"Connection", "x, Keep-Alive"}}));
  EXPECT_FALSE(keeps({{"Connection", "keep-alive, close"}}));
}

TEST(FieldRules, KnowsOneExpectation) {
  EXPECT_TRUE(on_11({{"Expect", "100-Continue"}, {"Content-Length", "1"}}).head.expect_continue);
  EXPECT_TRUE(
      on_11({{"Transfer-Encoding", "chunked"}, {"Expect", "100-continue"}}).head.expect_continue);
  EXPECT_FALSE(on_11({{"Expect", "100-continue"}}).head.expect_continue);
  EXPECT_FALSE(on_11({{"Expect", "100-continue"}, {"Content-Length", "0"}}).head.expect_continue);
  EXPECT_EQ(on_11({{"Expect", "x"}}).code, Errc::expectation_failed);
  EXPECT_EQ(on_11({{"Expect", "100-continue, x"}}).code, Errc::expectation_failed);
  EXPECT_EQ(on_11({{"Expect", "x=\"a, 100-continue\""}}).code, Errc::expectation_failed);
  EXPECT_TRUE(on_11({{"Expect", "100-continue, 100-continue"}, {"Content-Length", "1"}})
                  .head.expect_continue);
  EXPECT_EQ(on_10({{"Expect", "x"}, {"Content-Length", "1"}}).code, Errc::ok);
  EXPECT_FALSE(on_10({{"Expect", "100-continue"}, {"Content-Length", "1"}}).head.expect_continue);
}

TEST(FieldRules, UpgradeNeedsBothFields) {
  EXPECT_TRUE(
      on_11({{"Connection", "keep-alive, Upgrade"}, {"Upgrade", "websocket"}}).head.upgrade);
  EXPECT_FALSE(on_11({{"Connection", "Upgrade"}}).head.upgrade);
  EXPECT_FALSE(on_11({{"Upgrade", "websocket"}}).head.upgrade);
}

}  // namespace
}  // namespace lanner::http1
