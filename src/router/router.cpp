#include "router/router.h"

namespace lanner::router {

bool Router::find_in(std::uint32_t tree, const Target& target, MethodSet method, Slash slash,
                     Match* match) const noexcept {
  Tree::Search search{target.path, method, target.has_escapes, false};
  if (slash == Slash::as_sent) {
    if (tree_.find(tree, search, match)) return true;
    if (options_.slash != SlashPolicy::ignore) return false;
  }
  if (search.path.size() < 2) return false;
  if (search.path.ends_with('/')) {
    search.path.remove_suffix(1);
  } else {
    search.and_slash = true;
  }
  return tree_.find(tree, search, match);
}

bool Router::find(const Target& target, MethodSet method, Slash slash,
                  Match* match) const noexcept {
  match->allowed = 0;
  if (!hosts_.empty() && find_by_host(target, method, slash, match)) return true;
  match->count = 0;
  return find_in(any_host_, target, method, slash, match);
}

bool Router::find_by_host(const Target& target, MethodSet method, Slash slash,
                          Match* match) const noexcept {
  HostTable::Search hosts(hosts_, target.host);
  for (std::uint32_t tree = 0; hosts.next(&tree, match);) {
    if (find_in(tree, target, method, slash, match)) return true;
  }
  return false;
}

void Router::match(const Target& target, Match* match) const noexcept {
  const MethodSet method = methods_.of(target.method, target.method_text);
  match->outcome = Outcome::not_found;
  if (!target.path.starts_with('/')) {  // "*" (RFC 9112, section 3.2.4)
    match->count = 0;
    match->allowed = all_methods_ | kOptions;
    if (method == kOptions && target.path == "*") match->outcome = Outcome::automatic_options;
    return;
  }
  if (find(target, method, Slash::as_sent, match)) {
    match->outcome = Outcome::matched;
    return;
  }
  if (match->allowed != 0) {
    match->allowed |= kOptions;
    match->outcome = method == kOptions ? Outcome::automatic_options : Outcome::method_not_allowed;
    return;
  }
  // A redirect to "//host" would lead to another host.
  if (options_.slash != SlashPolicy::redirect || target.path.starts_with("//")) return;
  if (find(target, method, Slash::toggled, match)) match->outcome = Outcome::redirect;
}

bool Router::url_for(std::string_view name, std::span<const Argument> arguments, Url* url,
                     std::string* why) const noexcept {
  const auto found = names_.find(name);
  if (found == names_.end()) {
    *why = "no route is named '" + std::string(name) + "'";
    return false;
  }
  for (const std::uint32_t number : found->second) {
    const Route& route = routes_[number];
    if (found->second.size() == 1 || has_parameters(route.host, route.path, arguments))
      return write_url(route.host, route.path, arguments, url, why);
  }
  *why = "none of the " + std::to_string(found->second.size()) + " routes named '" +
         std::string(name) + "' has exactly the parameters given (";
  for (const Argument& argument : arguments) {
    if (why->back() != '(') *why += ", ";
    *why += argument.name;
  }
  *why += ")";
  return false;
}

}  // namespace lanner::router
