#include "router/methods.h"

#include <algorithm>
#include <cstring>

#include "http/ascii.h"

namespace lanner::router {

namespace {

using http::Method;

constexpr unsigned int kFirstOwnBit = 64 - static_cast<unsigned int>(kMethodsMax);
static_assert(kFirstOwnBit == static_cast<unsigned int>(Method::patch) + 1);

constexpr Method kSorted[] = {Method::connect, Method::delete_, Method::get,
                              Method::head,    Method::options, Method::patch,
                              Method::post,    Method::put,     Method::trace};

}  // namespace

bool MethodTable::add(std::string_view name, MethodSet* set, std::string* why) noexcept {
  const std::string quoted = '\'' + std::string(name.substr(0, kMethodBytesMax)) + '\'';
  std::string upper(name);
  for (char& byte : upper) byte = byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 32) : byte;
  if (!http::is_token(name) || name.size() > kMethodBytesMax) {
    *why = quoted + " is no method; a method is a token of at most " +
           std::to_string(kMethodBytesMax) + " bytes, such as GET";
    return false;
  }
  if (name != upper && http::method_from_text(upper) != Method::unknown) {
    *why = "methods are case-sensitive; write '" + upper + "' instead of " + quoted;
    return false;
  }
  const Method method = http::method_from_text(name);
  if (method == Method::connect) {
    *why = "CONNECT has no path; it cannot be routed";
    return false;
  }
  if (const MethodSet known = of(method, name)) {
    *set |= known;
    return true;
  }
  if (own_.size() == kMethodsMax) {
    *why = "more than " + std::to_string(kMethodsMax) + " methods beside those of HTTP itself";
    return false;
  }
  const unsigned int bit = kFirstOwnBit + static_cast<unsigned int>(own_.size());
  const auto at =
      std::lower_bound(own_.begin(), own_.end(), name,
                       [](const Own& own, std::string_view text) { return own.name < text; });
  own_.insert(at, {std::string(name), bit});
  *set |= MethodSet{1} << bit;
  return true;
}

MethodSet MethodTable::own(std::string_view text) const noexcept {
  for (const Own& own : own_) {
    if (own.name == text) return MethodSet{1} << own.bit;
  }
  return 0;
}

std::string_view MethodTable::write(MethodSet set, AllowText* to) const noexcept {
  char* end = to->data();
  const auto put = [&end, to](std::string_view name) {
    if (end != to->data()) {
      *end++ = ',';
      *end++ = ' ';
    }
    std::memcpy(end, name.data(), name.size());
    end += name.size();
  };
  std::size_t next = 0;
  for (const Method method : kSorted) {
    const std::string_view name = http::method_text(method);
    for (; next < own_.size() && own_[next].name < name; ++next) {
      if (set >> own_[next].bit & 1) put(own_[next].name);
    }
    if (set & method_bit(method)) put(name);
  }
  for (; next < own_.size(); ++next) {
    if (set >> own_[next].bit & 1) put(own_[next].name);
  }
  return {to->data(), static_cast<std::size_t>(end - to->data())};
}

}  // namespace lanner::router
