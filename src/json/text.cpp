#include "json/text.h"

#include "json/utf8.h"

namespace lanner::json {

Position position_of(std::string_view document, std::size_t offset) noexcept {
  const std::string_view before = document.substr(0, offset);
  Position position;
  std::size_t line_begin = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] != '\n') continue;
    ++position.line;
    line_begin = i + 1;
  }
  std::string_view line = before.substr(line_begin);
  while (!line.empty()) {
    const std::size_t valid = invalid_utf8_at(line);
    position.column += shape_of(line.substr(0, valid)).code_points;
    if (valid == line.size()) break;
    ++position.column;
    line.remove_prefix(valid + 1);
  }
  return position;
}

}  // namespace lanner::json
