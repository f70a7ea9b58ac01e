#include "router/pattern.h"

#include <cstddef>

#include "http/ascii.h"
#include "http/target.h"
#include "router/limits.h"
#include "router/raw_text.h"

namespace lanner::router {

namespace {

bool is_letter(char byte) noexcept {
  return (http::to_lower(byte) >= 'a' && http::to_lower(byte) <= 'z') || byte == '_';
}

bool is_identifier(std::string_view text) noexcept {
  for (const char byte : text) {
    if (!is_letter(byte) && !http::is_digit(byte)) return false;
  }
  return !text.empty() && is_letter(text.front());
}

std::string in_quotes(std::string_view text) { return '\'' + std::string(text) + '\''; }

// Reads one pattern; each function returns false after it has said why.
class Reader final {
 public:
  Reader(Pattern* pattern, std::string* why, bool host) noexcept
      : pattern_(pattern), why_(why), host_(host) {}

  bool read_segments(std::string_view text, char separator) {
    for (;;) {
      const std::size_t end = text.find(separator);
      if (pattern_->segments.size() == kSegmentsMax)
        return fail("more than " + std::to_string(kSegmentsMax) + " segments");
      if (!read_segment(text.substr(0, end))) return false;
      if (end == std::string_view::npos) return true;
      text.remove_prefix(end + 1);
      if (pattern_->segments.back().is_rest()) return fail_behind_rest();
    }
  }

  bool fail(std::string_view what) {
    *why_ = (host_ ? "host '" : "path '") + pattern_->text + "': " + std::string(what);
    return false;
  }

 private:
  bool read_segment(std::string_view text) {
    if (!check_spelling(text)) return false;
    pattern_->segments.emplace_back();
    Segment& segment = pattern_->segments.back();
    for (;;) {
      const std::size_t brace = text.find_first_of("{}");
      if (!read_text(text.substr(0, brace), &segment)) return false;
      if (brace == std::string_view::npos) return check_rest(segment);
      if (text[brace] == '}') return fail("'}' without '{'; write {name} or {name:converter}");
      text.remove_prefix(brace + 1);
      const std::size_t close = text.find_first_of("{}");
      if (close == std::string_view::npos || text[close] == '{')
        return fail("'{' is not closed; write {name} or {name:converter}");
      if (!read_parameter(text.substr(0, close), &segment)) return false;
      text.remove_prefix(close + 1);
    }
  }

  bool fail_behind_rest() {
    return fail("{" + pattern_->parameters.back().name +
                ":path} takes all that is left, so it comes last");
  }

  // Spellings of other frameworks, and what a URL would have and a path has not.
  bool check_spelling(std::string_view text) {
    if (text == "." || text == "..")
      return fail("clients take '.' and '..' out of a path before they send it");
    if (host_) return true;
    if (text.size() > 1 && text[0] == ':' && is_identifier(text.substr(1)))
      return fail("write {" + std::string(text.substr(1)) + "} instead of " + std::string(text));
    if (text == "*" || text == "**")
      return fail("write {rest:path} for what is left of a path, or {name} for one segment");
    if (text.size() > 2 && text.front() == '<' && text.back() == '>')
      return fail("write {name:converter} instead of " + std::string(text));
    return true;
  }

  bool read_text(std::string_view text, Segment* segment) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte < 0x20 || byte == 0x7F) return fail("control character");
      if (host_) {
        if (!is_letter(text[at]) && !http::is_digit(text[at]) && text[at] != '-')
          return fail(in_quotes(text.substr(at, 1)) +
                      " in a host; a host is a name without port, such as api.example.com (other "
                      "than ASCII as xn--...)");
      } else if (byte == '?' || byte == '#') {
        return fail("a path ends before " + in_quotes(text.substr(at, 1)) +
                    "; query parameters are not part of it");
      } else if (text.size() - at >= 3 && is_triplet(text.data() + at)) {
        return fail("write the character itself instead of " + in_quotes(text.substr(at, 3)));
      }
    }
    if (text.size() > kLiteralBytesMax)
      return fail("more than " + std::to_string(kLiteralBytesMax) + " bytes between two '/'");
    std::string& to = segment->parts.empty() ? segment->text : segment->parts.back().text;
    for (const char byte : text) to += host_ ? http::to_lower(byte) : byte;
    return true;
  }

  // `text` is what stands between the braces.
  bool read_parameter(std::string_view text, Segment* segment) {
    const std::size_t colon = text.find(':');
    const std::string name(text.substr(0, colon));
    Converter converter = Converter::str;
    if (name.empty()) return fail("a parameter without a name; write {name} or {name:converter}");
    if (!is_identifier(name))
      return fail(in_quotes(name) + " is no name of a parameter; write letters, digits and '_'");
    if (colon != std::string_view::npos) {
      const std::string_view word = text.substr(colon + 1);
      if (!converter_from_name(word, &converter))
        return fail(in_quotes(word) + " is no converter; write {" + name +
                    "} or one of int, float, uuid, str, path behind the colon");
      if (host_ && (converter == Converter::path || converter == Converter::floating))
        return fail("a parameter of a host takes one label: str, int or uuid");
    }
    for (const Parameter& other : pattern_->parameters) {
      if (other.name == name) return fail("two parameters are named " + in_quotes(name));
    }
    if (pattern_->parameters.size() == kParametersMax)
      return fail("more than " + std::to_string(kParametersMax) + " parameters");
    if (!check_neighbours(*segment, name, converter)) return false;
    pattern_->parameters.push_back({name, converter});
    segment->parts.push_back({converter, {}});
    return true;
  }

  // Where a parameter ends must be plain.
  bool check_neighbours(const Segment& segment, const std::string& name, Converter converter) {
    if (segment.parts.empty()) return true;
    if (segment.parts.size() == kSegmentParametersMax)
      return fail("more than " + std::to_string(kSegmentParametersMax) +
                  " parameters between two '/'");
    if (segment.is_rest()) return fail_behind_rest();
    if (converter == Converter::path)
      return fail("{" + name +
                  ":path} shares its segment with another parameter; write '/' between");
    const std::string& between = segment.parts.back().text;
    if (between.empty())
      return fail("no text between {" + pattern_->parameters.back().name + "} and {" + name + "}");
    const bool number = converter == Converter::integer || converter == Converter::floating;
    const bool digit = http::is_digit(between.back());
    const bool point = converter == Converter::floating && between.back() == '.' &&
                       (between.size() == 1 || http::is_digit(between[between.size() - 2]));
    if (number && (digit || point))
      return fail("the text before {" + name + "} could be part of its number");
    return true;
  }

  bool check_rest(const Segment& segment) {
    return !segment.is_rest() || segment.parts.back().text.empty() || fail_behind_rest();
  }

  Pattern* pattern_;
  std::string* why_;
  bool host_;
};

}  // namespace

bool parse_path(std::string_view text, Pattern* pattern, std::string* why) noexcept {
  *pattern = {};
  pattern->text = text.substr(0, kPatternBytesMax);
  Reader reader(pattern, why, false);
  if (text.size() > kPatternBytesMax)
    return reader.fail("more than " + std::to_string(kPatternBytesMax) + " bytes");
  if (text.empty() || text.front() != '/')
    return reader.fail("a path begins with '/'; write '/" + pattern->text + "'");
  if (text.find("//") != std::string_view::npos)
    return reader.fail("an empty segment ('//'); write '/'");
  pattern->trailing_slash = text.back() == '/';
  if (text == "/") return true;
  text.remove_prefix(1);
  if (pattern->trailing_slash) text.remove_suffix(1);
  if (!reader.read_segments(text, '/')) return false;
  if (pattern->trailing_slash && pattern->segments.back().is_rest())
    return reader.fail("a parameter of type path takes the last '/', too; leave it out");
  return true;
}

bool parse_host(std::string_view text, Pattern* pattern, std::string* why) noexcept {
  *pattern = {};
  pattern->text = text.substr(0, kPatternBytesMax);
  Reader reader(pattern, why, true);
  if (text.size() > kPatternBytesMax)
    return reader.fail("more than " + std::to_string(kPatternBytesMax) + " bytes");
  if (text.empty()) return true;
  if (text.front() == '[') {  // an IPv6 address is one label
    pattern->segments.emplace_back();
    for (const char byte : text) pattern->segments.back().text += http::to_lower(byte);
    if (http::is_valid_host(text) && http::split_host(text).host == text) return true;
    return reader.fail("an IPv6 address stands in brackets, without port: [::1]");
  }
  if (text.front() == '.' || text.back() == '.' || text.find("..") != std::string_view::npos)
    return reader.fail("an empty label; write a name such as api.example.com");
  return reader.read_segments(text, '.');
}

std::string path_shape(const Pattern& pattern) {
  std::string shape;
  for (const Segment& segment : pattern.segments) shape.append("/").append(segment_shape(segment));
  return pattern.trailing_slash ? shape + '/' : shape;
}

std::string host_shape(const Pattern& pattern) {
  std::string shape;
  for (const Segment& segment : pattern.segments) {
    if (!shape.empty()) shape += '.';
    shape += segment_shape(segment);
  }
  return shape;
}

}  // namespace lanner::router
