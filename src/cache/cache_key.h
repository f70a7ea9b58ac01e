// cache/cache_key.h: what a stored answer is found by: scheme, host, path and query of a request,
// written into memory of the caller's (RFC 9111, section 2).
//
//   "GET https://example.org/cards?q=a"
//
// The host is written in lower case and without the scheme's own port; path and query stand as they
// were sent, so that what the application tells apart is not mixed up. HEAD has the key of GET;
// other methods have none, whatever fields ask for another method.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "http/head.h"

namespace lanner::cache {

// Which parameters of the query belong to the key.
struct QueryRule {
  enum class Which : std::uint8_t {
    whole,   // the query as it was sent
    none,    // no parameter
    only,    // those named
    except,  // those not named
  };

  Which which = Which::whole;
  bool any_order = false;  // not for `whole`: parameters are sorted by name (No-Vary-Search)
  std::span<const std::string_view> names;  // decoded
};

// The key, in `to`; empty: the request has none, as its method is another, the host is missing, or
// it has more than kQueryPairsMax parameters or finds no room.
std::string_view write_key(const http::RequestHead& request, const QueryRule& rule,
                           std::span<char> to) noexcept;

// The same of a URI by its parts, for invalidation: the whole query.
std::string_view write_key(bool secure, std::string_view authority, std::string_view path,
                           std::string_view query, bool has_query, std::span<char> to) noexcept;

}  // namespace lanner::cache
