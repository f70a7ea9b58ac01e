// fuzz/fuzz_forwarded.cpp: forwarding fields: what a client wrote left of them moves nothing, and
// what is said is valid.
//
// Input: a byte that chooses the field, then lines of its values, one after another.

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.h"
#include "http/forwarded.h"
#include "http/target.h"

namespace {

using namespace lanner;
using http::Token;

constexpr Token kTokens[] = {Token::forwarded, Token::x_forwarded_for, Token::x_forwarded_proto,
                             Token::x_forwarded_host, Token::x_forwarded_port};

http::Forwarding read(const std::vector<http::Field>& fields, const http::TrustList& trust) {
  http::RequestHead head;
  head.fields = fields;
  return http::read_forwarding(head, trust, http::kAllForwardedFields);
}

bool same(const http::Forwarding& a, const http::Forwarding& b) {
  return a.has_client == b.has_client && a.client == b.client && a.client_port == b.client_port &&
         a.scheme == b.scheme && a.port == b.port && a.host == b.host;
}

void check_said(const http::Forwarding& said, std::string_view in) {
  if (said.has_client) {
    char text[http::kIpTextBytesMax];
    const std::size_t bytes = http::write_ip(said.client, text);
    http::IpAddress again;
    LANNER_FUZZ_CHECK(bytes <= sizeof text && http::parse_ip({text, bytes}, &again));
    LANNER_FUZZ_CHECK(again == said.client);
  }
  if (said.host.empty()) return;
  LANNER_FUZZ_CHECK(http::is_valid_host(said.host));
  LANNER_FUZZ_CHECK(said.host.data() >= in.data() &&
                    said.host.data() + said.host.size() <= in.data() + in.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // SAFETY: bytes are bytes.
  const std::string_view in(reinterpret_cast<const char*>(data + 1), size - 1);
  const Token token = kTokens[data[0] % std::size(kTokens)];
  const Result<http::TrustList> trust = http::TrustList::parse("10.0.0.0/8,2001:db8::/32");
  std::vector<http::Field> fields;
  for (std::string_view rest = in;;) {
    const std::size_t end = rest.find('\n');
    fields.push_back({"F", rest.substr(0, end), token});
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  const http::Forwarding said = read(fields, *trust);
  check_said(said, in);
  // The last line is what a proxy appended, however the rest looks: with an entry of its own at the
  // end, nothing before that counts.
  const std::string client_wrote(fields.back().value);
  const std::string appended =
      client_wrote + (token == Token::forwarded ? ", for=192.0.2.1;proto=http" : ", 192.0.2.1");
  fields.back().value = appended;
  const http::Forwarding with = read(fields, *trust);
  const std::vector<http::Field> alone = {
      {"F", std::string_view(appended).substr(client_wrote.size() + 2), token}};
  LANNER_FUZZ_CHECK(same(with, read(alone, *trust)));
  return 0;
}
