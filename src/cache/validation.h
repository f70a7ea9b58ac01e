// cache/validation.h: what a stored answer says to a conditional or a range request (RFC 9110,
// sections 13 and 14; RFC 9111, section 4.3), and how it is validated itself.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cache/answer_head.h"
#include "cache/text_writer.h"
#include "http/head.h"

namespace lanner::cache {

// What is kept of a stored answer for this: views of its fields.
struct Validators {
  std::string_view etag;                        // as written, with W/ and quotes; empty: none
  std::string_view last_modified;               // as written; empty: none
  std::optional<std::int64_t> modified_unix_s;  // only if it is a date
};

// An ETag that is not an entity-tag (RFC 9110, section 8.8.3) is none.
Validators read_validators(const AnswerHead& answer, std::int64_t now_unix_s) noexcept;

enum class Selection : std::uint8_t {
  whole,          // 200, all of it
  not_modified,   // 304
  part,           // 206
  unsatisfiable,  // 416
};

struct Selected {
  Selection selection = Selection::whole;
  std::uint64_t first = 0;  // of `part`
  std::uint64_t bytes = 0;  // of `part`
};

// How a GET or HEAD is answered from an answer of that status and body. If-None-Match stands above
// If-Modified-Since; a range counts with 200 only, and only if there is one of it: of several the
// whole is sent. If-Match and If-Unmodified-Since are the application's (section 4.3.2).
Selected select(const http::RequestHead& request, int status, const Validators& stored,
                std::uint64_t body_bytes, std::int64_t now_unix_s) noexcept;

// The field lines of a conditional request by which a stored answer is validated: "If-None-Match:
// ...\r\n" and If-Modified-Since, as far as there are validators.
void write_conditions(const Validators& stored, TextWriter& writer) noexcept;

// Whether a 304 confirms the stored answer (RFC 9111, section 4.3.4): a strong validator has to
// match, a weak one to correspond; a 304 without validators confirms what it was asked of.
bool confirms(const AnswerHead& not_modified, const Validators& stored) noexcept;

// Whether a field of a 304, or of an answer to HEAD, replaces the stored one (RFC 9111, section
// 3.2): not those that describe the stored content or this connection.
bool is_updated(const http::Field& field) noexcept;

// Whether the answer to a request of this method invalidates what is stored for its target (RFC
// 9111, section 4.4): unsafe methods, if it is no error.
bool invalidates(http::Method method, int status) noexcept;

// The part behind scheme and host of a Location or Content-Location that an invalidation reaches as
// well: a path with its query. Empty: it is of another origin, or relative to the path.
std::string_view same_origin_target(std::string_view location, bool secure,
                                    std::string_view authority) noexcept;

}  // namespace lanner::cache
