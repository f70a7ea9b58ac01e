#include "cache/dictionary.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::cache {
namespace {

std::string read(std::string_view text) {
  DictionaryReader reader(text);
  Member member;
  std::string result;
  for (;;) {
    const DictionaryReader::Step step = reader.next(&member);
    if (step == DictionaryReader::Step::end) return result;
    if (step == DictionaryReader::Step::invalid) return "invalid";
    result += std::string(member.key) + "=" + "bidstyl"[static_cast<int>(member.value.type)];
    if (member.value.type == ItemType::boolean) {
      result += member.value.truth ? "1" : "0";
    } else if (member.value.type == ItemType::integer) {
      result += std::to_string(member.value.number);
    } else {
      result += member.value.text;
    }
    result += ' ';
  }
}

TEST(Dictionary, ReadsEachType) {
  EXPECT_EQ(read(" a=1, b=-2 ,\tc, d=?0 "), "a=i1 b=i-2 c=b1 d=b0 ");
  EXPECT_EQ(read("a=1.5, b=\"x \\\" y\", c=t/k:n, d=:YQ==:, *e=A"),
            "a=d1.5 b=sx \\\" y c=tt/k:n d=yYQ== *e=tA ");
  EXPECT_EQ(read("a=1;x;y=2; z=\"q\", b;p"), "a=i1 b=b1 ");
  EXPECT_EQ(read("a=( \"x\" \"y\";p  1 ), b=()"), "a=l \"x\" \"y\";p  1  b=l ");
  EXPECT_EQ(read(""), "");
}

TEST(Dictionary, RefusesWhatTheGrammarHasNot) {
  for (const char* text : {"A=1",
                           "a=",
                           "a=1,",
                           ",a",
                           "a b",
                           "a=1 b=2",
                           "a=\"x",
                           "a=\"\\x\"",
                           "a=1234567890123456",
                           "a=1.",
                           "a=1.2345",
                           "a=-",
                           "a=?2",
                           "a=?",
                           "a=(\"x\"",
                           "a=(\"x\"\"y\")",
                           "a=:x",
                           "a;A",
                           "a=1;",
                           "a=\"\x80\"",
                           "a =1",
                           "a= 1",
                           "a=@1"})
    EXPECT_EQ(read(text), "invalid") << text;
}

TEST(Dictionary, ListsGiveTheirItems) {
  DictionaryReader reader("params=(\"a\" \"b\";x)");
  Member member;
  ASSERT_EQ(reader.next(&member), DictionaryReader::Step::member);
  ListReader list(member.value.text);
  Item item;
  ASSERT_TRUE(list.next(&item));
  EXPECT_EQ(item.text, "a");
  ASSERT_TRUE(list.next(&item));
  EXPECT_EQ(item.text, "b");
  EXPECT_FALSE(list.next(&item));
}

}  // namespace
}  // namespace lanner::cache
