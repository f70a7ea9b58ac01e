// cache/storability.h: whether a shared cache may store the answer to a request (RFC 9111, section
// 3), for how long it is fresh, and if not, why.

#pragma once

#include <cstdint>
#include <string_view>

#include "cache/answer_head.h"
#include "cache/cache_control.h"
#include "cache/freshness.h"
#include "http/head.h"

namespace lanner::cache {

enum class Refusal : std::uint8_t {
  none,  // it may be stored
  method,
  request_no_store,
  authorization,
  status,
  partial,
  not_understood,
  no_store,
  private_,
  set_cookie,
  vary_any,
  no_lifetime,
  // Of the store's admission (cache/store.h):
  too_large,
  memory,
};

// A token, for `fwd=bypass; detail=...` of Cache-Status and for the log.
std::string_view refusal_word(Refusal refusal) noexcept;
// Why, in a sentence without a full stop.
std::string_view refusal_text(Refusal refusal) noexcept;

struct StoreRules {
  LifetimeRules lifetime;
  // The key holds who asks: answers to requests with Authorization, and private ones, may be
  // stored.
  bool keyed_by_user = false;
};

struct Storability {
  Refusal refusal = Refusal::none;
  Lifetime lifetime;
  CacheControl control;  // of the answer
};

Storability find_storability(const http::RequestHead& request, const AnswerHead& answer,
                             const StoreRules& rules, std::int64_t now_unix_s) noexcept;

}  // namespace lanner::cache
