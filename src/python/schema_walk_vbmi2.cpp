// python/schema_walk_vbmi2.cpp: the walk for AVX-512 with VBMI2.

#include "python/schema_encoder.h"

#if defined(__x86_64__)

#include "json/number_avx512.h"
#include "json/plain_avx512.h"

#define LANNER_WALK_TARGET LANNER_VBMI2_TARGET
#include "python/schema_walk_inl.h"

namespace lanner::python {

namespace {

// Called, not inlined: the loop over rows of text is short of registers.
class CalledNumbers final {
 public:
  [[gnu::noinline]] LANNER_VBMI2_TARGET char* write(char* to, std::int64_t value) const noexcept {
    return json::NumberWriter().write(to, value);
  }
  [[gnu::noinline]] LANNER_VBMI2_TARGET char* write(char* to, double value) const noexcept {
    return json::NumberWriter().write(to, value);
  }
};

struct Vbmi2 {
  using Plain = json::PlainCopy;
  using Numbers = CalledNumbers;
};

}  // namespace

LANNER_VBMI2_TARGET SchemaEncoder::Done SchemaEncoder::walk_vbmi2() noexcept {
  WrittenKeys<Vbmi2::Plain> keys;
  SchemaWalk<Vbmi2> walk(*this, keys);
  return walk.run();
}

}  // namespace lanner::python

#endif
