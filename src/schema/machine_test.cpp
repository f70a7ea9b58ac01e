#include "schema/machine.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "schema/test_parts.h"
#include "schema/text_decode.h"

namespace lanner::schema {
namespace {

using test::fill;
using Types = test::Parts;

std::string decode(const Types& types, const Node& root, std::string_view document) {
  return text_decode(types.plan, root, std::string(document));
}

TEST(Machine, BuildsRecordsInAnyOrderOfKeys) {
  Types t;
  const Node* card = t.record({{"name", t.string()}, {"cost", t.integer()}});
  EXPECT_EQ(decode(t, *card, R"({"name":"Opt","cost":1})"), "(name='Opt' cost=1 )");
  EXPECT_EQ(decode(t, *card, R"( { "cost" : 1 , "name" : "Opt" } )"), "(name='Opt' cost=1 )");
  EXPECT_EQ(decode(t, *card, R"({"x":[{"y":"\u00e9"}],"name":"a","cost":1,"z":null})"),
            "(name='a' cost=1 )");
}

TEST(Machine, ReadsAnEscapedKeyAsTheKeyThatItIs) {
  Types t;
  const Node* card = t.record({{"port", t.integer()}});
  EXPECT_EQ(decode(t, *card, R"({"\u0070ort":1})"), "(port=1 )");
  EXPECT_EQ(decode(t, *card, R"({"port2":1,"por":2,"port":3})"), "(port=3 )");
}

TEST(Machine, LetsTheLastOfTwoEqualKeysWinOrRefusesThem) {
  Types t;
  const Node* card = t.record({{"a", t.integer()}});
  EXPECT_EQ(decode(t, *card, R"({"a":1,"a":2})"), "(a=2 )");
  EXPECT_EQ(decode(t, *card, R"({"a":1,"a":"x"})"), "int_type /a \"x\"");
  t.plan.reject_duplicates = true;
  EXPECT_EQ(decode(t, *card, R"({"a":1,"a":2})"), "duplicate_key /a 2");
}

TEST(Machine, CollectsAllErrorsWithTheirPlaces) {
  Types t;
  const Node* card = t.record(
      {{"name", t.string()}, {"costs", t.node(Kind::list, Slug::list_type, {t.integer()})}});
  const Node* cards = t.node(Kind::list, Slug::list_type, {card});
  EXPECT_EQ(decode(t, *cards, R"([{"name":1,"costs":[1,"x",{}]},{"costs":5},[]])"),
            "string_type /0/name 1\nint_type /0/costs/1 \"x\"\nint_type /0/costs/2 {}\n"
            "missing /1/name {\"costs\":5}\nlist_type /1/costs 5\ndict_type /2 []");
}

TEST(Machine, StopsAtTheBoundOfErrors) {
  Types t;
  t.plan.errors_max = 2;
  const Node* list = t.node(Kind::list, Slug::list_type, {t.integer()});
  EXPECT_EQ(decode(t, *list, R"(["a","b","c"])"), "int_type /0 \"a\"\nint_type /1 \"b\"");
}

TEST(Machine, NamesKeysAndValuesOfADict) {
  Types t;
  const Node* dict = t.node(Kind::dict, Slug::dict_type, {t.integer(), t.integer()});
  EXPECT_EQ(decode(t, *dict, R"({"1":2,"3":4})"), "{1 2 3 4}");
  EXPECT_EQ(decode(t, *dict, R"({"x":2,"\u0033":"y"})"),
            "int_parsing /x/[key] \"x\"\nint_type /3 \"y\"");
}

TEST(Machine, ChecksTheLengthOfAFixedTuple) {
  Types t;
  Rule rule;
  rule.message = "too long";
  Node* pair = t.node(Kind::fixed, Slug::tuple_type, {t.integer(), t.string()});
  pair->too_long = &rule;
  EXPECT_EQ(decode(t, *pair, R"([1,"a"])"), "[1 'a']");
  EXPECT_EQ(decode(t, *pair, R"([1])"), "missing /1 [1]");
  EXPECT_EQ(decode(t, *pair, R"([1,"a",2])"), "too_long  [1,\"a\",2]");
}

TEST(Machine, TakesTheMemberOfAUnionThatTheValueLooksLike) {
  Types t;
  Node* list = t.node(Kind::list, Slug::list_type, {t.integer()});
  Node* either = t.node(Kind::union_of, Slug::missing, {t.integer(), list, t.string()});
  fill<std::string_view>(&either->labels, {"int", "list[int]", "str"});
  either->kinds.member[KindTable::integer] = 0;
  either->kinds.member[KindTable::array] = 1;
  either->kinds.member[KindTable::text] = 2;
  EXPECT_EQ(decode(t, *either, "1"), "1");
  EXPECT_EQ(decode(t, *either, "[1]"), "[1]");
  EXPECT_EQ(decode(t, *either, "\"x\""), "'x'");
  EXPECT_EQ(decode(t, *either, "[\"y\"]"),
            "int_type /int [\"y\"]\nint_type /list[int]/0 \"y\"\nstring_type /str [\"y\"]");
  EXPECT_EQ(decode(t, *either, "true"),
            "int_type /int true\nlist_type /list[int] true\nstring_type /str true");
}

TEST(Machine, TriesMembersInOrderWhereTheyLookAlike) {
  Types t;
  Node* a = t.record({{"a", t.integer()}});
  Node* b = t.record({{"b", t.integer()}});
  Node* either = t.node(Kind::union_of, Slug::missing, {a, b});
  fill<std::string_view>(&either->labels, {"A", "B"});
  either->kinds.member[KindTable::object] = -2;
  EXPECT_EQ(decode(t, *either, R"({"b":2})"), "(b=2 )");
  EXPECT_EQ(decode(t, *either, R"({})"), "missing /A/a {}\nmissing /B/b {}");
}

TEST(Machine, FindsTheTagWhereverItStands) {
  Types t;
  Node* cat = t.record({{"kind", t.string()}, {"lives", t.integer()}});
  Node* dog = t.record({{"kind", t.string()}, {"name", t.string()}});
  Node* pet = t.tagged("kind", {{"cat", cat}, {"dog", dog}});
  EXPECT_EQ(decode(t, *pet, R"({"kind":"dog","name":"Rex"})"), "(kind='dog' name='Rex' )");
  EXPECT_EQ(decode(t, *pet, R"({"lives":9,"x":{"kind":"dog"},"kind":"cat"})"),
            "(kind='cat' lives=9 )");
  EXPECT_EQ(decode(t, *pet, R"({"kind":"cat"})"), "missing /cat/lives {\"kind\":\"cat\"}");
  EXPECT_EQ(decode(t, *pet, R"({"kind":"cow"})"), "union_tag_invalid  {\"kind\":\"cow\"}");
  EXPECT_EQ(decode(t, *pet, R"({"a":1})"), "union_tag_not_found  {\"a\":1}");
  EXPECT_EQ(decode(t, *pet, "5"), "model_attributes_type  5");
  EXPECT_EQ(decode(t, *pet, R"({"a":01,"kind":"cat"})").substr(0, 5), "json:");
}

TEST(Machine, CallsAFunctionAroundAValue) {
  Types t;
  const Node* custom = t.node(Kind::custom, Slug::missing, {t.string()});
  const Node* list = t.node(Kind::list, Slug::list_type, {custom});
  EXPECT_EQ(decode(t, *list, R"(["a","b"])"), "[called 'a' called 'b']");
  EXPECT_EQ(decode(t, *list, R"(["a","bad",1])"), "value_error /1 \"bad\"\nstring_type /2 1");
}

TEST(Machine, GivesBackAllValuesWhenTheDocumentBreaksOff) {
  Types t;
  const Node* card = t.record(
      {{"name", t.string()}, {"costs", t.node(Kind::list, Slug::list_type, {t.integer()})}});
  const Node* cards = t.node(Kind::list, Slug::list_type, {card});
  const std::string whole =
      R"([{"name":"a","costs":[1,2]},{"costs":[3],"name":"b","more":{"x":[true]}}])";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(decode(t, *cards, whole.substr(0, size)),
              "json: json_truncated at " + std::to_string(size));
  }
  EXPECT_EQ(decode(t, *cards, whole + "]"),
            "json: json_trailing_data at " + std::to_string(whole.size()));
}

TEST(Machine, RefusesMalformedJsonInSkippedPartsToo) {
  Types t;
  const Node* card = t.record({{"a", t.integer()}});
  for (const char* bad :
       {"{\"a\":1,}", "{\"a\":1 \"b\":2}", "{\"a\" 1}", "{\"x\":\"\xFF\",\"a\":1}",
        "{\"x\xFF\":1,\"a\":1}", "{\"x\":\"\\ud800\",\"a\":1}", "{\"x\":01,\"a\":1}", "{a:1}",
        "{\"a\":NaN}"}) {
    EXPECT_EQ(decode(t, *card, bad).substr(0, 5), "json:") << bad;
  }
}

TEST(Machine, RefusesDeepNestingWithoutRecursion) {
  Types t;
  Node* tree = t.node(Kind::list, Slug::list_type);
  fill<const Node*>(&tree->children, {tree});
  EXPECT_EQ(decode(t, *tree, std::string(128, '[') + std::string(128, ']')).size(), 256U);
  EXPECT_EQ(decode(t, *tree, std::string(129, '[') + std::string(129, ']')),
            "json: json_too_deep at 128");
  EXPECT_EQ(decode(t, *tree, std::string(1000000, '[')), "json: json_too_deep at 128");
}

TEST(Machine, GivesUpAUnionThatBranchesWithoutEnd) {
  Types t;
  Node* leaf = t.integer();
  Node* a = t.record({{"x", leaf}});
  Node* either = t.node(Kind::union_of, Slug::missing);
  Node* b = t.record({{"x", either}});
  Node* c = t.record({{"x", either}});
  fill<const Node*>(&either->children, {a, b, c});
  fill<std::string_view>(&either->labels, {"A", "B", "C"});
  either->keep_order = true;
  std::string deep = "\"not a number\"";
  for (int i = 0; i < 60; ++i) deep.insert(0, "{\"x\":").append("}");
  // 2 ^ 60 ways to fail; the bound on what is read again ends it.
  EXPECT_EQ(decode(t, *either, deep), "union_retries_exceeded  " + deep);
}

TEST(Machine, TriesMembersOfUnionsAsOftenAsTheDocumentIsLong) {
  Types t;
  Node* a = t.record({{"a", t.integer()}});
  Node* b = t.record({{"b", t.integer()}});
  Node* either = t.node(Kind::union_of, Slug::missing, {a, b});
  fill<std::string_view>(&either->labels, {"A", "B"});
  either->keep_order = true;
  const Node* list = t.node(Kind::list, Slug::list_type, {either});
  std::string all = "[";
  for (int i = 0; i < 20000; ++i) all += R"({"b":1},)";
  all.back() = ']';
  EXPECT_EQ(decode(t, *list, all).substr(0, 14), "[(b=1 ) (b=1 )");
  all.insert(all.size() - 1, R"(,{"c":1})");
  EXPECT_EQ(decode(t, *list, all), "missing /20000/A/a {\"c\":1}\nmissing /20000/B/b {\"c\":1}");
}

TEST(Machine, GivesAnIntThatTheIntMemberRefusesToNoFloat) {
  Types t;
  Node* either = t.node(
      Kind::union_of, Slug::missing,
      {t.record({{"a", t.integer()}}), t.node(Kind::floating, Slug::float_type), t.integer()});
  fill<std::string_view>(&either->labels, {"A", "float", "int"});
  either->keep_order = true;
  EXPECT_EQ(decode(t, *either, "1"), "f1");
  make_unions(&t.plan);
  EXPECT_EQ(decode(t, *either, "1"), "1");
  EXPECT_EQ(decode(t, *either, "1.5"), "f1.5");
  EXPECT_EQ(decode(t, *either, "true"),
            "dict_type /A true\nfloat_type /float true\nint_type /int true");
}

}  // namespace
}  // namespace lanner::schema
