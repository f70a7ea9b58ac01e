#include "schema/error_text.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::schema {
namespace {

std::string written(const ErrorList& errors) {
  Buffer out;
  return write_errors(errors, &out) ? std::string(out.view()) : "Python";
}

TEST(ErrorText, HasTypeLocMessageInputAndContext) {
  ErrorList errors(8);
  LocItem query;
  query.name = "query";
  query.size = 5;
  errors.set_prefix(&query, 1);
  Rule rule;
  int context = 0;
  rule.message = "Input should be greater than 0";
  rule.context = &context;
  ASSERT_TRUE(rule.context_text.append(R"({"gt":0})"));
  ASSERT_TRUE(errors.add(Slug::int_parsing, nullptr, {nullptr, R"("a\"b")"}, -1, {}));
  errors.add_name("n");
  ASSERT_TRUE(errors.add(Slug::greater_than, &rule, {nullptr, "\"0\""}, -1, {}));
  errors.add_number(3);
  ASSERT_TRUE(
      errors.add(Slug::date_parsing, nullptr, {nullptr, "\"x\""}, -1, "input is too short"));
  EXPECT_EQ(
      written(errors),
      R"([{"type":"int_parsing","loc":["query","n"],"msg":"Input should be a valid integer, )"
      R"(unable to parse string as an integer","input":"a\"b"},)"
      R"({"type":"greater_than","loc":["query",3],"msg":"Input should be greater than 0",)"
      R"("input":"0","ctx":{"gt":0}},)"
      R"({"type":"date_parsing","loc":["query"],"msg":"Input should be a valid date in the )"
      R"(format YYYY-MM-DD, input is too short","input":"x","ctx":{"error":"input is too short"}}])");
}

TEST(ErrorText, LeavesToPythonWhatOnlyItKnows) {
  int object = 0;
  Rule rule;
  rule.context = &object;  // and no text
  for (const auto& [slug, made_of, offender] :
       {std::tuple<Slug, const Rule*, Offender>{Slug::int_type, nullptr, {&object, {}}},
        {Slug::greater_than, &rule, {nullptr, "1"}},
        {Slug::too_long, nullptr, {nullptr, "1"}}}) {
    ErrorList errors(8);
    ASSERT_TRUE(errors.add(slug, made_of, offender, -1, {}));
    EXPECT_EQ(written(errors), "Python");
  }
}

TEST(ErrorText, EscapesAndRefusesWhatIsNotUtf8) {
  Buffer out;
  EXPECT_TRUE(append_json_string("a\"\\\n\x7f\xc3\xa9", &out));
  EXPECT_EQ(out.view(), "\"a\\\"\\\\\\n\x7f\xc3\xa9\"");
  EXPECT_FALSE(append_json_string("\xff", &out));
}

}  // namespace
}  // namespace lanner::schema
