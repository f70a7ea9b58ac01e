// server/test_relay_rig.h: a rig whose requests wait in a RelayQueue for the test to take them; not
// for the server.

#pragma once

#include <memory>
#include <utility>

#include "server/relay.h"
#include "server/relay_queue.h"
#include "server/test_rig.h"

namespace lanner::server::test {

class RelayRig {
 public:
  explicit RelayRig(const Options& options = Rig::plain_options())
      : options_(options),
        loop_(std::move(*net::Loop::create())),
        queue(*loop_, options_.limits),
        rig(std::move(loop_), queue, options_) {}

  // The next request, or null.
  Relay* take() {
    rig.settle();
    return queue.try_take();
  }
  Client& send(std::string_view request) {
    Client& client = rig.connect();
    client.send(request);
    rig.settle();
    return client;
  }

 private:
  const Options options_;
  std::unique_ptr<net::Loop> loop_;

 public:
  RelayQueue queue;
  Rig rig;
};

}  // namespace lanner::server::test
