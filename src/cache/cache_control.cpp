#include "cache/cache_control.h"

#include "cache/dictionary.h"
#include "http/ascii.h"
#include "http/list.h"

namespace lanner::cache {

namespace {

using Number = std::optional<std::uint32_t>;

// How a number that is invalid, or that conflicts with an earlier one, is taken.
enum class Doubt : std::uint8_t { zero, largest, absent };

struct NumberName {
  std::string_view name;
  Number CacheControl::*number;
  Doubt doubt;
};
constexpr NumberName kNumbers[] = {
    {"max-age", &CacheControl::max_age, Doubt::zero},
    {"s-maxage", &CacheControl::s_maxage, Doubt::zero},
    {"stale-while-revalidate", &CacheControl::stale_while_revalidate, Doubt::zero},
    {"stale-if-error", &CacheControl::stale_if_error, Doubt::zero},
    {"min-fresh", &CacheControl::min_fresh, Doubt::largest},
    {"max-stale", &CacheControl::max_stale, Doubt::zero},
};

struct FlagName {
  std::string_view name;
  bool CacheControl::*flag;
};
constexpr FlagName kFlags[] = {
    {"no-cache", &CacheControl::no_cache},
    {"no-store", &CacheControl::no_store},
    {"only-if-cached", &CacheControl::only_if_cached},
    {"must-revalidate", &CacheControl::must_revalidate},
    {"proxy-revalidate", &CacheControl::proxy_revalidate},
    {"must-understand", &CacheControl::must_understand},
    {"private", &CacheControl::private_},
    {"public", &CacheControl::public_},
};

// The value of an argument, with or without quotes; false for a quoted one that has escapes or no
// end.
bool unquote(std::string_view* argument) noexcept {
  if (argument->empty() || argument->front() != '"') return !argument->empty();
  if (argument->size() < 2 || argument->back() != '"') return false;
  *argument = argument->substr(1, argument->size() - 2);
  return argument->find_first_of("\"\\") == argument->npos;
}

void set_number(const NumberName& to, Number value, CacheControl* control) noexcept {
  Number& number = control->*to.number;
  if (value && (!number || *number == *value)) {
    number = value;
  } else if (to.doubt == Doubt::zero) {
    number = 0;
  } else if (to.doubt == Doubt::largest) {
    number = kDeltaMax;
  }
}

void read_directive(std::string_view member, CacheControl* control) noexcept {
  const std::size_t equals = member.find('=');
  const std::string_view written = member.substr(0, equals);
  const std::string_view name = http::trim_blanks(written);
  std::string_view argument =
      equals == member.npos ? std::string_view() : member.substr(equals + 1);
  for (const FlagName& one : kFlags) {
    if (!http::equals_ignoring_case(name, one.name)) continue;
    // Those that forbid count with any argument, those that allow only as they are defined.
    const bool allows = one.flag == &CacheControl::public_;
    if (!allows || equals == member.npos) control->*one.flag = true;
    return;
  }
  for (const NumberName& one : kNumbers) {
    if (!http::equals_ignoring_case(name, one.name)) continue;
    if (equals == member.npos && one.number == &CacheControl::max_stale)
      return set_number(one, kDeltaMax, control);
    std::uint32_t seconds = 0;
    const bool valid =
        written.size() == name.size() && unquote(&argument) && parse_delta(argument, &seconds);
    return set_number(one, valid ? Number(seconds) : Number(), control);
  }
}

void read_member(const Member& member, CacheControl* control) noexcept {
  for (const FlagName& one : kFlags) {
    if (member.key != one.name) continue;
    control->*one.flag = member.value.type != ItemType::boolean || member.value.truth;
  }
  for (const NumberName& one : kNumbers) {
    if (member.key != one.name) continue;
    const std::int64_t number = member.value.number;
    const bool valid = member.value.type == ItemType::integer && number >= 0;
    control->*one.number = !valid               ? 0
                           : number < kDeltaMax ? static_cast<std::uint32_t>(number)
                                                : kDeltaMax;
  }
}

constexpr std::string_view kTargeted = "cdn-cache-control";

}  // namespace

bool parse_delta(std::string_view text, std::uint32_t* seconds) noexcept {
  std::uint64_t number = 0;
  for (const char byte : text) {
    if (!http::is_digit(byte)) return false;
    number = number * 10 + static_cast<std::uint64_t>(byte - '0');
    if (number > kDeltaMax) number = kDeltaMax;
  }
  *seconds = static_cast<std::uint32_t>(number);
  return !text.empty();
}

CacheControl read_cache_control(std::span<const http::Field> fields) noexcept {
  CacheControl control;
  for (const http::Field& field : fields) {
    if (field.token != http::Token::cache_control) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) read_directive(http::take_quoted_member(rest), &control);
  }
  return control;
}

CacheControl read_answer_control(std::span<const http::Field> fields) noexcept {
  CacheControl control;
  for (const http::Field& field : fields) {
    if (!http::equals_ignoring_case(field.name, kTargeted)) continue;
    DictionaryReader reader(field.value);
    Member member;
    DictionaryReader::Step step = reader.next(&member);
    while (step == DictionaryReader::Step::member) {
      read_member(member, &control);
      control.targeted = true;
      step = reader.next(&member);
    }
    if (step == DictionaryReader::Step::invalid) return read_cache_control(fields);
  }
  return control.targeted ? control : read_cache_control(fields);
}

}  // namespace lanner::cache
