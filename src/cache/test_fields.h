// cache/test_fields.h: fields from text, for tests: "Name: value\nName: value".

#pragma once

#include <string_view>
#include <vector>

#include "cache/answer_head.h"
#include "http/ascii.h"

namespace lanner::cache {

inline std::vector<http::Field> fields_of(std::string_view text) {
  std::vector<http::Field> fields;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    fields.push_back(
        {name, http::trim_blanks(line.substr(colon + 1)), http::token_from_name(name)});
  }
  return fields;
}

// Owns the fields of an answer's head.
struct Answer {
  explicit Answer(std::string_view text, int status = 200) : fields(fields_of(text)) {
    head = {status, fields};
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  std::vector<http::Field> fields;
  AnswerHead head;
};

// Owns the fields of a request's head.
struct Request {
  explicit Request(std::string_view text, std::string_view path = "/",
                   http::Method method = http::Method::get)
      : fields(fields_of(text)) {
    head.method = method;
    head.method_text = http::method_text(method);
    head.path = path;
    head.authority = "example.org";
    head.fields = fields;
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  std::vector<http::Field> fields;
  http::RequestHead head;
};

}  // namespace lanner::cache
