// fuzz/fuzz_router.cpp: the router against a slow one that tries each route by itself, and url_for()
// against both.
//
// Input: choices: the options, routes, then requests.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/choices.h"
#include "fuzz/slow_router.h"
#include "http/target.h"
#include "router/builder.h"

namespace {

using namespace lanner;
using namespace lanner::router;
using fuzz::Choices;
using fuzz::SlowPattern;
using fuzz::SlowSegment;
using fuzz::SlowValues;

constexpr std::string_view kMethods[] = {"GET", "POST", "HEAD", "OPTIONS", "X"};
constexpr std::string_view kUuid = "0123456789abcdef0123456789ABCDEF";

struct SlowRoute {
  SlowPattern host;
  SlowPattern path;
  std::uint64_t methods = 0;  // bits of kMethods
  std::uint32_t number = 0;   // in the router
};

std::string spelled(const SlowSegment& segment, int* names) {
  std::string text;
  for (const fuzz::SlowPart& part : segment) {
    static constexpr std::string_view kWords[] = {"uuid", "int", "float", "str", "path"};
    const std::size_t word = std::string_view("uifsp").find(part.converter);
    if (part.converter == 0) {
      text += part.text;
    } else {
      text += "{p" + std::to_string((*names)++) + ":" + std::string(kWords[word]) + "}";
    }
  }
  return text;
}

SlowSegment choose_segment(Choices* choices) {
  static constexpr std::string_view kTexts[] = {"a", "b",  "ab",  "1",       "-",
                                                ".", "a.", "-a-", "\xC3\xA4"};
  SlowSegment segment;
  const std::size_t parts = 1 + choices->next(6) % 5;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t which = choices->next(12);
    if (which < 5) {
      segment.push_back({"uifsp"[which], ""});
    } else if (segment.empty() || segment.back().converter) {
      segment.push_back({0, std::string(kTexts[choices->next(std::size(kTexts))])});
    }
  }
  return segment;
}

// The path, and its text.
SlowPattern choose_path(Choices* choices, int* names, std::string* text) {
  SlowPattern pattern;
  for (std::size_t left = choices->next(4); left > 0; --left) {
    pattern.push_back(choose_segment(choices));
    *text += "/" + spelled(pattern.back(), names);
  }
  if (pattern.empty() || choices->rarely(3)) {
    pattern.emplace_back();
    *text += '/';
  }
  return pattern;
}

SlowPattern choose_host(Choices* choices, int* names, std::string* text) {
  static constexpr char kConverters[] = {'i', 's', 'u'};
  SlowPattern pattern;
  if (!choices->rarely(2)) return pattern;
  const SlowSegment labels[] = {{{0, "x"}},
                                {{kConverters[choices->next(3)], ""}},
                                {{0, "x"}, {kConverters[choices->next(3)], ""}},
                                {{'s', ""}, {0, "-"}, {'s', ""}}};
  pattern.push_back(labels[choices->next(4)]);
  pattern.push_back(labels[choices->next(2)]);
  *text = spelled(pattern[0], names) + '.' + spelled(pattern[1], names);
  return pattern;
}

std::string choose_raw(Choices* choices) {
  static constexpr std::string_view kPieces[] = {"/",  "a",   "b",   "ab",  "1",   "2.5", "-",
                                                 ".",  "%61", "%2F", "%2E", "%31", "%",   "%C3%A4",
                                                 "//", "..",  kUuid, "-a-", "\\",  "12"};
  std::string raw = "/";
  for (std::size_t left = choices->next(12); left > 0; --left) {
    raw += kPieces[choices->next(std::size(kPieces))];
  }
  return raw;
}

std::string decoded(std::string_view raw) {
  std::string text(raw);
  text.resize(http::percent_decode(raw, text.data()));
  return text;
}

struct Answer {
  const SlowRoute* route = nullptr;
  SlowValues values;
  std::uint64_t allowed = 0;
};

class SlowRouter final {
 public:
  SlowRouter(std::vector<SlowRoute> routes, SlashPolicy slash)
      : routes_(std::move(routes)), slash_(slash) {
    std::stable_sort(routes_.begin(), routes_.end(),
                     [](const SlowRoute& a, const SlowRoute& b) { return key(a) < key(b); });
    for (SlowRoute& route : routes_) {
      bool head = false;
      for (const SlowRoute& other : routes_) {
        head = head || (shape(other) == shape(route) && (other.methods & 4) != 0);
      }
      if ((route.methods & 1) != 0 && !head) implied_.push_back(route.number);
    }
  }

  // `method`: a bit of kMethods; 0: another.
  Answer find(const std::string& path, const std::string& host, std::uint64_t method) const {
    Answer answer;
    for (std::size_t i = 0; i < routes_.size();) {
      std::size_t end = i;
      while (end < routes_.size() &&
             fuzz::slow_shape(routes_[end].host) == fuzz::slow_shape(routes_[i].host)) {
        ++end;
      }
      if (find_in(i, end, path, host, method, &answer)) return answer;
      if (slash_ == SlashPolicy::ignore && path.size() > 1 &&
          find_in(i, end, toggled(path), host, method, &answer))
        return answer;
      i = end;
    }
    return answer;
  }
  static std::string toggled(const std::string& path) {
    return path.ends_with('/') ? path.substr(0, path.size() - 1) : path + '/';
  }

 private:
  using Ranks = std::vector<fuzz::SlowRank>;
  static std::tuple<int, Ranks, Ranks> key(const SlowRoute& route) {
    const bool named = fuzz::slow_shape(route.host).find('{') == std::string::npos;
    return {route.host.empty() ? 2
            : named            ? 0
                               : 1,
            fuzz::slow_rank(route.host), fuzz::slow_rank(route.path)};
  }
  static std::string shape(const SlowRoute& route) {
    return fuzz::slow_shape(route.host) + "|" + fuzz::slow_shape(route.path);
  }

  std::uint64_t methods(const SlowRoute& route) const {
    const bool implied =
        std::find(implied_.begin(), implied_.end(), route.number) != implied_.end();
    return route.methods | (implied ? 4U : 0U);
  }

  bool find_in(std::size_t begin, std::size_t end, const std::string& path, const std::string& host,
               std::uint64_t method, Answer* answer) const {
    const auto split = [](std::string_view text, char at, std::vector<std::string>* parts,
                          std::vector<std::string>* rests) {
      for (;;) {
        const std::size_t stop = text.find(at);
        parts->push_back(decoded(text.substr(0, stop)));
        rests->push_back(decoded(text));
        if (stop == std::string_view::npos) return;
        text.remove_prefix(stop + 1);
      }
    };
    std::vector<std::string> segments;
    std::vector<std::string> rests;
    std::vector<std::string> labels;
    std::vector<std::string> none;
    split(std::string_view(path).substr(1), '/', &segments, &rests);
    split(host, '.', &labels, &none);
    const SlowRoute* best = nullptr;
    for (std::size_t i = begin; i < end; ++i) {
      const SlowRoute& route = routes_[i];
      SlowValues of_host;
      SlowValues of_path;
      if (!route.host.empty() && !fuzz::slow_match(route.host, labels, none, &of_host)) continue;
      if (!fuzz::slow_match(route.path, segments, rests, &of_path)) continue;
      answer->allowed |= methods(route);
      if ((methods(route) & method) == 0 || best) continue;
      best = &route;
      answer->values = of_host;
      answer->values.insert(answer->values.end(), of_path.begin(), of_path.end());
    }
    answer->route = best;
    return best != nullptr;
  }

  std::vector<SlowRoute> routes_;  // in order of precedence
  SlashPolicy slash_;
  std::vector<std::uint32_t> implied_;  // numbers of those with GET that have HEAD by that
};

SlowValues values_of(const Match& match) {
  SlowValues values;
  for (const Value& value : match.values()) {
    values.emplace_back(value.bytes, '?');
    values.back().resize(write_value(value, values.back().data()));
    LANNER_FUZZ_CHECK(value.in_host ||
                      value.has_escapes == (value.raw().find('%') != std::string_view::npos));
  }
  return values;
}

std::string allow_text(std::uint64_t allowed) {
  std::string text;
  for (const std::size_t i : {0U, 2U, 3U, 1U, 4U}) {  // sorted
    if ((allowed >> i & 1) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(kMethods[i]);
  }
  return text;
}

// What was matched leads to a URL that is matched the same.
void check_url(const Router& router, const Target& target, const Match& match,
               const SlowValues& values) {
  const Route& route = router.routes()[match.route];
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool split = route.parameters[i].converter == Converter::path &&
                       match.values()[i].raw().find("%2F") != std::string_view::npos;
    if (split) return;  // what was one segment is two
    arguments.push_back({route.parameters[i].name, values[i]});
  }
  Url url;
  std::string why;
  if (!router.url_for(route.name, arguments, &url, &why)) {
    LANNER_FUZZ_CHECK(why.find("which clients take out of a path") != std::string::npos ||
                      why.find("at the front of a path is a host") != std::string::npos);
    return;
  }
  LANNER_FUZZ_CHECK(!url.path.starts_with("//"));
  Target again = target;
  again.path = url.path;
  again.has_escapes = url.path.find('%') != std::string::npos;
  Match second;
  router.match(again, &second);
  LANNER_FUZZ_CHECK(second.outcome == Outcome::matched && second.route == match.route);
  LANNER_FUZZ_CHECK(values_of(second) == values);
}

void check_request(const Router& router, const SlowRouter& slow, SlashPolicy slash,
                   Choices* choices) {
  static constexpr std::string_view kHosts[] = {"",         "x.x",   "1.x", "x1.X",
                                                "x-y.2:80", "x.x.x", "x."};
  static constexpr std::string_view kLower[] = {"", "x.x", "1.x", "x1.x", "x-y.2", "x.x.x", "x"};
  const std::size_t method = choices->next(6);
  const std::size_t host = choices->next(std::size(kHosts));
  const std::string path = choose_raw(choices);
  Target target;
  target.method_text = method < 5 ? kMethods[method] : "Y";
  target.method = http::method_from_text(target.method_text);
  target.path = path;
  target.has_escapes = path.find('%') != std::string::npos;
  target.host = kHosts[host];
  Match match;
  router.match(target, &match);
  const std::string lower(kLower[host]);
  const std::uint64_t bit = method < 5 ? std::uint64_t{1} << method : 0;
  const Answer answer = slow.find(path, lower, bit);
  if (answer.route) {
    LANNER_FUZZ_CHECK(match.outcome == Outcome::matched);
    LANNER_FUZZ_CHECK(match.route == answer.route->number);
    const SlowValues values = values_of(match);
    LANNER_FUZZ_CHECK(values == answer.values);
    check_url(router, target, match, values);
  } else if (answer.allowed != 0) {
    AllowText room;
    LANNER_FUZZ_CHECK(match.outcome ==
                      (method == 3 ? Outcome::automatic_options : Outcome::method_not_allowed));
    LANNER_FUZZ_CHECK(router.allow(match.allowed, &room) == allow_text(answer.allowed | 8U));
  } else {
    const bool redirect = slash == SlashPolicy::redirect && path.size() > 1 &&
                          !path.starts_with("//") &&
                          slow.find(SlowRouter::toggled(path), lower, bit).route;
    LANNER_FUZZ_CHECK(match.outcome == (redirect ? Outcome::redirect : Outcome::not_found));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // SAFETY: bytes are bytes.
  Choices choices({reinterpret_cast<const char*>(data), size});
  Options options;
  options.slash = static_cast<SlashPolicy>(choices.next(3));
  options.first_wins = choices.rarely(2);
  RouterBuilder builder(options);
  std::vector<SlowRoute> routes;
  for (std::size_t left = choices.next(8); left > 0; --left) {
    SlowRoute route;
    std::string host;
    std::string path;
    int names = 0;
    route.host = choose_host(&choices, &names, &host);
    route.path = choose_path(&choices, &names, &path);
    route.methods = 1 + choices.next(31);
    route.number = static_cast<std::uint32_t>(routes.size());
    std::vector<std::string_view> methods;
    for (std::size_t i = 0; i < 5; ++i) {
      if (route.methods >> i & 1) methods.push_back(kMethods[i]);
    }
    std::string why;
    const std::string name = "r" + std::to_string(routes.size());
    if (builder.add({path, host, methods, name}, &why)) {
      routes.push_back(route);
    } else {
      LANNER_FUZZ_CHECK(!why.empty());
    }
  }
  const std::unique_ptr<const Router> router = builder.freeze();
  const SlowRouter slow(routes, options.slash);
  for (int i = 0; i < 8; ++i) check_request(*router, slow, options.slash, &choices);
  return 0;
}
