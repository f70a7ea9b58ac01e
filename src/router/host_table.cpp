#include "router/host_table.h"

#include <algorithm>
#include <array>

#include "http/ascii.h"
#include "http/target.h"

namespace lanner::router {

namespace {

bool precedes(const Pattern& a, const Pattern& b) noexcept {
  return std::lexicographical_compare(a.segments.begin(), a.segments.end(), b.segments.begin(),
                                      b.segments.end(), comes_before);
}

// The host of `authority`; "" if it has none, or one too long to be a name.
std::string_view host_of(std::string_view authority) noexcept {
  std::string_view host = http::split_host(authority).host;
  if (host.ends_with('.')) host.remove_suffix(1);
  return host.size() > HostTable::kHostBytesMax ? std::string_view() : host;
}

}  // namespace

void HostTable::add(const Pattern& host, std::uint32_t tree) {
  if (host.parameters.empty()) {
    names_.add(0, host_shape(host), tree);
    has_names_ = true;
  } else {
    patterns_.push_back({host, tree});
  }
}

void HostTable::freeze() {
  names_.freeze();
  std::sort(patterns_.begin(), patterns_.end(),
            [](const Entry& a, const Entry& b) { return precedes(a.pattern, b.pattern); });
}

HostTable::Search::Search(const HostTable& table, std::string_view authority) noexcept
    : table_(table), host_(host_of(authority)) {
  for (std::size_t i = 0; i < host_.size(); ++i) lower_[i] = http::to_lower(host_[i]);
}

bool HostTable::Search::next(std::uint32_t* tree, Match* match) noexcept {
  match->count = 0;
  if (at_++ == 0) {
    *tree = table_.names_.find(0, {lower_, host_.size()});
    if (*tree != kNone) return true;
    ++at_;
  }
  for (; at_ <= table_.patterns_.size() + 1; ++at_) {
    const Entry& entry = table_.patterns_[at_ - 2];
    if (!bind(entry.pattern, match)) continue;
    *tree = entry.tree;
    return true;
  }
  return false;
}

bool HostTable::Search::bind(const Pattern& pattern, Match* match) const noexcept {
  std::string_view rest(lower_, host_.size());
  match->count = 0;
  if (rest.starts_with('[')) return false;  // an IPv6 address has no labels
  for (std::size_t i = 0; i < pattern.segments.size(); ++i) {
    const Segment& label = pattern.segments[i];
    const std::size_t dot = rest.find('.');
    if ((dot == std::string_view::npos) != (i + 1 == pattern.segments.size())) return false;
    const std::string_view text = rest.substr(0, dot);
    rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
    if (label.is_literal()) {
      if (text != label.text) return false;
      continue;
    }
    std::array<std::string_view, kSegmentParametersMax> values;
    if (!match_segment(label, text, values.data())) return false;
    for (std::size_t part = 0; part < label.parts.size(); ++part) {
      const auto begin = static_cast<std::size_t>(values[part].data() - lower_);
      match->push(host_.substr(begin, values[part].size()), false, true);
    }
  }
  return true;
}

}  // namespace lanner::router
