// fuzz/fuzz_head.cpp: heads: kernels of all levels agree with the table of classes, a cut changes
// no verdict, every view is of the input.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/cpu.h"
#include "fuzz/check.h"
#include "fuzz/http1_mutator.h"
#include "http/ascii.h"
#include "http1/head_parser.h"
#include "http1/scan.h"

namespace {

using namespace lanner;

using Fields = std::array<http::Field, 100>;

void check_kernels(std::string_view in) {
  const char* const end = in.data() + in.size();
  const auto check = [&](http1::ScanFunction kernel, std::uint8_t byte_class) {
    for (const char* at = in.data(); at != end;) {
      const char* stop = at;
      while (stop != end && http::is_byte(*stop, byte_class)) ++stop;
      LANNER_FUZZ_CHECK(kernel(at, end) == stop);
      at = stop == end ? end : stop + 1;
    }
  };
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level) {
    const http1::ScanKernels& kernels = http1::scan_kernels_of(static_cast<SimdLevel>(level));
    check(kernels.token, http::kTokenByte);
    check(kernels.value, http::kValueByte);
    check(kernels.target, http::kTargetByte);
  }
}

void check_view(std::string_view view, std::string_view in) {
  if (view.empty() || view == "/") return;  // "/" stands for the empty path of an absolute target
  LANNER_FUZZ_CHECK(view.data() >= in.data() && view.data() + view.size() <= in.data() + in.size());
}

void check_head(const http::RequestHead& head, std::string_view in) {
  for (const std::string_view view :
       {head.method_text, head.target, head.path, head.query, head.authority}) {
    check_view(view, in);
  }
  LANNER_FUZZ_CHECK(!head.path.empty() && !head.method_text.empty());
  for (const http::Field& field : head.fields) {
    check_view(field.name, in);
    check_view(field.value, in);
    LANNER_FUZZ_CHECK(!field.name.empty());
    LANNER_FUZZ_CHECK(field.value.find_first_of(std::string_view("\r\n\0", 3)) ==
                      std::string_view::npos);
  }
  const bool one_framing =
      !(head.find(http::Token::content_length) && head.find(http::Token::transfer_encoding));
  LANNER_FUZZ_CHECK(one_framing);
}

// The first `cut` bytes alone, then all.
Result<std::size_t> parse_cut(std::string_view in, std::size_t cut, const http::Limits& limits,
                              Fields& fields) {
  http::RequestHead head;
  const Result<std::size_t> first = http1::parse_head(in.substr(0, cut), 0, limits, fields, &head);
  if (!first || *first != 0) return first;
  return http1::parse_head(in, cut, limits, fields, &head);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t chosen = data[0] | static_cast<std::size_t>(data[1]) << 8;
  // A block of its own size: ASan sees any byte read past it.
  const std::size_t bytes = size - 2;
  const std::unique_ptr<char[]> copy(new char[bytes]);
  std::memcpy(copy.get(), data + 2, bytes);
  const std::string_view in(copy.get(), bytes);
  check_kernels(in);

  http::Limits limits;
  if (chosen & 1) {  // limits that short inputs reach
    limits.request_line_bytes = 40;
    limits.field_bytes = 30;
    limits.fields = 4;
    limits.head_bytes = 160;
  }
  Fields fields;
  http::RequestHead head;
  const Result<std::size_t> whole = http1::parse_head(in, 0, limits, fields, &head);
  if (whole && *whole > 0) {
    LANNER_FUZZ_CHECK(*whole <= bytes && *whole <= limits.head_bytes);
    check_head(head, in.substr(0, *whole));
  }
  const std::size_t cut = bytes == 0 ? 0 : chosen % (bytes + 1);
  const Result<std::size_t> split = parse_cut(in, cut, limits, fields);
  if (whole && *whole == 0) {
    LANNER_FUZZ_CHECK(split && *split == 0);
    return 0;
  }
  // A late byte may wait for its line end before it is refused, but it is never taken for a head.
  if (split && *split == 0) {
    LANNER_FUZZ_CHECK(!whole);
    return 0;
  }
  LANNER_FUZZ_CHECK(bool(whole) == bool(split));
  LANNER_FUZZ_CHECK(whole ? *whole == *split : whole.error() == split.error());
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned int seed) {
  return lanner::fuzz::mutate_http1(data, size, size_max, seed, 2);
}
