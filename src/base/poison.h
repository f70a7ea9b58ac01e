// base/poison.h: marks recycled memory as off limits under AddressSanitizer; nothing in other
// builds.

#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define LANNER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LANNER_ASAN 1
#endif
#endif

#ifdef LANNER_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace lanner {

#ifdef LANNER_ASAN
inline constexpr bool kPoisons = true;
inline void poison(const void* memory, std::size_t bytes) noexcept {
  __asan_poison_memory_region(memory, bytes);
}
inline void unpoison(const void* memory, std::size_t bytes) noexcept {
  __asan_unpoison_memory_region(memory, bytes);
}
#else
inline constexpr bool kPoisons = false;
inline void poison(const void*, std::size_t) noexcept {}
inline void unpoison(const void*, std::size_t) noexcept {}
#endif

}  // namespace lanner
