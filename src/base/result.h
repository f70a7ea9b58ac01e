// base/result.h: a value or an error code, for functions that fail without throwing; a substitute
// for std::expected (C++23).
//
// Peer and OS failures are ordinary values here: small, copyable, never thrown, never allocated.

#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace lanner {

enum class Errc : std::uint8_t {
#define LANNER_ERROR(name, text, status, python) name,
#include "base/errors.def"
#undef LANNER_ERROR
};

// The error's text, without a full stop; its data() ends in NUL.
std::string_view error_text(Errc code) noexcept;
// The error's name as in errors.def: the `reason=` of a log line.
std::string_view error_name(Errc code) noexcept;
// The HTTP status a peer gets for it; 0 = only close.
int error_status(Errc code) noexcept;
// The builtin exception class a Python caller gets.
const char* error_python_class(Errc code) noexcept;

struct [[nodiscard]] Error {
  Errc code = Errc::ok;
  std::uint32_t detail = 0;  // wire errors: byte offset in the input; Errc::os_error: errno

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) noexcept : value_(std::move(value)) {}
  Result(Error error) noexcept : error_(error) {}
  Result(Errc code) noexcept : error_{code, 0} {}

  explicit operator bool() const noexcept { return error_.code == Errc::ok; }
  // REQUIRES: bool(*this)
  const T& operator*() const noexcept { return value_; }
  T& operator*() noexcept { return value_; }
  const T* operator->() const noexcept { return &value_; }
  T* operator->() noexcept { return &value_; }
  Error error() const noexcept { return error_; }
  Errc code() const noexcept { return error_.code; }

 private:
  T value_{};
  Error error_{};
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() noexcept = default;
  Result(Error error) noexcept : error_(error) {}
  Result(Errc code) noexcept : error_{code, 0} {}

  explicit operator bool() const noexcept { return error_.code == Errc::ok; }
  Error error() const noexcept { return error_; }
  Errc code() const noexcept { return error_.code; }

 private:
  Error error_{};
};

inline Error os_error(int number) noexcept {
  return Error{Errc::os_error, static_cast<std::uint32_t>(number)};
}

}  // namespace lanner
