// python/schema/walk_vbmi2.cpp: the walk for AVX-512 with VBMI2.

#include "python/schema/encoder.h"

#if defined(__x86_64__)

#include "json/number_avx512.h"
#include "json/plain_avx512.h"

#define LANNER_WALK_TARGET LANNER_VBMI2_TARGET
#include "python/schema/walk_inl.h"

namespace lanner::python {

namespace {

// Small ones by tables, others called, not inlined: the loop over rows of text is short of
// registers.
class CalledNumbers final {
 public:
  [[gnu::always_inline]] LANNER_VBMI2_TARGET char* write(char* to,
                                                         std::int64_t value) const noexcept {
    const auto number = static_cast<std::uint64_t>(value);
    if (number >= 10'000) return write_called(to, value);
    const std::uint64_t hundreds = number / 100;
    if (hundreds != 0) to = put(to, json::detail::kSmall[hundreds]);
    const auto& table = hundreds != 0 ? json::detail::kTwo : json::detail::kSmall;
    return put(to, table[number - 100 * hundreds]);
  }
  [[gnu::noinline]] LANNER_VBMI2_TARGET char* write(char* to, double value) const noexcept {
    return json::NumberWriter().write(to, value);
  }

 private:
  static char* put(char* to, const json::detail::SmallNumber& number) noexcept {
    std::memcpy(to, number.digits, 2);
    return to + number.length;
  }
  [[gnu::noinline]] LANNER_VBMI2_TARGET static char* write_called(char* to,
                                                                  std::int64_t value) noexcept {
    return json::NumberWriter().write(to, value);
  }
};

struct Vbmi2 {
  using Plain = json::Avx512PlainCopy;
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
