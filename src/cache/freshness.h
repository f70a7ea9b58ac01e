// cache/freshness.h: how long an answer is fresh, how old it is, and whether it may be used for a
// request (RFC 9111, section 4.2; RFC 5861).
//
// Wall clock time is looked at once, when an answer comes, to compare it with the fields that hold
// dates. From then on its age grows with a clock that only goes forward, so that a wall clock that
// is set makes nothing old or young. Both are given by the caller.

#pragma once

#include <cstdint>
#include <optional>

#include "cache/answer_head.h"
#include "cache/cache_control.h"

namespace lanner::cache {

struct Now {
  std::int64_t unix_s = 0;
  std::uint64_t steady_ms = 0;
};

// How lifetimes are found where the answer does not give one (section 4.2.2).
struct LifetimeRules {
  std::optional<std::uint32_t> ttl_s;  // what the route or the prefix was given
  bool heuristic = false;              // 10 % of the time since Last-Modified
  std::uint32_t heuristic_max_s = 86'400;
};

enum class LifetimeSource : std::uint8_t { none, s_maxage, max_age, expires, rule, heuristic };

struct Lifetime {
  std::uint32_t seconds = 0;
  LifetimeSource source = LifetimeSource::none;
};

// `control`: of read_answer_control().
Lifetime find_lifetime(const AnswerHead& head, const CacheControl& control,
                       const LifetimeRules& rules, std::int64_t now_unix_s) noexcept;

// corrected_initial_age (section 4.2.3). `delay_ms`: from when the request was made until its
// answer came.
std::uint32_t initial_age_s(const AnswerHead& head, std::uint64_t delay_ms,
                            std::int64_t now_unix_s) noexcept;

// What is kept of an answer's freshness.
struct Freshness {
  std::uint64_t stored_ms = 0;  // steady
  std::uint32_t initial_age_s = 0;
  std::uint32_t lifetime_s = 0;
  std::uint32_t stale_while_revalidate_s = 0;
  std::uint32_t stale_if_error_s = 0;
  bool forbids_stale = false;
  // s-maxage is proxy-revalidate, too (section 5.2.2.10), but for staleness that the answer itself
  // allows beside it: requests have no say.
  bool clients_have_no_say = false;
  bool always_validate = false;  // no-cache

  // current_age. A steady clock that goes back all the same counts as one that stands still.
  std::uint32_t age_s(std::uint64_t steady_ms) const noexcept {
    const std::uint64_t resident_s = steady_ms > stored_ms ? (steady_ms - stored_ms) / 1000 : 0;
    const std::uint64_t age = resident_s + initial_age_s;
    return age < kDeltaMax ? static_cast<std::uint32_t>(age) : kDeltaMax;
  }
  bool is_fresh(std::uint64_t steady_ms) const noexcept {
    return !always_validate && age_s(steady_ms) < lifetime_s;
  }
  // Whether it may stand in for an error of the application (RFC 5861, section 4), which a
  // request may ask for, too.
  bool may_stand_in(const CacheControl& request, std::uint64_t steady_ms) const noexcept;
};

Freshness make_freshness(const CacheControl& control, Lifetime lifetime, std::uint32_t initial_age,
                         std::uint64_t steady_ms) noexcept;

enum class Use : std::uint8_t {
  fresh,            // as it is
  stale,            // as it is: the request takes stale answers (max-stale)
  stale_and_renew,  // as it is, and ask for a new one (stale-while-revalidate)
  validate,         // not before the application has been asked
};

// `request`: of read_cache_control(), or CacheControl() where clients have no say.
Use find_use(const Freshness& stored, const CacheControl& request,
             std::uint64_t steady_ms) noexcept;

}  // namespace lanner::cache
