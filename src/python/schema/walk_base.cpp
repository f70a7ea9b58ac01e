// python/schema/walk_base.cpp: the walk for every machine.

#include "json/plain.h"
#include "python/schema/encoder.h"

#define LANNER_WALK_TARGET
#include "python/schema/walk_inl.h"

namespace lanner::python {

namespace {

struct Base {
  using Plain = json::PlainCopy;
  using Numbers = json::PlainNumbers;
};

}  // namespace

SchemaEncoder::Done SchemaEncoder::walk_base() noexcept {
  WrittenKeys<Base::Plain> keys;
  SchemaWalk<Base> walk(*this, keys);
  return walk.run();
}

}  // namespace lanner::python
