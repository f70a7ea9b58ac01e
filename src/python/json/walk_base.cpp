// python/json/walk_base.cpp: the walk for every machine.

#include "json/plain.h"
#include "python/json/encoder.h"

#define LANNER_WALK_TARGET
#include "python/json/walk_inl.h"

namespace lanner::python {

namespace {

struct Base {
  using Plain = json::PlainCopy;
  using Numbers = json::PlainNumbers;
};

}  // namespace

JsonEncoder::Done JsonEncoder::walk_base(int outside, PyObject** other) noexcept {
  WrittenKeys<Base::Plain> keys;
  JsonWalk<Base> walk(*this, keys);
  return walk.run(outside, other);
}

}  // namespace lanner::python
