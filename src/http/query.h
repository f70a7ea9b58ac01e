// http/query.h: the name=value pairs of a query, or of a body of application/x-www-form-urlencoded
// (WHATWG URL Standard, section 5.1).
//
// Pairs are separated by '&' alone: ';' is a byte like others. Empty pairs are skipped, empty
// values are kept. A pair without '=' is a name with an empty value; "=x" is an empty name with the
// value "x". Order and repetitions are kept: what a repeated name means is the caller's to decide.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanner::http {

// Views of the text that is read, valid as long as it.
struct QueryPair {
  std::string_view name;
  std::string_view value;
  bool name_has_escapes = false;   // decode_form() would change it: '%' or '+' is in it
  bool value_has_escapes = false;  // the same
  bool has_equals = false;         // "a=" has one, "a" has none; both values are empty
};

class QueryReader final {
 public:
  enum class Step : std::uint8_t {
    pair,      // *pair was written
    end,       // there are no more
    too_many,  // more pairs than were allowed; all further calls say so, too
  };

  // `text` without its '?'. `pairs_max` bounds what a client can make the caller keep.
  QueryReader(std::string_view text, std::size_t pairs_max) noexcept
      : rest_(text), pairs_left_(pairs_max) {}

  // Example: while (reader.next(&pair) == QueryReader::Step::pair) use(pair);
  [[nodiscard]] Step next(QueryPair* pair) noexcept;

 private:
  std::string_view rest_;
  std::size_t pairs_left_;
};

// '+' becomes a space, %XX a byte; a '%' without two hex digits stays as it is. `to` needs
// text.size() bytes and may be text.data(). Returns the bytes written. They may be anything, NUL
// and bytes that are not UTF-8 included: that is the caller's to check.
std::size_t decode_form(std::string_view text, char* to) noexcept;

}  // namespace lanner::http
