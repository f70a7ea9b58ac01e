#include <cstddef>
#include <iterator>

#include "base/result.h"

namespace lanner {
namespace {

struct Row {
  std::string_view name;
  std::string_view text;
  int status;
  const char* python_class;
};

constexpr Row kRows[] = {
#define LANNER_ERROR(name, text, status, python) {#name, text, status, python},
#include "base/errors.def"
#undef LANNER_ERROR
};
static_assert(std::size(kRows) <= 256, "Errc is one byte");

constexpr const Row& row(Errc code) noexcept { return kRows[static_cast<std::size_t>(code)]; }

}  // namespace

std::string_view error_text(Errc code) noexcept { return row(code).text; }
std::string_view error_name(Errc code) noexcept { return row(code).name; }
int error_status(Errc code) noexcept { return row(code).status; }
const char* error_python_class(Errc code) noexcept { return row(code).python_class; }

}  // namespace lanner
