// json/output.h: where JSON text is written: reserve, write, commit, in memory that the caller
// provides.

#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "base/buffer.h"

namespace lanner::json {

// The memory behind an Output: a bytes object, a Buffer, a connection's blocks.
class OutputSpace {
 public:
  // Makes room for at least `more` bytes behind the `used` ones at `begin` (null at the first
  // call), which keep their content and may move. Returns the new beginning. *capacity is the old
  // capacity (0 at first) and is set to the new one. Null when memory is out: then only truncate()
  // may be called on the Output.
  virtual char* grow(char* begin, std::size_t used, std::size_t more,
                     std::size_t* capacity) noexcept = 0;

 protected:
  ~OutputSpace() = default;
};

class Output final {
 public:
  explicit Output(OutputSpace& space) noexcept : space_(&space) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Where to write: room for `bytes`, null when memory is out. Then commit() the end of what was
  // written.
  [[nodiscard]] char* reserve(std::size_t bytes) noexcept {
    if (static_cast<std::size_t>(limit_ - at_) >= bytes) [[likely]]
      return at_;
    return grow(bytes);
  }
  void commit(char* end) noexcept { at_ = end; }
  [[nodiscard]] bool append(std::string_view bytes) noexcept {
    if (bytes.empty()) return true;
    char* to = reserve(bytes.size());
    if (to == nullptr) return false;
    std::memcpy(to, bytes.data(), bytes.size());
    commit(to + bytes.size());
    return true;
  }

  // For loops that keep the end in a register: they write from end() up to limit() and then
  // commit().
  char* end() const noexcept { return at_; }
  char* limit() const noexcept { return limit_; }

  const char* data() const noexcept { return begin_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
  // Drops the bytes from `size` on, to undo an object that failed half-way.
  void truncate(std::size_t size) noexcept { at_ = begin_ + size; }

 private:
  [[gnu::cold]] char* grow(std::size_t bytes) noexcept;

  OutputSpace* space_;
  char* begin_ = nullptr;
  char* at_ = nullptr;
  char* limit_ = nullptr;
};

// malloc'd memory that this object keeps and that its next Output reuses.
class HeapSpace final : public OutputSpace {
 public:
  HeapSpace() noexcept = default;
  HeapSpace(const HeapSpace&) = delete;
  HeapSpace& operator=(const HeapSpace&) = delete;
  ~HeapSpace() { std::free(memory_); }

  char* grow(char* begin, std::size_t used, std::size_t more,
             std::size_t* capacity) noexcept override;

 private:
  char* memory_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace lanner::json
