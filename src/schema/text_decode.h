// schema/text_decode.h: the machine's result for a document as one text, for tests.

#pragma once

#include <string>

#include <gtest/gtest.h>

#include "schema/json_input.h"
#include "schema/machine.h"
#include "schema/text_builder.h"

namespace lanner::schema {

// The value, or one line an error: "slug /loc input"; "json: code at offset" when the document is
// not JSON.
enum class Rows : std::uint8_t { none, base, best };

inline std::string text_decode(const Plan& plan, const Node& root, const std::string& document,
                               Rows rows) {
  json::Reader reader{std::string_view(document)};
  TextBuilder builder;
  JsonInput<TextBuilder> input(reader, builder);
  if (rows == Rows::none) input.use_rows(false);
  if (rows == Rows::base) input.use_rows(SimdLevel::baseline);
  ErrorList errors(plan.errors_max);
  std::string out;
  bool is_json = true;
  {
    Machine<JsonInput<TextBuilder>, TextBuilder> machine(plan, input, builder, errors);
    std::string* value = machine.run(root, input.first());
    const bool whole = !machine.aborted() && input.finish();
    if (value) out = *value;
    if (value) builder.drop(value);
    is_json = whole || reader.error().code == Errc::ok;
  }
  EXPECT_EQ(builder.alive(), 0) << document;
  if (!is_json) {
    return "json: " + std::string(error_name(reader.error().code)) + " at " +
           std::to_string(reader.offset());
  }
  for (const ErrorRecord& error : errors) {
    out += out.empty() ? "" : "\n";
    out += slug_name(error.slug);
    out += " ";
    for (std::uint32_t i = 0; i < error.loc_count; ++i) {
      const LocItem& item = errors.loc(error)[i];
      out += "/" + (item.kind == LocItem::Kind::number ? std::to_string(item.number)
                                                       : std::string(errors.loc_text(item)));
    }
    out += " " + std::string(errors.text(error.input_at, error.input_size));
  }
  return out;
}

// The same, whether the fast reader of rows is asked or not.
inline std::string text_decode(const Plan& plan, const Node& root, const std::string& document) {
  std::string fast = text_decode(plan, root, document, Rows::best);
  EXPECT_EQ(fast, text_decode(plan, root, document, Rows::base)) << document;
  EXPECT_EQ(fast, text_decode(plan, root, document, Rows::none)) << document;
  return fast;
}

}  // namespace lanner::schema
