// router/builder.h: takes routes one by one, and makes a router of them.
//
// A mistake is refused where the route is added, with a text that says what to write instead. A
// builder may go on after freeze() and freeze another router.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "router/router.h"
#include "router/tree_builder.h"

namespace lanner::router {

struct RouteSpec {
  std::string_view path;
  std::string_view host;  // "": any
  std::span<const std::string_view> methods;
  std::string_view name;  // for url_for(); "": none. Need not be unique.
};

class RouterBuilder final {
 public:
  explicit RouterBuilder(Options options = {}) noexcept;
  RouterBuilder(const RouterBuilder&) = delete;
  RouterBuilder& operator=(const RouterBuilder&) = delete;

  // The route's number is how many were added before. False: nothing was added, and *why says what
  // is wrong and what to write instead.
  bool add(const RouteSpec& spec, std::string* why) noexcept;
  std::unique_ptr<const Router> freeze() const noexcept;

 private:
  bool parse(const RouteSpec& spec, Route* route, std::string* why) noexcept;
  bool tree_of(const Pattern& host, std::uint32_t* tree, std::string* why) noexcept;

  Options options_;
  TreeBuilder trees_;
  std::map<std::string, std::pair<Pattern, std::uint32_t>> hosts_;  // by shape, with their trees
  std::uint32_t any_host_;
  std::size_t host_patterns_ = 0;
  MethodTable methods_;
  std::vector<Route> routes_;
};

}  // namespace lanner::router
