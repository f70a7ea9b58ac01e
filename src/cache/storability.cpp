#include "cache/storability.h"

#include "http/list.h"
#include "http/status.h"

namespace lanner::cache {

namespace {

struct Words {
  std::string_view word;
  std::string_view text;
};
constexpr Words kWords[] = {
    {"none", "it may be stored"},
    {"method", "only answers to GET are stored"},
    {"request-no-store", "the request says Cache-Control: no-store"},
    {"authorization",
     "the request has Authorization and the answer says neither public, s-maxage nor "
     "must-revalidate"},
    {"status", "answers of this status are not stored"},
    {"partial", "it is a part of an answer"},
    {"not-understood", "it says must-understand and its status is not known here"},
    {"no-store", "the answer says Cache-Control: no-store"},
    {"private", "the answer says Cache-Control: private"},
    {"set-cookie", "the answer sets a cookie"},
    {"vary-any", "the answer says Vary: *"},
    {"no-lifetime", "nothing says how long the answer is fresh, or it is stale at once"},
    {"too-large", "the answer is larger than the cache takes"},
    {"memory", "memory is short"},
};

bool varies_by_anything(const AnswerHead& answer) noexcept {
  for (const http::Field& field : answer.fields) {
    if (field.token == http::Token::vary && http::has_member(field.value, "*")) return true;
  }
  return false;
}

bool has_validator(const AnswerHead& answer) noexcept {
  return answer.find(http::Token::etag) || answer.find(http::Token::last_modified);
}

Refusal refuse_request(const http::RequestHead& request, const CacheControl& answer,
                       const StoreRules& rules) noexcept {
  if (request.method != http::Method::get) return Refusal::method;
  if (read_cache_control(request.fields).no_store) return Refusal::request_no_store;
  const bool shared_on_purpose = answer.public_ || answer.must_revalidate || answer.s_maxage;
  if (!rules.keyed_by_user && !shared_on_purpose && request.find(http::Token::authorization))
    return Refusal::authorization;  // section 3.5
  return Refusal::none;
}

Refusal refuse_answer(const AnswerHead& answer, const CacheControl& control,
                      const StoreRules& rules) noexcept {
  if (answer.status < 200 || answer.status == 304) return Refusal::status;
  if (answer.status == 206 || answer.find(http::Token::content_range)) return Refusal::partial;
  if (control.must_understand) {  // it stands above no-store (section 5.2.2.3)
    if (http::reason_phrase(answer.status).empty()) return Refusal::not_understood;
  } else if (control.no_store) {
    return Refusal::no_store;
  }
  if (control.private_ && !rules.keyed_by_user) return Refusal::private_;
  if (answer.find(http::Token::set_cookie)) return Refusal::set_cookie;
  if (varies_by_anything(answer)) return Refusal::vary_any;
  return Refusal::none;
}

}  // namespace

std::string_view refusal_word(Refusal refusal) noexcept {
  return kWords[static_cast<std::size_t>(refusal)].word;
}
std::string_view refusal_text(Refusal refusal) noexcept {
  return kWords[static_cast<std::size_t>(refusal)].text;
}

Storability find_storability(const http::RequestHead& request, const AnswerHead& answer,
                             const StoreRules& rules, std::int64_t now_unix_s) noexcept {
  Storability found;
  found.control = read_answer_control(answer.fields);
  found.refusal = refuse_request(request, found.control, rules);
  if (found.refusal == Refusal::none) found.refusal = refuse_answer(answer, found.control, rules);
  if (found.refusal != Refusal::none) return found;
  found.lifetime = find_lifetime(answer, found.control, rules.lifetime, now_unix_s);
  // What is stale at once is kept where it can be validated, or used while it is.
  const bool said = found.lifetime.source != LifetimeSource::none || found.control.no_cache;
  const bool of_use = found.lifetime.seconds > 0 && !found.control.no_cache;
  const bool later = has_validator(answer) ||
                     found.control.stale_while_revalidate.value_or(0) > 0 ||
                     found.control.stale_if_error.value_or(0) > 0;
  if (!said || (!of_use && !later)) found.refusal = Refusal::no_lifetime;
  return found;
}

}  // namespace lanner::cache
