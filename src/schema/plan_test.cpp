#include "schema/plan.h"

#include <string>

#include <gtest/gtest.h>

#include "schema/test_parts.h"

namespace lanner::schema {
namespace {

TEST(Plan, NamesSlugsBothWays) {
  Slug slug = Slug::missing;
  EXPECT_EQ(slug_name(Slug::enum_), "enum");
  EXPECT_TRUE(find_slug("enum", &slug));
  EXPECT_EQ(slug, Slug::enum_);
  EXPECT_TRUE(find_slug("int_type", &slug));
  EXPECT_EQ(slug_message(slug), "Input should be a valid integer");
  EXPECT_FALSE(find_slug("no_such_thing", &slug));
}

TEST(Plan, IndexesTheFieldsThatTakeInput) {
  Record record;
  ASSERT_TRUE(record.fields.resize(3));
  record.fields[0].name = "a";
  record.fields[1].name = "b";
  record.fields[1].takes_input = false;
  record.fields[2].name = "c";
  ASSERT_EQ(index_record(&record), NameIndex::Built::done);
  EXPECT_EQ(record.index.find("a"), 0);
  EXPECT_EQ(record.index.find("b"), NameIndex::kNone);
  EXPECT_EQ(record.index.find("c"), 2);
  record.fields[2].name = "a";
  EXPECT_EQ(index_record(&record), NameIndex::Built::refused);
}

TEST(Plan, RowsHaveTheKeysThatFit) {
  Node text;
  text.kind = Kind::string;
  text.nullable = true;
  Record record;
  ASSERT_TRUE(record.fields.resize(2));
  const std::string key(FieldRow::kKeyMax + 1, 'k');
  record.fields[0].written = std::string_view(key).substr(1);
  record.fields[0].node = &text;
  record.fields[0].offset = 24;
  record.fields[1].written = key;
  record.fields[1].node = &text;
  ASSERT_TRUE(make_rows(&record));
  ASSERT_EQ(record.rows.size(), 2u);
  EXPECT_EQ(std::string_view(record.rows[0].key, record.rows[0].key_size),
            record.fields[0].written);
  EXPECT_EQ(record.rows[0].kind, Kind::string);
  EXPECT_TRUE(record.rows[0].nullable);
  EXPECT_EQ(record.rows[0].offset, 24);
  EXPECT_EQ(record.rows[1].key_size, 0);
  EXPECT_FALSE(record.all_rows);
  record.fields.shrink(1);
  ASSERT_TRUE(make_rows(&record));
  EXPECT_TRUE(record.all_rows);
}

Rule bound(Demand demand, std::int64_t integer) {
  Rule rule;
  rule.demand = demand;
  rule.integer = integer;
  rule.has_integer = true;
  return rule;
}

TEST(Plan, SaysIntegerBoundsAsARange) {
  const Rule at_least = bound(Demand::gt, 0);
  const Rule at_most = bound(Demand::le, 150);
  Node node;
  node.kind = Kind::integer;
  test::fill<const Rule*>(&node.rules, {&at_least, &at_most});
  const QuickRange range = quick_range(node);
  EXPECT_EQ(range.of, QuickRange::Of::integer);
  EXPECT_TRUE(range.holds(1));
  EXPECT_TRUE(range.holds(150));
  EXPECT_FALSE(range.holds(0));
  EXPECT_FALSE(range.holds(151));
}

TEST(Plan, SaysNoRangeWhereARuleIsNone) {
  const Rule multiple = bound(Demand::multiple_of, 5);
  Node node;
  node.kind = Kind::integer;
  test::fill<const Rule*>(&node.rules, {&multiple});
  EXPECT_EQ(quick_range(node).of, QuickRange::Of::nothing);
  const Rule below_all = bound(Demand::lt, INT64_MIN);
  test::fill<const Rule*>(&node.rules, {&below_all});
  EXPECT_EQ(quick_range(node).of, QuickRange::Of::nothing);
}

}  // namespace
}  // namespace lanner::schema
