// router/test_router.h: for tests: routes and requests as lines of text, answers as one.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "router/builder.h"
#include "router/location.h"

namespace lanner::router {

// "GET,POST /path", or "GET host/path"; the name of each is its path.
inline bool add_line(RouterBuilder* builder, std::string_view line, std::string* why) {
  const std::size_t blank = line.find(' ');
  const std::size_t slash = line.find('/', blank);
  std::vector<std::string_view> methods;
  for (std::string_view rest = line.substr(0, blank); !rest.empty();) {
    const std::size_t comma = rest.find(',');
    methods.push_back(rest.substr(0, comma));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  const std::string_view host = line.substr(blank + 1, slash - blank - 1);
  const std::string_view path = slash == std::string_view::npos ? "" : line.substr(slash);
  return builder->add({path, host, methods, path}, why);
}

inline std::unique_ptr<const Router> make_router(const std::vector<const char*>& lines,
                                                 Options options = {}) {
  RouterBuilder builder(options);
  std::string why;
  for (const char* line : lines) {
    const bool added = add_line(&builder, line, &why);
    EXPECT_TRUE(added) << why;
  }
  return builder.freeze();
}

inline std::string value_text(const Value& value) {
  std::string text(value.bytes, '?');
  text.resize(write_value(value, text.data()));
  return text;
}

// "/pattern a=1 b=2" | "404" | "405 GET, HEAD, OPTIONS" | "-> /path/" | "options GET, HEAD, OPTIONS"
inline std::string outcome_text(const Router& router, const Target& target, const Match& match) {
  AllowText room;
  std::string text;
  switch (match.outcome) {
    case Outcome::not_found:
      return "404";
    case Outcome::method_not_allowed:
      return "405 " + std::string(router.allow(match.allowed, &room));
    case Outcome::automatic_options:
      return "options " + std::string(router.allow(match.allowed, &room));
    case Outcome::redirect: {
      const Redirected from{"", target.path, "", false};
      text.resize(location_bytes_bound(from));
      text.resize(static_cast<std::size_t>(write_location(from, text.data()) - text.data()));
      return "-> " + text;
    }
    case Outcome::matched:
      break;
  }
  const Route& route = router.routes()[match.route];
  text = route.host.text + route.path.text;
  for (std::size_t i = 0; i < match.values().size(); ++i) {
    text += ' ' + route.parameters[i].name + '=' + value_text(match.values()[i]);
  }
  return text;
}

// "GET /path", as one of "host".
inline std::string ask(const Router& router, std::string_view line, std::string_view host = "") {
  const std::size_t blank = line.find(' ');
  Target target;
  target.method_text = line.substr(0, blank);
  target.method = http::method_from_text(target.method_text);
  target.path = line.substr(blank + 1);
  target.has_escapes = target.path.find('%') != std::string_view::npos;
  target.host = host;
  Match match;
  router.match(target, &match);
  return outcome_text(router, target, match);
}

}  // namespace lanner::router
