#include "router/url.h"

#include <array>

#include "http/ascii.h"
#include "http/target.h"
#include "router/limits.h"

namespace lanner::router {

namespace {

// pchar without '%' (RFC 3986, section 3.3).
bool is_path_byte(char byte) noexcept {
  return http::is_byte(byte, http::kRegNameByte) || byte == ',' || byte == ':' || byte == '@';
}

void encode(std::string_view text, bool keep_slash, std::string* to) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  for (const char byte : text) {
    const auto number = static_cast<unsigned char>(byte);
    if (is_path_byte(byte) || (byte == '/' && keep_slash)) {
      *to += byte;
    } else {
      *to += '%';
      *to += kHex[number >> 4];
      *to += kHex[number & 15];
    }
  }
}

std::string decode(std::string_view raw) {
  std::string text(raw);
  text.resize(http::percent_decode(raw, text.data()));
  return text;
}

const Parameter* parameter(const Pattern& pattern, std::string_view name) noexcept {
  for (const Parameter& one : pattern.parameters) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

// Writes one URL; each function returns false after it has said why.
class Writer final {
 public:
  Writer(std::span<const Argument> arguments, std::string* why) noexcept
      : arguments_(arguments), why_(why) {}

  bool write_path(const Pattern& pattern, std::string* to) {
    begin(pattern, false);
    for (const Segment& segment : pattern.segments) {
      *to += '/';
      if (!write_segment(segment, to)) return false;
    }
    if (pattern.trailing_slash) *to += '/';
    return true;
  }
  bool write_host(const Pattern& pattern, std::string* to) {
    begin(pattern, true);
    for (const Segment& segment : pattern.segments) {
      if (!to->empty()) *to += '.';
      if (!write_segment(segment, to)) return false;
    }
    return true;
  }

 private:
  void begin(const Pattern& pattern, bool host) {
    pattern_ = &pattern;
    host_ = host;
    next_ = 0;
  }

  bool write_segment(const Segment& segment, std::string* to) {
    const std::size_t before = to->size();
    const std::size_t first = next_;
    encode(segment.text, false, to);
    for (const Segment::Part& part : segment.parts) {
      const Argument* argument = next_argument();
      if (!argument || !check(part.converter, *argument)) return false;
      if (part.converter == Converter::path && *to == "/" && argument->value.starts_with('/'))
        return fail(argument->name, "begins with '/': '//' at the front of a path is a host");
      encode(argument->value, part.converter == Converter::path, to);
      encode(part.text, false, to);
    }
    const std::string_view written = std::string_view(*to).substr(before);
    return segment.is_literal() || (check_dots(segment, written, first) &&
                                    (!segment.is_mixed() || check_mixed(segment, written, first)));
  }

  // The value of the next parameter.
  const Argument* next_argument() {
    const std::string& name = pattern_->parameters[next_++].name;
    for (const Argument& argument : arguments_) {
      if (argument.name == name) return &argument;
    }
    *why_ = "no value for parameter '" + name + "' of " + pattern_->text;
    return nullptr;
  }

  bool check(Converter converter, const Argument& argument) {
    bool fits = argument.value.find('\0') == std::string_view::npos;
    if (host_) {
      for (const char byte : argument.value) {
        fits = fits && byte != '.' && http::is_byte(byte, http::kRegNameByte);
      }
    }
    // '%' is no byte of a number or UUID, so the text can stand for its encoded form.
    const bool number = converter != Converter::str && converter != Converter::path;
    fits = fits && (!number || argument.value.find('%') == std::string_view::npos);
    if (fits && (number ? converts(converter, argument.value)
                        : converter == Converter::path || !argument.value.empty()))
      return true;
    return fail(argument.name, "does not fit {" + std::string(argument.name) + ":" +
                                   std::string(converter_name(converter)) + "} of " +
                                   pattern_->text);
  }

  // No segment of what was written is "." or "..".
  bool check_dots(const Segment& segment, std::string_view written, std::size_t first) {
    if (host_) return true;
    for (;;) {
      const std::size_t slash = segment.is_rest() ? written.find('/') : std::string_view::npos;
      const std::string_view one = written.substr(0, slash);
      if (one == "." || one == "..")
        return fail(pattern_->parameters[first].name,
                    "makes '" + std::string(one) + "' a segment, which clients take out of a path");
      if (slash == std::string_view::npos) return true;
      written.remove_prefix(slash + 1);
    }
  }

  // What was written is read as the same values.
  bool check_mixed(const Segment& segment, std::string_view written, std::size_t first) {
    std::array<std::string_view, kSegmentParametersMax> values;
    bool same = match_segment(segment, written, values.data());
    for (std::size_t i = 0; same && i < segment.parts.size(); ++i) {
      const std::string& name = pattern_->parameters[first + i].name;
      for (const Argument& argument : arguments_) {
        if (argument.name == name) same = decode(values[i]) == argument.value;
      }
    }
    return same || fail(pattern_->parameters[first].name,
                        "would be read back differently: the text around the parameters of " +
                            pattern_->text + " is part of a value");
  }

  bool fail(std::string_view name, const std::string& what) {
    *why_ = "the value of parameter '" + std::string(name) + "' " + what;
    return false;
  }

  std::span<const Argument> arguments_;
  std::string* why_;
  const Pattern* pattern_ = nullptr;
  bool host_ = false;
  std::size_t next_ = 0;  // of pattern_->parameters
};

}  // namespace

bool has_parameters(const Pattern& host, const Pattern& path,
                    std::span<const Argument> arguments) noexcept {
  if (arguments.size() != host.parameters.size() + path.parameters.size()) return false;
  for (const Argument& argument : arguments) {
    if (!parameter(host, argument.name) && !parameter(path, argument.name)) return false;
  }
  return true;
}

bool write_url(const Pattern& host, const Pattern& path, std::span<const Argument> arguments,
               Url* url, std::string* why) noexcept {
  *url = {};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i].name;
    bool twice = false;
    for (std::size_t other = 0; other < i; ++other) twice = twice || arguments[other].name == name;
    const bool known = parameter(host, name) || parameter(path, name);
    if (known && !twice) continue;
    *why = path.text + (twice ? " was given two values for '" : " has no parameter '") +
           std::string(name) + "'";
    return false;
  }
  Writer writer(arguments, why);
  return writer.write_host(host, &url->host) && writer.write_path(path, &url->path);
}

}  // namespace lanner::router
