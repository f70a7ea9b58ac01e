#include "websocket/handshake.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::websocket {
namespace {

using http::Field;
using http::Method;
using http::RequestHead;
using http::Token;

constexpr std::string_view kKey = "dGhlIHNhbXBsZSBub25jZQ==";  // of RFC 6455, section 1.3

// A handshake as the head parser would hand it up; tests spoil one thing of it.
struct Request {
  std::vector<Field> fields = {{"Upgrade", "websocket", Token::upgrade},
                               {"Connection", "Upgrade", Token::connection},
                               {"Sec-WebSocket-Key", kKey, Token::sec_websocket_key},
                               {"Sec-WebSocket-Version", "13", Token::sec_websocket_version}};
  RequestHead head;

  Request() {
    head.method = Method::get;
    head.upgrade = true;
  }
  void remove(Token token) {
    std::erase_if(fields, [&](const Field& field) { return field.token == token; });
  }
  void set(Token token, std::string_view value) {
    for (Field& field : fields) {
      if (field.token == token) field.value = value;
    }
  }
  Result<Handshake> check() {
    head.fields = fields;
    return check_handshake(head);
  }
};

TEST(Handshake, AcceptsTheExampleOfTheRfc) {
  Request request;
  const Result<Handshake> result = request.check();
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, Handshake::valid);
}

TEST(Handshake, UpgradeIsAListInAnyCase) {
  Request request;
  request.set(Token::upgrade, "h2c, WebSocket");
  EXPECT_EQ(*request.check(), Handshake::valid);
  request.fields.insert(request.fields.begin(), {"Upgrade", "tls/1.0", Token::upgrade});
  EXPECT_EQ(*request.check(), Handshake::valid);
}

TEST(Handshake, OtherRequestsAreNone) {
  Request without_connection;
  without_connection.head.upgrade = false;
  ASSERT_TRUE(without_connection.check());
  EXPECT_EQ(*without_connection.check(), Handshake::none);
  for (const char* value : {"h2c", "websocket2", "", "web socket", "websocket/13"}) {
    Request other;
    other.set(Token::upgrade, value);
    ASSERT_TRUE(other.check()) << value;
    EXPECT_EQ(*other.check(), Handshake::none) << value;
  }
  Request plain;
  plain.head.method = Method::post;
  plain.fields.clear();
  plain.head.upgrade = false;
  EXPECT_EQ(*plain.check(), Handshake::none);
}

TEST(Handshake, RefusesOtherMethods) {
  for (const Method method : {Method::post, Method::head, Method::options, Method::unknown}) {
    Request request;
    request.head.method = method;
    EXPECT_EQ(request.check().code(), Errc::websocket_handshake_invalid);
  }
}

TEST(Handshake, RefusesHttp10) {
  Request request;
  request.head.minor_version = 0;
  EXPECT_EQ(request.check().code(), Errc::websocket_handshake_invalid);
}

TEST(Handshake, RefusesBodies) {
  Request chunked;
  chunked.head.framing = http::BodyFraming::chunked;
  EXPECT_EQ(chunked.check().code(), Errc::websocket_handshake_invalid);
  Request length;
  length.head.framing = http::BodyFraming::length;
  length.head.content_length = 1;
  EXPECT_EQ(length.check().code(), Errc::websocket_handshake_invalid);
  length.head.content_length = 0;
  EXPECT_TRUE(length.check());
}

TEST(Handshake, RefusesBadKeys) {
  for (const char* key :
       {"", "short", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ",
        "dGhlIHNhbXBsZSBub25jZQ===", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25jZ===",
        "dGhlIHNhbXBsZS!ub25jZQ==", "dGhlIHNhbXBsZSBub25jZQAA",
        "dGhlIHNhbXBsZSBub25j ZQ=", "dGhlIHNhbXBsZSBub25j-g==", "=GhlIHNhbXBsZSBub25jZQ=="}) {
    Request request;
    request.set(Token::sec_websocket_key, key);
    EXPECT_EQ(request.check().code(), Errc::websocket_handshake_invalid) << key;
  }
  Request missing;
  missing.remove(Token::sec_websocket_key);
  EXPECT_EQ(missing.check().code(), Errc::websocket_handshake_invalid);
  Request twice;
  twice.fields.push_back({"sec-websocket-key", kKey, Token::sec_websocket_key});
  EXPECT_EQ(twice.check().code(), Errc::websocket_handshake_invalid);
}

TEST(Handshake, AcceptsEveryCanonicalLastDigit) {
  for (const char* key : {"AAAAAAAAAAAAAAAAAAAAAA==", "/////////////////////w==",
                          "+++++++++++++++++++++Q==", "zzzzzzzzzzzzzzzzzzzzzg=="}) {
    Request request;
    request.set(Token::sec_websocket_key, key);
    EXPECT_TRUE(request.check()) << key;
  }
}

TEST(Handshake, AnswersOtherVersionsApart) {
  for (const char* version : {"12", "8", "", "013", "13.0", "14", "13, 8"}) {
    Request request;
    request.set(Token::sec_websocket_version, version);
    EXPECT_EQ(request.check().code(), Errc::websocket_version) << version;
  }
  Request missing;
  missing.remove(Token::sec_websocket_version);
  EXPECT_EQ(missing.check().code(), Errc::websocket_version);
  Request twice;
  twice.fields.push_back({"Sec-WebSocket-Version", "13", Token::sec_websocket_version});
  EXPECT_EQ(twice.check().code(), Errc::websocket_version);
}

// The cases ws/bad-key and ws/bad-version of tests/vectors/http1/cases.json.
TEST(Handshake, AnswersTheVectors) {
  Request bad_key;
  bad_key.set(Token::sec_websocket_key, "short");
  EXPECT_EQ(error_status(bad_key.check().code()), 400);
  Request bad_version;
  bad_version.set(Token::sec_websocket_version, "12");
  EXPECT_EQ(error_status(bad_version.check().code()), 426);
}

}  // namespace
}  // namespace lanner::websocket
