// server/listener_settings.h: what holds for the connections of one listener: limits, whose word counts
// about their clients, and what speaks on them first.

#pragma once

#include <algorithm>
#include <cstdint>

#include "base/budget.h"
#include "http/forwarded.h"
#include "http/limits.h"
#include "http/trust_list.h"

namespace lanner::server {

class Connection;
class Protocol;

struct ListenerSettings {
  // Those of a whole server (connections, buffers, drain) count in server::Options only.
  http::Limits limits;
  bool owned = false;                      // the socket is closed when the drain begins
  bool shared = false;                     // other workers wait on it too
  const http::TrustList* trust = nullptr;  // borrowed; null = no proxy's word counts
  http::ForwardedNames forwarded_names;    // in which fields; with trust
  // Forwarding fields of peers that are not trusted never reach the handler; with trust. Of those
  // that are, the fields that a list of names leaves out.
  bool drop_untrusted = false;
  // What a trusted proxy says of the client, the scheme and the host is taken for theirs; else its
  // fields only pass, and the application may read them.
  bool apply_forwarded = true;
  // Makes what speaks on a new connection first; that returns null when memory is out. Null: HTTP/1.
  Protocol* (*make_protocol)(Connection& connection) noexcept = nullptr;

  bool may_drop_forwarding() const noexcept { return drop_untrusted || forwarded_names.listed(); }
};

// Settings and what follows from them; outlives the connections.
struct ListenerTerms final : ListenerSettings {
  // How often it is looked at what a client has taken.
  static constexpr std::uint64_t kWriteLookMs = 500;

  explicit ListenerTerms(const ListenerSettings& settings) noexcept
      : ListenerSettings(settings),
        least_high_bytes(std::min(settings.limits.out_high_bytes, Budget::kSmallBytes)),
        least_limit_ms(std::min(http::least_time_ms(settings.limits), kWriteLookMs)) {}

  std::uint64_t least_high_bytes;  // the high mark, also near the budget
  std::uint64_t least_limit_ms;    // nothing that begins now is due before that has passed
};

}  // namespace lanner::server
