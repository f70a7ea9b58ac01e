// server/exchange_forwarding_test.cpp: what the handler is told of client, scheme, host and server;
// the peer is 192.0.2.7.

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "http/trust_list.h"
#include "server/test_rig.h"

namespace lanner::server {
namespace {

using test::answer;
using test::Client;
using test::Rig;
using test::TestHandler;
using test::TestObserver;

class Forwarding : public ::testing::Test {
 protected:
  Options options(std::string_view trusted) {
    Result<http::TrustList> list = http::TrustList::parse(trusted);
    EXPECT_EQ(list.code(), Errc::ok);
    trust = std::move(*list);
    Options plain = Rig::plain_options();
    plain.trust = &trust;
    return plain;
  }
  // "client port scheme host authority server port" of a request with these field lines.
  static std::string told(http::Exchange& exchange) {
    const http::RequestHead& head = exchange.head();
    const http::Endpoint client = exchange.client();
    const http::Endpoint server = exchange.server();
    const http::Field* host = head.find(http::Token::host);
    std::string text(client.host);
    text += " " + std::to_string(client.port) + (head.secure ? " https " : " http ");
    text += host ? std::string(host->value) : "-";
    text += " " + std::string(head.authority) + " " + std::string(server.host);
    return text + " " + std::to_string(server.port);
  }
  std::string ask(const Options& with, std::string_view lines,
                  std::string_view request_line = "GET / HTTP/1.1\r\nHost: inner\r\n") {
    std::string at_once;
    std::string kept;
    handler.script = [&](http::Exchange& exchange) {
      at_once = told(exchange);
      handler.hold(exchange, observer);
      kept = told(exchange);
      (void)answer(exchange, "ok");
    };
    Rig rig(handler, with);
    (void)rig.exchange(std::string(request_line) + std::string(lines) + "\r\n");
    EXPECT_EQ(at_once, kept) << "a head that is kept says the same";
    return kept;
  }
  std::string ask(std::string_view lines) { return ask(options("192.0.2.0/24"), lines); }

  http::TrustList trust;
  TestHandler handler;
  TestObserver observer;
};

TEST_F(Forwarding, ChangesNothingWithoutFields) {
  EXPECT_EQ(ask(""), "192.0.2.7 4711 http inner inner  0");
}

TEST_F(Forwarding, ATrustedPeerSaysWhoTheClientIs) {
  EXPECT_EQ(ask("X-Forwarded-For: 203.0.113.5\r\nX-Forwarded-Proto: https\r\n"),
            "203.0.113.5 0 https inner inner  0");
  EXPECT_EQ(ask("Forwarded: for=\"[2001:DB8::1]:5\";proto=https;host=shop.example\r\n"),
            "2001:db8::1 5 https shop.example shop.example shop.example 443");
}

TEST_F(Forwarding, OthersSayNothing) {
  const std::string_view lines =
      "X-Forwarded-For: 203.0.113.5\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\n"
      "X-Forwarded-Port: 81\r\nForwarded: for=203.0.113.5;host=evil\r\n";
  EXPECT_EQ(ask(options("127.0.0.1,unix:"), lines), "192.0.2.7 4711 http inner inner  0");
  EXPECT_EQ(ask(options(""), lines), "192.0.2.7 4711 http inner inner  0");
  Options off = options("*");
  off.trust = nullptr;
  EXPECT_EQ(ask(off, lines), "192.0.2.7 4711 http inner inner  0");
}

TEST_F(Forwarding, TheHostIsWhatTheClientAskedFor) {
  EXPECT_EQ(ask("X-Forwarded-Host: shop.example\r\n"),
            "192.0.2.7 4711 http shop.example shop.example shop.example 80");
  EXPECT_EQ(ask("X-Forwarded-Proto: https\r\nX-Forwarded-Host: shop.example\r\n"),
            "192.0.2.7 4711 https shop.example shop.example shop.example 443");
  EXPECT_EQ(ask("X-Forwarded-Host: [2001:db8::1]:8443\r\nX-Forwarded-Port: 1\r\n"),
            "192.0.2.7 4711 http [2001:db8::1]:8443 [2001:db8::1]:8443 2001:db8::1 8443");
  EXPECT_EQ(ask("X-Forwarded-Host: a/b\r\n"), "192.0.2.7 4711 http inner inner  0");
}

TEST_F(Forwarding, AnUnusualPortStandsInHost) {
  EXPECT_EQ(ask("X-Forwarded-Host: shop.example\r\nX-Forwarded-Port: 8443\r\n"),
            "192.0.2.7 4711 http shop.example:8443 shop.example:8443 shop.example 8443");
  EXPECT_EQ(ask("X-Forwarded-Port: 8443\r\n"), "192.0.2.7 4711 http inner:8443 inner:8443  0")
      << "this rig has no listener whose port it could be";
  for (const char* usual : {"80", "443"}) {
    EXPECT_EQ(ask(std::string("X-Forwarded-Port: ") + usual + "\r\n"),
              "192.0.2.7 4711 http inner inner  0");
  }
}

TEST_F(Forwarding, TheAbsoluteFormHasTheForwardedHostToo) {
  EXPECT_EQ(ask(options("*"), "X-Forwarded-Host: shop\r\n",
                "GET http://inner/ HTTP/1.1\r\nHost: INNER\r\n"),
            "192.0.2.7 4711 http shop shop shop 80");
  EXPECT_EQ(ask(options("*"), "X-Forwarded-For: 203.0.113.5\r\n",
                "GET http://inner/ HTTP/1.1\r\nHost: INNER\r\n"),
            "203.0.113.5 0 http INNER inner  0");
}

TEST_F(Forwarding, ARequestWithoutHostGetsNone) {
  EXPECT_EQ(ask(options("*"), "X-Forwarded-Host: shop\r\n", "GET / HTTP/1.0\r\n"),
            "192.0.2.7 4711 http - shop shop 80");
  EXPECT_EQ(ask(options("*"), "X-Forwarded-Port: 8443\r\n", "GET / HTTP/1.0\r\n"),
            "192.0.2.7 4711 http -   0");
}

// One connection of a proxy carries requests of many clients.
TEST_F(Forwarding, EachRequestHasItsOwnClient) {
  std::string all;
  handler.script = [&](http::Exchange& exchange) {
    all += told(exchange) + "\n";
    (void)answer(exchange, "ok");
  };
  const Options with = options("*");
  Rig rig(handler, with);
  Client& client = rig.connect();
  const std::string get = "GET / HTTP/1.1\r\nHost: inner\r\n";
  client.send(get + "X-Forwarded-For: 203.0.113.5\r\nX-Forwarded-Proto: https\r\n" +
              "X-Forwarded-Host: shop:81\r\n\r\n" + get + "X-Forwarded-For: 203.0.113.6\r\n\r\n" +
              get + "\r\n");
  rig.settle();
  EXPECT_EQ(all,
            "203.0.113.5 0 https shop:81 shop:81 shop 81\n"
            "203.0.113.6 0 http inner inner  0\n"
            "192.0.2.7 4711 http inner inner  0\n");
  rig.cut();
}

// X01: where the operator has said whom to trust, nobody else's fields get through.
TEST_F(Forwarding, UntrustedFieldsCanBeDropped) {
  std::string names;
  handler.script = [&](http::Exchange& exchange) {
    for (const http::Field& field : exchange.head().fields) names += std::string(field.name) + " ";
    (void)answer(exchange, "ok");
  };
  const std::string_view request =
      "GET / HTTP/1.1\r\nForwarded: for=a\r\nA: 1\r\nX-Forwarded-For: b\r\nHost: t\r\n"
      "X-Forwarded-Host: c\r\nX-Forwarded-Proto: d\r\nB: 2\r\nX-Forwarded-Port: 1\r\n\r\n";
  Options with = options("127.0.0.1");
  with.drop_untrusted = true;
  Rig(handler, with).exchange(request);
  EXPECT_EQ(names, "A Host B ");
  names.clear();
  Rig(handler, with)
      .exchange("GET / HTTP/1.1\r\nHost: t\r\nx-real-ip: a\r\nX-Forwarded-Ssl: on\r\n\r\n");
  EXPECT_EQ(names, "Host ") << "also those that are not applied";
  names.clear();
  with = options("192.0.2.7");
  with.drop_untrusted = true;
  Rig(handler, with).exchange(request);
  EXPECT_EQ(
      names,
      "Forwarded A X-Forwarded-For Host X-Forwarded-Host X-Forwarded-Proto B X-Forwarded-Port ")
      << "a trusted peer's stay as they came";
}

TEST_F(Forwarding, FieldsMayPassWithoutBeingApplied) {
  std::string seen;
  handler.script = [&](http::Exchange& exchange) {
    seen = told(exchange);
    for (const http::Field& field : exchange.head().fields) seen += " " + std::string(field.name);
    (void)answer(exchange, "ok");
  };
  const std::string_view request =
      "GET / HTTP/1.1\r\nHost: inner\r\nX-Forwarded-For: 203.0.113.5\r\nX-Forwarded-Proto: "
      "https\r\n"
      "X-Forwarded-Host: outer\r\n\r\n";
  Options with = options("192.0.2.7");
  with.drop_untrusted = true;
  with.apply_forwarded = false;
  Rig(handler, with).exchange(request);
  EXPECT_EQ(seen.find("203.0.113.5"), std::string::npos) << seen;
  EXPECT_NE(seen.find(" http inner inner "), std::string::npos) << seen;
  EXPECT_TRUE(seen.ends_with("Host X-Forwarded-For X-Forwarded-Proto X-Forwarded-Host")) << seen;
  with = options("127.0.0.1");
  with.drop_untrusted = true;
  with.apply_forwarded = false;
  Rig(handler, with).exchange(request);
  EXPECT_TRUE(seen.ends_with(" Host")) << "a stranger's are removed: " << seen;
}

// What a trusted proxy does not set it passes on as the client wrote it.
TEST_F(Forwarding, WhereNamesAreListedOthersAreDropped) {
  std::string names;
  handler.script = [&](http::Exchange& exchange) {
    for (const http::Field& field : exchange.head().fields) names += std::string(field.name) + " ";
    (void)answer(exchange, "ok");
  };
  const std::string_view request =
      "GET / HTTP/1.1\r\nForwarded: for=a\r\nX-Forwarded-For: 203.0.113.5\r\nHost: t\r\n"
      "X-Forwarded-Port: 1\r\nX-Real-IP: b\r\nX-FORWARDED-PREFIX: /x\r\nX-Forward: y\r\n"
      "True-Client-IP: c\r\nX-Forwarded-Port: 2\r\n\r\n";
  const auto names_with = [&](std::string_view trusted, std::string_view listed, bool drop) {
    Options with = options(trusted);
    with.forwarded_names = *http::ForwardedNames::parse(listed);
    with.drop_untrusted = drop;
    names.clear();
    Rig(handler, with).exchange(request);
    return names;
  };
  EXPECT_EQ(names_with("*", "x-forwarded-for", true), "X-Forwarded-For Host X-Forward ");
  EXPECT_EQ(names_with("*", "x-forwarded-prefix x-real-ip", true),
            "Host X-Real-IP X-FORWARDED-PREFIX X-Forward ");
  EXPECT_EQ(names_with("*", "", true), "Host X-Forward ");
  EXPECT_EQ(names_with("127.0.0.1", "x-forwarded-for", true), "Host X-Forward ");
  EXPECT_EQ(ask(options("*"), "X-Forwarded-Port: 8443\r\nX-Forwarded-For: 203.0.113.5\r\n"),
            "203.0.113.5 0 http inner:8443 inner:8443  0");
  Options listed = options("*");
  listed.forwarded_names = *http::ForwardedNames::parse("x-forwarded-for");
  EXPECT_EQ(ask(listed, "X-Forwarded-Port: 8443\r\nX-Forwarded-For: 203.0.113.5\r\n"),
            "203.0.113.5 0 http inner inner  0");
}

}  // namespace
}  // namespace lanner::server
