// router/match.h: what the router says of a request.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "router/limits.h"
#include "router/methods.h"

namespace lanner::router {

// The value of a parameter: a view of the request's path or host, as it was sent.
struct Value {
  const char* data;
  std::uint32_t bytes;
  bool has_escapes;  // a '%' is in it: write_value() would change it
  bool in_host;      // any case: write_value() makes it lower case

  std::string_view raw() const noexcept { return {data, bytes}; }
};

// Decoded, or in lower case. `to` needs value.bytes bytes. Returns the bytes written. They may be
// anything but NUL, also a '/' that was sent as "%2F", ".." and bytes that are not UTF-8.
std::size_t write_value(const Value& value, char* to) noexcept;

enum class Outcome : std::uint8_t {
  matched,             // `route` and `values` are set
  not_found,           // 404
  method_not_allowed,  // 405 with Allow: `allowed`
  redirect,            // to the path with the last '/' added or taken away (router/location.h)
  automatic_options,   // OPTIONS, and no route has it: 204 or 200 with Allow: `allowed`
};

// Filled by Router::match(); only what the outcome names is set. Reusable.
struct Match {
  Outcome outcome;
  std::uint32_t route;  // counted from 0 in the order of RouterBuilder::add()
  MethodSet allowed;
  std::uint32_t count;  // of values
  std::array<Value, kParametersMax> slots;

  // In the order of Router::parameters(route): those of the host, then those of the path.
  std::span<const Value> values() const noexcept { return {slots.data(), count}; }

  void push(std::string_view raw, bool has_escapes, bool in_host) noexcept {
    slots[count++] = {raw.data(), static_cast<std::uint32_t>(raw.size()), has_escapes, in_host};
  }
};

}  // namespace lanner::router
