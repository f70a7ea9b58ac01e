// router/router.h: which route answers a request.
//
//   RouterBuilder --add()--> --freeze()--> Router --match()--> Match
//
// A router is immutable: any number of threads may ask it.
//
// What decides, in this order:
// 1. The host: trees of routes for that name, then for host patterns, then without host.
// 2. The path, by the first segment in which routes differ: text, text with parameters, uuid, int,
//    float, str, path. Order of registration never counts.
// 3. Of the routes whose path matches, the first by 1 and 2 that has the method. HEAD follows GET
//    unless a route of the same shape has HEAD itself. Has none the method, then OPTIONS is answered
//    automatically, and all others are 405 with the methods of all these routes.
// 4. Does no path match: the path with the last '/' added or taken away, by the slash policy.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/head.h"
#include "router/host_table.h"
#include "router/match.h"
#include "router/methods.h"
#include "router/pattern.h"
#include "router/tree.h"
#include "router/url.h"

namespace lanner::router {

// What becomes of a path that matches only with the last '/' added or taken away. Never of "/".
enum class SlashPolicy : std::uint8_t {
  strict,    // not_found
  redirect,  // if that path has the method
  ignore,    // both paths are one; the one as it is sent comes first
};

struct Options {
  SlashPolicy slash = SlashPolicy::redirect;
  // Two routes of one shape and method: true: the first one answers; false: the second is refused.
  bool first_wins = false;
};

struct Route {
  Pattern host;
  Pattern path;
  std::string name;
  MethodSet methods = 0;  // as given
  // Of the host, then of the path: what Match::values() are the values of.
  std::vector<Parameter> parameters;
};

// What of a request decides.
struct Target {
  http::Method method = http::Method::unknown;
  std::string_view method_text;
  std::string_view path;  // as sent
  std::string_view host;  // valid, or empty; host[:port]
  bool has_escapes = false;

  static Target of(const http::RequestHead& head) noexcept {
    return {head.method, head.method_text, head.path, head.authority, head.path_has_escapes};
  }
};

class Router final {
 public:
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // Allocates nothing. The values are views of target.path and target.host.
  void match(const Target& target, Match* match) const noexcept;

  std::span<const Route> routes() const noexcept { return routes_; }
  // The value of an Allow field: a view of *to.
  std::string_view allow(MethodSet methods, AllowText* to) const noexcept {
    return methods_.write(methods, to);
  }
  // Of the routes of that name, the first that has exactly these parameters. False: *why says what
  // is wrong.
  bool url_for(std::string_view name, std::span<const Argument> arguments, Url* url,
               std::string* why) const noexcept;

 private:
  friend class RouterBuilder;
  Router() = default;

  enum class Slash : std::uint8_t { as_sent, toggled };
  bool find(const Target& target, MethodSet method, Slash slash, Match* match) const noexcept;
  bool find_by_host(const Target& target, MethodSet method, Slash slash,
                    Match* match) const noexcept;
  bool find_in(std::uint32_t tree, const Target& target, MethodSet method, Slash slash,
               Match* match) const noexcept;

  Options options_;
  Tree tree_;
  std::uint32_t any_host_ = 0;
  HostTable hosts_;
  MethodTable methods_;
  MethodSet all_methods_ = 0;
  std::vector<Route> routes_;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> names_;
};

}  // namespace lanner::router
