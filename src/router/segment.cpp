#include "router/segment.h"

#include <cstddef>
#include <cstdint>

#include "router/raw_text.h"

namespace lanner::router {

namespace {

// Matches a segment from the right; see the header.
class FromRight final {
 public:
  FromRight(const Segment& segment, const char* begin, std::string_view* values) noexcept
      : segment_(segment), begin_(begin), values_(values) {}

  // Parameter `part`, which ends at `end`, and all to its left.
  bool match(std::size_t part, const char* end) noexcept { return back(part, end) == Verdict::yes; }

 private:
  enum class Verdict : std::uint8_t {
    yes,
    no,        // not with this end: one further to the left may do
    not_ever,  // nor with any other: there is less room to the left
  };

  Verdict back(std::size_t part, const char* end) noexcept {
    const Converter converter = segment_.parts[part].converter;
    if (part == 0) {
      if (begin_ >= end) return Verdict::not_ever;
      values_[0] = {begin_, static_cast<std::size_t>(end - begin_)};
      return converts(converter, values_[0]) ? Verdict::yes : Verdict::no;
    }
    if (converter == Converter::str) return back_str(part, end);
    const char* at = take_back(converter, begin_, end);
    if (!at) return Verdict::no;
    const char* text = skip_back(begin_, at, segment_.parts[part - 1].text);
    if (!text) return Verdict::no;
    values_[part] = {at, static_cast<std::size_t>(end - at)};
    return back(part - 1, text);
  }

  // The last text that lets what is left of it match, up to the next `str`, is the one: any other
  // would leave less room for the rest.
  Verdict back_str(std::size_t part, const char* end) noexcept {
    for (const char* at = end; at != begin_;) {
      at = step_back(begin_, at).at;
      const char* text = skip_back(begin_, at, segment_.parts[part - 1].text);
      if (!text) continue;
      values_[part] = {at, static_cast<std::size_t>(end - at)};
      const Verdict left = back(part - 1, text);
      if (left != Verdict::no) return left;
    }
    return Verdict::not_ever;
  }

  const Segment& segment_;
  const char* begin_;
  std::string_view* values_;
};

int group(const Segment& segment) noexcept {
  if (segment.is_literal()) return 0;
  if (segment.is_mixed()) return 1;
  return 2 + static_cast<int>(segment.parts[0].converter);
}

std::size_t text_bytes(const Segment& segment) noexcept {
  std::size_t bytes = segment.text.size();
  for (const Segment::Part& part : segment.parts) bytes += part.text.size();
  return bytes;
}

}  // namespace

std::string segment_shape(const Segment& segment) {
  std::string shape = segment.text;
  for (const Segment::Part& part : segment.parts) {
    shape.append("{").append(converter_name(part.converter)).append("}").append(part.text);
  }
  return shape;
}

bool comes_before(const Segment& a, const Segment& b) noexcept {
  if (group(a) != group(b)) return group(a) < group(b);
  if (text_bytes(a) != text_bytes(b)) return text_bytes(a) > text_bytes(b);
  if (a.text.size() != b.text.size()) return a.text.size() > b.text.size();
  for (std::size_t i = 0; i < a.parts.size() && i < b.parts.size(); ++i) {
    if (a.parts[i].converter != b.parts[i].converter)
      return a.parts[i].converter < b.parts[i].converter;
  }
  if (a.parts.size() != b.parts.size()) return a.parts.size() < b.parts.size();
  return segment_shape(a) < segment_shape(b);
}

bool match_segment(const Segment& segment, std::string_view raw,
                   std::string_view* values) noexcept {
  const char* begin = raw.data();
  const char* end = begin + raw.size();
  begin = skip_front(begin, end, segment.text);
  if (!begin) return false;
  end = skip_back(begin, end, segment.parts.back().text);
  return end && FromRight(segment, begin, values).match(segment.parts.size() - 1, end);
}

}  // namespace lanner::router
