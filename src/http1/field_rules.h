// http1/field_rules.h: interprets the fields of a request that concern HTTP/1 itself: Host,
// framing, persistence, Expect, Upgrade.
//
// Takes the fields in order; the first that violates a rule determines the error. Pure, no
// allocation.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "http/head.h"

namespace lanner::http1 {

class FieldRules {
 public:
  // Takes one field. Sets framing and content_length of *head. REQUIRES: head->minor_version is
  // known.
  Errc apply(const http::Field& field, http::RequestHead* head) noexcept {
    const Rule rule = kRules[static_cast<std::size_t>(field.token)];
    return rule.role == Role::none ? Errc::ok : apply(field, rule, head);
  }
  // Called after the last field. Sets authority (unless the target has one), keep_alive,
  // expect_continue and upgrade.
  Errc finish(http::RequestHead* head) noexcept;

 private:
  enum class Role : std::uint8_t {
    none,
    host,
    content_length,
    transfer_encoding,
    connection,
    expect,
    upgrade,
    forwarded,
    single,
  };
  struct Rule {
    Role role = Role::none;
    std::uint16_t single_bit = 0;  // of its own, for Role::single
  };
  using Rules = std::array<Rule, static_cast<std::size_t>(http::Token::count)>;

  static constexpr Rules make_rules() noexcept;
  static const Rules kRules;

  Errc apply(const http::Field& field, Rule rule, http::RequestHead* head) noexcept;
  Errc apply_host(std::string_view value) noexcept;
  Errc apply_content_length(std::string_view value, http::RequestHead* head) noexcept;
  Errc apply_transfer_encoding(std::string_view value, http::RequestHead* head) noexcept;
  Errc apply_expect(std::string_view value) noexcept;
  void apply_connection(std::string_view value) noexcept;

  std::string_view host_;
  std::uint16_t singles_seen_ = 0;
  bool host_seen_ = false;
  bool content_length_seen_ = false;
  bool transfer_encoding_seen_ = false;
  bool upgrade_seen_ = false;
  bool expect_seen_ = false;
  bool wants_close_ = false;
  bool wants_keep_alive_ = false;
  bool wants_upgrade_ = false;
};

}  // namespace lanner::http1
