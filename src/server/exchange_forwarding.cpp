// server/exchange_forwarding.cpp: who the client of an exchange is and by what name it asked: the two
// ends of the connection, or what a trusted proxy says of them (http/forwarded.h).

#include <charconv>
#include <cstring>

#include "http/target.h"
#include "server/connection.h"
#include "server/exchange_core.h"
#include "server/server.h"

namespace lanner::server {

namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
constexpr std::size_t kPortBytesMax = 5;

}  // namespace

http::Endpoint ExchangeCore::client() const noexcept {
  if (client_bytes_ > 0) return {{client_text_.data(), client_bytes_}, client_port_, false};
  const sys::SocketAddress& peer = connection_.peer();
  return {peer.view(), peer.port, peer.unix_socket};
}

http::Endpoint ExchangeCore::server() const noexcept {
  if (server_named_) {
    std::string_view host = http::split_host(head_.authority).host;
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    return {host, server_port_, false};
  }
  const sys::SocketAddress* local = connection_.local();
  if (!local) return {};
  const bool other_port = server_port_ != 0 && !local->unix_socket;
  return {local->view(), other_port ? server_port_ : local->port, local->unix_socket};
}

void ExchangeCore::apply_forwarding() noexcept {
  const ListenerTerms& terms = connection_.terms();
  if (!connection_.peer_trusted()) {
    if (terms.drop_untrusted) drop_forwarding(true);
    return;
  }
  if (terms.forwarded_names.listed()) drop_forwarding(false);
  if (!terms.apply_forwarded) return;
  const http::Forwarding said =
      http::read_forwarding(head_, *terms.trust, terms.forwarded_names.believed());
  if (said.has_client) {
    client_bytes_ = static_cast<std::uint8_t>(http::write_ip(said.client, client_text_.data()));
    client_port_ = said.client_port;
  }
  if (said.scheme != http::Forwarding::Scheme::unsaid) {
    head_.secure = said.scheme == http::Forwarding::Scheme::https;
  }
  server_named_ = !said.host.empty();
  const http::HostParts parts = http::split_host(server_named_ ? said.host : head_.authority);
  server_port_ = server_named_ && parts.port != 0 ? parts.port : said.port;
  if (server_named_ && server_port_ == 0) server_port_ = head_.secure ? kHttpsPort : kHttpPort;
  // With another port than the usual ones, links that the application makes would lead nowhere
  // without it.
  const bool lacks_port = parts.port == 0 && said.port != 0 && said.port != kHttpPort &&
                          said.port != kHttpsPort && !parts.host.empty();
  const std::string_view host = lacks_port ? join_port(parts.host, said.port) : said.host;
  if (!host.empty()) set_host(host);
}

// "" when memory is out.
std::string_view ExchangeCore::join_port(std::string_view host, std::uint16_t port) noexcept {
  char* const text = static_cast<char*>(arena_.allocate(host.size() + 1 + kPortBytesMax));
  if (!text) return {};
  std::memcpy(text, host.data(), host.size());
  char* end = text + host.size();
  *end++ = ':';
  end = std::to_chars(end, end + kPortBytesMax, port).ptr;
  return {text, static_cast<std::size_t>(end - text)};
}

// A request without Host (1.0) gets none.
void ExchangeCore::set_host(std::string_view host) noexcept {
  head_.authority = host;
  for (http::Field& field : connection_.server().fields().first(head_.fields.size())) {
    if (field.token == http::Token::host) field.value = host;
  }
}

// What nobody vouches for: with `all` every forwarding field, else those that are not listed.
void ExchangeCore::drop_forwarding(bool all) noexcept {
  const http::ForwardedNames& names = connection_.terms().forwarded_names;
  const std::span<http::Field> fields = connection_.server().fields().first(head_.fields.size());
  std::size_t kept = 0;
  for (const http::Field& field : fields) {
    const bool drops =
        http::is_forwarding_field(field.name, field.token) && (all || !names.has(field));
    if (!drops) fields[kept++] = field;
  }
  head_.fields = fields.first(kept);
}

}  // namespace lanner::server
