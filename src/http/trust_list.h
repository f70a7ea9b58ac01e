// http/trust_list.h: whose word counts: the addresses and networks of the proxies in front of us.
//
// What --forwarded-allow-ips says: ADDRESS, ADDRESS/BITS, `unix:` (every peer on a unix socket) and
// `*` (every peer), separated by commas or blanks. `*` is about the peer alone: the addresses that
// a proxy reports are never trusted by it, or whoever writes the first one would be believed.

#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "http/ip_address.h"

namespace lanner::http {

class TrustList final {
 public:
  static constexpr std::size_t kNetworksMax = 4096;

  // Trusts nobody.
  TrustList() noexcept = default;
  // Error::detail is where the entry at fault begins. Errors: network_invalid, network_host_bits,
  // trust_list_too_long, no_memory. Example: TrustList::parse("127.0.0.1,10.0.0.0/8,unix:")
  static Result<TrustList> parse(std::string_view text) noexcept;
  // The entry of `text` that begins at `at`.
  static std::string_view entry_at(std::string_view text, std::size_t at) noexcept;

  // Whether the fields of a peer count. `host`: its numeric address; anything for a unix socket.
  bool trusts_peer(std::string_view host, bool unix_socket) const noexcept;
  // Whether what this proxy says of the one before it counts.
  bool trusts_hop(const IpAddress& address) const noexcept;

 private:
  std::unique_ptr<IpNetwork[]> networks_;
  std::size_t count_ = 0;
  bool every_peer_ = false;
  bool unix_peers_ = false;
};

}  // namespace lanner::http
