// http1/chunked.h: decoder for the chunked transfer coding (RFC 9112, section 7.1).
//
//   chunk = 1*HEXDIG [ chunk-ext ] CRLF chunk-data CRLF      (size 0 ends the body, then trailers)
//   chunk-ext = *( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )
//
//   size -CR-> size_lf -LF-> data -> data_cr -> data_lf -> size
//   size -';'-> extension states (see State) -CR-> size_lf
//   size_lf (size 0) -> trailer_start
//   trailer_start -> trailer_name -':'-> trailer_value -CR-> trailer_lf -LF-> trailer_start
//   trailer_start -CR-> end_lf -LF-> done
//
// Strict on purpose: a bare LF, or one digit too many, is how request smuggling starts. Extensions
// are checked against their grammar (section 7.1.1) and ignored. Trailer fields are checked against
// the grammar of fields, counted and dropped, whatever their names (section 7.1.2), but for
// Content-Length, Transfer-Encoding and Host: these are refused. Pure: takes bytes, hands back
// slices of the same bytes. No I/O, no allocation, no clock. At most 64 bytes of state.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "http/limits.h"

namespace lanner::http1 {

class ChunkedDecoder {
 public:
  enum class Step : std::uint8_t { need_more, data, done };

  // Takes one step, consuming from the front of `in`. On Step::data, `*out` is a non-empty slice
  // of what `in` pointed at and lives exactly as long. Step::need_more means that `in` is used up.
  // After an error or Step::done, call no more. Error::detail is the byte offset in the body.
  // Total framing bytes may exceed total data bytes by limits.chunk_overhead_bytes at most
  // (Errc::chunk_overhead).
  Result<Step> next(std::string_view& in, const http::Limits& limits,
                    std::string_view* out) noexcept;
  // Data bytes handed out so far.
  std::uint64_t data_bytes() const noexcept { return data_bytes_; }

 private:
  enum class State : std::uint8_t {
    size,
    size_blank,       // after the size: only ';' may follow
    extension_start,  // after ';'
    extension_name,
    extension_name_blank,   // after a name: '=' or ';'
    extension_value_start,  // after '='
    extension_value,        // a token
    extension_quoted,
    extension_escape,  // after a backslash
    extension_quote_end,
    extension_value_blank,  // after a value: only ';'
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer_start,
    trailer_name,
    trailer_value,
    trailer_lf,
    end_lf,
    done,
  };

  // The longest name that is refused in trailers has 17 bytes; of longer ones the rest is not kept.
  static constexpr std::size_t kNameBytesMax = 18;

  // Each takes one byte and answers with ok or what is wrong with it.
  Errc take(char byte, const http::Limits& limits) noexcept;
  Errc take_size(char byte) noexcept;
  Errc take_extension(char byte) noexcept;
  Errc take_after_word(char byte, State blank) noexcept;
  Errc take_trailer(char byte, const http::Limits& limits) noexcept;
  Errc begin_data() noexcept;
  std::string_view take_data(std::string_view& in) noexcept;
  Error error(Errc code) const noexcept;

  State state_ = State::size;
  std::uint8_t size_digits_ = 0;
  std::uint8_t name_bytes_ = 0;  // of the current trailer field, kept ones only
  char name_[kNameBytesMax] = {};
  std::uint32_t trailer_fields_ = 0;
  std::uint32_t trailer_bytes_ = 0;
  std::uint64_t chunk_left_ = 0;
  std::uint64_t data_bytes_ = 0;
  std::uint64_t framing_bytes_ = 0;  // without the trailer section, which has a limit of its own
};
static_assert(sizeof(ChunkedDecoder) <= 64);

}  // namespace lanner::http1
