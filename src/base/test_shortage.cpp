// The linker sends the C allocations of the program's objects through here (--wrap); operator new
// is replaced for all of the process. Compiled with exceptions.
#include "base/test_shortage.h"

#include <cstddef>
#include <cstdlib>
#include <new>

using lanner::test::shortage;

extern "C" {
void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t count, std::size_t bytes);
void* __real_realloc(void* old, std::size_t bytes);
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);

void* __wrap_malloc(std::size_t bytes) {
  return shortage.strikes() ? nullptr : __real_malloc(bytes);
}
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  return shortage.strikes() ? nullptr : __real_calloc(count, bytes);
}
void* __wrap_realloc(void* old, std::size_t bytes) {
  return shortage.strikes() ? nullptr : __real_realloc(old, bytes);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return shortage.strikes() ? nullptr : __real_aligned_alloc(alignment, bytes);
}
}

namespace {

constexpr std::size_t kPlain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

void* take(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) bytes = 1;
  if (alignment <= kPlain) return __real_malloc(bytes);
  return __real_aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
  if (shortage.throws) {
    if (shortage.strikes()) throw std::bad_alloc();
  } else if (shortage.is_on() && shortage.exempt == 0) {
    ++shortage.thrown;
  }
  void* const memory = take(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* take_or_null(std::size_t bytes, std::size_t alignment) noexcept {
  return shortage.strikes() ? nullptr : take(bytes, alignment);
}

std::size_t number(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

void* operator new(std::size_t bytes) { return take_or_throw(bytes, kPlain); }
void* operator new[](std::size_t bytes) { return take_or_throw(bytes, kPlain); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take_or_throw(bytes, number(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return take_or_throw(bytes, number(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return take_or_null(bytes, kPlain);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return take_or_null(bytes, kPlain);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take_or_null(bytes, number(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return take_or_null(bytes, number(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
