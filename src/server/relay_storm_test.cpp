// server/relay_storm_test.cpp: many exchanges on many handler threads, with clients that stall,
// break off and vanish: every answer is right or rightly cut, and nothing is left. For
// ThreadSanitizer, too.

#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/test_relay_rig.h"

namespace lanner::server {
namespace {

using test::Client;
using test::make_head;
using test::ok_answer;
using test::read_all;
using test::RelayRig;
using test::Rig;
using Random = std::mt19937;

std::size_t pick(Random& random, std::size_t max) {
  return std::uniform_int_distribution<std::size_t>(0, max)(random);
}

// Bytes on their way, released by whatever thread is last.
struct Held {
  std::string bytes;
  std::atomic<int>* count;
  static void release(void* owner) noexcept {
    auto* self = static_cast<Held*>(owner);
    --*self->count;
    delete self;
  }
};

// ---- what is asked, and what must be answered

enum class Kind : char {
  echo = 'e',    // the body's size and sum
  ignore = 'i',  // answers without a look at the body
  pieces = 'p',  // many small chunks, each flushed
  large = 'l',   // referenced payloads
  early = 'a',   // abort before the start
  late = 'z',    // abort after the start
};

std::string sum_of(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (const char byte : bytes) sum = sum * 31 + static_cast<unsigned char>(byte);
  return std::to_string(bytes.size()) + ":" + std::to_string(sum);
}

struct Asked {
  std::string wire;
  std::string answer;
  bool cuts = false;  // the answer is the connection's last
};

Asked ask(Random& random, bool may_cut) {
  constexpr std::string_view kKinds = "eeiipplaz";
  const char kind = kKinds[pick(random, kKinds.size() - (may_cut ? 1 : 2))];
  const std::size_t size = pick(random, 3) == 0 ? pick(random, 60'000) : pick(random, 300);
  std::string body(pick(random, 2) == 0 ? 0 : size, 'x');
  for (char& byte : body) byte = static_cast<char>('a' + random() % 26);
  const std::string head =
      std::string("POST /") + kind + "/" + std::to_string(size) + " HTTP/1.1\r\nHost: t\r\n";
  Asked asked;
  if (pick(random, 1) == 0 && kind == 'e') {
    asked.wire = head + "Transfer-Encoding: chunked\r\n\r\n";
    for (std::size_t at = 0; at < body.size();) {
      const std::size_t part = 1 + pick(random, 9'998);
      const std::string piece = body.substr(at, part);
      std::array<char, 16> hex{};
      std::snprintf(hex.data(), hex.size(), "%zx\r\n", piece.size());
      asked.wire += hex.data() + piece + "\r\n";
      at += part;
    }
    asked.wire += "0\r\n\r\n";
  } else {
    asked.wire = head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  switch (Kind{kind}) {
    case Kind::echo:
      asked.answer = ok_answer(sum_of(body));
      break;
    case Kind::ignore:
      asked.answer = ok_answer("ignored");
      break;
    case Kind::pieces:
      asked.answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
      for (std::size_t i = 0; i < size % 50; ++i) {
        asked.answer += "64\r\n" + std::string(100, static_cast<char>('A' + i % 26)) + "\r\n";
      }
      asked.answer += "0\r\n\r\n";
      break;
    case Kind::large:
      asked.answer = ok_answer(std::string(20'000, 'L') + std::string(size, 'M'));
      break;
    case Kind::early:
      asked.answer =
          "HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain; charset=utf-8\r\n"
          "Content-Length: 26\r\n\r\n500 Internal Server Error\n";
      break;
    case Kind::late:
      asked.answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
      asked.cuts = true;
      break;
  }
  return asked;
}

// ---- the handler threads

struct Threads {
  Threads(RelayQueue& from, int count) : queue(from) {
    for (int i = 0; i < count; ++i) threads.emplace_back([this] { run(); });
  }
  // REQUIRES: nothing waits for the loop any more
  ~Threads() {
    queue.close();
    for (std::thread& thread : threads) thread.join();
  }
  void run() {
    for (;;) {
      bool nudged = false;
      Relay* relay = queue.take(&nudged);
      if (relay) {
        serve(*relay);
        ++served;
      } else if (!nudged) {
        return;
      }
    }
  }
  http::Payload held(std::size_t size, char letter) {
    ++payloads;
    Held* own = new (std::nothrow) Held{std::string(size, letter), &payloads};
    return {own->bytes, own, Held::release};
  }
  void serve(Relay& relay) {
    const std::string path(relay.head().path);
    const std::size_t size = std::stoul(path.substr(3));
    switch (Kind{path[1]}) {
      case Kind::echo: {
        Errc why = Errc::ok;
        const std::string sum = sum_of(read_all(relay, 1 + size % 7'000, &why));
        return why == Errc::ok ? (void)test::answer(relay, sum) : relay.abort();
      }
      case Kind::ignore:
        return (void)test::answer(relay, "ignored");
      case Kind::pieces: {
        (void)relay.start(make_head(200), std::nullopt);
        auto state = http::WriteState::ok;
        for (std::size_t i = 0; i < size % 50 && state != http::WriteState::closed; ++i) {
          (void)relay.write({std::string(100, static_cast<char>('A' + i % 26)), nullptr, nullptr});
          state = relay.flush();
        }
        return (void)relay.finish();
      }
      case Kind::large:
        (void)relay.start(make_head(200), 20'000 + size);
        (void)relay.write(held(20'000, 'L'));
        (void)relay.write(held(size, 'M'));
        return (void)relay.finish();
      case Kind::early:
        return relay.abort();
      case Kind::late:
        (void)relay.start(make_head(200), std::nullopt);
        (void)relay.write({"abc", nullptr, nullptr});
        return relay.abort();
    }
  }
  RelayQueue& queue;
  std::vector<std::thread> threads;
  std::atomic<int> payloads{0};  // not released yet
  std::atomic<int> served{0};
};

// ---- the clients

// One client's life: sends its requests in pieces, takes its answers in pieces, and may break off.
class Life {
 public:
  Life(Client& client, Random& random) : client_(client), random_(random) {
    const std::size_t count = 1 + pick(random, 5);
    for (std::size_t i = 0; i < count; ++i) {
      const Asked asked = ask(random, i + 1 == count);
      to_send_ += asked.wire;
      expected_ += asked.answer;
      cut_ = asked.cuts;
    }
    if (pick(random, 2) == 0) breaks_after_ = 1 + pick(random, 40);
    client.wire.write_room = 0;
  }
  // True when it is over.
  bool live() {
    net::FakeTransport& wire = client_.wire;
    if (ended_) return client_.connection == nullptr;
    const std::size_t part = std::min(to_send_.size(), pick(random_, 20'000));
    client_.send(std::string_view(to_send_).substr(0, part));
    to_send_.erase(0, part);
    if (pick(random_, 3) > 0) wire.write_room = pick(random_, 30'000);
    if (breaks_after_ > 0 && --breaks_after_ == 0) {
      broke_ = ended_ = true;
      pick(random_, 1) == 0 ? client_.send_reset() : client_.send_end();
      wire.write_room = net::FakeTransport::kUnlimited;
    } else if (client_.received().size() >= expected_.size() && to_send_.empty()) {
      ended_ = true;
      client_.send_end();
      wire.write_room = net::FakeTransport::kUnlimited;
    }
    return false;
  }
  void check() const {
    const std::string& got = client_.received();
    if (broke_) {
      // A 400 of the server's own may follow: the body was cut in the middle.
      const std::size_t refused = got.find("HTTP/1.1 400 Bad Request\r\n");
      EXPECT_TRUE(expected_.starts_with(std::string_view(got).substr(0, refused))) << got.size();
    } else {
      EXPECT_TRUE(got == expected_) << got.size() << " of " << expected_.size();
    }
  }

 private:
  Client& client_;
  Random& random_;
  std::string to_send_;
  std::string expected_;
  std::size_t breaks_after_ = 0;  // turns; 0 = never
  bool cut_ = false;
  bool broke_ = false;
  bool ended_ = false;
};

Options storm_options() {
  Options options = Rig::plain_options();
  options.limits.out_high_bytes = 2'000;
  options.limits.out_low_bytes = 500;
  options.limits.body_memory_bytes = 3'000;
  return options;
}

class RelayStorm : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RelayStorm, ::testing::Values(1u, 2u, 3u, 4u));

TEST_P(RelayStorm, EveryAnswerIsRightOrRightlyCut) {
  Random random(GetParam());
  RelayRig all(storm_options());
  {
    Threads threads(all.queue, 4);
    std::vector<std::unique_ptr<Life>> lives;
    int begun = 0;
    for (int turns = 0; (begun < 150 || !lives.empty()) && turns < 30'000; ++turns) {
      while (begun < 150 && lives.size() < 12) {
        lives.push_back(std::make_unique<Life>(all.rig.connect(), random));
        ++begun;
      }
      all.rig.turn(1);
      std::erase_if(lives, [](const std::unique_ptr<Life>& life) {
        const bool over = life->live();
        if (over) life->check();
        return over;
      });
    }
    EXPECT_TRUE(lives.empty()) << "somebody waits for ever";
    EXPECT_EQ(all.queue.relay_count(), 0u);
    EXPECT_EQ(threads.payloads, 0);
    EXPECT_GT(threads.served, 100);
  }
  EXPECT_EQ(all.rig.server().connection_count(), 0u);
}

TEST_P(RelayStorm, ACutEndsEverything) {
  Random random(GetParam());
  for (int round = 0; round < 10; ++round) {
    RelayRig all(storm_options());
    {
      Threads threads(all.queue, 3);
      std::vector<std::unique_ptr<Life>> lives;
      for (int i = 0; i < 12; ++i) {
        lives.push_back(std::make_unique<Life>(all.rig.connect(), random));
      }
      for (std::size_t turns = pick(random, 30); turns > 0; --turns) {
        all.rig.turn(1);
        for (const auto& life : lives) (void)life->live();
      }
      all.rig.server().cut();
      for (int turns = 0; all.queue.relay_count() > 0 && turns < 30'000; ++turns) {
        all.rig.turn(1);
      }
      EXPECT_EQ(all.queue.relay_count(), 0u) << "a thread waits for ever";
      EXPECT_EQ(threads.payloads, 0);
    }
    all.rig.settle();
    EXPECT_EQ(all.rig.server().connection_count(), 0u);
  }
}

}  // namespace
}  // namespace lanner::server
