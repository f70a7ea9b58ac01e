// server/body_store.h: the whole body of a request: a view of the receive buffer, then memory, then
// the worker's spool file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "base/result.h"
#include "http/exchange.h"
#include "server/spool.h"

namespace lanner::server {

// Reused by the exchanges of one connection, with reset() between them. It holds no memory when
// empty, or read to its end.
class BodyStore final : public http::Body {
 public:
  explicit BodyStore(SpoolFile& file) noexcept : charge_(file.budget()), spool_(file) {}
  BodyStore(const BodyStore&) = delete;
  BodyStore& operator=(const BodyStore&) = delete;
  ~BodyStore() { reset(); }

  // All that there is lies in the receive buffer: nothing is copied until own().
  // REQUIRES: nothing was added since reset().
  void borrow(std::string_view bytes) noexcept { borrowed_ = bytes; }
  // Adds a piece: to memory up to `memory_max` bytes in all, the rest to the file. What was borrowed
  // is copied first.
  Result<void> append(std::string_view piece, std::uint64_t memory_max) noexcept;
  // Copies what is left of a borrowed view, so that it outlives the receive buffer.
  Result<void> own() noexcept;
  void reset() noexcept;

  std::uint64_t size() const noexcept { return borrowed_.size() + memory_.size() + spooled_; }
  bool spooled() const noexcept { return spooled_ > 0; }

  Result<std::size_t> read(char* to, std::size_t room) noexcept override;
  std::optional<std::uint64_t> bytes_left() const noexcept override { return size() - read_; }
  std::string_view view() noexcept override;
  void skip(std::size_t bytes) noexcept override;

 private:
  std::string_view in_memory() const noexcept {
    return borrowed_.empty() ? memory_.view() : borrowed_;
  }

  std::string_view borrowed_;
  Buffer memory_;
  Charge charge_;  // of memory_
  Spool spool_;    // follows what is in memory; what was read is gone from it
  std::uint64_t spooled_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace lanner::server
