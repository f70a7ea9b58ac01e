#include "router/builder.h"

#include <new>

namespace lanner::router {

RouterBuilder::RouterBuilder(Options options) noexcept
    : options_(options), any_host_(trees_.add_root()) {}

bool RouterBuilder::parse(const RouteSpec& spec, Route* route, std::string* why) noexcept {
  if (!parse_host(spec.host, &route->host, why) || !parse_path(spec.path, &route->path, why))
    return false;
  route->name = spec.name;
  route->parameters = route->host.parameters;
  for (const Parameter& parameter : route->path.parameters) {
    for (const Parameter& other : route->host.parameters) {
      if (other.name != parameter.name) continue;
      *why = "the host '" + route->host.text + "' and the path '" + route->path.text +
             "' both have a parameter '" + parameter.name + "'";
      return false;
    }
    route->parameters.push_back(parameter);
  }
  if (route->parameters.size() > kParametersMax) {
    *why = "path '" + route->path.text + "': more than " + std::to_string(kParametersMax) +
           " parameters, those of the host included";
    return false;
  }
  if (spec.methods.empty()) {
    *why = "path '" + route->path.text + "': no methods; write at least one, such as GET";
    return false;
  }
  for (const std::string_view method : spec.methods) {
    if (!methods_.add(method, &route->methods, why)) return false;
  }
  return true;
}

bool RouterBuilder::tree_of(const Pattern& host, std::uint32_t* tree, std::string* why) noexcept {
  *tree = any_host_;
  if (host.segments.empty()) return true;
  const std::string shape = host_shape(host);
  const auto found = hosts_.find(shape);
  if (found != hosts_.end()) {
    *tree = found->second.second;
    return true;
  }
  if (!host.parameters.empty() && host_patterns_++ == kHostPatternsMax) {
    --host_patterns_;
    *why = "more than " + std::to_string(kHostPatternsMax) + " hosts with parameters";
    return false;
  }
  *tree = trees_.add_root();
  hosts_.emplace(shape, std::pair(host, *tree));
  return true;
}

bool RouterBuilder::add(const RouteSpec& spec, std::string* why) noexcept {
  Route route;
  std::uint32_t tree = 0;
  if (routes_.size() == kRoutesMax) {
    *why = "more than " + std::to_string(kRoutesMax) + " routes";
    return false;
  }
  if (!parse(spec, &route, why) || !tree_of(route.host, &tree, why)) return false;
  const TreeBuilder::Added added =
      trees_.add(tree, route.path, route.methods, static_cast<std::uint32_t>(routes_.size()),
                 options_.first_wins);
  if (added.too_many_mixed) {
    *why = "path '" + route.path.text + "': more than " + std::to_string(kMixedSegmentsMax) +
           " segments of text and parameters beside each other; write a parameter alone";
    return false;
  }
  if (added.clash != kNone && !options_.first_wins) {
    const Route& other = routes_[added.clash];
    AllowText room;
    *why = "path '" + route.path.text + "': '" + other.path.text +
           "' was added before, matches the same paths and has one of the methods " +
           std::string(methods_.write(route.methods, &room)) + ", too";
    return false;
  }
  routes_.push_back(std::move(route));
  return true;
}

std::unique_ptr<const Router> RouterBuilder::freeze() const noexcept {
  std::unique_ptr<Router> router(new (std::nothrow) Router());
  if (!router) return nullptr;
  router->options_ = options_;
  trees_.freeze(&router->tree_);
  router->any_host_ = any_host_;
  for (const auto& [shape, host] : hosts_) router->hosts_.add(host.first, host.second);
  router->hosts_.freeze();
  router->methods_ = methods_;
  router->routes_ = routes_;
  for (std::uint32_t i = 0; i < routes_.size(); ++i) {
    const MethodSet methods = routes_[i].methods;
    router->all_methods_ |= methods | ((methods & kGet) != 0 ? kHead : 0);
    if (!routes_[i].name.empty()) router->names_[routes_[i].name].push_back(i);
  }
  return router;
}

}  // namespace lanner::router
