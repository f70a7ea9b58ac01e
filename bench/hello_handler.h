// bench/hello_handler.h: the smallest answer that is one: a status, a field, a body.

#pragma once

#include <string_view>

#include "http/exchange.h"
#include "http/response_head.h"

namespace lanner::bench {

inline constexpr std::string_view kHello = "Hello, world!\n";

// Filled anew for each answer, as an application does.
inline bool set_hello_head(http::ResponseHead* head) noexcept {
  head->clear();
  return head->set_status(200, "OK") && head->add("Content-Type", "text/plain", 65536);
}

class HelloHandler final : public http::Handler {
 public:
  http::Plan plan(const http::RequestHead&) noexcept override { return {}; }
  void handle(http::Exchange& exchange, const http::Plan&) noexcept override {
    if (!set_hello_head(&head_) || !exchange.start(head_, kHello.size())) return exchange.abort();
    (void)exchange.write({kHello, nullptr, nullptr});
    (void)exchange.finish();
  }

 private:
  http::ResponseHead head_;
};

}  // namespace lanner::bench
