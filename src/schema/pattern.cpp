// RE2 allocates by plain `new`, also while it matches: this file alone is compiled with exceptions
// (cmake/layers.cmake), and lets none of them out.
#include "schema/pattern.h"

#include <new>

#include <re2/re2.h>

#include "base/buffer.h"

namespace lanner::schema {

namespace {
constexpr std::size_t kMemoryMax = 1 << 20;  // bytes for one pattern's automata
}

Pattern::Pattern(std::unique_ptr<re2::RE2> engine) noexcept : engine_(std::move(engine)) {}
Pattern::~Pattern() = default;

std::unique_ptr<Pattern> Pattern::make(std::string_view source, Problem* why) noexcept {
  why->assign("");
  // RE2 cannot be made by halves: where memory is out before it is complete, the process ends. So
  // there has to be enough in advance.
  Buffer enough;
  if (!enough.reserve(kMemoryMax)) return nullptr;
  enough.release();
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemoryMax);
  std::unique_ptr<re2::RE2> engine(
      new (std::nothrow) re2::RE2(re2::StringPiece(source.data(), source.size()), options));
  if (!engine) return nullptr;
  if (!engine->ok()) {
    why->assign(engine->error());
    return nullptr;
  }
  return std::unique_ptr<Pattern>(new (std::nothrow) Pattern(std::move(engine)));
}

Pattern::Found Pattern::found_in(std::string_view text) const noexcept {
  try {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *engine_) ? Found::yes
                                                                                        : Found::no;
  } catch (const std::bad_alloc&) {
    return Found::no_memory;
  }
}

}  // namespace lanner::schema
