// python/schema_walk_vbmi2.cpp: the walk for AVX-512 with VBMI2.

#include "python/schema_encoder.h"

#if defined(__x86_64__)

#include "json/number_avx512.h"
#include "json/plain_avx512.h"

#define LANNER_WALK_TARGET LANNER_VBMI2_TARGET
#include "python/schema_walk_inl.h"

namespace lanner::python {

namespace {

struct Vbmi2 {
  using Plain = json::PlainCopy;
  using Numbers = json::NumberWriter;
};

}  // namespace

LANNER_VBMI2_TARGET SchemaEncoder::Done SchemaEncoder::walk_vbmi2() noexcept {
  WrittenKeys<Vbmi2::Plain> keys;
  SchemaWalk<Vbmi2> walk(*this, keys);
  return walk.run();
}

}  // namespace lanner::python

#endif
