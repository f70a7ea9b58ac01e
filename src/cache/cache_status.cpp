#include "cache/cache_status.h"

namespace lanner::cache {

namespace {
constexpr std::string_view kForwards[] = {"",          "bypass",  "method", "uri-miss",
                                          "vary-miss", "request", "stale"};
}  // namespace

void write_cache_status(const CacheStatus& status, TextWriter& writer) noexcept {
  writer.add("lanner");
  if (status.hit) {
    writer.add("; hit");
  } else if (status.forward != Forward::none) {
    writer.add("; fwd=");
    writer.add(kForwards[static_cast<std::size_t>(status.forward)]);
  }
  if (status.forward_status) {
    writer.add("; fwd-status=");
    writer.add_number(static_cast<std::uint64_t>(*status.forward_status));
  }
  if (status.ttl_s) {
    writer.add("; ttl=");
    const std::int64_t ttl = *status.ttl_s;
    if (ttl < 0) writer.add('-');
    writer.add_number(static_cast<std::uint64_t>(ttl < 0 ? -ttl : ttl));
  }
  if (status.stored) writer.add("; stored");
  if (status.collapsed) writer.add("; collapsed");
  if (!status.detail.empty()) {
    writer.add("; detail=");
    writer.add(status.detail);
  }
}

}  // namespace lanner::cache
