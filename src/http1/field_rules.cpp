#include "http1/field_rules.h"

#include <iterator>

#include "http/ascii.h"
#include "http/forwarded.h"
#include "http/list.h"
#include "http/target.h"

namespace lanner::http1 {

using http::RequestHead;
using http::Token;

namespace {

// Fields that are one value by their grammar (RFC 9110, section 5.3): which of two would count is a
// guess.
constexpr Token kSingles[] = {
    Token::authorization, Token::content_range,
    Token::content_type,  Token::date,
    Token::from,          Token::if_modified_since,
    Token::if_range,      Token::if_unmodified_since,
    Token::origin,        Token::proxy_authorization,
    Token::range,         Token::referer,
    Token::user_agent,
};
static_assert(std::size(kSingles) <= 16);  // bits of Rule::single_bit

bool has_some_member(std::string_view list) noexcept {
  return list.find_first_not_of(", \t") != std::string_view::npos;
}

// transfer-coding without its parameters (RFC 9110, section 10.1.4); "" if it is none.
std::string_view coding_name(std::string_view coding) noexcept {
  const std::string_view name = coding.substr(0, coding.find_first_of("; \t"));
  const std::string_view rest = http::trim_blanks(coding.substr(name.size()));
  const bool well_formed = rest.empty() || rest.front() == ';';
  return well_formed && http::is_token(name) ? name : std::string_view();
}

}  // namespace

constexpr FieldRules::Rules FieldRules::make_rules() noexcept {
  Rules rules{};
  const auto rule = [&](Token token) -> Rule& { return rules[static_cast<std::size_t>(token)]; };
  rule(Token::host).role = Role::host;
  rule(Token::content_length).role = Role::content_length;
  rule(Token::transfer_encoding).role = Role::transfer_encoding;
  rule(Token::connection).role = Role::connection;
  rule(Token::expect).role = Role::expect;
  rule(Token::upgrade).role = Role::upgrade;
  for (std::size_t token = 0; token < rules.size(); ++token) {
    if (http::forwarded_bit(static_cast<Token>(token))) rules[token].role = Role::forwarded;
  }
  unsigned int bit = 1;
  for (const Token token : kSingles) {
    rule(token) = Rule{Role::single, static_cast<std::uint16_t>(bit)};
    bit <<= 1;
  }
  return rules;
}

constinit const FieldRules::Rules FieldRules::kRules = FieldRules::make_rules();

Errc FieldRules::apply(const http::Field& field, Rule rule, RequestHead* head) noexcept {
  switch (rule.role) {
    case Role::none:
      return Errc::ok;
    case Role::host:
      return apply_host(field.value);
    case Role::content_length:
      return apply_content_length(field.value, head);
    case Role::transfer_encoding:
      return apply_transfer_encoding(field.value, head);
    case Role::connection:
      apply_connection(field.value);
      return Errc::ok;
    case Role::expect:
      if (head->minor_version == 0) return Errc::ok;  // RFC 9110, section 10.1.1
      return apply_expect(field.value);
    case Role::upgrade:
      upgrade_seen_ = upgrade_seen_ || has_some_member(field.value);
      return Errc::ok;
    case Role::forwarded:
      head->forwarded = true;
      return Errc::ok;
    case Role::single:
      if (singles_seen_ & rule.single_bit) return Errc::field_repeated;
      singles_seen_ = static_cast<std::uint16_t>(singles_seen_ | rule.single_bit);
      return Errc::ok;
  }
  return Errc::internal;
}

Errc FieldRules::apply_host(std::string_view value) noexcept {
  if (host_seen_) return Errc::host_repeated;
  if (!http::is_valid_host(value)) return Errc::host_invalid;
  host_seen_ = true;
  host_ = value;
  return Errc::ok;
}

// Stricter than RFC 9112, section 6.3: equal repetitions are refused too, as lines and as a list.
Errc FieldRules::apply_content_length(std::string_view value, RequestHead* head) noexcept {
  if (content_length_seen_) return Errc::content_length_repeated;
  if (head->framing == http::BodyFraming::chunked) return Errc::framing_ambiguous;
  if (!http::parse_decimal(value, &head->content_length)) return Errc::content_length_invalid;
  content_length_seen_ = true;
  head->framing = http::BodyFraming::length;
  return Errc::ok;
}

// Only "chunked", once, on 1.1 (RFC 9112, section 6.1). The first member that is not served
// decides, so it is the same on one line or several. Behind "chunked" nothing may stand, not even
// an empty member: some recipients look at the end of the list only.
Errc FieldRules::apply_transfer_encoding(std::string_view value, RequestHead* head) noexcept {
  transfer_encoding_seen_ = true;
  if (head->minor_version == 0) return Errc::transfer_encoding_invalid;
  for (bool more = true; more;) {
    if (head->framing == http::BodyFraming::chunked) return Errc::transfer_encoding_invalid;
    const std::size_t comma = value.find(',');
    more = comma != std::string_view::npos;
    const std::string_view coding = http::trim_blanks(value.substr(0, comma));
    if (more) value.remove_prefix(comma + 1);
    if (coding.empty()) continue;
    const std::string_view name = coding_name(coding);
    const bool chunked = http::equals_ignoring_case(name, "chunked");
    if (name.empty() || (chunked && name.size() != coding.size())) {
      return Errc::transfer_encoding_invalid;
    }
    if (!chunked) return Errc::transfer_encoding_unknown;
    if (content_length_seen_) return Errc::framing_ambiguous;
    head->framing = http::BodyFraming::chunked;
  }
  return Errc::ok;
}

Errc FieldRules::apply_expect(std::string_view value) noexcept {
  while (!value.empty()) {
    const std::string_view member = http::take_quoted_member(value);
    if (member.empty()) continue;
    if (!http::equals_ignoring_case(member, "100-continue")) return Errc::expectation_failed;
    expect_seen_ = true;
  }
  return Errc::ok;
}

void FieldRules::apply_connection(std::string_view value) noexcept {
  if (value == "keep-alive") {  // what nearly all send
    wants_keep_alive_ = true;
    return;
  }
  while (!value.empty()) {
    const std::string_view member = http::take_member(value);
    if (http::equals_ignoring_case(member, "close")) wants_close_ = true;
    if (http::equals_ignoring_case(member, "keep-alive")) wants_keep_alive_ = true;
    if (http::equals_ignoring_case(member, "upgrade")) wants_upgrade_ = true;
  }
}

Errc FieldRules::finish(RequestHead* head) noexcept {
  const bool old = head->minor_version == 0;
  if (!host_seen_ && !old) return Errc::host_missing;
  if (head->form != http::TargetForm::absolute) {
    head->authority = host_;
  } else if (host_seen_ && !http::is_target_of_host(*head, host_)) {
    return Errc::host_mismatch;
  }
  if (transfer_encoding_seen_ && head->framing != http::BodyFraming::chunked) {
    return Errc::transfer_encoding_invalid;  // an empty list
  }
  const bool has_body = head->framing == http::BodyFraming::chunked || head->content_length > 0;
  head->keep_alive = !wants_close_ && (!old || wants_keep_alive_);
  head->expect_continue = expect_seen_ && has_body;
  head->upgrade = upgrade_seen_ && wants_upgrade_;
  return Errc::ok;
}

}  // namespace lanner::http1
