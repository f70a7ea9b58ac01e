// base/simd128.h: vectors of 128 bits, which every machine has: SSE2 on x86-64, NEON on aarch64.
//
// They are the compiler's own vector types. Operators work on all lanes at once, also between a
// vector and a number, and a comparison sets all bits of the lanes in which it holds. Only what
// operators cannot say is written here for each machine.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace lanner::simd128 {

using I8 [[gnu::vector_size(16)]] = std::int8_t;
using U8 [[gnu::vector_size(16)]] = std::uint8_t;
using U16 [[gnu::vector_size(16)]] = std::uint16_t;
using U32 [[gnu::vector_size(16)]] = std::uint32_t;
using I32 [[gnu::vector_size(16)]] = std::int32_t;
using U64 [[gnu::vector_size(16)]] = std::uint64_t;

inline constexpr std::ptrdiff_t kBytes = 16;

static_assert(std::endian::native == std::endian::little, "the first byte is in the lowest lane");

// The same bits as lanes of another width.
template <class To, class From>
inline To as(From lanes) noexcept {
  return std::bit_cast<To>(lanes);
}

// Unaligned.
template <class Vector = U8>
inline Vector load(const void* at) noexcept {
  Vector lanes;
  std::memcpy(&lanes, at, sizeof lanes);
  return lanes;
}
template <class Vector>
inline void store(void* to, Vector lanes) noexcept {
  std::memcpy(to, &lanes, sizeof lanes);
}

// The first `size` (less than 16) bytes, and zeros behind them. Reads no others.
inline U8 load_front(const void* at, std::size_t size) noexcept {
  const auto* const bytes = static_cast<const unsigned char*>(at);
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (size >= 8) {
    std::memcpy(&low, bytes, 8);
    std::memcpy(&high, bytes + size - 8, 8);
    high = high >> (8 * (15 - size)) >> 8;  // those of the lower half are shifted out
  } else if (size >= 4) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, bytes, 4);
    std::memcpy(&last, bytes + size - 4, 4);
    low = first | std::uint64_t{last} << (8 * (size - 4));
  } else if (size != 0) {
    low = std::uint64_t{bytes[0]} | std::uint64_t{bytes[size / 2]} << (8 * (size / 2)) |
          std::uint64_t{bytes[size - 1]} << (8 * (size - 1));
  }
  return as<U8>(U64{low, high});
}

// <= and >= for bytes: of the operators GCC 12 makes an instruction more.
inline U8 at_most(U8 bytes, std::uint8_t limit) noexcept {
#if defined(__SSE2__)
  const auto lanes = as<__m128i>(bytes);
  return as<U8>(_mm_cmpeq_epi8(_mm_min_epu8(lanes, as<__m128i>(U8{} + limit)), lanes));
#else
  return as<U8>(bytes <= limit);
#endif
}
inline U8 at_least(U8 bytes, std::uint8_t limit) noexcept {
#if defined(__SSE2__)
  const auto lanes = as<__m128i>(bytes);
  return as<U8>(_mm_cmpeq_epi8(_mm_max_epu8(lanes, as<__m128i>(U8{} + limit)), lanes));
#else
  return as<U8>(bytes >= limit);
#endif
}

inline U8 larger_of(U8 one, U8 other) noexcept { return one > other ? one : other; }

inline std::uint32_t sum_of(U8 bytes) noexcept {
#if defined(__SSE2__)
  const U64 sums = as<U64>(_mm_sad_epu8(as<__m128i>(bytes), _mm_setzero_si128()));
  return static_cast<std::uint32_t>(sums[0] + sums[1]);
#elif defined(__aarch64__)
  return vaddlvq_u8(as<uint8x16_t>(bytes));
#else
  std::uint32_t sum = 0;
  for (int i = 0; i < kBytes; ++i) sum += bytes[i];
  return sum;
#endif
}

// Lanes of 16 bits, in their order. What does not fit becomes 0. REQUIRES: code points.
inline U16 narrow(U32 first, U32 second) noexcept {
  constexpr std::int32_t kMax = 0xFFFF;
  first &= as<U32>(as<I32>(first) <= kMax);
  second &= as<U32>(as<I32>(second) <= kMax);
#if defined(__SSE2__)
  // The instruction takes them for numbers with a sign.
  const auto with_sign = [](U32 lanes) {
    return _mm_srai_epi32(_mm_slli_epi32(as<__m128i>(lanes), 16), 16);
  };
  return as<U16>(_mm_packs_epi32(with_sign(first), with_sign(second)));
#else
  return __builtin_shufflevector(as<U16>(first), as<U16>(second), 0, 2, 4, 6, 8, 10, 12, 14);
#endif
}

// ASCII lanes as bytes, in their order. What is not ASCII becomes 0 or a byte above 0x7F.
inline U8 to_ascii(U16 first, U16 second) noexcept {
#if defined(__SSE2__)
  return as<U8>(_mm_packus_epi16(as<__m128i>(first), as<__m128i>(second)));
#else
  first = first > 0x7F ? U16{} + 0xFF : first;
  second = second > 0x7F ? U16{} + 0xFF : second;
  return __builtin_shufflevector(as<U8>(first), as<U8>(second), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
                                 20, 22, 24, 26, 28, 30);
#endif
}
// REQUIRES: code points.
inline U8 to_ascii(U32 a, U32 b, U32 c, U32 d) noexcept {
#if defined(__SSE2__)
  return to_ascii(as<U16>(_mm_packs_epi32(as<__m128i>(a), as<__m128i>(b))),
                  as<U16>(_mm_packs_epi32(as<__m128i>(c), as<__m128i>(d))));
#else
  return to_ascii(narrow(a, b), narrow(c, d));
#endif
}

// The lower and the upper half of the lanes, as numbers of twice the width.
inline U16 widen_low(U8 lanes) noexcept {
  return as<U16>(
      __builtin_shufflevector(lanes, U8{}, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
}
inline U16 widen_high(U8 lanes) noexcept {
  return as<U16>(__builtin_shufflevector(lanes, U8{}, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                         14, 30, 15, 31));
}
inline U32 widen_low(U16 lanes) noexcept {
  return as<U32>(__builtin_shufflevector(lanes, U16{}, 0, 8, 1, 9, 2, 10, 3, 11));
}
inline U32 widen_high(U16 lanes) noexcept {
  return as<U32>(__builtin_shufflevector(lanes, U16{}, 4, 12, 5, 13, 6, 14, 7, 15));
}

// A set of the bytes of a vector. NEON cannot make a number with one bit for each byte in one
// instruction, but one with four.
class Mask final {
 public:
#if defined(__aarch64__)
  using Bits = std::uint64_t;
  static constexpr int kLogOfBits = 2;
  static constexpr Bits kAll = ~Bits{0};
#else
  using Bits = std::uint32_t;
  static constexpr int kLogOfBits = 0;
  static constexpr Bits kAll = 0xFFFF;
#endif

  constexpr explicit Mask(Bits bits) noexcept : bits_(bits) {}

  constexpr explicit operator bool() const noexcept { return bits_ != 0; }
  // REQUIRES: there is one.
  constexpr unsigned first() const noexcept {
    return static_cast<unsigned>(std::countr_zero(bits_)) >> kLogOfBits;
  }
  constexpr Mask operator~() const noexcept { return Mask(bits_ ^ kAll); }
  // Those before the first one of `other`. REQUIRES: that has one.
  constexpr Mask before(Mask other) const noexcept {
    return Mask(bits_ & ~other.bits_ & (other.bits_ - 1));
  }

 private:
  Bits bits_;
};

namespace detail {

#if defined(__aarch64__)
inline constexpr U8 kPlaces = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
#endif

// The top bit of each byte, the first byte's lowest.
inline std::uint32_t top_bits(std::uint64_t bytes) noexcept {
  return static_cast<std::uint32_t>((bytes & 0x8080808080808080) * 0x0002040810204081 >> 56);
}
inline std::uint32_t top_bits(U8 bytes) noexcept {
#if defined(__SSE2__)
  return static_cast<std::uint32_t>(_mm_movemask_epi8(as<__m128i>(bytes)));
#else
  const U64 halves = as<U64>(bytes);
  return top_bits(halves[0]) | top_bits(halves[1]) << 8;
#endif
}

}  // namespace detail

// The bytes that are set. REQUIRES: all bits of a byte are the same, as after a comparison.
template <class Vector>
inline Mask mask_of(Vector lanes) noexcept {
#if defined(__aarch64__)
  return Mask(vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(as<uint16x8_t>(lanes), 4)), 0));
#else
  return Mask(detail::top_bits(as<U8>(lanes)));
#endif
}

// The bytes above 0x7F.
inline Mask high_bytes(U8 bytes) noexcept {
#if defined(__aarch64__)
  return mask_of(bytes > 0x7F);
#else
  return mask_of(bytes);
#endif
}

// One bit for each byte, the first one's lowest. REQUIRES: as mask_of().
template <class Vector>
inline std::uint32_t bits_of(Vector lanes) noexcept {
#if defined(__aarch64__)
  uint8x16_t sums = as<uint8x16_t>(as<U8>(lanes) & detail::kPlaces);
  for (int i = 0; i < 3; ++i) sums = vpaddq_u8(sums, sums);
  return vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0);
#else
  return detail::top_bits(as<U8>(lanes));
#endif
}
// The same of four vectors, which NEON adds up together.
template <class Vector>
inline std::uint64_t bits_of(Vector a, Vector b, Vector c, Vector d) noexcept {
#if defined(__aarch64__)
  const auto placed = [](Vector lanes) { return as<uint8x16_t>(as<U8>(lanes) & detail::kPlaces); };
  const uint8x16_t sums =
      vpaddq_u8(vpaddq_u8(placed(a), placed(b)), vpaddq_u8(placed(c), placed(d)));
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
#else
  return bits_of(a) | std::uint64_t{bits_of(b)} << 16 | std::uint64_t{bits_of(c)} << 32 |
         std::uint64_t{bits_of(d)} << 48;
#endif
}

}  // namespace lanner::simd128
