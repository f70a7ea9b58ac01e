#include "schema/scalars.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace lanner::schema {
namespace {

std::string integer(std::string_view text, Profile profile) {
  IntegerText out;
  Slug slug = Slug::missing;
  if (!parse_integer(text, profile, &out, &slug)) return std::string(slug_name(slug));
  return out.fits ? std::to_string(out.value) : std::string(out.digits);
}

TEST(Scalars, ReadsIntegersOfAnySize) {
  EXPECT_EQ(integer("-12", Profile::text), "-12");
  EXPECT_EQ(integer("+12", Profile::text), "12");
  EXPECT_EQ(integer("123456789012345678901234567890", Profile::text),
            "123456789012345678901234567890");
  EXPECT_EQ(integer(std::string(4300, '9'), Profile::text).size(), 4300U);
  EXPECT_EQ(integer(std::string(4301, '9'), Profile::text), "int_parsing_size");
  EXPECT_EQ(integer(std::string(1000000, '9'), Profile::text), "int_parsing_size");
}

TEST(Scalars, TakesUnderscoresAndSpacesInCompatOnly) {
  EXPECT_EQ(integer("1_000", Profile::text), "int_parsing");
  EXPECT_EQ(integer("1_000", Profile::compat), "1000");
  EXPECT_EQ(integer("1__0", Profile::compat), "int_parsing");
  for (const char* odd : {"_1", "1_", "+_1", "-_1", "_", "1_.0"})
    EXPECT_EQ(integer(odd, Profile::compat), "int_parsing") << odd;
  EXPECT_EQ(integer("-123_456_789_012_345_678_901_234_567_890.00", Profile::compat),
            "-123456789012345678901234567890");
  EXPECT_EQ(integer(" 1 ", Profile::text), "int_parsing");
  EXPECT_EQ(integer(" 1 ", Profile::compat), "1");
  EXPECT_EQ(integer("1.0", Profile::compat), "1");
  EXPECT_EQ(integer("1.5", Profile::compat), "int_parsing");
  EXPECT_EQ(integer("", Profile::compat), "int_parsing");
}

TEST(Scalars, CountsDigitsAndNotWhatStandsBetweenThem) {
  std::string text = "-1";
  for (int i = 1; i < 4300; ++i) text += "_1";
  EXPECT_EQ(integer(text, Profile::compat), "-" + std::string(4300, '1'));
  EXPECT_EQ(integer(text + "_1", Profile::compat), "int_parsing_size");
  EXPECT_EQ(integer(text + "_", Profile::compat), "int_parsing");
}

TEST(Scalars, DropsUnderscoresOfFloats) {
  for (const char* odd : {"_", "_1", "1_", "1__0"})
    EXPECT_FALSE(has_single_underscores(odd)) << odd;
  for (const char* even : {"", "1", "1_0", "1_.5", "1e_5"})
    EXPECT_TRUE(has_single_underscores(even)) << even;
  Buffer clean;
  std::string_view text = "1_000.5";
  ASSERT_TRUE(drop_underscores(&text, &clean));
  EXPECT_EQ(text, "1000.5");
  text = "2.5";
  ASSERT_TRUE(drop_underscores(&text, &clean));
  EXPECT_EQ(text, "2.5");
}

TEST(Scalars, ReadsNumbersAndInCompatThoseThatAreNone) {
  double value = 0;
  EXPECT_TRUE(parse_floating("-1.5e3", Profile::text, &value));
  EXPECT_EQ(value, -1500.0);
  EXPECT_FALSE(parse_floating("nan", Profile::text, &value));
  EXPECT_TRUE(parse_floating("nan", Profile::compat, &value));
  EXPECT_TRUE(std::isnan(value));
  EXPECT_FALSE(parse_floating("1.5x", Profile::text, &value));
  EXPECT_FALSE(parse_floating("", Profile::text, &value));
  EXPECT_TRUE(parse_floating("1e400", Profile::text, &value));
  EXPECT_TRUE(std::isinf(value));
  EXPECT_TRUE(parse_floating("1e-400", Profile::text, &value));
  EXPECT_EQ(value, 0.0);
}

TEST(Scalars, TakesOneSignOnly) {
  double value = 0;
  for (const Profile profile : {Profile::text, Profile::compat}) {
    for (const char* sign : {"+-", "-+", "--", "++", "+ ", "- "}) {
      for (const char* number : {"1", "1.5", ".5", "inf", "nan"}) {
        const std::string text = std::string(sign) + number;
        EXPECT_FALSE(parse_floating(text, profile, &value)) << text;
        EXPECT_EQ(integer(text, profile), "int_parsing") << text;
        EXPECT_FALSE(is_decimal(text)) << text;
      }
    }
  }
  ASSERT_TRUE(parse_floating("-0", Profile::text, &value));
  EXPECT_TRUE(std::signbit(value));
}

TEST(Scalars, TellsNumbersThatAreTooLargeFromThoseThatAreTooSmall) {
  const std::string zeros(400, '0');
  double value = 1;
  for (const std::string& tiny : {"0." + zeros + "1", std::string("1e-400"), "1" + zeros + "e-800",
                                  "0." + zeros + "1e10", std::string("1e-99999999999999999999")}) {
    ASSERT_TRUE(parse_floating(tiny, Profile::text, &value)) << tiny;
    EXPECT_EQ(value, 0.0) << tiny;
    ASSERT_TRUE(parse_floating("-" + tiny, Profile::text, &value)) << tiny;
    EXPECT_TRUE(value == 0.0 && std::signbit(value)) << tiny;
  }
  for (const std::string& huge : {"1" + zeros, "1" + zeros + "e-10", "0." + zeros + "1e800",
                                  std::string("1e99999999999999999999")}) {
    ASSERT_TRUE(parse_floating(huge, Profile::text, &value)) << huge;
    EXPECT_TRUE(std::isinf(value) && value > 0) << huge;
    ASSERT_TRUE(parse_floating("-" + huge, Profile::text, &value)) << huge;
    EXPECT_TRUE(std::isinf(value) && value < 0) << huge;
  }
}

TEST(Scalars, KnowsEightWordsForABoolean) {
  bool value = false;
  for (const char* word : {"true", "1", "ON", "Yes"}) {
    EXPECT_TRUE(parse_boolean(word, Profile::text, &value) && value) << word;
  }
  for (const char* word : {"False", "0", "off", "no"}) {
    EXPECT_TRUE(parse_boolean(word, Profile::text, &value) && !value) << word;
  }
  EXPECT_FALSE(parse_boolean("t", Profile::text, &value));
  EXPECT_TRUE(parse_boolean("t", Profile::compat, &value) && value);
  EXPECT_FALSE(parse_boolean("", Profile::text, &value));
}

TEST(Scalars, ReadsUuidsInFourFormsAndSaysWhatIsWrong) {
  std::uint8_t bytes[16] = {};
  UuidProblem why;
  for (const char* text :
       {"12345678-1234-1234-1234-1234567890ab", "123456781234123412341234567890AB",
        "{12345678-1234-1234-1234-1234567890ab}",
        "urn:uuid:12345678-1234-1234-1234-1234567890ab"}) {
    ASSERT_TRUE(parse_uuid(text, bytes, &why)) << text << why.view();
    EXPECT_EQ(bytes[0], 0x12);
    EXPECT_EQ(bytes[15], 0xAB);
  }
  EXPECT_FALSE(parse_uuid("x", bytes, &why));
  EXPECT_EQ(why.view(), "invalid character: found `x` at 0");
  EXPECT_FALSE(parse_uuid("{12345678-1234-1234-1234-123456789\xE2\x82\xAC}", bytes, &why));
  EXPECT_EQ(why.view(), "invalid character: found `\xE2\x82\xAC` at 34");
  EXPECT_FALSE(parse_uuid("1234567-81234-1234-1234-123456789012", bytes, &why));
  EXPECT_EQ(why.view(), "invalid group length in group 0: expected 8, found 7");
  EXPECT_FALSE(parse_uuid("12345678", bytes, &why));
  EXPECT_EQ(why.view(), "invalid length: found 8");
  EXPECT_FALSE(parse_uuid("1-2", bytes, &why));
  EXPECT_EQ(why.view(), "invalid group count: expected 5, found 2");
  EXPECT_FALSE(parse_uuid("", bytes, &why));
}

TEST(Scalars, KnowsADecimalWhenItSeesOne) {
  for (const char* text : {"1", "-1.50", ".5", "1.", "1E+5"}) EXPECT_TRUE(is_decimal(text)) << text;
  for (const char* text : {"", ".", "1_0", " 1", "NaN", "1e", "1e9999999999"})
    EXPECT_FALSE(is_decimal(text)) << text;
}

}  // namespace
}  // namespace lanner::schema
