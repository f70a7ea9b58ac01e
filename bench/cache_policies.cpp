// bench/cache_policies.cpp: hit ratios of the store's policy (S3-FIFO), of LRU and of a simple
// W-TinyLFU on made traces, and the cost of a hit: the table in docs/design/0008.
//
//   cache_policies

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <list>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "cache/store.h"

namespace {

using lanner::cache::EntryParts;
using lanner::cache::Found;
using lanner::cache::Store;
using Trace = std::vector<std::uint32_t>;

constexpr std::size_t kBodyBytes = 2000;

std::string key_of(std::uint32_t number) { return "GET http://a/" + std::to_string(number); }

// What one entry takes in the store, by its own count.
std::size_t entry_bytes() {
  const std::string body(kBodyBytes, 'x');
  EntryParts parts;
  parts.body = body;
  return lanner::cache::Entry::bytes_for(parts) + sizeof(lanner::cache::Group) + 19 + 8 + 2;
}

double run_store(const Trace& trace, std::size_t entries) {
  const std::uint64_t bytes = entries * entry_bytes();
  Store store({bytes, bytes, 8}, 7);
  const std::string body(kBodyBytes, 'x');
  EntryParts parts;
  parts.body = body;
  lanner::http::RequestHead request;
  std::size_t hits = 0;
  for (const std::uint32_t number : trace) {
    const std::string key = key_of(number);
    if (store.find(key, request).entry) {
      ++hits;
    } else if (store.add(key, "", parts) != lanner::cache::Refusal::none) {
      std::fprintf(stderr, "refused\n");
    }
  }
  return 100.0 * static_cast<double>(hits) / static_cast<double>(trace.size());
}

class Lru {
 public:
  explicit Lru(std::size_t size) : size_(size) {}
  bool touch(std::uint32_t key) {
    const auto at = where_.find(key);
    if (at == where_.end()) return false;
    order_.splice(order_.begin(), order_, at->second);
    return true;
  }
  // The key that had to go, or -1.
  std::int64_t add(std::uint32_t key) {
    order_.push_front(key);
    where_[key] = order_.begin();
    return order_.size() > size_ ? drop_last() : -1;
  }
  std::int64_t last() const { return order_.empty() ? -1 : std::int64_t{order_.back()}; }
  bool full() const { return order_.size() >= size_; }
  std::int64_t drop_last() {
    const std::uint32_t key = order_.back();
    where_.erase(key);
    order_.pop_back();
    return key;
  }

 private:
  std::size_t size_;
  std::list<std::uint32_t> order_;
  std::unordered_map<std::uint32_t, std::list<std::uint32_t>::iterator> where_;
};

double run_lru(const Trace& trace, std::size_t entries) {
  Lru lru(entries);
  std::size_t hits = 0;
  for (const std::uint32_t key : trace) {
    if (lru.touch(key)) {
      ++hits;
    } else {
      lru.add(key);
    }
  }
  return 100.0 * static_cast<double>(hits) / static_cast<double>(trace.size());
}

// A window of 1 % by LRU, the rest by LRU behind an exact count of uses, halved now and then.
double run_tiny_lfu(const Trace& trace, std::size_t entries) {
  const std::size_t window_size = std::max<std::size_t>(1, entries / 100);
  Lru window(window_size);
  Lru main(entries - window_size);
  std::unordered_map<std::uint32_t, std::uint32_t> uses;
  std::size_t hits = 0;
  std::size_t seen = 0;
  for (const std::uint32_t key : trace) {
    if (std::uint32_t& count = uses[key]; count < 15) ++count;
    if (++seen % (entries * 10) == 0) {
      for (auto& one : uses) one.second /= 2;
    }
    if (window.touch(key) || main.touch(key)) {
      ++hits;
      continue;
    }
    const std::int64_t candidate = window.add(key);
    if (candidate < 0) continue;
    const auto left = static_cast<std::uint32_t>(candidate);
    if (main.full()) {
      if (uses[left] <= uses[static_cast<std::uint32_t>(main.last())]) continue;
      main.drop_last();
    }
    main.add(left);
  }
  return 100.0 * static_cast<double>(hits) / static_cast<double>(trace.size());
}

class Zipf {
 public:
  Zipf(std::size_t keys, double exponent) {
    double sum = 0;
    for (std::size_t i = 1; i <= keys; ++i) {
      sum += 1 / std::pow(static_cast<double>(i), exponent);
      sums_.push_back(sum);
    }
  }
  std::uint32_t draw(std::mt19937_64& random) const {
    const double at = std::uniform_real_distribution<>(0, sums_.back())(random);
    return static_cast<std::uint32_t>(std::lower_bound(sums_.begin(), sums_.end(), at) -
                                      sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

constexpr std::size_t kKeys = 20'000;
constexpr std::size_t kRequests = 400'000;

Trace zipf(double exponent) {
  std::mt19937_64 random(1);
  const Zipf popular(kKeys, exponent);
  Trace trace;
  while (trace.size() < kRequests) trace.push_back(popular.draw(random));
  return trace;
}

// Zipf, and again and again a crawler that asks for `scan` keys once.
Trace with_scans(double exponent, std::uint32_t scan) {
  Trace trace;
  std::uint32_t next = kKeys;
  for (const std::uint32_t key : zipf(exponent)) {
    trace.push_back(key);
    if (trace.size() % (std::size_t{scan} * 4) < scan) trace.push_back(next++);
  }
  return trace;
}

// What is popular changes ten times.
Trace shifting(double exponent) {
  Trace trace = zipf(exponent);
  for (std::size_t i = 0; i < trace.size(); ++i)
    trace[i] += static_cast<std::uint32_t>(i / (kRequests / 10) * 2000);
  return trace;
}

Trace loop() {
  Trace trace;
  for (std::size_t i = 0; i < kRequests / 2; ++i)
    trace.push_back(static_cast<std::uint32_t>(i % 3000));
  return trace;
}

void time_hits(std::uint32_t keys) {
  Store store({std::uint64_t{1} << 31, 1 << 20, 8}, 7);
  EntryParts parts;
  parts.body = "x";
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < keys; ++i) names.push_back(key_of(i));
  for (const std::string& name : names) {
    if (store.add(name, "", parts) != lanner::cache::Refusal::none) return;
  }
  lanner::http::RequestHead request;
  std::mt19937_64 random(1);
  constexpr int kRounds = 1'000'000;
  std::vector<std::uint32_t> order;
  order.reserve(kRounds);
  for (int i = 0; i < kRounds; ++i) order.push_back(static_cast<std::uint32_t>(random() % keys));
  const auto start = std::chrono::steady_clock::now();
  std::size_t hits = 0;
  for (const std::uint32_t i : order) hits += store.find(names[i], request).entry ? 1 : 0;
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  std::printf("%9u keys: %6.1f ns a find, %zu hits\n", keys, took.count() / kRounds, hits);
}

}  // namespace

int main() {
  const struct {
    const char* name;
    Trace trace;
  } traces[] = {{"Zipf 0.8", zipf(0.8)},
                {"Zipf 1.0", zipf(1.0)},
                {"Zipf 1.0, scans of 5000", with_scans(1.0, 5000)},
                {"Zipf 1.0, ten shifts", shifting(1.0)},
                {"loop of 3000", loop()}};
  std::printf("%-26s %7s %8s %8s %10s\n", "trace", "entries", "LRU", "S3-FIFO", "W-TinyLFU");
  for (const auto& one : traces) {
    for (const std::size_t entries : {200U, 2000U}) {
      std::printf("%-26s %7zu %7.1f%% %7.1f%% %9.1f%%\n", one.name, entries,
                  run_lru(one.trace, entries), run_store(one.trace, entries),
                  run_tiny_lfu(one.trace, entries));
    }
  }
  for (const std::uint32_t keys : {10U, 10'000U, 1'000'000U}) time_hits(keys);
  return 0;
}
