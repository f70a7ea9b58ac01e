// python/json/walk_avx2.cpp: the walk for AVX2, and for AVX-512 without VBMI2.

#include "python/json/encoder.h"

#if defined(__x86_64__)

#include "json/plain_avx2.h"

#define LANNER_WALK_TARGET LANNER_AVX2_TARGET
#include "python/json/walk_inl.h"

namespace lanner::python {

namespace {

struct Avx2 {
  using Plain = json::Avx2PlainCopy;
  using Numbers = json::PlainNumbers;
};

}  // namespace

LANNER_AVX2_TARGET JsonEncoder::Done JsonEncoder::walk_avx2(int outside,
                                                            PyObject** other) noexcept {
  WrittenKeys<Avx2::Plain> keys;
  JsonWalk<Avx2> walk(*this, keys);
  return walk.run(outside, other);
}

}  // namespace lanner::python

#endif
