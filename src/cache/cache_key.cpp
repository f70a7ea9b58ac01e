#include "cache/cache_key.h"

#include <algorithm>

#include "cache/limits.h"
#include "cache/text_writer.h"
#include "http/query.h"

namespace lanner::cache {

namespace {

// Whether the escaped `name` means `decoded`.
bool is_name(const http::QueryPair& pair, std::string_view decoded) noexcept {
  if (!pair.name_has_escapes) return pair.name == decoded;
  char text[256];
  if (pair.name.size() > sizeof text) return false;
  return std::string_view(text, http::decode_form(pair.name, text)) == decoded;
}

bool is_kept(const http::QueryPair& pair, const QueryRule& rule) noexcept {
  const bool named = std::any_of(rule.names.begin(), rule.names.end(),
                                 [&pair](std::string_view name) { return is_name(pair, name); });
  return named == (rule.which == QueryRule::Which::only);
}

// Insertion sort: few pairs, no memory, and pairs of one name keep their order.
void sort_by_name(std::span<http::QueryPair> pairs) noexcept {
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    const http::QueryPair pair = pairs[i];
    std::size_t to = i;
    for (; to > 0 && pair.name < pairs[to - 1].name; --to) pairs[to] = pairs[to - 1];
    pairs[to] = pair;
  }
}

void write_chosen(std::string_view query, const QueryRule& rule, TextWriter& writer,
                  bool* good) noexcept {
  http::QueryPair kept[kQueryPairsMax];
  std::size_t count = 0;
  http::QueryReader reader(query, kQueryPairsMax);
  http::QueryPair pair;
  auto step = reader.next(&pair);
  for (; step == http::QueryReader::Step::pair; step = reader.next(&pair)) {
    if (is_kept(pair, rule)) kept[count++] = pair;
  }
  *good = step == http::QueryReader::Step::end;
  if (rule.any_order) sort_by_name({kept, count});
  for (std::size_t i = 0; i < count; ++i) {
    writer.add(i == 0 ? '?' : '&');
    writer.add(kept[i].name);
    if (kept[i].has_equals) writer.add('=');
    writer.add(kept[i].value);
  }
}

void write_place(bool secure, std::string_view authority, std::string_view path,
                 TextWriter& writer) noexcept {
  const std::string_view port = secure ? ":443" : ":80";
  if (authority.ends_with(port)) authority.remove_suffix(port.size());
  writer.add(secure ? "GET https://" : "GET http://");
  writer.add_lower(authority);
  writer.add(path);
}

}  // namespace

std::string_view write_key(const http::RequestHead& request, const QueryRule& rule,
                           std::span<char> to) noexcept {
  if (request.method != http::Method::get && request.method != http::Method::head) return {};
  if (rule.which == QueryRule::Which::whole)
    return write_key(request.secure, request.authority, request.path, request.query,
                     request.has_query, to);
  if (request.authority.empty()) return {};
  TextWriter writer(to);
  write_place(request.secure, request.authority, request.path, writer);
  bool good = true;
  if (rule.which != QueryRule::Which::none) write_chosen(request.query, rule, writer, &good);
  return good && writer.good() ? writer.text() : std::string_view();
}

std::string_view write_key(bool secure, std::string_view authority, std::string_view path,
                           std::string_view query, bool has_query, std::span<char> to) noexcept {
  if (authority.empty()) return {};
  TextWriter writer(to);
  write_place(secure, authority, path, writer);
  if (has_query) writer.add('?');
  writer.add(query);
  return writer.good() ? writer.text() : std::string_view();
}

}  // namespace lanner::cache
