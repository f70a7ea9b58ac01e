#include "http1/chunked.h"

#include "http/ascii.h"
#include "http/token.h"

namespace lanner::http1 {

namespace {

using http::Token;

// What delimits or routes a message: said again behind the body it is an attempt to smuggle
// (RFC 9110, section 6.5.1).
constexpr Token kForbiddenTrailers[] = {
    Token::content_length,
    Token::host,
    Token::transfer_encoding,
};

bool is_forbidden_trailer(std::string_view name) noexcept {
  const Token token = http::token_from_name(name);
  for (const Token forbidden : kForbiddenTrailers) {
    if (token == forbidden) return true;
  }
  return false;
}

}  // namespace

Result<ChunkedDecoder::Step> ChunkedDecoder::next(std::string_view& in, const http::Limits& limits,
                                                  std::string_view* out) noexcept {
  while (!in.empty()) {
    if (state_ == State::data) {
      *out = take_data(in);
      return Step::data;
    }
    const bool in_trailers = state_ >= State::trailer_start;
    const Errc code = take(in.front(), limits);
    if (code != Errc::ok) return error(code);
    in.remove_prefix(1);
    if (state_ == State::done) return Step::done;
    if (in_trailers) {
      const bool ends = state_ == State::end_lf;  // the empty line at the end is no trailer
      if (++trailer_bytes_ > limits.trailer_bytes && !ends) return error(Errc::trailer_too_long);
    } else if (++framing_bytes_ > data_bytes_ &&
               framing_bytes_ - data_bytes_ > limits.chunk_overhead_bytes) {
      return error(Errc::chunk_overhead);
    }
  }
  return Step::need_more;
}

Error ChunkedDecoder::error(Errc code) const noexcept {
  return {code, static_cast<std::uint32_t>(framing_bytes_ + data_bytes_ + trailer_bytes_)};
}

std::string_view ChunkedDecoder::take_data(std::string_view& in) noexcept {
  const std::size_t bytes =
      in.size() < chunk_left_ ? in.size() : static_cast<std::size_t>(chunk_left_);
  const std::string_view data = in.substr(0, bytes);
  in.remove_prefix(bytes);
  data_bytes_ += bytes;
  chunk_left_ -= bytes;
  if (chunk_left_ == 0) state_ = State::data_cr;
  return data;
}

Errc ChunkedDecoder::take(char byte, const http::Limits& limits) noexcept {
  switch (state_) {
    case State::size:
      return take_size(byte);
    case State::size_lf:
      return byte == '\n' ? begin_data() : Errc::bare_cr;
    case State::data_cr:
      if (byte != '\r') return Errc::chunk_data_invalid;
      state_ = State::data_lf;
      return Errc::ok;
    case State::data_lf:
      if (byte != '\n') return Errc::chunk_data_invalid;
      state_ = State::size;
      size_digits_ = 0;
      return Errc::ok;
    case State::trailer_start:
    case State::trailer_name:
    case State::trailer_value:
    case State::trailer_lf:
    case State::end_lf:
      return take_trailer(byte, limits);
    case State::data:
    case State::done:
      return Errc::internal;
    default:
      return take_extension(byte);
  }
}

Errc ChunkedDecoder::take_size(char byte) noexcept {
  const int digit = http::hex_value(byte);
  if (digit >= 0) {
    if (size_digits_ == http::kChunkSizeDigits) return Errc::chunk_size_invalid;
    ++size_digits_;
    chunk_left_ = chunk_left_ << 4 | static_cast<unsigned int>(digit);  // 16 digits fit
    return Errc::ok;
  }
  if (byte == '\n') return Errc::bare_lf;
  // Beyond 2^63-1 a sum or a signed offset could wrap somewhere.
  if (size_digits_ == 0 || chunk_left_ > UINT64_MAX / 2) return Errc::chunk_size_invalid;
  if (byte != '\r' && byte != ';' && !http::is_blank(byte)) return Errc::chunk_size_invalid;
  return take_after_word(byte, State::size_blank);
}

// A size, a name or a value may have ended: what can follow it.
Errc ChunkedDecoder::take_after_word(char byte, State blank) noexcept {
  if (byte == '\r') {
    state_ = State::size_lf;
  } else if (byte == ';') {
    state_ = State::extension_start;
  } else if (http::is_blank(byte)) {
    state_ = blank;
  } else {
    return byte == '\n' ? Errc::bare_lf : Errc::chunk_extension_invalid;
  }
  return Errc::ok;
}

Errc ChunkedDecoder::take_extension(char byte) noexcept {
  const bool token = http::is_byte(byte, http::kTokenByte);
  switch (state_) {
    case State::size_blank:
    case State::extension_value_blank:  // blanks belong to the ';' after them, never to the line
                                        // end
      if (http::is_blank(byte)) return Errc::ok;
      if (byte != ';') break;
      state_ = State::extension_start;
      return Errc::ok;
    case State::extension_start:
      if (http::is_blank(byte)) return Errc::ok;
      if (!token) break;
      state_ = State::extension_name;
      return Errc::ok;
    case State::extension_name:
    case State::extension_name_blank:
      if (token && state_ == State::extension_name) return Errc::ok;
      if (byte == '=') {
        state_ = State::extension_value_start;
        return Errc::ok;
      }
      if (byte == '\r' && state_ == State::extension_name_blank) break;
      return take_after_word(byte, State::extension_name_blank);
    case State::extension_value_start:
      if (http::is_blank(byte)) return Errc::ok;
      if (!token && byte != '"') break;
      state_ = token ? State::extension_value : State::extension_quoted;
      return Errc::ok;
    case State::extension_value:
      if (token) return Errc::ok;
      return take_after_word(byte, State::extension_value_blank);
    case State::extension_quoted:
      if (byte == '"') {
        state_ = State::extension_quote_end;
      } else if (byte == '\\') {
        state_ = State::extension_escape;
      } else if (!http::is_byte(byte, http::kQuotedByte)) {
        break;
      }
      return Errc::ok;
    case State::extension_escape:
      if (!http::is_byte(byte, http::kValueByte)) break;
      state_ = State::extension_quoted;
      return Errc::ok;
    case State::extension_quote_end:
      return take_after_word(byte, State::extension_value_blank);
    default:
      return Errc::internal;
  }
  return byte == '\n' ? Errc::bare_lf : Errc::chunk_extension_invalid;
}

Errc ChunkedDecoder::begin_data() noexcept {
  state_ = chunk_left_ > 0 ? State::data : State::trailer_start;
  return Errc::ok;
}

Errc ChunkedDecoder::take_trailer(char byte, const http::Limits& limits) noexcept {
  switch (state_) {
    case State::trailer_start:
      if (byte == '\r') {
        state_ = State::end_lf;
        return Errc::ok;
      }
      if (trailer_fields_ == limits.trailer_fields) return Errc::trailer_too_long;
      ++trailer_fields_;
      name_bytes_ = 0;
      state_ = State::trailer_name;
      [[fallthrough]];
    case State::trailer_name:
      if (http::is_byte(byte, http::kTokenByte)) {
        // One byte too many is kept: then the name is longer than any that is refused.
        if (name_bytes_ < kNameBytesMax) name_[name_bytes_++] = byte;
        return Errc::ok;
      }
      if (byte == '\n') return Errc::bare_lf;
      if (byte != ':' || name_bytes_ == 0) return Errc::trailer_invalid;
      if (is_forbidden_trailer({name_, name_bytes_})) return Errc::trailer_forbidden;
      state_ = State::trailer_value;
      return Errc::ok;
    case State::trailer_value:
      if (http::is_byte(byte, http::kValueByte)) return Errc::ok;
      if (byte != '\r') return byte == '\n' ? Errc::bare_lf : Errc::trailer_invalid;
      state_ = State::trailer_lf;
      return Errc::ok;
    case State::trailer_lf:
    case State::end_lf:
      if (byte != '\n') return Errc::bare_cr;
      state_ = state_ == State::end_lf ? State::done : State::trailer_start;
      return Errc::ok;
    default:
      return Errc::internal;
  }
}

}  // namespace lanner::http1
