#include "http/trust_list.h"

#include <cstdint>
#include <new>

namespace lanner::http {

namespace {

constexpr std::string_view kSeparators = ", \t";
constexpr std::string_view kUnix = "unix:";

}  // namespace

std::string_view TrustList::entry_at(std::string_view text, std::size_t at) noexcept {
  const std::string_view rest = text.substr(at);
  return rest.substr(0, rest.find_first_of(kSeparators));
}

Result<TrustList> TrustList::parse(std::string_view text) noexcept {
  TrustList list;
  std::size_t room = 0;
  for (std::size_t at = 0; (at = text.find_first_not_of(kSeparators, at)) < text.size();) {
    const std::string_view entry = entry_at(text, at);
    const Error here{Errc::trust_list_too_long, static_cast<std::uint32_t>(at)};
    at += entry.size();
    if (entry == "*" || entry == kUnix) {
      list.every_peer_ = list.every_peer_ || entry == "*";
      list.unix_peers_ = list.unix_peers_ || entry == kUnix;
      continue;
    }
    const Result<IpNetwork> network = parse_network(entry);
    if (!network) return Error{network.code(), here.detail};
    if (list.count_ == kNetworksMax) return here;
    if (list.count_ == room) {
      room = room == 0 ? 8 : room * 2;
      std::unique_ptr<IpNetwork[]> larger(new (std::nothrow) IpNetwork[room]);
      if (!larger) return Error{Errc::no_memory, here.detail};
      for (std::size_t i = 0; i < list.count_; ++i) larger[i] = list.networks_[i];
      list.networks_ = std::move(larger);
    }
    list.networks_[list.count_++] = *network;
  }
  return list;
}

bool TrustList::trusts_peer(std::string_view host, bool unix_socket) const noexcept {
  if (every_peer_) return true;
  if (unix_socket) return unix_peers_;
  IpAddress address;
  return parse_ip(host, &address) && trusts_hop(address);
}

bool TrustList::trusts_hop(const IpAddress& address) const noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if (networks_[i].contains(address)) return true;
  }
  return false;
}

}  // namespace lanner::http
