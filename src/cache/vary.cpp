#include "cache/vary.h"

#include <algorithm>
#include <utility>

#include "cache/limits.h"
#include "http/list.h"

namespace lanner::cache {

namespace {

bool less_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return http::to_lower(x) < http::to_lower(y);
  });
}

struct Names {
  std::string_view items[kVaryNamesMax];
  std::size_t count = 0;

  // Keeps them sorted. False: not a name, or too many.
  bool add(std::string_view name) noexcept {
    if (name == "*" || !http::is_token(name)) return false;
    std::size_t at = 0;
    while (at < count && less_ignoring_case(items[at], name)) ++at;
    if (at < count && http::equals_ignoring_case(items[at], name)) return true;
    if (count == kVaryNamesMax) return false;
    std::copy_backward(items + at, items + count, items + count + 1);
    items[at] = name;
    ++count;
    return true;
  }
};

struct Coding {
  std::string_view name;
  char letter;
};
constexpr Coding kCodings[] = {{"br", 'b'},   {"compress", 'c'},   {"deflate", 'd'},
                               {"gzip", 'g'}, {"x-gzip", 'g'},     {"identity", 'i'},
                               {"zstd", 'z'}, {"x-compress", 'c'}, {"*", '*'}};
constexpr std::string_view kLetters = "bcdgiz*";

// "q=0", "q=0.00": not acceptable.
bool is_refused(std::string_view parameters) noexcept {
  const std::size_t q = parameters.find_first_of("qQ");
  if (q == parameters.npos) return false;
  const std::size_t equals = parameters.find('=', q);
  if (equals == parameters.npos) return false;
  const std::string_view weight = http::trim_blanks(parameters.substr(equals + 1));
  return !weight.empty() && weight[0] == '0' && weight.find_first_not_of("0.") == weight.npos;
}

// What one field says, as two sets of letters; false where it knows other codings.
bool add_codings(std::string_view value, unsigned int* accepted, unsigned int* refused) noexcept {
  while (!value.empty()) {
    const std::string_view member = http::take_member(value);
    if (member.empty()) continue;
    const std::size_t semicolon = member.find(';');
    const std::string_view name = http::trim_blanks(member.substr(0, semicolon));
    const auto* coding = std::find_if(
        std::begin(kCodings), std::end(kCodings),
        [name](const Coding& one) { return http::equals_ignoring_case(name, one.name); });
    if (coding == std::end(kCodings)) return false;
    const unsigned int bit = 1U << kLetters.find(coding->letter);
    const bool out = semicolon != member.npos && is_refused(member.substr(semicolon));
    *(out ? refused : accepted) |= bit;
  }
  return true;
}

bool write_codings(const http::RequestHead& request, TextWriter& writer) noexcept {
  unsigned int accepted = 0;
  unsigned int refused = 0;
  for (const http::Field& field : request.fields) {
    if (field.token != http::Token::accept_encoding) continue;
    if (!add_codings(field.value, &accepted, &refused)) return false;
  }
  if (request.find(http::Token::accept_encoding)) writer.add('+');
  // Only what else would be acceptable has to be refused.
  const unsigned int identity = 1U << kLetters.find('i');
  const unsigned int any = 1U << kLetters.find('*');
  if (!(accepted & any)) refused &= identity | any;
  if (!(refused & any)) accepted &= ~identity;  // it is acceptable anyway
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    if (accepted >> i & 1U) writer.add(kLetters[i]);
  }
  writer.add('-');
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    if (refused >> i & 1U) writer.add(kLetters[i]);
  }
  return true;
}

bool ignores_case(std::string_view name) noexcept {
  return name == "accept" || name == "accept-charset" || name == "accept-encoding" ||
         name == "accept-language";
}

// Fields that are no lists, or where blanks may mean something: taken as they stand.
bool is_exact(std::string_view name) noexcept {
  return name == "cookie" || name == "authorization" || name == "user-agent" || name == "referer";
}

// No field value holds these bytes.
constexpr char kPresent = 1;
constexpr char kNextName = 2;

void write_values(const http::RequestHead& request, std::string_view name,
                  TextWriter& writer) noexcept {
  bool present = false;
  bool first = true;
  for (const http::Field& field : request.fields) {
    if (!http::equals_ignoring_case(field.name, name)) continue;
    if (!present) writer.add(kPresent);  // a field that is empty is not one that is missing
    present = true;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const std::string_view member =
          is_exact(name) ? std::exchange(rest, {}) : http::take_quoted_member(rest);
      if (member.empty()) continue;
      if (!first) writer.add(',');
      first = false;
      ignores_case(name) ? writer.add_lower(member) : writer.add(member);
    }
  }
}

}  // namespace

std::string_view write_vary_names(const AnswerHead& answer, std::span<char> to,
                                  bool* good) noexcept {
  Names names;
  *good = true;
  for (const http::Field& field : answer.fields) {
    if (field.token != http::Token::vary) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const std::string_view name = http::take_member(rest);
      if (!name.empty() && !names.add(name)) *good = false;
    }
  }
  TextWriter writer(to);
  for (std::size_t i = 0; i < names.count; ++i) {
    if (i > 0) writer.add(',');
    writer.add_lower(names.items[i]);
  }
  *good = *good && writer.good();
  return writer.text();
}

void write_variant(const http::RequestHead& request, std::string_view names,
                   TextWriter& writer) noexcept {
  while (!names.empty()) {
    const std::string_view name = http::take_member(names);
    writer.add(kNextName);
    if (name == "accept-encoding" && write_codings(request, writer)) continue;
    write_values(request, name, writer);
  }
}

}  // namespace lanner::cache
