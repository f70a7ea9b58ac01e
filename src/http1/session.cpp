#include "http1/session.h"

#include "http1/head_parser.h"

namespace lanner::http1 {

Result<Session::Event> Session::next(std::string_view& in, const http::Limits& limits,
                                     std::span<http::Field> fields, http::RequestHead* head,
                                     std::string_view* piece) noexcept {
  switch (phase_) {
    case Phase::head:
      return next_head(in, limits, fields, head);
    case Phase::body:
      return framing_ == http::BodyFraming::chunked ? next_chunk(in, limits, piece)
                                                    : next_body(in, piece);
    case Phase::done:
      return Event::need_more;
    case Phase::failed:
      break;
  }
  return Errc::internal;
}

Result<Session::Event> Session::next_head(std::string_view& in, const http::Limits& limits,
                                          std::span<http::Field> fields,
                                          http::RequestHead* head) noexcept {
  const Result<std::size_t> parsed = parse_head(in, head_seen_, limits, fields, head);
  if (!parsed) return fail(parsed.error());
  if (*parsed == 0) {
    head_seen_ = static_cast<std::uint32_t>(in.size() < UINT32_MAX ? in.size() : UINT32_MAX);
    return Event::need_more;
  }
  in.remove_prefix(*parsed);
  head_seen_ = 0;
  framing_ = head->framing;
  length_left_ = head->content_length;  // 0 unless framing is length
  body_bytes_ = 0;
  phase_ = Phase::body;
  return Event::head;
}

// Framing none and length.
Result<Session::Event> Session::next_body(std::string_view& in, std::string_view* piece) noexcept {
  if (length_left_ == 0) {
    phase_ = Phase::done;
    return Event::body_end;
  }
  if (in.empty()) return Event::need_more;
  *piece =
      in.substr(0, in.size() < length_left_ ? in.size() : static_cast<std::size_t>(length_left_));
  in.remove_prefix(piece->size());
  length_left_ -= piece->size();
  body_bytes_ += piece->size();
  return Event::body;
}

Result<Session::Event> Session::next_chunk(std::string_view& in, const http::Limits& limits,
                                           std::string_view* piece) noexcept {
  const Result<ChunkedDecoder::Step> step = chunked_.next(in, limits, piece);
  if (!step) return fail(step.error());
  switch (*step) {
    case ChunkedDecoder::Step::need_more:
      return Event::need_more;
    case ChunkedDecoder::Step::data:
      body_bytes_ += piece->size();
      return Event::body;
    case ChunkedDecoder::Step::done:
      break;
  }
  phase_ = Phase::done;
  return Event::body_end;
}

void Session::begin_next() noexcept {
  phase_ = Phase::head;
  framing_ = http::BodyFraming::none;
  body_bytes_ = 0;
  chunked_ = ChunkedDecoder();
}

Error Session::fail(Error error) noexcept {
  phase_ = Phase::failed;
  return error;
}

}  // namespace lanner::http1
