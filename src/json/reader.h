// json/reader.h: a cursor over one JSON document (RFC 8259): reads strings, numbers and literals,
// and skips whole values.
//
// The caller follows the grammar: it looks at the byte at the cursor and calls the function that
// reads the value it expects. Cursors are plain pointers that are passed and returned, so that the
// caller can keep them in a register; null means "failed", and error() gives the reason and the
// position. The final NUL of the document, which no token may contain, replaces a bounds check.
//
//   Reader reader(document);
//   const char* at = skip_space(reader.begin());
//   if (*at == '"') at = reader.string(at + 1, &text);
//   if (at == nullptr) return reader.error();

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/result.h"
#include "json/number.h"
#include "json/scan.h"
#include "json/text.h"

namespace lanner::json {

namespace detail {
const char* skip_spaces(const char* at) noexcept;
const char* skip_spaces(const char* at, const char* end) noexcept;
}  // namespace detail

inline bool is_space(char byte) noexcept {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

// The first byte at or behind `at` that is not white space. REQUIRES: the document's NUL follows.
inline const char* skip_space(const char* at) noexcept {
  if (static_cast<unsigned char>(*at) > ' ') [[likely]]
    return at;
  return detail::skip_spaces(at);
}

// The same, faster through indentation. REQUIRES: `end` is the document's.
inline const char* skip_space(const char* at, const char* end) noexcept {
  if (static_cast<unsigned char>(*at) > ' ') [[likely]]
    return at;
  if (static_cast<unsigned char>(at[at != end]) > ' ' && *at == ' ') return at + 1;
  return detail::skip_spaces(at, end);
}

class Reader final {
 public:
  // REQUIRES: document.data()[document.size()] is readable and NUL. Borrowed. Tests choose kernels.
  explicit Reader(std::string_view document, const ScanKernels& kernels = scan_kernels()) noexcept
      : begin_(document.data()),
        end_(document.data() + document.size()),
        validated_(begin_),
        scan_string_(kernels.string),
        unescape_(kernels.unescape),
        read_number_(kernels.number) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const char* begin() const noexcept { return begin_; }
  const char* end() const noexcept { return end_; }

  // Reads a string whose opening quote is at[-1]; returns the byte behind the closing one. Escapes
  // are resolved, surrogate pairs joined, UTF-8 checked.
  const char* string(const char* at, String* out) noexcept {
    const StringScan scan = scan_string_(at, end_);
    if (scan.stop != end_ && *scan.stop == '"' && !scan.high) [[likely]] {
      *out = String{{at, static_cast<std::size_t>(scan.stop - at)}, true, false};
      return scan.stop + 1;
    }
    return string_slow(at, scan, out);
  }
  // Reads the number at `at` ('-' or a digit): see read_number().
  const char* number(const char* at, Number* out) noexcept {
    const char* failed = nullptr;
    Errc code = Errc::ok;
    const char* behind = read_number_(at, end_, out, &code, &failed);
    return behind != nullptr ? behind : fail(failed, code);
  }
  // The text of the number at `at`, which may be too large for a double: a Decimal holds it.
  const char* number_text(const char* at, std::string_view* out) noexcept {
    const char* failed = nullptr;
    Errc code = Errc::ok;
    const char* behind = skip_number(at, end_, &code, &failed);
    if (behind == nullptr) return fail(failed, code);
    *out = {at, static_cast<std::size_t>(behind - at)};
    return behind;
  }
  // Reads `true`, `false` or `null`; the caller has seen the first letter.
  const char* literal(const char* at, std::string_view word) noexcept;
  // Skips the value at `at` (no white space before it) and checks it like one that is read:
  // grammar, UTF-8, escapes, numbers. `depth`: how many arrays and objects are open around it.
  const char* skip_value(const char* at, int depth) noexcept;
  // Only white space may follow the top-level value. False: failed.
  [[nodiscard]] bool finish(const char* at) noexcept;

  // Records the failure and returns null. At the end of the document any code becomes
  // json_truncated.
  const char* fail(const char* at, Errc code) noexcept;
  // detail: the byte offset, capped at UINT32_MAX; offset() is not capped.
  Error error() const noexcept;
  std::size_t offset() const noexcept { return static_cast<std::size_t>(failed_at_ - begin_); }
  std::string_view document() const noexcept {
    return {begin_, static_cast<std::size_t>(end_ - begin_)};
  }

 private:
  const char* string_slow(const char* at, StringScan scan, String* out) noexcept;
  const char* unescape(const char* at, String* out) noexcept;
  const char* unescape_to_end(const char* at, bool* high) noexcept;
  const char* escape(const char* at, char** to, bool* high) noexcept;
  const char* skip_scalar(const char* at) noexcept;
  const char* skip_key(const char* at) noexcept;
  bool check_utf8(const char* from, const char* to) noexcept;

  const char* begin_;
  const char* end_;
  const char* validated_;  // the document is known to be UTF-8 from its beginning to here
  StringScanFunction scan_string_;
  UnescapeFunction unescape_;
  NumberFunction read_number_;
  Buffer scratch_;  // the last string that had an escape
  const char* failed_at_ = nullptr;
  Errc code_ = Errc::ok;
};

}  // namespace lanner::json
