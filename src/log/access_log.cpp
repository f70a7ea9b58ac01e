#include "log/access_log.h"

#include <algorithm>
#include <cstring>
#include <ctime>

#include "http/ascii.h"
#include "http/token.h"
#include "log/access_line.h"

namespace lanner::log {

namespace {

char* put_digits(char* to, int number, int digits) noexcept {
  for (int i = digits; i-- > 0; number /= 10) to[i] = static_cast<char>('0' + number % 10);
  return to + digits;
}

char* put_text(char* to, std::string_view text) noexcept {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

// strftime's %b would follow the locale.
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

char* put_date(char* to, const std::tm& time, char separator) noexcept {
  to = put_digits(to, time.tm_year + 1900, 4);
  *to++ = '-';
  to = put_digits(to, time.tm_mon + 1, 2);
  *to++ = '-';
  to = put_digits(to, time.tm_mday, 2);
  *to++ = separator;
  return to;
}

char* put_time_of_day(char* to, const std::tm& time) noexcept {
  to = put_digits(to, time.tm_hour, 2);
  *to++ = ':';
  to = put_digits(to, time.tm_min, 2);
  *to++ = ':';
  return put_digits(to, time.tm_sec, 2);
}

char* put_zone(char* to, const std::tm& time) noexcept {
  const long minutes = time.tm_gmtoff / 60;
  *to++ = ' ';
  *to++ = minutes < 0 ? '-' : '+';
  const int size = static_cast<int>(minutes < 0 ? -minutes : minutes);
  return put_digits(to, size / 60 * 100 + size % 60, 4);
}

}  // namespace

// Reads a format once and writes the program.
class AccessCompiler {
 public:
  AccessCompiler(std::string_view format, AccessFormat* to) noexcept : format_(format), to_(*to) {}

  Result<void> run() noexcept {
    if (format_.empty()) return bad(0);
    if (format_.size() > AccessFormat::kFormatBytesMax) return bad(AccessFormat::kFormatBytesMax);
    if (format_ == "json") {
      AccessFormat::Op op;
      op.atom = AccessFormat::Atom::json;
      return push(op);
    }
    while (at_ < format_.size()) {
      const Result<void> step = format_[at_] == '%' ? take_atom() : take_literal();
      if (!step) return step.error();
    }
    return {};
  }

 private:
  using Atom = AccessFormat::Atom;
  struct Name {
    std::string_view name;
    Atom atom;
    bool number;
  };

  Error bad(std::size_t offset) const noexcept {
    return Error{Errc::log_format_invalid, static_cast<std::uint32_t>(offset)};
  }
  char peek() const noexcept { return at_ < format_.size() ? format_[at_] : '\0'; }

  Result<void> take_literal() noexcept {
    const std::size_t start = at_;
    while (at_ < format_.size() && format_[at_] != '%') {
      if (format_[at_] == '\n' || format_[at_] == '\r') return bad(at_);
      ++at_;
    }
    return literal(format_.substr(start, at_ - start));
  }

  Result<void> take_atom() noexcept {
    const std::size_t start = at_++;
    if (peek() == '%') {
      ++at_;
      return literal("%");
    }
    if (peek() != '(') return bad(start);
    const std::size_t name_at = ++at_;
    const std::size_t end = format_.find(')', name_at);
    if (end == std::string_view::npos) return bad(start);
    AccessFormat::Op op;
    bool number = false;
    if (const Result<void> known =
            name(format_.substr(name_at, end - name_at), name_at, &op, &number);
        !known) {
      return known.error();
    }
    at_ = end + 1;
    if (const Result<void> done = conversion(number, &op); !done) return done.error();
    return push(op);
  }

  Result<void> name(std::string_view text, std::size_t at, AccessFormat::Op* op,
                    bool* number) noexcept {
    if (text.starts_with('{')) return field(text, at, op);
    for (const Name& known : kNames) {
      if (text != known.name) continue;
      op->atom = known.atom;
      *number = known.number;
      return {};
    }
    return bad(at);
  }

  Result<void> field(std::string_view text, std::size_t at, AccessFormat::Op* op) noexcept {
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos || close + 2 != text.size()) return bad(at);
    const std::string_view name = text.substr(1, close - 1);
    switch (text.back()) {
      case 'e':
        return variable(name, at + 1, op);
      case 'i':
        op->atom = Atom::request_field;
        break;
      case 'o':
        op->atom = Atom::response_field;
        break;
      default:
        return bad(at + close + 1);
    }
    if (!http::is_token(name)) return bad(at + 1);
    op->token = http::token_from_name(name);
    to_.needs_response_fields_ |= op->atom == Atom::response_field;
    return text_of(name, op);
  }

  // A variable of the WSGI environ. The access log is written without Python and for ASGI too, so
  // these are read from the request.
  Result<void> variable(std::string_view name, std::size_t at, AccessFormat::Op* op) noexcept {
    for (const Name& known : kVariables) {
      if (name != known.name) continue;
      op->atom = known.atom;
      return {};
    }
    if (name.starts_with("HTTP_")) {
      name.remove_prefix(5);
    } else if (name != "CONTENT_TYPE" && name != "CONTENT_LENGTH") {
      return Error{Errc::log_variable_unknown, static_cast<std::uint32_t>(at)};
    }
    std::array<char, AccessFormat::kFieldNameBytesMax> field;
    if (!http::is_token(name) || name.size() > field.size()) return bad(at);
    std::replace_copy(name.begin(), name.end(), field.begin(), '_', '-');
    const std::string_view field_name(field.data(), name.size());
    op->atom = Atom::request_field;
    op->token = http::token_from_name(field_name);
    return text_of(field_name, op);
  }

  Result<void> conversion(bool number, AccessFormat::Op* op) noexcept {
    for (; peek() == '-' || peek() == '0'; ++at_) (peek() == '-' ? op->left : op->zero) = true;
    unsigned width = 0;
    if (!digits(255, &width)) return bad(at_);
    op->width = static_cast<std::uint8_t>(width);
    if (peek() == '.') {
      ++at_;
      unsigned precision = 0;
      if (!digits(number ? 9 : AccessFormat::kValueBytesMax, &precision)) return bad(at_);
      op->precision = static_cast<std::int16_t>(precision);
    }
    op->conversion = peek();
    const bool numeric = op->conversion == 'd' || op->conversion == 'i' || op->conversion == 'f';
    if (op->conversion != 's' && !(number && numeric)) return bad(at_);
    op->zero = op->zero && number && !op->left;
    ++at_;
    return {};
  }

  bool digits(std::size_t most, unsigned* value) noexcept {
    for (; http::is_digit(peek()); ++at_) {
      *value = *value * 10 + static_cast<unsigned>(peek() - '0');
      if (*value > most) return false;
    }
    return true;
  }

  Result<void> literal(std::string_view bytes) noexcept {
    AccessFormat::Op op;
    if (const Result<void> stored = text_of(bytes, &op); !stored) return stored.error();
    return push(op);
  }
  Result<void> text_of(std::string_view bytes, AccessFormat::Op* op) noexcept {
    op->text_offset = static_cast<std::uint16_t>(to_.text_.size());
    op->text_bytes = static_cast<std::uint16_t>(bytes.size());
    if (!to_.text_.append(bytes)) return Errc::no_memory;
    return {};
  }
  Result<void> push(const AccessFormat::Op& op) noexcept {
    if (to_.op_count_ == AccessFormat::kOpsMax) return bad(at_);
    to_.ops_[to_.op_count_++] = op;
    return {};
  }

  static constexpr std::array<Name, 29> kNames = {{
      {"h", Atom::client, false},
      {"l", Atom::dash, false},
      {"u", Atom::user, false},
      {"t", Atom::clf_time, false},
      {"r", Atom::request_line, false},
      {"m", Atom::method, false},
      {"U", Atom::path, false},
      {"q", Atom::query, false},
      {"H", Atom::protocol, false},
      {"s", Atom::status, true},
      {"b", Atom::body_bytes_or_dash, true},
      {"B", Atom::body_bytes, true},
      {"f", Atom::referer, false},
      {"a", Atom::user_agent, false},
      {"T", Atom::seconds, true},
      {"M", Atom::milliseconds, true},
      {"D", Atom::microseconds, true},
      {"L", Atom::decimal_seconds, true},
      {"p", Atom::pid, false},
      {"addr", Atom::client, false},
      {"time", Atom::local_time, false},
      {"dt_ms", Atom::decimal_milliseconds, true},
      {"status", Atom::status, true},
      {"path", Atom::path, false},
      {"query_string", Atom::query, false},
      {"method", Atom::method, false},
      {"scheme", Atom::scheme, false},
      {"protocol", Atom::protocol, false},
      {"rbl", Atom::body_bytes, true},
  }};

  static constexpr std::array<Name, 5> kVariables = {{
      {"REMOTE_ADDR", Atom::client, false},
      {"REQUEST_METHOD", Atom::method, false},
      {"QUERY_STRING", Atom::query, false},
      {"SERVER_PROTOCOL", Atom::protocol, false},
      {"wsgi.url_scheme", Atom::scheme, false},
  }};

  const std::string_view format_;
  AccessFormat& to_;
  std::size_t at_ = 0;
};

Result<AccessFormat> AccessFormat::compile(std::string_view format) noexcept {
  AccessFormat compiled;
  if (const Result<void> done = AccessCompiler(format, &compiled).run(); !done) return done.error();
  ::tzset();  // reads the zone's file now and not at the first request
  return compiled;
}

void AccessFormat::format(const AccessRecord& record, Buffer* to) noexcept {
  if (op_count_ > 0) AccessLine(this, record, to).run();
}

std::string_view AccessFormat::time_text(Clock clock, std::int64_t unix_us) noexcept {
  SecondText& cached = seconds_[static_cast<std::size_t>(clock)];
  const std::int64_t second = std::max<std::int64_t>(unix_us, 0) / 1'000'000;
  if (cached.second == second) return cached.view();
  const std::time_t when = second;
  std::tm time{};
  const bool known = clock == Clock::utc ? ::gmtime_r(&when, &time) != nullptr
                                         : ::localtime_r(&when, &time) != nullptr;
  char* const start = cached.text.data();
  char* to = start;
  if (!known || time.tm_year + 1900 > 9999) {
    *to++ = '-';
  } else if (clock == Clock::clf) {
    *to++ = '[';
    to = put_digits(to, time.tm_mday, 2);
    *to++ = '/';
    to = put_text(to, kMonths.substr(static_cast<std::size_t>(time.tm_mon) * 3, 3));
    *to++ = '/';
    to = put_digits(to, time.tm_year + 1900, 4);
    *to++ = ':';
    to = put_zone(put_time_of_day(to, time), time);
    *to++ = ']';
  } else if (clock == Clock::local) {
    to = put_zone(put_time_of_day(put_date(to, time, ' '), time), time);
  } else {
    to = put_time_of_day(put_date(to, time, 'T'), time);
  }
  cached.second = second;
  cached.bytes = static_cast<std::size_t>(to - start);
  return cached.view();
}

}  // namespace lanner::log
