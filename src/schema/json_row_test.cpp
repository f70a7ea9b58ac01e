// schema/json_row_test.cpp: the fast reader of rows reads what the machine reads, and nothing else.

#include "schema/json_row.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "schema/test_parts.h"
#include "schema/text_decode.h"

namespace lanner::schema {
namespace {

// list[Record], with a field for each way of reading.
class Rows : public ::testing::Test {
 protected:
  Rows() : record_(parts_.empty_record()) {
    add(record_, "text", Kind::string, Slug::string_type);
    add(record_, "maybe", Kind::string, Slug::string_type)->nullable = true;
    add(record_, "count", Kind::integer, Slug::int_type);
    add(record_, "price", Kind::floating, Slug::float_type);
    add(record_, "sold", Kind::boolean, Slug::bool_type);
    list_ = parts_.node(Kind::list, Slug::list_type, {parts_.record_node(record_)});
  }

  Node* add(Record* record, const char* name, Kind kind, Slug wrong) {
    Node* made = parts_.node(kind, wrong);
    parts_.add_field(record, name, made);
    return made;
  }

  std::string read(const std::string& document) {
    return text_decode(parts_.plan, *list_, document);
  }
  static std::string row(std::string_view text, std::string_view maybe = "null",
                         std::string_view count = "1", std::string_view price = "2.5",
                         std::string_view sold = "true") {
    std::string out = "{\"text\":";
    out.append(text).append(",\"maybe\":").append(maybe).append(",\"count\":").append(count);
    return out.append(",\"price\":").append(price).append(",\"sold\":").append(sold).append("}");
  }

  test::Parts parts_;
  Record* record_;
  Node* list_;
};

TEST_F(Rows, AreReadFieldByField) {
  EXPECT_EQ(read("[" + row("\"ab\"", "\"cd\"", "-7", "-0.25", "false") + "," + row("\"\"") + "]"),
            "[(text='ab' maybe='cd' count=-7 price=f-0.25 sold=false ) "
            "(text='' maybe=null count=1 price=f2.5 sold=true )]");
}

TEST_F(Rows, KeepTextOfEveryLength) {
  for (std::size_t size = 0; size < 200; ++size) {
    std::string text(size, 'a');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 26);
    const std::string one = row("\"" + text + "\"");
    EXPECT_NE(read("[" + one + "," + one + "]").find("'" + text + "'"), std::string::npos);
  }
}

TEST_F(Rows, LeaveTextThatIsNotPlainToTheMachine) {
  for (const char* odd : {"\\n", "\\u00e9", "\xC3\xA9", "\xE2\x82\xAC", "\xFF", "\x01", "\\x"}) {
    for (const std::size_t at : {0, 1, 30, 62, 63, 64, 65, 127, 128, 129}) {
      const std::string text = "\"" + std::string(at, 'x') + odd + "tail\"";
      (void)read("[" + row("\"ok\"") + "," + row(text) + "," + row("\"ok\"", text) + "]");
    }
  }
}

TEST_F(Rows, LeaveNumbersThatAreNotShortToTheMachine) {
  for (const char* number : {"0",
                             "-0",
                             "00",
                             "01",
                             "-",
                             "+1",
                             "1.",
                             ".5",
                             "1.5",
                             "1e2",
                             "1E2",
                             "1.0e3",
                             "-1.5e-3",
                             "1.e1",
                             "999999999999999999",
                             "9999999999999999999",
                             "99999999999999999999",
                             "0.0",
                             "-0.0",
                             "1.50",
                             "123456789012345",
                             "1234567890123456",
                             "1.23456789012345",
                             "1.234567890123456789",
                             "1e400",
                             "0.1",
                             "0.30000000000000004",
                             "1234567.875",
                             "true",
                             "null",
                             "\"1\"",
                             "[]",
                             "1x",
                             "1 "}) {
    (void)read("[" + row("\"a\"", "null", number) + "]");
    (void)read("[" + row("\"a\"", "null", "1", number) + "]");
    (void)read("[" + row("\"a\"", "null", "1", "1", number) + "]");
    (void)read("[" + row(number) + "," + row("\"a\"") + "]");
  }
}

TEST_F(Rows, KeepWithinTheirBounds) {
  const_cast<Node*>(record_->fields[2].node)->quick = {QuickRange::Of::integer, 0, 9};
  ASSERT_TRUE(make_read_fields(&parts_.plan));
  const ReadField& field = record_->read_fields[2];
  EXPECT_TRUE(field.holds(9));
  EXPECT_FALSE(field.holds(10));
  EXPECT_EQ(read("[" + row("\"a\"", "null", "9") + "]"),
            "[(text='a' maybe=null count=9 price=f2.5 sold=true )]");
}

TEST_F(Rows, TakeOneSpaceOrAnyWhiteSpace) {
  const std::string plain = read("[" + row("\"ab\"") + "," + row("\"ab\"") + "]");
  for (const std::string space : {" ", "  ", "\n", "\t ", ""}) {
    std::string document = "[" + row("\"ab\"") + "," + row("\"ab\"") + "]";
    for (const char* mark : {",", ":", "{", "}", "]"}) {
      for (std::size_t at = 0; (at = document.find(mark, at)) != std::string::npos;) {
        document.insert(at + 1, space);
        document.insert(at, *mark == '}' || *mark == ',' ? space : "");
        at += 1 + 2 * space.size();
      }
    }
    EXPECT_EQ(read(document), plain) << document;
  }
}

TEST_F(Rows, LeaveOtherKeysAndOtherOrdersToTheMachine) {
  for (const char* item :
       {R"({})", R"({"text":"a"})", R"({"maybe":"a","text":"b","count":1,"price":1,"sold":true})",
        R"({"text":"a","other":[1],"maybe":"b","count":1,"price":1,"sold":true})",
        R"({"text":"a","text":"b","maybe":"b","count":1,"price":1,"sold":true,"sold":false})",
        R"({"text":"a","maybe":"b","count":1,"price":1,"sold":true,"other":1})",
        R"({"text" :"a","maybe" : "b","count":1,"price":1,"sold":true})",
        R"({"t\u0065xt":"a","maybe":"b","count":1,"price":1,"sold":true})", R"([])", R"(1)",
        R"({"text":"a","maybe":1,"count":"x","price":[],"sold":{}})", R"({"text":"a",})",
        R"({,})"}) {
    (void)read("[" + row("\"ok\"") + "," + item + "," + row("\"ok\"") + "]");
    (void)read("[" + std::string(item) + "]");
  }
}

TEST_F(Rows, ReadARecordWithinARecord) {
  Record& order = *parts_.empty_record();
  add(&order, "id", Kind::integer, Slug::int_type);
  Node* inner = add(&order, "item", Kind::record, Slug::dict_type);
  inner->record = record_;
  inner->nullable = true;
  add(&order, "note", Kind::string, Slug::string_type);
  test::fill<const Node*>(&list_->children, {parts_.record_node(&order)});
  ASSERT_EQ(order.read_fields[1].read, ReadField::Read::record);
  const std::string good = R"({"id":1,"item":)" + row("\"a\"") + R"(,"note":"n"})";
  EXPECT_EQ(read("[" + good + "]"),
            "[(id=1 item=(text='a' maybe=null count=1 price=f2.5 sold=true ) note='n' )]");
  for (const std::string& odd :
       {row("1"), row("\"\xC3\xA9\""), row("\"a\"", "null", "1e0"), std::string("null"),
        std::string("{}"), std::string("[]"), std::string("7"), std::string("{\"text\":\"a\"")}) {
    (void)read("[" + good + R"(,{"id":1,"item":)" + odd + R"(,"note":"n"},)" + good + "]");
  }
  for (std::size_t size = 0; size < good.size(); ++size) (void)read("[" + good.substr(0, size));
}

TEST_F(Rows, LeaveAFieldThatTakesNoInputToTheMachine) {
  Field& field = record_->fields.back();
  field.takes_input = false;
  field.quoted = "\x01";
  field.required = false;
  ASSERT_TRUE(test::is_built(index_record(record_)));
  ASSERT_TRUE(make_read_fields(&parts_.plan));
  EXPECT_EQ(read("[" + row("\"a\"") + "]"), "[(text='a' maybe=null count=1 price=f2.5 )]");
}

TEST_F(Rows, EndWhereTheDocumentEnds) {
  const std::string document =
      "[" + row("\"ab\"", "\"" + std::string(70, 'c') + "\"") + "," + row("\"d\"") + "]";
  for (std::size_t size = 0; size <= document.size(); ++size) (void)read(document.substr(0, size));
  for (std::size_t at = 0; at < document.size(); ++at) {
    for (const char other : {'"', '\\', ',', '}', ' ', 'e', '0', '\x80', '\0'}) {
      std::string changed = document;
      changed[at] = other;
      (void)read(changed);
    }
  }
}

TEST_F(Rows, AreNotAskedForOnAndOnInADocumentThatHasNone) {
  std::string document = "[";
  for (int i = 0; i < 200; ++i) {
    document += i ? "," : "";
    document +=
        i % 3 ? row("\"plain\"") : R"({"sold":true,"price":1,"count":2,"maybe":null,"text":"b"})";
  }
  (void)read(document + "]");
}

}  // namespace
}  // namespace lanner::schema
