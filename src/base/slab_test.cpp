#include "base/slab.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace lanner {
namespace {

struct Counted {
  Counted(int& alive_count, int start) : alive(alive_count), value(start) { ++alive; }
  ~Counted() { --alive; }
  int& alive;
  int value;
};

TEST(Slab, MakesAndDestroys) {
  int alive = 0;
  Slab<Counted> slab;
  Counted* object = slab.make(alive, 41);
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->value, 41);
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(slab.in_use(), 1u);
  slab.destroy(object);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(slab.in_use(), 0u);
}

TEST(Slab, RecyclesTheNewestMemoryFirst) {
  int alive = 0;
  Slab<Counted> slab;
  Counted* a = slab.make(alive, 1);
  Counted* b = slab.make(alive, 2);
  slab.destroy(a);
  slab.destroy(b);
  Counted* c = slab.make(alive, 3);
  Counted* d = slab.make(alive, 4);
  EXPECT_EQ(c, b);
  EXPECT_EQ(d, a);
  EXPECT_EQ(c->value, 3);
  slab.destroy(c);
  slab.destroy(d);
}

TEST(Slab, FreesWhatIsOverItsLimit) {
  int alive = 0;
  Slab<Counted> slab(1);
  Counted* a = slab.make(alive, 1);
  Counted* b = slab.make(alive, 2);
  slab.destroy(a);
  slab.destroy(b);  // ASan's leak check proves that it is freed
  EXPECT_EQ(slab.in_use(), 0u);
  Counted* c = slab.make(alive, 3);
  EXPECT_EQ(c, a);
  slab.destroy(c);
}

TEST(Slab, KeepsALargeAlignment) {
  struct alignas(64) Wide {
    char bytes[65];
  };
  Slab<Wide> slab;
  Wide* wide = slab.make();
  ASSERT_NE(wide, nullptr);
  // SAFETY: the address is only looked at as a number.
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide) % 64, 0u);
  slab.destroy(wide);
}

#ifdef LANNER_ASAN
TEST(Slab, PoisonsFreeMemory) {
  int alive = 0;
  Slab<Counted> slab;
  Counted* object = slab.make(alive, 1);
  ASSERT_NE(object, nullptr);
  slab.destroy(object);
  EXPECT_TRUE(__asan_address_is_poisoned(object));
}
#endif

}  // namespace
}  // namespace lanner
