#include "json/reader.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/limits.h"
#include "json/utf8.h"

namespace lanner::json {
namespace {

struct Outcome {
  std::string text;
  Errc code = Errc::ok;
  std::size_t offset = 0;
  bool ascii = false;
  std::ptrdiff_t behind = -1;
};

// `document` begins with a quote.
Outcome read_string(const std::string& document) {
  Reader reader(document);
  String text;
  Outcome outcome;
  const char* end = reader.string(reader.begin() + 1, &text);
  if (end == nullptr) {
    outcome.code = reader.error().code;
    outcome.offset = reader.offset();
    return outcome;
  }
  outcome.text = text.utf8;
  outcome.ascii = text.ascii;
  outcome.behind = end - reader.begin();
  return outcome;
}

Error skip(const std::string& document, int depth = 0) {
  Reader reader(document);
  const char* at = reader.skip_value(skip_space(reader.begin()), depth);
  if (at != nullptr && reader.finish(at)) return {};
  return reader.error();
}

TEST(Reader, StringsOfEveryLengthEndAtTheirQuote) {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string text(size, 'x');
    const Outcome outcome = read_string("\"" + text + "\",\"more\"");
    ASSERT_EQ(outcome.text, text);
    ASSERT_TRUE(outcome.ascii);
    ASSERT_EQ(outcome.behind, static_cast<std::ptrdiff_t>(size + 2));
  }
}

TEST(Reader, EscapesAreResolved) {
  EXPECT_EQ(read_string(R"("\"\\\/\b\f\n\r\t")").text, "\"\\/\b\f\n\r\t");
  EXPECT_EQ(read_string(R"("\u0041\u00e9\u4E2D")").text, "A\xC3\xA9\xE4\xB8\xAD");
  EXPECT_EQ(read_string(R"("\ud83d\ude00")").text, "\xF0\x9F\x98\x80");
  EXPECT_EQ(read_string(R"("\uDBFF\uDFFF")").text, "\xF4\x8F\xBF\xBF");
  EXPECT_EQ(read_string(R"("\u0000")").text, std::string(1, '\0'));
  EXPECT_TRUE(read_string(R"("a\nb")").ascii);
  EXPECT_FALSE(read_string(R"("a\u0080")").ascii);
}

TEST(Reader, AnEscapeAtEveryPlaceKeepsWhatIsAround) {
  for (std::size_t size = 0; size < 140; ++size) {
    const std::string left(size, 'l');
    const std::string right(139 - size, 'r');
    ASSERT_EQ(read_string("\"" + left + "\\n" + right + "\"").text, left + "\n" + right);
    ASSERT_EQ(read_string("\"" + left + "\\\"" + right + "\\\\\"").text,
              left + "\"" + right + "\\");
  }
}

struct Bad {
  std::string document;
  Errc code;
  std::size_t offset;
};

TEST(Reader, BadStringsAreRefusedWhereTheyAreBad) {
  const std::vector<Bad> all = {
      {"\"abc", Errc::json_truncated, 4},
      {"\"ab\\", Errc::json_truncated, 4},
      {"\"ab\\u00", Errc::json_truncated, 7},
      {"\"ab\\u00\"", Errc::json_escape_invalid, 7},
      {"\"ab\\u00g0\"", Errc::json_escape_invalid, 7},
      {"\"\\x41\"", Errc::json_escape_invalid, 2},
      {"\"\\u\"", Errc::json_escape_invalid, 3},
      {"\"a\nb\"", Errc::json_control_character, 2},
      {std::string("\"a\0b\"", 5), Errc::json_control_character, 2},
      {"\"\\n\t\"", Errc::json_control_character, 3},
      {"\"\\ud800\"", Errc::json_surrogate_alone, 1},
      {"\"\\udc00\"", Errc::json_surrogate_alone, 1},
      {"\"\\ud800\\u0041\"", Errc::json_surrogate_alone, 1},
      {"\"\\ud800\\ud800\"", Errc::json_surrogate_alone, 1},
      {"\"\\ud800x\"", Errc::json_surrogate_alone, 1},
      {"\"\\ud800\\n\"", Errc::json_surrogate_alone, 1},
      {"\"a\xFF\"", Errc::json_utf8_invalid, 2},
      {"\"\xED\xA0\x80\"", Errc::json_utf8_invalid, 1},
      {"\"\xC0\x80\"", Errc::json_utf8_invalid, 1},
      {"\"\\n\xE2\x82\"", Errc::json_utf8_invalid, 3},
      {"\"\xE2\x82\\n\"", Errc::json_utf8_invalid, 1},
  };
  for (const Bad& bad : all) {
    const Outcome outcome = read_string(bad.document);
    EXPECT_EQ(outcome.code, bad.code) << bad.document;
    EXPECT_EQ(outcome.offset, bad.offset) << bad.document;
    EXPECT_EQ(skip(bad.document), (Error{bad.code, static_cast<std::uint32_t>(bad.offset)}))
        << bad.document;
  }
}

TEST(Reader, Utf8IsCheckedFarIntoALongDocument) {
  std::string document = "[";
  while (document.size() < 200'000) document += "\"\xE4\xB8\xAD\xE6\x96\x87 text\",";
  document += "1]";
  EXPECT_EQ(skip(document), Error{});
  for (const std::size_t at : {std::size_t{9}, std::size_t{32'000}, std::size_t{100'003}}) {
    std::string broken = document;
    const std::size_t bad = broken.find("\xE6\x96\x87", at);
    broken[bad + 1] = 'x';
    EXPECT_EQ(skip(broken), (Error{Errc::json_utf8_invalid, static_cast<std::uint32_t>(bad)}));
  }
}

TEST(Reader, ALongStringWithEscapesIsReadInPieces) {
  for (std::size_t shift = 0; shift < 5; ++shift) {
    std::string inside(shift, 'x');
    std::string expected = inside;
    while (inside.size() < 100'000) {
      inside += inside.size() % 5000 < 20 ? "\\n" : "\xE4\xB8\xAD\xF0\x9F\x98\x80";
      expected += inside.back() == 'n' ? "\n" : "\xE4\xB8\xAD\xF0\x9F\x98\x80";
    }
    inside += "\\t";
    expected += "\t";
    EXPECT_EQ(read_string("\"" + inside + "\"").text, expected);
    const std::size_t bad = inside.rfind("\xF0\x9F");
    inside[bad + 2] = 'x';
    EXPECT_EQ(read_string("\"" + inside + "\"").code, Errc::json_utf8_invalid);
    EXPECT_EQ(read_string("\"" + inside + "\"").offset, bad + 1);
  }
}

TEST(Reader, WhiteSpaceOfEveryLengthIsPassedOver) {
  std::mt19937 random(6);
  for (std::size_t size = 0; size < 80; ++size) {
    for (const char after : {'x', '\x01', '\v', '\xC2'}) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i) text += " \n\r\t"[random() % 4];
      const std::size_t want = text.size();
      text += after;
      text.append(random() % 40, ' ');
      const char* const begin = text.c_str();
      ASSERT_EQ(skip_space(begin), begin + want);
      ASSERT_EQ(skip_space(begin, begin + text.size()), begin + want);
      text.resize(want);  // to the end of the document
      // A block of its own: ASan sees a byte read outside.
      std::vector<char> tight(text.begin(), text.end());
      tight.push_back('\0');
      ASSERT_EQ(skip_space(tight.data(), tight.data() + want), tight.data() + want);
    }
  }
}

// In what is read and in what is passed over, with every kernel.
TEST(Reader, Utf8IsRefusedWhereverItIsBroken) {
  const std::string document = "[\"\xC3\xA9 plain\",{\"\xE4\xB8\xAD key\":\"a\\n\xF0\x9F\x98\x80" +
                               std::string(70, 'x') + "\\t\xE6\x96\x87\"},\"" +
                               std::string(40, 'y') + "\xC3\xA9\"]";
  ASSERT_EQ(skip(document), Error{});
  for (std::size_t at = 0; at < document.size(); ++at) {
    for (const char broken :
         {'\x80', '\xBF', '\xC0', '\xC3', '\xE4', '\xED', '\xF0', '\xF5', '\xFF'}) {
      std::string changed = document;
      changed[at] = broken;
      if (is_utf8(changed)) continue;
      for (int level = 0; level <= static_cast<int>(simd_level()); ++level) {
        Reader reader(changed, scan_kernels_of(static_cast<SimdLevel>(level)));
        const char* const end = reader.skip_value(reader.begin(), 0);
        ASSERT_EQ(end, nullptr) << at;
        if ((document[at] & 0x80) != 0) {
          ASSERT_EQ(reader.error().code, Errc::json_utf8_invalid) << at;
        }
      }
    }
  }
}

TEST(Reader, CodesOneBehindTheOther) {
  for (std::size_t size = 0; size < 400; ++size) {
    std::string inside(size % 70, 'x');
    std::string expected = inside;
    for (std::size_t i = 0; i < size; ++i) {
      inside += i % 3 == 0 ? "\\u4e2d" : i % 3 == 1 ? "\\uD83D\\ude00" : "\\u00E9";
      expected += i % 3 == 0 ? "\xE4\xB8\xAD" : i % 3 == 1 ? "\xF0\x9F\x98\x80" : "\xC3\xA9";
    }
    ASSERT_EQ(read_string("\"" + inside + "\"").text, expected);
    ASSERT_EQ(read_string("\"" + inside + "\\u12").code, Errc::json_truncated);
    ASSERT_EQ(read_string("\"" + inside + "\\u12x4\"").offset, inside.size() + 5);
    ASSERT_EQ(read_string("\"" + inside + "\\ude00\"").code, Errc::json_surrogate_alone);
  }
}

TEST(Reader, SkipsEveryKindOfValue) {
  for (const char* text :
       {"0", "-1.5e3", "\"\"", "true", "false", "null", "[]", "{}", "[[]]", "[{}]", "{\"a\":[]}",
        "[1,2,3]", "{\"a\":1,\"b\":{\"c\":[true,false,null]}}", " [ 1 , { \"a\" : \"b\" } ] ",
        "\t\r\n[\n]\n", "[\"\\u00e9\",\"\xC3\xA9\"]", "99999999999999999999999"}) {
    EXPECT_EQ(skip(text), Error{}) << text;
  }
}

TEST(Reader, RefusesWhatTheGrammarDoesNotHave) {
  const std::vector<Bad> all = {
      {"", Errc::json_truncated, 0},
      {"  ", Errc::json_truncated, 2},
      {"[", Errc::json_truncated, 1},
      {"[1", Errc::json_truncated, 2},
      {"[1,", Errc::json_truncated, 3},
      {"{\"a\"", Errc::json_truncated, 4},
      {"{\"a\":", Errc::json_truncated, 5},
      {"tru", Errc::json_truncated, 3},
      {"[1,]", Errc::json_value_expected, 3},
      {"{\"a\":1,}", Errc::json_key_expected, 7},
      {"{a:1}", Errc::json_key_expected, 1},
      {"{1:1}", Errc::json_key_expected, 1},
      {"{'a':1}", Errc::json_key_expected, 1},
      {"{\"a\" 1}", Errc::json_colon_expected, 5},
      {"[1 2]", Errc::json_array_end_expected, 3},
      {"[1}", Errc::json_array_end_expected, 2},
      {"{\"a\":1]", Errc::json_object_end_expected, 6},
      {"1 2", Errc::json_trailing_data, 2},
      {"[]]", Errc::json_trailing_data, 2},
      {"nul", Errc::json_truncated, 3},
      {"nulL", Errc::json_value_expected, 3},
      {"True", Errc::json_value_expected, 0},
      {"NaN", Errc::json_value_expected, 0},
      {"Infinity", Errc::json_value_expected, 0},
      {"-Infinity", Errc::json_number_invalid, 1},
      {"+1", Errc::json_value_expected, 0},
      {".5", Errc::json_value_expected, 0},
      {"01", Errc::json_number_invalid, 1},
      {"1.", Errc::json_truncated, 2},
      {"[1.]", Errc::json_number_invalid, 3},
      {"// c\n1", Errc::json_value_expected, 0},
      {"[1/**/]", Errc::json_array_end_expected, 2},
      {"\xEF\xBB\xBF[]", Errc::json_byte_order_mark, 0},
      {"[\xEF\xBB\xBF]", Errc::json_value_expected, 1},
      {"\xC2\xA0[]", Errc::json_value_expected, 0},
      {"\f1", Errc::json_value_expected, 0},
      {std::string("[\0]", 3), Errc::json_value_expected, 1},
      {std::string("1\0", 2), Errc::json_trailing_data, 1},
      {"]", Errc::json_value_expected, 0},
      {"[,1]", Errc::json_value_expected, 1},
      {"{\"a\":,}", Errc::json_value_expected, 5},
      {"[1e400]", Errc::json_number_too_large, 1},
  };
  for (const Bad& bad : all) {
    EXPECT_EQ(skip(bad.document), (Error{bad.code, static_cast<std::uint32_t>(bad.offset)}))
        << bad.document;
  }
}

TEST(Reader, NestingHasALimit) {
  const auto nested = [](int depth, const char* open, const char* close) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += "1";
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_EQ(skip(nested(kDepthMax, "[", "]")), Error{});
  EXPECT_EQ(skip(nested(kDepthMax, "{\"a\":", "}")), Error{});
  EXPECT_EQ(skip(nested(kDepthMax / 2, "[{\"a\":", "}]")), Error{});
  EXPECT_EQ(skip(nested(kDepthMax + 1, "[", "]")),
            (Error{Errc::json_too_deep, static_cast<std::uint32_t>(kDepthMax)}));
  EXPECT_EQ(skip(nested(kDepthMax, "[", "]"), 1).code, Errc::json_too_deep);
  EXPECT_EQ(skip(nested(1'000'000, "[", "]")).code, Errc::json_too_deep);
  EXPECT_EQ(skip(nested(1'000'000, "{\"a\":", "}")).code, Errc::json_too_deep);
}

}  // namespace
}  // namespace lanner::json
