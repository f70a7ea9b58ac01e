// base/slab.h: recycled memory for objects of one type: connections, exchanges.
//
// Not thread-safe. A free object's memory is poisoned under ASan.
//   Slab<Connection> slab;  Connection* c = slab.make(args...);  slab.destroy(c);

#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/poison.h"

namespace lanner {

template <class T>
class Slab final {
 public:
  explicit Slab(std::size_t keep_max = 1024) noexcept : keep_max_(keep_max) {}
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab() {  // REQUIRES: every object was destroyed
    while (free_) {
      unpoison(free_, sizeof(T));
      Free* next = free_->next;
      std::free(free_);
      free_ = next;
    }
  }

  // nullptr when memory is out.
  template <class... Args>
  [[nodiscard]] T* make(Args&&... args) noexcept {
    void* memory = free_;
    if (memory) {
      unpoison(memory, sizeof(T));
      free_ = free_->next;
      --kept_;
    } else {
      memory =
          std::aligned_alloc(alignof(T), (sizeof(T) + alignof(T) - 1) / alignof(T) * alignof(T));
      if (!memory) return nullptr;
    }
    ++in_use_;
    return ::new (memory) T(std::forward<Args>(args)...);
  }
  void destroy(T* object) noexcept {
    object->~T();
    --in_use_;
    if (kept_ >= keep_max_) {
      std::free(object);
      return;
    }
    Free* free = ::new (static_cast<void*>(object)) Free{free_};
    free_ = free;
    ++kept_;
    poison(free, sizeof(T));
  }
  std::size_t in_use() const noexcept { return in_use_; }

 private:
  struct Free {
    Free* next;
  };
  static_assert(sizeof(T) >= sizeof(Free));
  static_assert(alignof(T) >= alignof(Free));
  Free* free_ = nullptr;
  std::size_t kept_ = 0;
  std::size_t in_use_ = 0;
  std::size_t keep_max_;
};

}  // namespace lanner
