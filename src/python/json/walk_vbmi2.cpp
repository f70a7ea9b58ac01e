// python/json/walk_vbmi2.cpp: the walk for AVX-512 with VBMI2.

#include "python/json/encoder.h"

#if defined(__x86_64__)

#include "json/number_avx512.h"
#include "json/plain_avx512.h"

#define LANNER_WALK_TARGET LANNER_VBMI2_TARGET
#include "python/json/walk_inl.h"

namespace lanner::python {

namespace {

struct Vbmi2 {
  using Plain = json::Avx512PlainCopy;
  using Numbers = json::NumberWriter;
};

}  // namespace

LANNER_VBMI2_TARGET JsonEncoder::Done JsonEncoder::walk_vbmi2(int outside,
                                                              PyObject** other) noexcept {
  WrittenKeys<Vbmi2::Plain> keys;
  JsonWalk<Vbmi2> walk(*this, keys);
  return walk.run(outside, other);
}

}  // namespace lanner::python

#endif
