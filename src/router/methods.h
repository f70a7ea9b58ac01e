// router/methods.h: sets of methods as bits, and the Allow field.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/method.h"
#include "router/limits.h"

namespace lanner::router {

using MethodSet = std::uint64_t;

constexpr MethodSet method_bit(http::Method method) noexcept {
  return MethodSet{1} << static_cast<unsigned int>(method);
}
inline constexpr MethodSet kGet = method_bit(http::Method::get);
inline constexpr MethodSet kHead = method_bit(http::Method::head);
inline constexpr MethodSet kOptions = method_bit(http::Method::options);

// Most bytes of a list of methods.
inline constexpr std::size_t kAllowBytesMax = 64 * (kMethodBytesMax + 2);
using AllowText = std::array<char, kAllowBytesMax>;

// The methods of http/method.h have its ids as bits; the routes' own follow.
class MethodTable final {
 public:
  // Adds the method of a route to *set. False: *why says what to write instead.
  bool add(std::string_view name, MethodSet* set, std::string* why) noexcept;

  // The bit of a request's method; 0: no route has it.
  MethodSet of(http::Method method, std::string_view text) const noexcept {
    return method != http::Method::unknown ? method_bit(method) : own(text);
  }
  // "GET, HEAD, OPTIONS": sorted; a view of *to.
  std::string_view write(MethodSet set, AllowText* to) const noexcept;

 private:
  MethodSet own(std::string_view text) const noexcept;

  struct Own {
    std::string name;
    unsigned int bit;
  };
  std::vector<Own> own_;  // sorted by name
};

}  // namespace lanner::router
