#include "cache/validation.h"

#include <algorithm>

#include "http/ascii.h"
#include "http/date.h"
#include "http/list.h"

namespace lanner::cache {

namespace {

// entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE
bool is_etag(std::string_view text) noexcept {
  if (text.starts_with("W/")) text.remove_prefix(2);
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  return std::all_of(text.begin() + 1, text.end() - 1, [](char byte) {
    const auto code = static_cast<unsigned char>(byte);
    return code > 0x20 && code != 0x7F && byte != '"';
  });
}

std::string_view opaque(std::string_view etag) noexcept {
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  return etag;
}
bool match_weakly(std::string_view a, std::string_view b) noexcept {
  return !a.empty() && opaque(a) == opaque(b);
}
bool match_strongly(std::string_view a, std::string_view b) noexcept {
  return a == b && is_etag(a) && a.front() == '"';
}

// A backslash is an ordinary byte of an entity-tag, so lists of them are not lists of quoted strings.
std::string_view take_etag(std::string_view& rest) noexcept {
  std::size_t end = rest.find_first_not_of(" \t,");
  rest.remove_prefix(std::min(end, rest.size()));
  const std::size_t open = rest.starts_with("W/") ? 2 : 0;
  if (open < rest.size() && rest[open] == '"') {
    end = rest.find('"', open + 1);
    if (end != rest.npos) ++end;
  } else {
    end = rest.find(',');
  }
  const std::string_view etag = rest.substr(0, end);
  rest.remove_prefix(etag.size());
  return http::trim_blanks(etag);
}

bool none_match_fails(const http::RequestHead& request, std::string_view etag) noexcept {
  for (const http::Field& field : request.fields) {
    if (field.token != http::Token::if_none_match) continue;
    if (field.value == "*") return true;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      if (match_weakly(etag, take_etag(rest))) return true;
    }
  }
  return false;
}

bool is_not_modified(const http::RequestHead& request, const Validators& stored,
                     std::int64_t now) noexcept {
  if (request.find(http::Token::if_none_match)) return none_match_fails(request, stored.etag);
  const http::Field* since = request.find(http::Token::if_modified_since);
  std::int64_t date = 0;
  return since && stored.modified_unix_s && http::parse_date(since->value, now, &date) &&
         *stored.modified_unix_s <= date;
}

// If-Range: a strong entity-tag, or the date exactly as it is stored.
bool range_counts(const http::RequestHead& request, const Validators& stored) noexcept {
  const http::Field* condition = request.find(http::Token::if_range);
  if (!condition) return true;
  return match_strongly(condition->value, stored.etag) ||
         (!stored.last_modified.empty() && condition->value == stored.last_modified);
}

Selected select_range(std::string_view value, std::uint64_t bytes) noexcept {
  constexpr std::string_view kUnit = "bytes=";
  if (value.size() < kUnit.size() ||
      !http::equals_ignoring_case(value.substr(0, kUnit.size()), kUnit))
    return {};
  value = http::trim_blanks(value.substr(kUnit.size()));
  const std::size_t dash = value.find('-');
  if (dash == value.npos) return {};
  const std::string_view first_text = value.substr(0, dash);
  const std::string_view last_text = value.substr(dash + 1);
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  // A list of ranges has a comma, and is no number.
  if (!last_text.empty() && !http::parse_decimal(last_text, &last)) return {};
  if (first_text.empty()) {  // the last bytes
    if (last_text.empty()) return {};
    if (last == 0 || bytes == 0) return {Selection::unsatisfiable};
    const std::uint64_t part = std::min(last, bytes);
    return {Selection::part, bytes - part, part};
  }
  if (!http::parse_decimal(first_text, &first)) return {};
  if (last_text.empty()) last = UINT64_MAX / 2;
  if (last < first) return {};
  if (first >= bytes) return {Selection::unsatisfiable};
  return {Selection::part, first, std::min(last, bytes - 1) - first + 1};
}

}  // namespace

Validators read_validators(const AnswerHead& answer, std::int64_t now_unix_s) noexcept {
  Validators found;
  if (const http::Field* etag = answer.find(http::Token::etag); etag && is_etag(etag->value))
    found.etag = etag->value;
  if (const http::Field* modified = answer.find(http::Token::last_modified)) {
    std::int64_t date = 0;
    found.last_modified = modified->value;
    if (http::parse_date(modified->value, now_unix_s, &date)) found.modified_unix_s = date;
  }
  return found;
}

Selected select(const http::RequestHead& request, int status, const Validators& stored,
                std::uint64_t body_bytes, std::int64_t now_unix_s) noexcept {
  // Conditions are for what would be a 2xx (RFC 9110, section 13.2.1).
  if (status < 200 || status > 299) return {};
  if (is_not_modified(request, stored, now_unix_s)) return {Selection::not_modified};
  const http::Field* range = request.find(http::Token::range);
  if (!range || status != 200 || request.method != http::Method::get) return {};
  if (!range_counts(request, stored)) return {};
  return select_range(range->value, body_bytes);
}

void write_conditions(const Validators& stored, TextWriter& writer) noexcept {
  const auto add = [&writer](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    writer.add(name);
    writer.add(value);
    writer.add("\r\n");
  };
  add("If-None-Match: ", stored.etag);
  add("If-Modified-Since: ", stored.modified_unix_s ? stored.last_modified : std::string_view());
}

bool confirms(const AnswerHead& not_modified, const Validators& stored) noexcept {
  if (not_modified.status != 304) return false;
  if (const http::Field* etag = not_modified.find(http::Token::etag)) {
    if (is_etag(etag->value) && etag->value.front() == '"')
      return match_strongly(etag->value, stored.etag);
    return match_weakly(stored.etag, etag->value);
  }
  const http::Field* modified = not_modified.find(http::Token::last_modified);
  return !modified || modified->value == stored.last_modified;
}

bool is_updated(const http::Field& field) noexcept {
  using http::Token;
  constexpr Token kKept[] = {Token::connection,
                             Token::keep_alive,
                             Token::proxy_connection,
                             Token::te,
                             Token::trailer,
                             Token::upgrade,
                             Token::transfer_encoding,
                             Token::content_length,
                             Token::content_encoding,
                             Token::content_type,
                             Token::content_range,
                             Token::set_cookie,
                             Token::etag,
                             Token::age};
  return std::find(std::begin(kKept), std::end(kKept), field.token) == std::end(kKept);
}

bool invalidates(http::Method method, int status) noexcept {
  using http::Method;
  const bool safe = method == Method::get || method == Method::head || method == Method::options ||
                    method == Method::trace;
  return !safe && status >= 200 && status < 400;
}

std::string_view same_origin_target(std::string_view location, bool secure,
                                    std::string_view authority) noexcept {
  const std::string_view own = secure ? "https:" : "http:";
  location = location.substr(0, location.find('#'));
  if (location.size() > own.size() &&
      http::equals_ignoring_case(location.substr(0, own.size()), own))
    location.remove_prefix(own.size());
  if (!location.starts_with('/')) return {};
  if (!location.starts_with("//")) return location;
  location.remove_prefix(2);
  const std::size_t slash = std::min(location.find_first_of("/?"), location.size());
  if (!http::equals_ignoring_case(location.substr(0, slash), authority)) return {};
  return slash == location.size() ? "/" : location.substr(slash);
}

}  // namespace lanner::cache
