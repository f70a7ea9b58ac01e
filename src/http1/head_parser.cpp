#include "http1/head_parser.h"

#include <cstdint>
#include <cstring>

#include "http/ascii.h"
#include "http/target.h"
#include "http1/field_rules.h"
#include "http1/scan_inl.h"

namespace lanner::http1 {

namespace {

using http::Token;

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
    if (skip_empty_lines() && parse_request_line() && parse_fields()) {
      head_->fields = {fields_, count_};
      const Errc code = rules_.finish(head_);
      if (code == Errc::ok) return static_cast<std::size_t>(at_ - begin_);
      fail(code, at_);
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
  FieldRules rules_;
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
    if (field->token == Token::unknown) continue;
    const Errc code = rules_.apply(*field, head_);
    if (code != Errc::ok) return fail(code, field->name.data());
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
