#include "http/response_head.h"

#include <cstring>

#include "http/ascii.h"
#include "http/status.h"

namespace lanner::http {

namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101;

// Whether one of eight bytes may be below 0x20 or is DEL; never misses one, HTAB is for the caller.
bool may_have_controls(std::uint64_t word) noexcept {
  constexpr std::uint64_t kHighBits = kEachByte * 0x80;
  const std::uint64_t without_del = word ^ kEachByte * 0x7F;
  const std::uint64_t below_space = (word - kEachByte * 0x20) & ~word;
  const std::uint64_t del = (without_del - kEachByte) & ~without_del;
  return ((below_space | del) & kHighBits) != 0;
}

bool is_value(std::string_view text) noexcept {
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof word);
    if (may_have_controls(word)) break;
    text.remove_prefix(sizeof word);
  }
  for (const char byte : text) {
    if (!is_byte(byte, kValueByte)) return false;
  }
  return true;
}

bool is_hop_by_hop(Token token) noexcept {
  switch (token) {
    case Token::connection:
    case Token::keep_alive:
    case Token::proxy_connection:
    case Token::te:
    case Token::trailer:
    case Token::transfer_encoding:
    case Token::upgrade:
      return true;
    default:
      return false;
  }
}

void copy(char*& to, std::string_view text) noexcept {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  to += text.size();
}

}  // namespace

void ResponseHead::clear() noexcept {
  reason_.clear();
  lines_.clear();
  slots_.clear();
  count_ = 0;
  status_ = 0;
  content_length_ = 0;
  usual_reason_ = empty_reason_ = true;
  has_content_length_ = has_date_ = has_server_ = wants_close_ = false;
}

Result<void> ResponseHead::set_status(int status, std::string_view reason) noexcept {
  if (status < 100 || status > 999) return Errc::status_invalid;
  const bool usual = reason.empty() || reason == reason_phrase(status);
  if (!usual) {
    if (!is_value(reason)) return Errc::reason_invalid;
    reason_.clear();
    if (!reason_.append(reason)) return Errc::no_memory;
  }
  status_ = status;
  usual_reason_ = usual;
  empty_reason_ = reason.empty();
  return {};
}

Result<void> ResponseHead::add(std::string_view name, std::string_view value,
                               std::uint64_t bytes_max) noexcept {
  const Token token = token_from_name(name);
  if (token == Token::unknown && !is_token(name)) return Errc::response_field_name_invalid;
  value = trim_blanks(value);
  if (!is_value(value)) return Errc::response_field_value_invalid;
  constexpr std::uint64_t kTextMax = UINT32_MAX;  // what a Slot can say
  const std::uint64_t text_max = bytes_max < kTextMax ? bytes_max : kTextMax;
  const std::uint64_t bytes = lines_.size() + name.size() + value.size() + 4;
  if (bytes > text_max || name.size() > UINT16_MAX) return Errc::response_head_too_long;
  if (token == Token::content_length) return set_content_length(value);
  if (is_hop_by_hop(token)) {
    if (token != Token::connection || !equals_ignoring_case(value, "close")) {
      return Errc::response_field_hop_by_hop;
    }
    wants_close_ = true;
    return {};
  }
  return append(name, value, token);
}

Result<void> ResponseHead::set_content_length(std::string_view value) noexcept {
  std::uint64_t number = 0;
  if (!parse_decimal(value, &number)) return Errc::response_content_length_invalid;
  if (has_content_length_ && number != content_length_)
    return Errc::response_content_length_invalid;
  has_content_length_ = true;
  content_length_ = number;
  return {};
}

Result<void> ResponseHead::append(std::string_view name, std::string_view value,
                                  Token token) noexcept {
  char* const slot_room = slots_.reserve(sizeof(Slot));
  char* to = lines_.reserve(name.size() + value.size() + 4);
  if (!slot_room || !to) return Errc::no_memory;
  const std::size_t name_offset = lines_.size();
  const std::size_t value_offset = name_offset + name.size() + 2;
  copy(to, name);
  copy(to, ": ");
  copy(to, value);
  copy(to, "\r\n");
  lines_.commit(name.size() + value.size() + 4);

  const Slot slot{static_cast<std::uint32_t>(name_offset), static_cast<std::uint32_t>(value_offset),
                  static_cast<std::uint32_t>(value.size()), static_cast<std::uint16_t>(name.size()),
                  token};
  std::memcpy(slot_room, &slot, sizeof slot);
  slots_.commit(sizeof slot);
  ++count_;
  has_date_ |= token == Token::date;
  has_server_ |= token == Token::server;
  return {};
}

Result<void> ResponseHead::copy_from(const ResponseHead& other) noexcept {
  clear();
  if (!reason_.append(other.reason_.view()) || !lines_.append(other.lines_.view()) ||
      !slots_.append(other.slots_.view())) {
    clear();
    return Errc::no_memory;
  }
  count_ = other.count_;
  status_ = other.status_;
  content_length_ = other.content_length_;
  usual_reason_ = other.usual_reason_;
  empty_reason_ = other.empty_reason_;
  has_content_length_ = other.has_content_length_;
  has_date_ = other.has_date_;
  has_server_ = other.has_server_;
  wants_close_ = other.wants_close_;
  return {};
}

std::string_view ResponseHead::reason() const noexcept {
  if (empty_reason_) return {};
  return usual_reason_ ? reason_phrase(status_) : reason_.view();
}

ResponseHead::FieldView ResponseHead::field(std::size_t index) const noexcept {
  Slot slot;
  std::memcpy(&slot, slots_.data() + index * sizeof(Slot), sizeof slot);
  const std::string_view lines = lines_.view();
  return {lines.substr(slot.name_offset, slot.name_bytes),
          lines.substr(slot.value_offset, slot.value_bytes), slot.token};
}

std::optional<std::uint64_t> ResponseHead::content_length() const noexcept {
  if (!has_content_length_) return std::nullopt;
  return content_length_;
}

}  // namespace lanner::http
