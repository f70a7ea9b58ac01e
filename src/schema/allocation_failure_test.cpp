// schema/allocation_failure_test.cpp: memory runs out at the first allocation of a document, at the
// second, and so on until none is left that could fail: the result is right, or the machine says
// that memory is out; no value is lost, and nothing allocates by a plain `new`, which would end the
// process.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "schema/json_input.h"
#include "schema/test_parts.h"
#include "schema/text_builder.h"

// What RE2 loses when it throws.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:libre2\n";
}
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_options() {
  return "print_suppressions=0";
}

namespace lanner::schema {
namespace {

using lanner::test::shortage;
using test::fill;

constexpr int kAllocationsMax = 3000;

// The value, or the errors' messages and places; "no memory".
std::string told(const ErrorList& errors, std::string* value, TextBuilder* builder) {
  std::string out;
  if (value) out = *value;
  if (value) builder->drop(value);
  for (const ErrorRecord& error : errors) {
    Buffer message;
    EXPECT_TRUE(errors.write_message(error, &message));
    for (std::uint32_t i = 0; i < error.loc_count; ++i) {
      const LocItem& item = errors.loc(error)[i];
      out += "/" + (item.kind == LocItem::Kind::number ? std::to_string(item.number)
                                                       : std::string(errors.loc_text(item)));
    }
    out.append(" ").append(message.view()).append("\n");
  }
  return out;
}

template <class Input, class Item, class Failed>
std::string run(const Plan& plan, const Node& root, Input& input, TextBuilder& builder, Item first,
                Failed failed) {
  ErrorList errors(plan.errors_max);
  std::string out;
  {
    Machine<Input, TextBuilder> machine(plan, input, builder, errors);
    std::string* value = machine.run(root, first());
    const bool no_memory = failed(machine) || errors.no_memory() || builder.ran_out();
    shortage.end();
    EXPECT_TRUE(!no_memory || machine.aborted() || failed(machine));
    out = told(errors, value, &builder);
    if (no_memory) out = "no memory";
  }
  EXPECT_EQ(builder.alive(), 0);
  return out;
}

// The allocations from `number` on fail, or only that one; < 0: none does.
std::string decode(const Plan& plan, const Node& root, const std::string& document, int number,
                   bool lasts) {
  json::Reader reader{std::string_view(document)};
  TextBuilder builder;
  JsonInput<TextBuilder> input(reader, builder);
  if (number >= 0) shortage.begin(number, lasts);
  return run(
      plan, root, input, builder, [&] { return input.first(); },
      [&](auto& machine) {
        const bool whole = !machine.aborted() && input.finish();
        return !whole && reader.error().code == Errc::no_memory;
      });
}

std::string read(const Plan& plan, const Node& root, const std::vector<TextValue>& pairs,
                 int number, bool lasts) {
  using Input = TextInput<TextBuilder>;
  TextBuilder builder;
  Input input(builder, false);
  if (number >= 0) shortage.begin(number, lasts);
  return run(
      plan, root, input, builder,
      [&] {
        return Input::Item{pairs.data(), static_cast<std::uint32_t>(pairs.size()),
                           Input::Shape::pairs};
      },
      [](auto&) { return false; });
}

// work(number, lasts) for all allocations, in turn; returns how many there were.
template <class Work>
int survives(const std::string& expected, const std::string& what, Work work) {
  int most = 0;
  for (const bool lasts : {false, true}) {
    for (int number = 0; number < kAllocationsMax; ++number) {
      const std::string result = work(number, lasts);
      EXPECT_EQ(shortage.thrown, 0) << "allocation " << number << " of " << what;
      if (result != expected) {
        EXPECT_EQ(result, "no memory") << "allocation " << number << " of " << what;
        EXPECT_GT(shortage.failed, 0) << what;
      }
      if (::testing::Test::HasFailure()) return most;
      if (shortage.failed == 0) {
        most = number;
        break;
      }
    }
  }
  return most;
}

// A type with something of all that allocates.
class Everything : public test::Parts {
 public:
  Everything() {
    plan.profile = Profile::compat;
    Node* leaves = record({{"integer", integer()},
                           {"floating", node(Kind::floating, Slug::float_type)},
                           {"decimal", node(Kind::decimal, Slug::decimal_type)},
                           {"uuid", node(Kind::uuid, Slug::uuid_type)},
                           {"text", string()},
                           {"any", node(Kind::any)},
                           {"bytes", node(Kind::bytes, Slug::bytes_type)},
                           {"date", node(Kind::datetime, Slug::datetime_type)}});
    Node* cat = record({{"kind", string()}, {"lives", integer()}});
    Node* dog =
        record({{"kind", string()}, {"names", node(Kind::list, Slug::list_type, {string()})}});
    Node* pet = tagged("kind", {{"cat", cat}, {"dog", dog}});
    Node* either = node(Kind::union_of, Slug::missing, {integer(), leaves, string()});
    fill<std::string_view>(&either->labels, {"int", "leaves", "str"});
    Node* dict = node(Kind::dict, Slug::dict_type, {string(), either});
    Node* custom = node(Kind::custom, Slug::missing, {string()});
    Rule* rule = add_part(&plan.rules);
    rule->demand = Demand::max_length;
    rule->integer = 20;
    rule->message = "at most 20, not \x01";
    fill<const Rule*>(&custom->rules, {rule});
    root = record({{"leaves", leaves},
                   {"all", node(Kind::list, Slug::list_type, {leaves})},
                   {"pet", pet},
                   {"dict", dict},
                   {"custom", custom},
                   {"numbers", node(Kind::set, Slug::set_type, {integer()})}});
    for (Field& field : const_cast<Record*>(root->record)->fields) field.required = false;
    for (Field& field : const_cast<Record*>(leaves->record)->fields) field.required = false;
  }

  Node* root;
};

std::vector<std::string> documents() {
  std::string many = R"({"numbers":[0)";
  for (int i = 1; i < 500; ++i) many += "," + std::to_string(i);
  std::string records = R"({"all":[{})";
  for (int i = 0; i < 100; ++i) records += R"(,{"integer":1,"floating":2})";
  std::string wrong = R"({"dict":{"a":0)";
  for (int i = 0; i < 70; ++i)
    wrong += ",\"key \\u00e9 " + std::string(300, 'k') + std::to_string(i) + "\":[]";
  return {
      R"({})",
      R"({"leaves":{"integer":"123_456_789_012_345_678_901_234_567_890","floating":"1_000.5"}})",
      R"({"leaves":{"decimal":" 1_000.5 ","uuid":"12345678-1234-1234-1234-1234567890ab"}})",
      R"({"leaves":{"uuid":"12345678-1234-1234-1234-1234567890\u20ac"}})",
      R"({"leaves":{"uuid":"1234567812341234123412345678"}})",
      R"({"leaves":{"uuid":"123456781-234-1234-1234-1234567890ab"}})",
      R"({"leaves":{"text":"\u00e9","any":[1,{"\t":"\n"}],"bytes":"\u00e9","date":"2024-01-02"}})",
      R"({"leaves":{"integer":123456789012345678901234567890,"floating":"x_y","decimal":"1__x"}})",
      R"({"pet":{"lives":9,"kind":"cat"}})",
      R"({"pet":{"kind":"d\u006fg","names":["a","b"]}})",
      R"({"pet":{"kind":"a long tag that is none of the tags, with more than sixty-four bytes"}})",
      R"({"pet":{"kind":["no","tag"]}})",
      R"({"pet":{"kind":null}})",
      R"({"dict":{"a":1,"b":{"integer":1},"c":"x","d":[]}})",
      R"({"custom":"bad","numbers":{}})",
      R"({"custom":"a text of more than twenty bytes"})",
      R"({"l\u0065aves":{"integ\u0065r":1}})",
      "[\"" + std::string(2000, 'x') + "\"]",
      many + "]}",
      many + ",\"x\"]}",
      records + "]}",
      wrong + "}}",
  };
}

TEST(AllocationFailure, OfADocumentIsSaid) {
  const Everything types;
  int most = 0;
  for (const std::string& document : documents()) {
    const std::string expected = decode(types.plan, *types.root, document, -1, false);
    const int count = survives(expected, document.substr(0, 200), [&](int number, bool lasts) {
      return decode(types.plan, *types.root, document, number, lasts);
    });
    ASSERT_FALSE(HasFailure());
    most = std::max(most, count);
  }
  EXPECT_GT(most, 100);
}

TEST(AllocationFailure, OfADocumentThatIsRefusedAtTheFirstErrorIsSaid) {
  Everything types;
  types.plan.errors_max = 1;
  types.plan.reject_duplicates = true;
  for (const std::string& document : documents()) {
    const std::string expected = decode(types.plan, *types.root, document, -1, false);
    survives(expected, document.substr(0, 200), [&](int number, bool lasts) {
      return decode(types.plan, *types.root, document, number, lasts);
    });
    ASSERT_FALSE(HasFailure());
  }
}

TEST(AllocationFailure, OfTextValuesIsSaid) {
  test::Parts t;
  t.plan.profile = Profile::compat;
  const Node* form = t.record({{"a", t.integer()},
                               {"b", t.node(Kind::list, Slug::list_type, {t.integer()})},
                               {"c", t.node(Kind::floating, Slug::float_type)},
                               {"d", t.node(Kind::decimal, Slug::decimal_type)},
                               {"e", t.node(Kind::uuid, Slug::uuid_type)}});
  std::vector<TextValue> many;
  for (int i = 0; i < 200; ++i) many.push_back({"b", i % 2 ? "1" : "x"});
  for (const std::vector<TextValue>& pairs :
       {std::vector<TextValue>{{"a", "1_0"},
                               {"b", "1"},
                               {"b", "2"},
                               {"c", "1_0.5"},
                               {"d", "1_0"},
                               {"e", "12345678123412341234123456789012"}},
        std::vector<TextValue>{{"a", "1__0"}, {"c", "_"}, {"d", "x"}, {"e", "y"}}, many}) {
    const std::string expected = read(t.plan, *form, pairs, -1, false);
    EXPECT_GT(
        survives(expected, "pairs",
                 [&](int number, bool lasts) { return read(t.plan, *form, pairs, number, lasts); }),
        0);
  }
}

TEST(AllocationFailure, OfAPlanIsSaid) {
  for (const bool lasts : {false, true}) {
    for (int number = 0; number < kAllocationsMax; ++number) {
      Everything types;
      shortage.begin(number, lasts);
      bool done = make_read_fields(&types.plan);
      for (const auto& record : types.plan.records) {
        const NameIndex::Built built = index_record(record.get());
        EXPECT_NE(built, NameIndex::Built::refused);
        done = make_rows(record.get()) && built == NameIndex::Built::done && done;
      }
      Node copy;
      done = copy.copy(*types.root) && add_part(&types.plan.rules) != nullptr && done;
      shortage.end();
      EXPECT_EQ(shortage.thrown, 0);
      ASSERT_EQ(done, shortage.failed == 0) << number;
      if (done) break;
    }
  }
}

// RE2 throws, and goes on as before when there is memory again.
TEST(AllocationFailure, OfAMatchIsSaid) {
  const std::string text = std::string(2000, 'a') + "x" + std::string(3000, 'b') + "cd";
  for (const std::string_view source : {"(a|b)*c[d-f]", "x(b+)(c)d$", "[[:word:]]+\\.zz"}) {
    const auto right = source.ends_with("zz") ? Pattern::Found::no : Pattern::Found::yes;
    int number = 0;
    for (bool whole = false; !whole; ++number) {
      ASSERT_LT(number, kAllocationsMax);
      Pattern::Problem why;
      const std::unique_ptr<Pattern> pattern = Pattern::make(source, &why);
      ASSERT_NE(pattern, nullptr);
      shortage.throws = true;
      shortage.begin(number, false);
      const Pattern::Found found = pattern->found_in(text);
      shortage.end();
      shortage.throws = false;
      whole = shortage.failed == 0;
      EXPECT_EQ(found, whole ? right : Pattern::Found::no_memory) << number;
      EXPECT_EQ(pattern->found_in(text), right) << number;
    }
    EXPECT_GT(number, 5) << source;
  }
}

TEST(AllocationFailure, OfAPatternIsSaid) {
  Pattern::Problem why;
  shortage.begin(0, false);
  EXPECT_EQ(Pattern::make("a", &why), nullptr);
  shortage.end();
  EXPECT_EQ(why.view(), "");
}

}  // namespace
}  // namespace lanner::schema
