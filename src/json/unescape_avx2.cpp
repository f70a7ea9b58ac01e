// json/unescape_avx2.cpp: escapes by AVX2: the backslashes of 32 bytes found at once, what lies
// between them copied 32 bytes at a time.

#include "base/cpu.h"
#include "json/unescape.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace lanner::json::detail {

namespace {

constexpr unsigned kBlock = 32;
// Behind an escape at the end of a block begin 32 bytes that are loaded, too.
constexpr std::ptrdiff_t kReach = 2 * kBlock + 1;

LANNER_AVX2_TARGET inline __m256i load(const char* at) noexcept {
  // SAFETY: an unaligned load of 32 bytes; kReach says that they are there.
  return _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(at)));
}
LANNER_AVX2_TARGET inline void store(char* to, __m256i bytes) noexcept {
  // SAFETY: kUnescapePadding bytes belong to the room.
  _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), bytes);
}
LANNER_AVX2_TARGET inline std::uint32_t mask_of(__m256i bytes) noexcept {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}
LANNER_AVX2_TARGET inline std::uint32_t equal(__m256i bytes, char byte) noexcept {
  return mask_of(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte)));
}
LANNER_AVX2_TARGET inline std::uint32_t controls(__m256i bytes) noexcept {
  return mask_of(_mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1F)), bytes));
}

}  // namespace

LANNER_AVX2_TARGET Unescaped unescape_avx2(const char* at, const char* last, const char* end,
                                           char* to) noexcept {
  std::uint32_t high = 0;
  while (at != last && end - at >= kReach) {
    const __m256i bytes = load(at);
    store(to, bytes);
    const auto left = static_cast<std::size_t>(last - at);
    const std::uint32_t backslashes = equal(bytes, '\\');
    const std::uint32_t quotes = equal(bytes, '"');
    if ((backslashes | quotes | controls(bytes)) == 0 && left >= kBlock) {
      high |= mask_of(bytes);
      at += kBlock;
      to += kBlock;
      continue;
    }
    const Escapes<std::uint32_t> escapes = escapes_of(backslashes);
    const std::uint32_t stops = (quotes & ~escapes.escaped) | controls(bytes);
    auto limit = static_cast<unsigned>(left < kBlock ? left : kBlock);
    const auto stop = static_cast<unsigned>(_tzcnt_u32(stops));
    const bool stopped = stop < limit;
    if (stopped) limit = stop;
    // An escape that is cut is the next block's, or `last` cuts it.
    const bool cut = limit != 0 && (escapes.begin >> (limit - 1) & 1) != 0;
    limit -= static_cast<unsigned>(cut);
    const std::uint32_t above = mask_of(bytes);
    unsigned done = 0;
    for (std::uint32_t begin = _bzhi_u32(escapes.begin, limit); begin != 0;
         begin = _blsr_u32(begin)) {
      const auto escape = static_cast<unsigned>(_tzcnt_u32(begin));
      to += escape - done;
      *to = short_escape(at[escape + 1]);
      if (*to == 0) return {at + escape, to, (high | _bzhi_u32(above, escape)) != 0};
      ++to;
      done = escape + 2;
      store(to, load(at + done));
    }
    high |= _bzhi_u32(above, limit);
    to += limit - done;
    at += limit;
    if (stopped || (cut && at + 1 == last)) return {at, to, high != 0};
  }
  const Unescaped rest = unescape_baseline(at, last, end, to);
  return {rest.stop, rest.to, rest.high || high != 0};
}

}  // namespace lanner::json::detail

#endif
