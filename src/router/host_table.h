// router/host_table.h: which trees a request's host chooses.
//
// Hosts are compared without case and port; a dot at the end is ignored. Names are ASCII as they are
// sent: xn--... stays what it is. A host by name comes before those with parameters, these in the
// order of comes_before(), label by label from the left.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "router/match.h"
#include "router/pattern.h"
#include "router/text_table.h"

namespace lanner::router {

class HostTable final {
 public:
  static constexpr std::size_t kHostBytesMax = 255;  // RFC 1035, section 2.3.4

  // REQUIRES: at most kHostPatternsMax with parameters
  void add(const Pattern& host, std::uint32_t tree);
  void freeze();
  bool empty() const noexcept { return patterns_.empty() && !has_names_; }

  // The trees for one host, one after the other.
  class Search final {
   public:
    // `authority`: host[:port], valid or empty, and as long-lived as the values.
    Search(const HostTable& table, std::string_view authority) noexcept;
    // False: there are no more. Sets match->count and its values to those of the host.
    bool next(std::uint32_t* tree, Match* match) noexcept;

   private:
    bool bind(const Pattern& pattern, Match* match) const noexcept;

    const HostTable& table_;
    std::string_view host_;  // as sent, without port
    char lower_[kHostBytesMax];
    std::size_t at_ = 0;  // 0: the name; n: pattern n - 1
  };

 private:
  struct Entry {
    Pattern pattern;
    std::uint32_t tree;
  };
  TextTable names_;
  std::vector<Entry> patterns_;
  bool has_names_ = false;
};

}  // namespace lanner::router
