#include "schema/scalar_rules.h"

#include <gtest/gtest.h>

#include "schema/test_parts.h"

namespace lanner::schema {
namespace {

struct Ruled : test::Parts {
  Rule* rule(Node* node, Demand demand, std::int64_t bound) {
    Rule* made = add_part(&plan.rules);
    test::must(made && node->rules.push(made));
    made->demand = demand;
    made->integer = bound;
    made->has_integer = true;
    made->floating = static_cast<double>(bound);
    made->has_floating = true;
    return made;
  }
};

TEST(ScalarRules, BoundsOfIntegers) {
  Ruled parts;
  Node* node = parts.integer();
  const Rule* least = parts.rule(node, Demand::ge, 1);
  const Rule* most = parts.rule(node, Demand::lt, 10);
  EXPECT_TRUE(has_scalar_rules(*node));
  EXPECT_EQ(broken_rule(*node, std::int64_t{0}), least);
  EXPECT_EQ(broken_rule(*node, std::int64_t{10}), most);
  EXPECT_EQ(broken_rule(*node, std::int64_t{1}), nullptr);
}

TEST(ScalarRules, MultiplesOfIntegers) {
  Ruled parts;
  Node* node = parts.integer();
  Rule* rule = parts.rule(node, Demand::multiple_of, 5);
  EXPECT_EQ(broken_rule(*node, std::int64_t{-15}), nullptr);
  EXPECT_EQ(broken_rule(*node, std::int64_t{-14}), rule);
  rule->integer = -1;
  EXPECT_EQ(broken_rule(*node, INT64_MIN), nullptr);
  rule->integer = 0;
  EXPECT_FALSE(has_scalar_rules(*node));
}

TEST(ScalarRules, BoundsOfFloatsButNoMultiples) {
  Ruled parts;
  Node* node = parts.node(Kind::floating, Slug::float_type);
  const Rule* least = parts.rule(node, Demand::gt, 0);
  EXPECT_TRUE(has_scalar_rules(*node));
  EXPECT_EQ(broken_rule(*node, 0.0), least);
  EXPECT_EQ(broken_rule(*node, 0.5), nullptr);
  parts.rule(node, Demand::multiple_of, 2);
  EXPECT_FALSE(has_scalar_rules(*node));
}

TEST(ScalarRules, LengthsAreCodePoints) {
  Ruled parts;
  Node* node = parts.string();
  const Rule* most = parts.rule(node, Demand::max_length, 2);
  bool no_memory = false;
  EXPECT_EQ(broken_rule(*node, "\xc3\xa9\xc3\xa9", &no_memory), nullptr);
  EXPECT_EQ(broken_rule(*node, "abc", &no_memory), most);
  EXPECT_FALSE(no_memory);
}

TEST(ScalarRules, PatternsOfThisEngineOnly) {
  Ruled parts;
  Node* node = parts.string();
  Rule* rule = parts.rule(node, Demand::pattern, 0);
  EXPECT_FALSE(has_scalar_rules(*node));
  Pattern::Problem why;
  rule->pattern = Pattern::make("^a+$", &why);
  EXPECT_TRUE(has_scalar_rules(*node));
  bool no_memory = false;
  EXPECT_EQ(broken_rule(*node, "aa", &no_memory), nullptr);
  EXPECT_EQ(broken_rule(*node, "ab", &no_memory), rule);
}

TEST(ScalarRules, WhatChangesTheTextIsNoneOfThem) {
  Ruled parts;
  Node* node = parts.string();
  parts.rule(node, Demand::strip, 0);
  EXPECT_FALSE(has_scalar_rules(*node));
}

}  // namespace
}  // namespace lanner::schema
