// router/pattern.h: the path or the host of a route, as a user writes it: /cards/{card_id:int},
// {tenant}.example.com.
//
// A pattern is written decoded: "/a b", not "/a%20b". Segments are compared one by one after the
// request's path was split at '/', so "%2F" never separates segments, and "/%63ards" is "/cards".

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "router/converter.h"
#include "router/segment.h"

namespace lanner::router {

struct Parameter {
  std::string name;  // an ASCII identifier
  Converter converter = Converter::str;
};

struct Pattern {
  std::string text;                   // as written
  std::vector<Segment> segments;      // none: "/" or no host; of a host: its labels, in lower case
  std::vector<Parameter> parameters;  // in the order of the text
  bool trailing_slash = false;        // "/cards/"; also of "/"
};

// False: *why says what is wrong and what to write instead.
bool parse_path(std::string_view text, Pattern* pattern, std::string* why) noexcept;
// Without port. "" has no labels. A parameter takes one label or a part of it; its converters are
// str, int and uuid.
bool parse_host(std::string_view text, Pattern* pattern, std::string* why) noexcept;

// Without the names of parameters: patterns of one shape match the same.
std::string path_shape(const Pattern& pattern);
std::string host_shape(const Pattern& pattern);

}  // namespace lanner::router
