// fuzz/fuzz_pairs.cpp: queries and Cookie fields against slow readers of the same rules; a Set-Cookie
// field that passes the check is one cookie, and reads back as what it was made of.
//
// Input: a byte that chooses (query, cookie, set-cookie); then the text, or name, value, domain and
// path as lines.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/check.h"
#include "http/ascii.h"
#include "http/cookie.h"
#include "http/query.h"
#include "http/set_cookie.h"

namespace {

using namespace lanner;
using Pairs = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char byte : text) {
    if (byte == at) {
      parts.emplace_back();
    } else {
      parts.back() += byte;
    }
  }
  return parts;
}

std::string slowly_decoded(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  std::string out;
  while (!text.empty()) {
    if (text.size() > 2 && text[0] == '%' && kHex.find(text[1]) != std::string_view::npos &&
        kHex.find(text[2]) != std::string_view::npos) {
      out += static_cast<char>(std::stoi(std::string(text.substr(1, 2)), nullptr, 16));
      text.remove_prefix(3);
    } else {
      out += text[0] == '+' ? ' ' : text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

Pairs slow_query(std::string_view text) {
  Pairs pairs;
  for (const std::string& part : split(text, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    pairs.emplace_back(slowly_decoded(part.substr(0, equals)),
                       equals == std::string::npos ? "" : slowly_decoded(part.substr(equals + 1)));
  }
  return pairs;
}

std::string decoded(std::string_view text, bool has_escapes) {
  std::string to(text);
  if (has_escapes) to.resize(http::decode_form(text, to.data()));
  return to;
}

void check_query(std::string_view text) {
  const Pairs slow = slow_query(text);
  for (const std::size_t most : {slow.size(), slow.size() / 2}) {
    http::QueryReader reader(text, most);
    http::QueryPair pair;
    Pairs read;
    auto step = reader.next(&pair);
    for (; step == http::QueryReader::Step::pair; step = reader.next(&pair)) {
      read.emplace_back(decoded(pair.name, pair.name_has_escapes),
                        decoded(pair.value, pair.value_has_escapes));
    }
    const bool whole = most == slow.size();
    LANNER_FUZZ_CHECK(step ==
                      (whole ? http::QueryReader::Step::end : http::QueryReader::Step::too_many));
    LANNER_FUZZ_CHECK(read ==
                      Pairs(slow.begin(), slow.begin() + static_cast<std::ptrdiff_t>(most)));
  }
}

std::string stripped(std::string text) {
  while (!text.empty() && http::is_blank(text.back())) text.pop_back();
  while (!text.empty() && http::is_blank(text.front())) text.erase(0, 1);
  return text;
}

// http.cookies._unquote, by a table of what each escape is.
std::string slowly_unquoted(const std::string& text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  std::string out;
  for (std::string rest = text.substr(1, text.size() - 2); !rest.empty();) {
    const bool octal = rest.size() > 3 && rest[0] == '\\' &&
                       std::string_view("0123").find(rest[1]) != std::string_view::npos &&
                       rest.substr(2, 2).find_first_not_of("01234567") == std::string::npos;
    const std::size_t used = octal ? 4 : rest[0] == '\\' && rest.size() > 1 ? 2 : 1;
    out += octal ? static_cast<char>(std::stoi(rest.substr(1, 3), nullptr, 8)) : rest[used - 1];
    rest.erase(0, used);
  }
  return out;
}

Pairs read_cookies(std::string_view text) {
  Pairs pairs;
  http::CookieReader reader(text);
  for (http::CookiePair pair; reader.next(&pair);) {
    std::string value(pair.value);
    if (pair.has_escapes) value.resize(http::unquote_cookie(pair.value, value.data()));
    pairs.emplace_back(pair.name, value);
  }
  return pairs;
}

void check_cookie(std::string_view text) {
  Pairs slow;
  for (const std::string& part : split(text, ';')) {
    const std::size_t equals = part.find('=');
    const bool named = equals != std::string::npos;
    const std::string name = named ? stripped(part.substr(0, equals)) : "";
    const std::string value = stripped(named ? part.substr(equals + 1) : part);
    if (!name.empty() || !value.empty()) slow.emplace_back(name, slowly_unquoted(value));
  }
  LANNER_FUZZ_CHECK(read_cookies(text) == slow);
}

std::string written(const http::SetCookie& cookie) {
  std::string to(http::set_cookie_bytes_bound(cookie), '?');
  const char* end = http::write_set_cookie(cookie, to.data());
  LANNER_FUZZ_CHECK(end <= to.data() + to.size());
  to.resize(static_cast<std::size_t>(end - to.data()));
  return to;
}

void check_set_cookie(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  lines.resize(4);
  http::SetCookie cookie;
  cookie.name = lines[0];
  cookie.value = lines[1];
  cookie.domain = lines[2];
  cookie.path = lines[3];
  cookie.http_only = true;
  if (http::set_cookie_mistake(cookie).empty()) {
    const std::string field = written(cookie);
    for (const char byte : field) LANNER_FUZZ_CHECK(byte >= ' ' && byte < 0x7F);
    const std::string wanted = lines[0] + "=" + lines[1] +
                               (lines[2].empty() ? "" : "; Domain=" + lines[2]) + "; HttpOnly" +
                               (lines[3].empty() ? "" : "; Path=" + lines[3]);
    LANNER_FUZZ_CHECK(field == wanted);
    LANNER_FUZZ_CHECK(read_cookies(field).size() == split(wanted, ';').size());
  }
  // Any bytes pass in quotes, and come back.
  std::string quotes(http::quoted_cookie_bound(text.size()), '?');
  quotes.resize(http::quote_cookie(text, quotes.data()));
  cookie = {};
  cookie.name = "a";
  cookie.value = quotes;
  if (quotes.size() >= http::kCookieBytesMax) return;
  LANNER_FUZZ_CHECK(http::set_cookie_mistake(cookie).empty());
  LANNER_FUZZ_CHECK(read_cookies(written(cookie)) == (Pairs{{"a", std::string(text)}}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // SAFETY: bytes are bytes.
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 3) {
    case 0:
      check_query(text);
      break;
    case 1:
      check_cookie(text);
      break;
    default:
      check_set_cookie(text);
  }
  return 0;
}
