// http/trust_list.h: the addresses and networks of the trusted proxies.
//
// The value of --forwarded-allow-ips: ADDRESS, ADDRESS/BITS, `unix:` (every peer on a unix socket)
// and `*` (every peer), separated by commas or blanks. `*` applies to the peer only. It never makes
// an address trusted that a proxy reports, or a client could forge the first one.

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
  // Error::detail is the offset of the wrong entry. Errors: network_invalid, network_host_bits,
  // trust_list_too_long, no_memory. Example: TrustList::parse("127.0.0.1,10.0.0.0/8,unix:")
  static Result<TrustList> parse(std::string_view text) noexcept;
  // The entry of `text` that begins at `at`.
  static std::string_view entry_at(std::string_view text, std::size_t at) noexcept;

  // Whether the fields of a peer are trusted. `host`: its numeric address; anything for a unix
  // socket.
  bool trusts_peer(std::string_view host, bool unix_socket) const noexcept;
  // Whether this proxy is trusted to report the address before it.
  bool trusts_hop(const IpAddress& address) const noexcept;

 private:
  std::unique_ptr<IpNetwork[]> networks_;
  std::size_t count_ = 0;
  bool every_peer_ = false;
  bool unix_peers_ = false;
};

}  // namespace lanner::http
