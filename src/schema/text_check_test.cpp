#include "schema/text_check.h"

#include <string>

#include <gtest/gtest.h>

#include "schema/test_parts.h"

namespace lanner::schema {
namespace {

struct One : test::Parts {
  explicit One(Kind kind, Slug wrong) {
    plan.profile = Profile::text;
    plan.root = root = node(kind, wrong);
  }
  // "fits", "unsure", or the error's slug and its input.
  std::string says(std::string_view text) {
    ErrorList errors(8);
    switch (check_text(plan, text, errors)) {
      case TextFit::fits:
        return errors.empty() ? "fits" : "fits, with errors";
      case TextFit::unsure:
        return "unsure";
      case TextFit::error:
        break;
    }
    if (errors.size() != 1) return "not one error";
    const ErrorRecord& error = errors[0];
    return std::string(slug_name(error.slug)) + " " +
           std::string(errors.text(error.input_at, error.input_size));
  }
  Node* root;
};

TEST(TextCheck, NumbersAndBooleans) {
  One integer(Kind::integer, Slug::int_type);
  EXPECT_EQ(integer.says("-12"), "fits");
  EXPECT_EQ(integer.says("1.0"), "int_parsing \"1.0\"");
  EXPECT_EQ(integer.says(""), "int_parsing \"\"");
  One floating(Kind::floating, Slug::float_type);
  EXPECT_EQ(floating.says("1e3"), "fits");
  EXPECT_EQ(floating.says("nan"), "float_parsing \"nan\"");
  EXPECT_EQ(floating.says("1e999"), "finite_number \"1e999\"");
  One boolean(Kind::boolean, Slug::bool_type);
  EXPECT_EQ(boolean.says("yes"), "fits");
  EXPECT_EQ(boolean.says("maybe"), "bool_parsing \"maybe\"");
}

TEST(TextCheck, Moments) {
  EXPECT_EQ(One(Kind::date, Slug::date_type).says("2026-02-30"), "date_parsing \"2026-02-30\"");
  EXPECT_EQ(One(Kind::time, Slug::time_type).says("12:00"), "fits");
  EXPECT_EQ(One(Kind::datetime, Slug::datetime_type).says("x"), "datetime_parsing \"x\"");
  EXPECT_EQ(One(Kind::timedelta, Slug::time_delta_type).says("PT1S"), "fits");
  EXPECT_EQ(One(Kind::uuid, Slug::uuid_type).says("x"), "uuid_parsing \"x\"");
}

TEST(TextCheck, IsUnsureOfWhatPythonSaysBetter) {
  One integer(Kind::integer, Slug::int_type);
  EXPECT_EQ(integer.says("123456789012345678901234567890"), "unsure");
  EXPECT_EQ(integer.says("\xff"), "unsure");
  EXPECT_EQ(integer.says(std::string(kInputTextMax, 'x')), "unsure");
}

TEST(TextCheck, Rules) {
  One text(Kind::string, Slug::string_type);
  Rule* rule = add_part(&text.plan.rules);
  test::must(rule && text.root->rules.push(rule));
  rule->demand = Demand::min_length;
  rule->slug = Slug::string_too_short;
  rule->integer = 2;
  EXPECT_TRUE(is_text_checkable(text.plan));
  EXPECT_EQ(text.says("ab"), "fits");
  EXPECT_EQ(text.says("\xc3\xa9"), "string_too_short \"\xc3\xa9\"");
  int context = 0;
  rule->context = &context;  // that nobody wrote down
  EXPECT_FALSE(is_text_checkable(text.plan));
}

TEST(TextCheck, OnlyScalars) {
  EXPECT_FALSE(is_text_checkable(One(Kind::list, Slug::list_type).plan));
  EXPECT_FALSE(is_text_checkable(One(Kind::decimal, Slug::decimal_type).plan));
  EXPECT_FALSE(is_text_checkable(One(Kind::delegate, Slug::missing).plan));
}

}  // namespace
}  // namespace lanner::schema
