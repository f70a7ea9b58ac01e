#include "cache/freshness.h"

#include <algorithm>

#include "http/ascii.h"
#include "http/date.h"
#include "http/list.h"

namespace lanner::cache {

namespace {

std::uint32_t clamp(std::int64_t seconds) noexcept {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(seconds, 0, kDeltaMax));
}

std::optional<std::int64_t> find_date(const AnswerHead& head, http::Token token,
                                      std::int64_t now) noexcept {
  const http::Field* field = head.find(token);
  std::int64_t date = 0;
  if (!field || !http::parse_date(field->value, now, &date)) return std::nullopt;
  return date;
}

// Codes whose answers may be given a lifetime that nobody said (RFC 9110, section 15.1).
bool is_heuristically_cacheable(int status) noexcept {
  constexpr int kCodes[] = {200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501};
  return std::find(std::begin(kCodes), std::end(kCodes), status) != std::end(kCodes);
}

}  // namespace

Lifetime find_lifetime(const AnswerHead& head, const CacheControl& control,
                       const LifetimeRules& rules, std::int64_t now_unix_s) noexcept {
  if (control.s_maxage) return {*control.s_maxage, LifetimeSource::s_maxage};
  if (control.max_age) return {*control.max_age, LifetimeSource::max_age};
  const std::int64_t date = find_date(head, http::Token::date, now_unix_s).value_or(now_unix_s);
  if (!control.targeted && head.find(http::Token::expires)) {
    const auto expires = find_date(head, http::Token::expires, now_unix_s);
    return {expires ? clamp(*expires - date) : 0, LifetimeSource::expires};
  }
  if (rules.ttl_s) return {std::min(*rules.ttl_s, kDeltaMax), LifetimeSource::rule};
  if (!rules.heuristic || !(is_heuristically_cacheable(head.status) || control.public_)) return {};
  const auto modified = find_date(head, http::Token::last_modified, now_unix_s);
  if (!modified) return {};
  return {std::min(clamp((date - *modified) / 10), rules.heuristic_max_s),
          LifetimeSource::heuristic};
}

std::uint32_t initial_age_s(const AnswerHead& head, std::uint64_t delay_ms,
                            std::int64_t now_unix_s) noexcept {
  const auto date = find_date(head, http::Token::date, now_unix_s);
  const std::int64_t apparent = date ? now_unix_s - *date : 0;
  std::uint32_t said = 0;
  if (const http::Field* field = head.find(http::Token::age); field && !field->value.empty()) {
    // The first member of what may be a list; invalid: ignored (section 5.1).
    std::string_view rest = field->value;
    if (!parse_delta(http::take_member(rest), &said)) said = 0;
  }
  const std::int64_t corrected =
      said + static_cast<std::int64_t>(std::min<std::uint64_t>(delay_ms / 1000, kDeltaMax));
  return clamp(std::max(apparent, corrected));
}

bool Freshness::may_stand_in(const CacheControl& request, std::uint64_t steady_ms) const noexcept {
  if (is_fresh(steady_ms)) return true;
  if (forbids_stale) return false;
  const std::uint32_t age = age_s(steady_ms);
  const std::uint32_t late = age > lifetime_s ? age - lifetime_s : 0;
  const std::uint32_t asked = clients_have_no_say ? 0 : request.stale_if_error.value_or(0);
  const std::uint32_t allowed = std::max(stale_if_error_s, asked);
  return allowed > 0 && late <= allowed;
}

Freshness make_freshness(const CacheControl& control, Lifetime lifetime, std::uint32_t initial_age,
                         std::uint64_t steady_ms) noexcept {
  Freshness freshness;
  freshness.stored_ms = steady_ms;
  freshness.initial_age_s = initial_age;
  freshness.lifetime_s = lifetime.seconds;
  freshness.stale_while_revalidate_s = control.stale_while_revalidate.value_or(0);
  freshness.stale_if_error_s = control.stale_if_error.value_or(0);
  freshness.forbids_stale = control.forbids_stale();
  freshness.clients_have_no_say = control.s_maxage.has_value();
  freshness.always_validate = control.no_cache;
  return freshness;
}

Use find_use(const Freshness& stored, const CacheControl& request,
             std::uint64_t steady_ms) noexcept {
  if (stored.always_validate || request.no_cache) return Use::validate;
  const std::uint32_t age = stored.age_s(steady_ms);
  // max-age of a request bounds the age, unless it takes stale answers, too (section 5.2.1.1).
  const std::uint64_t staleness_max = request.max_stale.value_or(0);
  if (request.max_age && age > *request.max_age + staleness_max) return Use::validate;
  const std::uint64_t wanted = std::uint64_t{age} + request.min_fresh.value_or(0);
  if (wanted < stored.lifetime_s) return Use::fresh;
  if (stored.forbids_stale || request.min_fresh) return Use::validate;
  const std::uint32_t late = age > stored.lifetime_s ? age - stored.lifetime_s : 0;
  if (late < stored.stale_while_revalidate_s) return Use::stale_and_renew;
  if (request.max_stale && !stored.clients_have_no_say && late <= *request.max_stale)
    return Use::stale;
  return Use::validate;
}

}  // namespace lanner::cache
