// fuzz/http1_mutator.h: mutations that know HTTP/1: whole lines, line ends, numbers, fields of
// framing, chunks and lengths that fit. The rest is libFuzzer's own.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace lanner::fuzz {

// The bytes behind a target's choices as lines, each with its end.
class Http1Mutator {
 public:
  Http1Mutator(std::string_view wire, unsigned int seed) : random_(seed) {
    while (!wire.empty()) {
      const std::size_t end = wire.find('\n');
      const std::size_t bytes = end == std::string_view::npos ? wire.size() : end + 1;
      lines_.emplace_back(wire.substr(0, bytes));
      wire.remove_prefix(bytes);
    }
    if (lines_.empty()) lines_.emplace_back("GET / HTTP/1.1\r\n");
  }

  std::string mutated() {
    switch (pick(8)) {
      case 0:
        lines_.insert(place(), line());
        break;
      case 1:
        lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(pick(lines_.size())));
        break;
      case 2:
        std::swap(line(), line());
        break;
      case 3:
        change_line_end(&line());
        break;
      case 4:
        lines_.insert(place(), std::string(kFields[pick(kFields.size())]) + "\r\n");
        break;
      case 5:
        change_number(&line());
        break;
      case 6:
        return fit_length(text());
      default:
        return add_chunk(text());
    }
    return text();
  }

 private:
  static constexpr std::array<std::string_view, 16> kFields = {
      "Host: t",
      "Host: [::1]:80",
      "Content-Length: 5",
      "Content-Length: 0",
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: gzip, chunked",
      "Connection: close",
      "Connection: keep-alive, upgrade",
      "Expect: 100-continue",
      "Upgrade: websocket",
      "X-Long-Enough-For-A-Vector: "
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "0",
      "5;a=\"b\"",
      "hello",
      "POST /p HTTP/1.1",
      "GET http://t/?q HTTP/1.0",
  };
  static constexpr std::array<std::string_view, 6> kEnds = {"\r\n", "\n",     "\r",
                                                            "",     "\r\r\n", "\r\n\r\n"};
  static constexpr std::array<std::string_view, 10> kNumbers = {"0",
                                                                "1",
                                                                "5",
                                                                "ff",
                                                                "00",
                                                                "0005",
                                                                "7fffffffffffffff",
                                                                "8000000000000000",
                                                                "18446744073709551616",
                                                                "-1"};

  std::size_t pick(std::size_t count) { return random_() % count; }
  std::string& line() { return lines_[pick(lines_.size())]; }
  std::vector<std::string>::iterator place() {
    return lines_.begin() + static_cast<std::ptrdiff_t>(pick(lines_.size() + 1));
  }
  std::string text() const {
    std::string all;
    for (const std::string& one : lines_) all += one;
    return all;
  }
  void change_line_end(std::string* one) {
    const std::size_t end = one->find_last_not_of("\r\n");
    one->resize(end == std::string::npos ? 0 : end + 1);
    *one += kEnds[pick(kEnds.size())];
  }
  void change_number(std::string* one) {
    const std::size_t from = one->find_first_of("0123456789");
    if (from == std::string::npos) return;
    const std::size_t end = one->find_first_not_of("0123456789abcdefABCDEF", from);
    one->replace(from, end == std::string::npos ? end : end - from,
                 kNumbers[pick(kNumbers.size())]);
  }
  // The last Content-Length says what follows the head.
  static std::string fit_length(std::string wire) {
    constexpr std::string_view kName = "Content-Length: ";
    const std::size_t field = wire.rfind(kName);
    const std::size_t head_end = field == std::string::npos ? field : wire.find("\r\n\r\n", field);
    if (head_end == std::string::npos) return wire;
    const std::size_t value = field + kName.size();
    const std::size_t value_end = wire.find('\r', value);
    return wire.replace(value, value_end - value, std::to_string(wire.size() - head_end - 4));
  }
  // Some bytes become a chunk.
  std::string add_chunk(std::string wire) {
    const std::size_t from = pick(wire.size() + 1);
    const std::size_t bytes = std::min(pick(40), wire.size() - from);
    std::array<char, 8> size{};
    std::snprintf(size.data(), size.size(), "%zx\r\n", bytes);
    wire.insert(from + bytes, "\r\n");
    return wire.insert(from, size.data());
  }

  std::minstd_rand random_;
  std::vector<std::string> lines_;
};

// A target's LLVMFuzzerCustomMutator; its first `choices` bytes are no part of the wire.
inline std::size_t mutate_http1(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                unsigned int seed, std::size_t choices) {
  if (size < choices || seed % 2 == 0) return LLVMFuzzerMutate(data, size, size_max);
  const std::string wire(data + choices, data + size);
  const std::string made = Http1Mutator(wire, seed).mutated();
  const std::size_t bytes = std::min(made.size(), size_max - choices);
  std::memcpy(data + choices, made.data(), bytes);
  return choices + bytes;
}

}  // namespace lanner::fuzz
