// server/body_store.h: the whole body of a request: a view of the receive buffer, then memory, then
// an unlinked file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "base/result.h"
#include "http/exchange.h"

namespace lanner::server {

// Reused by the exchanges of one connection, with reset() between them. It holds no memory when
// empty.
class BodyStore final : public http::Body {
 public:
  BodyStore() noexcept = default;
  BodyStore(const BodyStore&) = delete;
  BodyStore& operator=(const BodyStore&) = delete;
  ~BodyStore() { reset(); }

  // The whole body is in the receive buffer: nothing is copied until own().
  // REQUIRES: nothing was added since reset().
  void borrow(std::string_view bytes) noexcept { borrowed_ = bytes; }
  // Adds a piece: to memory up to a total of `memory_max` bytes, beyond that to a file in
  // `directory`.
  Result<void> append(std::string_view piece, std::uint64_t memory_max,
                      const char* directory) noexcept;
  // Copies a borrowed view, so that it outlives the receive buffer.
  Result<void> own() noexcept;
  void reset() noexcept;

  std::uint64_t size() const noexcept { return borrowed_.size() + memory_.size() + spooled_; }
  bool spooled() const noexcept { return spool_fd_ >= 0; }

  Result<std::size_t> read(char* to, std::size_t room) noexcept override;
  std::optional<std::uint64_t> bytes_left() const noexcept override { return size() - read_; }

 private:
  std::string_view borrowed_;
  Buffer memory_;
  std::uint64_t spooled_ = 0;  // bytes in the file, which follow those in memory
  std::uint64_t read_ = 0;
  int spool_fd_ = -1;
};

}  // namespace lanner::server
