#include "schema/text_input.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schema/test_parts.h"
#include "schema/text_builder.h"

namespace lanner::schema {
namespace {

using Input = TextInput<TextBuilder>;

// The value, or one line an error: "slug /loc".
std::string read(const Plan& plan, const Node& root, const std::vector<TextValue>& values,
                 Input::Shape shape, bool empty_as_none = false) {
  TextBuilder builder;
  Input input(builder, empty_as_none);
  ErrorList errors(plan.errors_max);
  std::string out;
  {
    Machine<Input, TextBuilder> machine(plan, input, builder, errors);
    std::string* value =
        machine.run(root, {values.data(), static_cast<std::uint32_t>(values.size()), shape});
    if (value) out = *value;
    if (value) builder.drop(value);
  }
  for (const ErrorRecord& error : errors) {
    out += std::string(slug_name(error.slug)) + " ";
    for (std::uint32_t i = 0; i < error.loc_count; ++i) {
      const LocItem& item = errors.loc(error)[i];
      out += "/";
      out += item.kind == LocItem::Kind::number ? std::to_string(item.number)
                                                : std::string(errors.loc_text(item));
    }
    out += "\n";
  }
  EXPECT_EQ(builder.alive(), 0);
  return out;
}

struct Types : test::Parts {
  Types()
      : number(integer()),
        optional(integer()),
        list(node(Kind::list, Slug::list_type, {number})),
        object(record({{"n", number}, {"l", list}})) {
    optional->nullable = true;
  }
  Node *number, *optional, *list, *object;
};

TEST(TextInput, GivesAModelOfAnotherLibraryAllPairs) {
  Types types;
  Node* model = types.node(Kind::delegate, Slug::model_type);
  Node* other = types.node(Kind::delegate, Slug::missing);
  const std::vector<TextValue> two = {{"n", "1"}, {"l", "2"}};
  EXPECT_EQ(read(types.plan, *model, two, Input::Shape::pairs), "delegated 2 pairs");
  EXPECT_EQ(read(types.plan, *other, two, Input::Shape::pairs), "missing \n");
}

TEST(TextInput, ReadsTheLastValueOfAScalarAndAllOfAnArray) {
  const Types types;
  const std::vector<TextValue> two = {{"", "1"}, {"", "2"}};
  EXPECT_EQ(read(types.plan, *types.number, two, Input::Shape::values), "2");
  EXPECT_EQ(read(types.plan, *types.list, two, Input::Shape::values), "[1 2]");
  EXPECT_EQ(read(types.plan, *types.list, {}, Input::Shape::values), "[]");
  EXPECT_EQ(read(types.plan, *types.number, {}, Input::Shape::values), "missing \n");
}

TEST(TextInput, SaysWhatIsNoUtf8) {
  const Types types;
  EXPECT_EQ(read(types.plan, *types.number, {{"", "\xFF"}}, Input::Shape::values),
            "string_unicode \n");
  EXPECT_EQ(read(types.plan, *types.list, {{"", "1"}, {"", "\xC0\x80"}}, Input::Shape::values),
            "string_unicode /1\n");
}

TEST(TextInput, TakesAnEmptyValueForNoneOnlyWhenAsked) {
  const Types types;
  EXPECT_EQ(read(types.plan, *types.optional, {{"", ""}}, Input::Shape::values), "int_parsing \n");
  EXPECT_EQ(read(types.plan, *types.optional, {{"", ""}}, Input::Shape::values, true), "null");
}

TEST(TextInput, GathersTheValuesOfEachName) {
  const Types types;
  const std::vector<TextValue> pairs = {{"l", "1"}, {"l", "2"}, {"n", "3"}, {"x", "\xFF"}};
  EXPECT_EQ(read(types.plan, *types.object, pairs, Input::Shape::pairs), "(n=3 l=[1 2] )");
  EXPECT_EQ(read(types.plan, *types.object, {{"l", "x"}}, Input::Shape::pairs),
            "missing /n\nint_parsing /l/0\n");
  EXPECT_EQ(read(types.plan, *types.object, {{"", "1"}}, Input::Shape::values), "dict_type \n");
}

}  // namespace
}  // namespace lanner::schema
