// fuzz/fuzz_chunked.cpp: chunked bodies: whole, cut in two and byte by byte they come to the same
// data, end and error.

#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/check.h"
#include "http1/chunked.h"

namespace {

using namespace lanner;
using http1::ChunkedDecoder;

struct Outcome {
  std::string data;
  Error error;
  bool done = false;
  std::size_t used = 0;

  bool operator==(const Outcome&) const = default;
};

void feed(ChunkedDecoder& decoder, std::string_view in, const http::Limits& limits,
          Outcome* outcome) {
  while (!in.empty() && outcome->error.code == Errc::ok && !outcome->done) {
    const std::string_view before = in;
    std::string_view piece;
    const Result<ChunkedDecoder::Step> step = decoder.next(in, limits, &piece);
    LANNER_FUZZ_CHECK(in.data() + in.size() == before.data() + before.size());
    outcome->used += before.size() - in.size();
    if (!step) {
      outcome->error = step.error();
      return;
    }
    LANNER_FUZZ_CHECK(in.size() < before.size());
    if (*step == ChunkedDecoder::Step::need_more) LANNER_FUZZ_CHECK(in.empty());
    if (*step == ChunkedDecoder::Step::data) {
      LANNER_FUZZ_CHECK(!piece.empty() && piece.data() >= before.data() &&
                        piece.data() + piece.size() == in.data());
      outcome->data += piece;
    }
    outcome->done = *step == ChunkedDecoder::Step::done;
  }
}

Outcome run(std::string_view in, std::size_t first, std::size_t rest, const http::Limits& limits) {
  ChunkedDecoder decoder;
  Outcome outcome;
  feed(decoder, in.substr(0, first), limits, &outcome);
  for (std::size_t at = first; at < in.size(); at += rest)
    feed(decoder, in.substr(at, rest), limits, &outcome);
  LANNER_FUZZ_CHECK(decoder.data_bytes() == outcome.data.size());
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t chosen = data[0] | static_cast<std::size_t>(data[1]) << 8;
  const std::string in(data + 2, data + size);
  http::Limits limits;
  if (chosen & 1) {
    limits.chunk_overhead_bytes = 24;
    limits.trailer_bytes = 24;
    limits.trailer_fields = 2;
  }
  const Outcome whole = run(in, in.size(), 1, limits);
  LANNER_FUZZ_CHECK(run(in, chosen % (in.size() + 1), in.size() + 1, limits) == whole);
  LANNER_FUZZ_CHECK(run(in, 0, 1, limits) == whole);
  return 0;
}
