#include "http1/head_parser.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "http/ascii.h"
#include "http/list.h"
#include "http/target.h"
#include "http1/scan_inl.h"

namespace lanner::http1 {

namespace {

using http::Token;

// What a field means to the parser itself.
enum class Role : std::uint8_t {
  none,
  host,
  content_length,
  transfer_encoding,
  connection,
  expect,
  upgrade,
  single
};

struct Rule {
  Role role = Role::none;
  std::uint16_t single_bit = 0;  // of its own, for Role::single
};

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

constexpr auto kRules = [] {
  std::array<Rule, static_cast<std::size_t>(Token::count)> rules{};
  const auto rule = [&](Token token) -> Rule& { return rules[static_cast<std::size_t>(token)]; };
  rule(Token::host).role = Role::host;
  rule(Token::content_length).role = Role::content_length;
  rule(Token::transfer_encoding).role = Role::transfer_encoding;
  rule(Token::connection).role = Role::connection;
  rule(Token::expect).role = Role::expect;
  rule(Token::upgrade).role = Role::upgrade;
  unsigned int bit = 1;
  for (const Token token : kSingles) {
    rule(token) = Rule{Role::single, static_cast<std::uint16_t>(bit)};
    bit <<= 1;
  }
  return rules;
}();

// One parse from the start of the input. Every step answers true to go on, else false with error_
// set, or without: the input ended. The first offending byte decides, so no verdict depends on how
// the input was cut.
class Parser {
 public:
  Parser(std::string_view in, const http::Limits& limits, std::span<http::Field> fields,
         http::RequestHead* head) noexcept
      : begin_(in.data()),
        in_end_(in.data() + in.size()),
        at_(in.data()),
        kernels_(scan_kernels()),
        limits_(limits),
        fields_(fields.data()),
        fields_max_(limits.fields < fields.size() ? limits.fields : fields.size()),
        head_(head) {}

  Result<std::size_t> run() noexcept {
    *head_ = http::RequestHead();
    if (skip_empty_lines() && parse_request_line() && parse_fields() && finish()) {
      return static_cast<std::size_t>(at_ - begin_);
    }
    if (error_ == Errc::ok) return std::size_t{0};
    return Error{error_, static_cast<std::uint32_t>(error_at_ - begin_)};
  }

 private:
  bool skip_empty_lines() noexcept;
  bool parse_request_line() noexcept;
  bool parse_method() noexcept;
  bool parse_target() noexcept;
  bool parse_version() noexcept;
  bool parse_fields() noexcept;
  bool parse_name(http::Field* field) noexcept;
  bool parse_value(http::Field* field) noexcept;
  bool take_line_end(Errc otherwise) noexcept;

  bool apply(const http::Field& field, Rule rule) noexcept;
  bool apply_host(std::string_view value) noexcept;
  bool apply_content_length(std::string_view value) noexcept;
  bool apply_transfer_encoding(std::string_view value) noexcept;
  void apply_connection(std::string_view value) noexcept;
  bool finish() noexcept;

  bool refuse_name(const char* at, const char* name) noexcept;
  bool fail(Errc code, const char* at) noexcept {
    error_ = code;
    error_at_ = at;
    return false;
  }
  // Sets how far the line that begins at at_ may reach, its CRLF included.
  void open_line(std::uint64_t bytes_max, Errc too_long) noexcept;
  // line_end_ was reached: the line is too long, or more input is needed.
  bool run_out() noexcept { return line_error_ == Errc::ok ? false : fail(line_error_, line_end_); }

  const char* const begin_;
  const char* const in_end_;
  const char* at_;
  const char* line_end_ = nullptr;
  Errc line_error_ = Errc::ok;
  Errc error_ = Errc::ok;
  const ScanKernels& kernels_;
  const http::Limits& limits_;
  http::Field* const fields_;
  const std::uint64_t fields_max_;
  std::size_t count_ = 0;
  http::RequestHead* const head_;
  const char* error_at_ = nullptr;

  std::string_view host_;
  std::uint16_t singles_seen_ = 0;
  bool host_seen_ = false;
  bool content_length_seen_ = false;
  bool transfer_encoding_seen_ = false;
  bool upgrade_seen_ = false;
  bool expect_seen_ = false;
  bool wants_close_ = false;
  bool wants_keep_alive_ = false;
  bool wants_upgrade_ = false;
};

void Parser::open_line(std::uint64_t bytes_max, Errc too_long) noexcept {
  const auto left = static_cast<std::uint64_t>(in_end_ - at_);
  const std::uint64_t head_left = limits_.head_bytes - static_cast<std::uint64_t>(at_ - begin_);
  std::uint64_t room = bytes_max < UINT64_MAX - 2 ? bytes_max + 2 : bytes_max;
  if (head_left < room) {
    room = head_left;
    too_long = Errc::head_too_long;
  }
  line_end_ = left < room ? in_end_ : at_ + room;
  line_error_ = left < room ? Errc::ok : too_long;
}

bool Parser::skip_empty_lines() noexcept {
  for (int lines = 0; at_ != in_end_ && (*at_ == '\r' || *at_ == '\n'); ++lines) {
    if (*at_ == '\n') return fail(Errc::bare_lf, at_);
    if (at_ + 1 == in_end_) return false;
    if (at_[1] != '\n') return fail(Errc::bare_cr, at_);
    if (lines == http::kLeadingEmptyLines) return fail(Errc::empty_lines, at_);
    at_ += 2;
  }
  const bool too_long = static_cast<std::uint64_t>(at_ - begin_) > limits_.head_bytes;
  return too_long ? fail(Errc::head_too_long, at_) : true;
}

bool Parser::parse_request_line() noexcept {
  open_line(limits_.request_line_bytes, Errc::request_line_too_long);
  if (!parse_method() || !parse_target() || !parse_version()) return false;
  const Result<void> split = http::split_target(head_);
  return split ? true : fail(split.code(), head_->target.data());
}

bool Parser::parse_method() noexcept {
  const char* const start = at_;
  if (line_end_ - start >= 4 && std::memcmp(start, "GET ", 4) == 0) {
    head_->method = http::Method::get;
    head_->method_text = {start, 3};
    at_ += 4;
    return true;
  }
  const char* stop = start;
  while (stop != line_end_ && http::is_byte(*stop, http::kTokenByte)) ++stop;
  if (stop == line_end_) return run_out();
  if (*stop == '\n') return fail(Errc::bare_lf, stop);
  if (*stop == '\r') return fail(Errc::request_line_invalid, stop);
  if (*stop != ' ' || stop == start) return fail(Errc::method_invalid, stop);
  head_->method_text = {start, static_cast<std::size_t>(stop - start)};
  head_->method = http::method_from_text(head_->method_text);
  // We are no proxy (RFC 9110, section 9.3.6).
  if (head_->method == http::Method::connect) return fail(Errc::method_not_supported, start);
  at_ = stop + 1;
  return true;
}

bool Parser::parse_target() noexcept {
  const char* const start = at_;
  const char* const stop = find_target_end(start, line_end_, kernels_);
  if (stop == line_end_) return run_out();
  if (*stop != ' ') {
    if (*stop == '\n') return fail(Errc::bare_lf, stop);
    return fail(*stop == '\r' ? Errc::request_line_invalid : Errc::target_invalid, stop);
  }
  if (stop == start) return fail(Errc::request_line_invalid, stop);
  head_->target = {start, static_cast<std::size_t>(stop - start)};
  at_ = stop + 1;
  return true;
}

bool Parser::parse_version() noexcept {
  static constexpr std::string_view kUsual = "HTTP/1.1\r\n";
  static constexpr std::string_view kPattern =
      "HTTP/0.0";  // 0: any one digit (RFC 9112, section 2.3)
  const char* const start = at_;
  if (line_end_ - start >= 10 && std::memcmp(start, kUsual.data(), kUsual.size()) == 0) {
    at_ += kUsual.size();
    return true;
  }
  for (const char want : kPattern) {
    if (at_ == line_end_) return run_out();
    const bool fits = want == '0' ? http::is_digit(*at_) : *at_ == want;
    if (!fits) return fail(*at_ == '\n' ? Errc::bare_lf : Errc::request_line_invalid, at_);
    ++at_;
  }
  if (!take_line_end(Errc::request_line_invalid)) return false;
  if (start[5] != '1') return fail(Errc::version_not_supported, start);
  // A higher minor version is answered as the highest that we know (RFC 9110, section 2.5).
  head_->minor_version = start[7] == '0' ? 0 : 1;
  return true;
}

bool Parser::take_line_end(Errc otherwise) noexcept {
  if (at_ == line_end_) return run_out();
  if (*at_ != '\r') return fail(*at_ == '\n' ? Errc::bare_lf : otherwise, at_);
  if (at_ + 1 == line_end_) return run_out();
  if (at_[1] != '\n') return fail(Errc::bare_cr, at_);
  at_ += 2;
  return true;
}

bool Parser::parse_fields() noexcept {
  for (;;) {
    open_line(limits_.field_bytes, Errc::field_too_long);
    if (at_ == line_end_) return run_out();
    if (*at_ == '\r') return take_line_end(Errc::field_invalid);
    if (count_ == fields_max_) return fail(Errc::fields_too_many, at_);
    http::Field* const field = fields_ + count_;
    if (!parse_name(field) || !parse_value(field)) return false;
    ++count_;
    const Rule rule = kRules[static_cast<std::size_t>(field->token)];
    if (rule.role != Role::none && !apply(*field, rule)) return false;
  }
}

// A known name needs no look at its bytes: it was compared as a whole.
bool Parser::parse_name(http::Field* field) noexcept {
  const char* const start = at_;
  const char* colon = find_colon_early(start, line_end_);
  if (colon) {
    field->name = {start, static_cast<std::size_t>(colon - start)};
    field->token = http::token_from_name(field->name);
  }
  if (!colon || field->token == Token::unknown) {
    const char* const stop = kernels_.token(start, colon ? colon : line_end_);
    if (stop == line_end_) return run_out();
    if (stop == start || *stop != ':') return refuse_name(stop, start);
    colon = stop;
    field->name = {start, static_cast<std::size_t>(colon - start)};
    field->token = Token::unknown;  // longer than any that we know
  }
  at_ = colon + 1;
  return true;
}

bool Parser::refuse_name(const char* at, const char* name) noexcept {
  if (*at == '\n') return fail(Errc::bare_lf, at);
  if (at == name && http::is_blank(*at))
    return fail(Errc::field_folded, at);  // RFC 9112, section 5.2
  return fail(*at == '\r' ? Errc::field_invalid : Errc::field_name_invalid, at);
}

bool Parser::parse_value(http::Field* field) noexcept {
  const char* start = at_;
  while (start != line_end_ && http::is_blank(*start)) ++start;
  const char* const stop = find_value_end(start, line_end_, kernels_);
  at_ = stop;
  if (!take_line_end(Errc::field_value_invalid)) return false;
  const char* end = stop;
  while (end != start && http::is_blank(end[-1])) --end;
  field->value = {start, static_cast<std::size_t>(end - start)};
  return true;
}

bool Parser::apply(const http::Field& field, Rule rule) noexcept {
  const std::string_view value = field.value;
  switch (rule.role) {
    case Role::none:
      return true;
    case Role::host:
      return apply_host(value);
    case Role::content_length:
      return apply_content_length(value);
    case Role::transfer_encoding:
      return apply_transfer_encoding(value);
    case Role::connection:
      apply_connection(value);
      return true;
    case Role::expect:
      if (head_->minor_version == 0) return true;  // RFC 9110, section 10.1.1
      expect_seen_ = true;
      return http::equals_ignoring_case(value, "100-continue")
                 ? true
                 : fail(Errc::expectation_failed, value.data());
    case Role::upgrade:
      upgrade_seen_ = true;
      return true;
    case Role::single:
      if (singles_seen_ & rule.single_bit) return fail(Errc::field_repeated, field.name.data());
      singles_seen_ = static_cast<std::uint16_t>(singles_seen_ | rule.single_bit);
      return true;
  }
  return true;
}

bool Parser::apply_host(std::string_view value) noexcept {
  if (host_seen_) return fail(Errc::host_repeated, value.data());
  if (!http::is_valid_host(value)) return fail(Errc::host_invalid, value.data());
  host_seen_ = true;
  host_ = value;
  return true;
}

// Stricter than RFC 9112, section 6.3: equal repetitions and lists are refused, too.
bool Parser::apply_content_length(std::string_view value) noexcept {
  if (content_length_seen_) return fail(Errc::content_length_repeated, value.data());
  if (transfer_encoding_seen_) return fail(Errc::framing_ambiguous, value.data());
  if (!http::parse_decimal(value, &head_->content_length))
    return fail(Errc::content_length_invalid, value.data());
  content_length_seen_ = true;
  head_->framing = http::BodyFraming::length;
  return true;
}

// Only "chunked", once, on 1.1 (RFC 9112, section 6.1).
bool Parser::apply_transfer_encoding(std::string_view value) noexcept {
  if (transfer_encoding_seen_ || head_->minor_version == 0) {
    return fail(Errc::transfer_encoding_invalid, value.data());
  }
  if (!http::equals_ignoring_case(value, "chunked")) {
    const bool other_coding = http::is_token(value);
    return fail(other_coding ? Errc::transfer_encoding_unknown : Errc::transfer_encoding_invalid,
                value.data());
  }
  if (content_length_seen_) return fail(Errc::framing_ambiguous, value.data());
  transfer_encoding_seen_ = true;
  head_->framing = http::BodyFraming::chunked;
  return true;
}

void Parser::apply_connection(std::string_view value) noexcept {
  if (value == "keep-alive") {
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

bool Parser::finish() noexcept {
  const bool old = head_->minor_version == 0;
  if (!host_seen_ && !old) return fail(Errc::host_missing, at_);
  if (head_->form != http::TargetForm::absolute) {
    head_->authority = host_;
  } else if (host_seen_ && !http::is_target_of_host(*head_, host_)) {
    return fail(Errc::host_mismatch, host_.data());
  }
  const bool has_body = head_->framing == http::BodyFraming::chunked || head_->content_length > 0;
  head_->keep_alive = !wants_close_ && (!old || wants_keep_alive_);
  head_->expect_continue = expect_seen_ && has_body;
  head_->upgrade = upgrade_seen_ && wants_upgrade_;
  head_->fields = {fields_, count_};
  return true;
}

// Whether a parse could end otherwise than the last one did. Lines that grow too long are noticed
// every few KiB.
bool may_decide(std::string_view in, std::size_t seen, const http::Limits& limits) noexcept {
  constexpr std::size_t kCheckBytes = 4096;
  if (seen == 0) return true;
  if (in.size() <= seen) return false;
  if (in.size() > limits.head_bytes || in.size() / kCheckBytes != seen / kCheckBytes) return true;
  if (in[seen - 1] == '\r') return true;
  const char* const end = in.data() + in.size();
  return scan_kernels().value(in.data() + seen, end) != end;
}

}  // namespace

Result<std::size_t> parse_head(std::string_view in, std::size_t seen, const http::Limits& limits,
                               std::span<http::Field> fields, http::RequestHead* head) noexcept {
  if (!may_decide(in, seen, limits)) return std::size_t{0};
  return Parser(in, limits, fields, head).run();
}

}  // namespace lanner::http1
