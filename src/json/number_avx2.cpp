// json/number_avx2.cpp: read_number() by AVX2.

#include "json/number_avx2.h"

#include "json/number.h"

#if defined(__x86_64__)

namespace lanner::json::detail {

LANNER_AVX2_TARGET const char* read_number_avx2(const char* at, const char* end, Number* out,
                                                Errc* code, const char** failed_at) noexcept {
  // Near to the end of the text its last bytes are read where more may be looked at; short ones are
  // not worth it.
  constexpr std::ptrdiff_t kShort = 8;
  char padded[2 * kShortReach];
  const char* from = at;
  const char* from_end = end;
  if (end - at < kShortReach && end - at > kShort) {
    std::memset(padded, 0, sizeof padded);
    std::memcpy(padded, at, static_cast<std::size_t>(end - at));
    from = padded;
    from_end = padded + sizeof padded;
  }
  ShortNumber number;
  const char* behind = read_short_number(from, from_end, &number);
  if (behind == nullptr) return read_number(at, end, out, code, failed_at);
  behind = at + (behind - from);
  out->text = {at, static_cast<std::size_t>(behind - at)};
  if (number.is_real) {
    out->kind = NumberKind::real;
    out->real = number.real;
  } else {
    out->kind = NumberKind::int64;
    out->int64 = number.int64;
  }
  return behind;
}

}  // namespace lanner::json::detail

#endif
