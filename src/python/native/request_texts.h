// python/native/request_texts.h: the texts that arguments are read from: of the path, the query, header fields and
// cookies, decoded. Needs no GIL.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/vector.h"
#include "http/head.h"
#include "python/native/operation.h"
#include "router/match.h"
#include "schema/text_input.h"

namespace lanner::python {

inline constexpr std::size_t kQueryPairsMax = 1000;

// What arguments are read from.
struct NativeRequest {
  const http::RequestHead& head;
  std::span<const router::Value> path_values;
  std::string_view body;  // with a NUL behind it
};

class RequestTexts final {
 public:
  explicit RequestTexts(const NativeRequest& request) noexcept : request_(request) {}
  RequestTexts(const RequestTexts&) = delete;
  RequestTexts& operator=(const RequestTexts&) = delete;
  ~RequestTexts();

  // Finds all values of the argument's name, or all pairs of its source. They live as long as this, the list until the
  // next call. False: memory is out. REQUIRES: the argument is of path, query, header or cookie.
  [[nodiscard]] bool find(const Argument& argument) noexcept;
  Vector<schema::TextValue>& found() noexcept { return found_; }

 private:
  bool find_in_path(const Argument& argument) noexcept;
  bool find_in_query(const Argument& argument) noexcept;
  bool find_header(const Argument& argument) noexcept;
  bool find_headers(const Argument& argument) noexcept;
  bool find_cookies(const Argument& argument) noexcept;
  bool split_query() noexcept;
  // A copy of decoded text; false: no memory.
  bool keep(std::string_view text, std::size_t (*decode)(std::string_view, char*) noexcept,
            std::string_view* to) noexcept;
  bool keep_latin1(std::string_view text, std::string_view* to) noexcept;

  // Decoded text, in blocks that do not move.
  struct Block {
    Block* next;
  };
  char* space(std::size_t bytes) noexcept;

  const NativeRequest& request_;
  Vector<schema::TextValue> query_;
  Vector<schema::TextValue> found_;
  Block* blocks_ = nullptr;
  bool query_split_ = false;
};

}  // namespace lanner::python
