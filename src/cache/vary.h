// cache/vary.h: the secondary key of a stored answer: what the request says in the fields that the
// answer's Vary names (RFC 9111, section 4.1).
//
// Values are compared without blanks around members and with the fields of one name joined. Those of
// Accept, Accept-Charset, Accept-Encoding and Accept-Language are compared in any case. Of
// Accept-Encoding only the set of codings that are accepted counts, not their order and weights,
// where all are well known: "gzip, br" and "br;q=1.0, gzip;q=0.8" get the same variant.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cache/answer_head.h"
#include "cache/text_writer.h"
#include "http/head.h"

namespace lanner::cache {

// Writes the names of all Vary fields, in lower case, sorted, once each, separated by commas: what
// is kept with a key. Empty where there are none. `*good`: false for "*", for what is no field name,
// for more than kVaryNamesMax and for no room.
std::string_view write_vary_names(const AnswerHead& answer, std::span<char> to,
                                  bool* good) noexcept;

// Appends what `request` says of the names that write_vary_names() wrote.
void write_variant(const http::RequestHead& request, std::string_view names,
                   TextWriter& writer) noexcept;

}  // namespace lanner::cache
