#include "schema/errors.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::schema {
namespace {

std::string message(const ErrorList& list, std::size_t i) {
  Buffer out;
  EXPECT_TRUE(list.write_message(list[i], &out));
  return std::string(out.view());
}

TEST(Errors, FillTheHolesOfMessages) {
  ErrorList list(8);
  ASSERT_TRUE(list.add(Slug::date_parsing, nullptr, {}, -1, "input is too short"));
  EXPECT_EQ(message(list, 0),
            "Input should be a valid date in the format YYYY-MM-DD, input is too short");
  Rule rule;
  rule.message = "List should have at most 2 items after validation, not \x01";
  ASSERT_TRUE(list.add(Slug::too_long, &rule, {}, 3, {}));
  EXPECT_EQ(message(list, 1), "List should have at most 2 items after validation, not 3");
  ASSERT_TRUE(list.add(Slug::too_long, &rule, {}, -1, {}));
  EXPECT_EQ(message(list, 2), "List should have at most 2 items after validation, not more");
}

TEST(Errors, AreNoMoreThanWereAskedFor) {
  ErrorList list(2);
  EXPECT_TRUE(list.add(Slug::int_type, nullptr, {}, -1, {}));
  EXPECT_TRUE(list.add(Slug::int_type, nullptr, {}, -1, {}));
  EXPECT_TRUE(list.full());
  EXPECT_FALSE(list.add(Slug::int_type, nullptr, {}, -1, {}));
  EXPECT_EQ(list.size(), 2U);
}

TEST(Errors, KeepABoundedPartOfTheInputAndOfKeys) {
  ErrorList list(2);
  const std::string big(100000, 'x');
  ASSERT_TRUE(list.add(Slug::int_type, nullptr, {nullptr, big}, -1, big));
  list.add_key(big);
  EXPECT_EQ(list[0].input_size, kInputTextMax);
  EXPECT_TRUE(list[0].input_cut);
  EXPECT_EQ(list[0].error_size, kKeyTextMax);
  EXPECT_EQ(list.loc(list[0])[0].size, kKeyTextMax);
}

TEST(Errors, CutBetweenCodePoints) {
  ErrorList list(2);
  std::string text(kKeyTextMax - 1, 'x');
  text += "\xC3\xA9";
  ASSERT_TRUE(list.add(Slug::int_type, nullptr, {}, -1, {}));
  list.add_key(text);
  EXPECT_EQ(list.loc_text(list.loc(list[0])[0]), std::string(kKeyTextMax - 1, 'x'));
}

TEST(Errors, ForgetWhatCameAfterAMark) {
  ErrorList list(8);
  ASSERT_TRUE(list.add(Slug::int_type, nullptr, {}, -1, {}));
  list.add_number(7);
  int object = 0;
  ASSERT_TRUE(list.add(Slug::string_type, nullptr, {&object, {}}, -1, {}));
  list.add_name("a");
  int dropped = 0;
  list.roll_back(1, [&](void* gone) { dropped += gone == &object; });
  EXPECT_EQ(dropped, 1);
  EXPECT_EQ(list.size(), 1U);
  EXPECT_EQ(list.loc(list[0])[0].number, 7);
}

TEST(Errors, StandInTheOrderOfTheFields) {
  Record record;
  ASSERT_TRUE(record.fields.resize(2));
  record.fields[0].name = "a";
  record.fields[1].name = "b";
  ErrorList list(8);
  ASSERT_TRUE(list.add(Slug::extra_forbidden, nullptr, {}, -1, {}));
  list.add_key("z");
  for (const std::size_t field : {1U, 0U, 1U}) {
    ASSERT_TRUE(list.add(field ? Slug::int_type : Slug::missing, nullptr, {}, -1, {}));
    list.add_name(record.fields[field].name);
  }
  list.sort_by_field(0, 0, record);
  EXPECT_EQ(list[0].slug, Slug::missing);
  EXPECT_EQ(list[1].slug, Slug::int_type);
  EXPECT_EQ(list[2].slug, Slug::int_type);
  EXPECT_EQ(list[3].slug, Slug::extra_forbidden);
}

TEST(Errors, ChangePlaces) {
  ErrorList list(8);
  for (const Slug slug : {Slug::missing, Slug::int_type, Slug::bool_type, Slug::string_type}) {
    ASSERT_TRUE(list.add(slug, nullptr, {}, -1, {}));
  }
  list.move_before(1, 2, 4);
  EXPECT_EQ(list[1].slug, Slug::bool_type);
  EXPECT_EQ(list[2].slug, Slug::string_type);
  EXPECT_EQ(list[3].slug, Slug::int_type);
}

TEST(Errors, ForgetTheInputOfWhatIsMissing) {
  ErrorList list(8);
  int object = 0;
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(list.add(Slug::missing, nullptr, {&object, {}}, -1, {}));
    list.add_name(name);
  }
  list.add_number(1);
  int dropped = 0;
  list.forget_inputs(0, Slug::missing, 1, [&](void* gone) { dropped += gone == &object; });
  EXPECT_EQ(dropped, 1);
  EXPECT_EQ(list[0].input, nullptr);
  EXPECT_EQ(list.text(list[0].input_at, list[0].input_size), "null");
  EXPECT_EQ(list[1].input, &object);  // deeper
}

TEST(Errors, RenameAStep) {
  ErrorList list(8);
  ASSERT_TRUE(list.add(Slug::missing, nullptr, {}, -1, {}));
  list.add_name("save_data");
  list.add_name("save_data");
  ASSERT_TRUE(list.add(Slug::missing, nullptr, {}, -1, {}));
  list.add_number(0);
  list.rename(0, 0, "save_data", "save-data");
  EXPECT_EQ(list.loc_text(list.loc(list[0])[0]), "save-data");
  EXPECT_EQ(list.loc_text(list.loc(list[0])[1]), "save_data");
  EXPECT_EQ(list.loc(list[1])[0].number, 0);
}

}  // namespace
}  // namespace lanner::schema
