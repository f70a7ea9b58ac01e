// router/segment.h: one segment of a pattern, or one label of a host: text and parameters in turn.
//
//   cards             text alone
//   {id:int}          one parameter
//   v{major}.{minor}  text and parameters: mixed
//
// Two parameters have text between them. The first takes as much as lets the rest match, as regular
// expressions do: "{name}.{ext}" splits "a.tar.gz" into "a.tar" and "gz". That is found from the
// right without going back and forth, in time linear in the segment.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "router/converter.h"

namespace lanner::router {

struct Segment {
  struct Part {
    Converter converter;
    std::string text;  // behind the parameter; may be empty for the last
  };

  std::string text;         // before the first parameter, decoded
  std::vector<Part> parts;  // none: a literal

  bool is_literal() const noexcept { return parts.empty(); }
  // A parameter of type path, with or without text before it: takes all segments that are left.
  bool is_rest() const noexcept {
    return !parts.empty() && parts.back().converter == Converter::path;
  }
  // One parameter and no text.
  bool is_parameter() const noexcept {
    return parts.size() == 1 && text.empty() && parts[0].text.empty() && !is_rest();
  }
  bool is_mixed() const noexcept { return !is_literal() && !is_parameter() && !is_rest(); }
};

// Without the names: "v{int}.{str}". Segments of one shape match the same.
std::string segment_shape(const Segment& segment);

// Which of two is tried first. A literal; mixed, the one with more text first, then with more of it
// in front, then with the narrower parameters from the left, then with fewer; uuid, int, float;
// str; path, the one with more text first. What is left is decided by the text, so that order of
// registration never counts.
bool comes_before(const Segment& a, const Segment& b) noexcept;

// Whether all of the percent-encoded `raw` matches; values[i] is then the view of parameter i.
// REQUIRES: not a literal, not a rest; room for parts.size() values
bool match_segment(const Segment& segment, std::string_view raw, std::string_view* values) noexcept;

}  // namespace lanner::router
