// schema/text_builder.h: a Builder without Python, for tests and fuzzers: values are texts, counted
// so that none is lost, the same for documents that say the same. It runs out of memory as
// base/test_shortage.h says.

#pragma once

#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/test_shortage.h"
#include "json/reader.h"
#include "schema/errors.h"
#include "schema/plan.h"
#include "schema/temporal.h"
#include "schema/text_input.h"

namespace lanner::schema {

class TextBuilder final {
 public:
  using Value = std::string*;
  // JSON text as the value of `any`.
  using Canonical = std::string (*)(std::string_view json);
  static constexpr std::int64_t kCollisions = -2;

  explicit TextBuilder(Canonical canonical = nullptr) noexcept : canonical_(canonical) {}

  int alive() const noexcept { return alive_; }
  int made() const noexcept { return made_; }
  bool ran_out() const noexcept { return ran_out_; }
  static Value failed() noexcept {
    static std::string mark;  // compared, never followed
    return &mark;
  }
  void drop(Value value) noexcept {
    --alive_;
    delete value;
  }
  void release(void*) noexcept {}
  Value shared(void* text) noexcept {
    return always([=] { return *static_cast<std::string*>(text); });
  }

  Value null() noexcept {
    return always([] { return std::string("null"); });
  }
  Value boolean(bool value) noexcept {
    return always([=] { return std::string(value ? "true" : "false"); });
  }
  Value integer(std::int64_t value) noexcept {
    return make([=] { return std::to_string(value); });
  }
  Value big_integer(std::string_view digits) noexcept {
    return make([=] { return std::string(digits); });
  }
  bool too_many_digits() noexcept { return false; }
  Value integer_from_floating(double value) noexcept {
    return make([=] { return "i" + shown(value); });
  }
  Value floating(double value) noexcept {
    return make([=] { return "f" + shown(value); });
  }
  Value number(const json::Number& number) noexcept { return big_integer(number.text); }
  Value string(const json::String& text) noexcept { return utf8(text.utf8); }
  Value key(const json::String& text) noexcept { return utf8(text.utf8); }
  Value new_ascii(std::size_t size, char** to) noexcept {
    Value made = make([=] { return quoted(std::string(size, '?')); });
    if (made) *to = made->data() + 1;
    return made;
  }
  Value utf8(std::string_view text) noexcept {
    return make([=] { return quoted(text); });
  }
  Value bytes(std::string_view text) noexcept {
    return make([=] { return "b" + quoted(text); });
  }
  Value date(const Date& date) noexcept {
    return make([&] { return "day " + std::to_string(days_from_civil(date)); });
  }
  Value time(const Time& time) noexcept {
    return make([&] { return shown(time); });
  }
  Value datetime(const DateTime& moment) noexcept {
    return make([&] {
      return "day " + std::to_string(days_from_civil(moment.date)) + " " + shown(moment.time);
    });
  }
  Value timedelta(const Duration& span) noexcept {
    must(span.seconds >= 0 && span.seconds < 86400);
    must(span.microseconds >= 0 && span.microseconds <= 1000000);
    return make([&] {
      return "span " + std::to_string(span.days) + " " + std::to_string(span.seconds) + " " +
             std::to_string(span.microseconds);
    });
  }
  Value uuid(const std::uint8_t (&bytes)[16]) noexcept {
    return make([&] {
      std::string text = "uuid ";
      for (const std::uint8_t byte : bytes) text += std::to_string(byte) + ".";
      return text;
    });
  }
  Value decimal(std::string_view text) noexcept {
    return make([=] { return "d" + std::string(text); });
  }
  const char* skip_unique(json::Reader& reader, const char* at, int depth) noexcept {
    return reader.skip_value(at, depth);
  }
  const char* any(json::Reader& reader, const char* at, int depth, bool, Value* value) noexcept {
    const char* end = reader.skip_value(at, depth);
    if (!end) return nullptr;
    *value = make([=, this] { return saying_the_same({at, static_cast<std::size_t>(end - at)}); });
    return *value ? end : nullptr;
  }
  Value pick(const Choices&, const json::Number&, bool*) noexcept { return nullptr; }

  Value container(const Node& node, Value* values, std::size_t count, bool unique,
                  std::int64_t* bad) noexcept {
    const bool dict = node.kind == Kind::dict;
    std::string out;
    {
      const lanner::test::Exempt own;
      std::map<std::string, std::string> sorted;  // the last of equal keys wins
      for (std::size_t i = 0; i < count; ++i) {
        if (!dict) {
          append(&out, *values[i]);
        } else if (i % 2 == 0 && !sorted.insert_or_assign(*values[i], *values[i + 1]).second &&
                   unique && *bad < 0) {
          *bad = static_cast<std::int64_t>(i / 2);
        }
      }
      for (const auto& [key, value] : sorted) append(&out, key + " " + value);
    }
    for (std::size_t i = 0; i < count; ++i) drop(values[i]);
    if (*bad >= 0) return nullptr;
    return make([&] { return (dict ? "{" : "[") + out + (dict ? "}" : "]"); });
  }
  Value record(const Record& record, Value* values) noexcept {
    std::string out;
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      if (!values[i]) continue;
      const lanner::test::Exempt own;
      out.append(record.fields[i].name).append("=").append(*values[i]).append(" ");
      drop(values[i]);
    }
    if (record.post_init && refuses(out)) return nullptr;
    return make([&] { return "(" + out + ")"; });
  }
  bool default_of(const Field& field, Value* value) noexcept {
    if (!field.default_value) return true;
    *value = make([&] { return *static_cast<std::string*>(field.default_value); });
    return *value != nullptr;
  }
  Value call(const Node&, Value value) noexcept {
    std::string text = std::move(*value);
    drop(value);
    return refuses(text) ? nullptr : make([&] { return "called " + text; });
  }
  bool surely_holds(const Node&, Value) const noexcept { return false; }
  // Bounds of integers and of texts' lengths; on others, of the length of the text that stands for
  // them.
  bool apply(const Node& node, Value* value, const Rule** broken, std::int64_t* number) noexcept {
    *number = measure(node, **value);
    for (const Rule* rule : node.rules) {
      const bool least = rule->demand == Demand::ge || rule->demand == Demand::min_length;
      const bool holds = least ? *number >= rule->integer : *number <= rule->integer;
      if (!*broken && !holds) *broken = rule;
    }
    if (spend()) return true;
    drop(*value);
    *value = nullptr;
    return false;
  }
  bool excuse(Slug* slug, std::string_view* text) noexcept {
    const lanner::test::Exempt own;
    if (excuse_.empty()) return false;  // there was no memory
    *slug = Slug::value_error;
    said_ = std::exchange(excuse_, {});
    *text = said_;
    return true;
  }
  template <class Machine, class Item>
  Value delegate(Machine& machine, const Node& node, Item item) noexcept {
    const std::string_view json = machine.input().offender(item).json;
    if (json.find("bad") != std::string_view::npos)
      return machine.fail(node.wrong_type, item, node.wrong);
    Value value = make([=, this] { return "delegated " + saying_the_same(json); });
    if (!value) machine.abort();
    return value;
  }
  template <class Machine>
  Value delegate_text(Machine& machine, const Node&, std::string_view text) noexcept {
    Value value = make([=] { return "delegated " + std::string(text); });
    if (!value) machine.abort();
    return value;
  }
  template <class Machine, class Item>
  Value delegate_pairs(Machine& machine, const Node&, Item item) noexcept {
    Value value = make([=] { return "delegated " + std::to_string(item.count) + " pairs"; });
    if (!value) machine.abort();
    return value;
  }
  // The last value, as the text that a JSON document would have had.
  Offender text_offender(const TextValue* values, std::uint32_t count, bool, bool) noexcept {
    return {nullptr, count ? values[count - 1].value : std::string_view()};
  }

 private:
  static void must(bool holds) noexcept {
    if (!holds) std::abort();
  }
  bool spend() noexcept {
    if (!lanner::test::shortage.strikes()) return true;
    ran_out_ = true;
    return false;
  }
  template <class Write>
  Value make(Write write) noexcept {
    return spend() ? always(write) : nullptr;
  }
  // What takes no memory in Python either.
  template <class Write>
  Value always(Write write) noexcept {
    const lanner::test::Exempt own;
    ++alive_;
    ++made_;
    return new (std::nothrow) std::string(write());
  }
  // As user code may.
  bool refuses(std::string_view text) noexcept {
    const lanner::test::Exempt own;
    excuse_ = text.find("bad") == std::string_view::npos ? "" : "it is bad";
    return !excuse_.empty();
  }
  std::string saying_the_same(std::string_view json) const {
    return canonical_ ? canonical_(json) : std::string(json);
  }
  static std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }
  static void append(std::string* out, std::string_view item) {
    if (!out->empty()) *out += " ";
    *out += item;
  }
  static std::int64_t measure(const Node& node, const std::string& text) noexcept {
    if (node.kind == Kind::integer) {
      const bool number = text[0] == '-' || std::isdigit(static_cast<unsigned char>(text[0]));
      return number ? std::strtoll(text.c_str(), nullptr, 10) : 0;  // out of range: the nearest
    }
    if (node.kind != Kind::string) return static_cast<std::int64_t>(text.size());
    std::int64_t points = -2;  // the quotes
    for (const char c : text) points += (c & 0xC0) != 0x80;
    return points;
  }
  static std::string shown(double value) {
    char text[64];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
  }
  static std::string shown(const Time& time) {
    must(time.microsecond >= 0 && time.microsecond <= 999999);
    return "at " + std::to_string(time.hour) + ":" + std::to_string(time.minute) + ":" +
           std::to_string(time.second) + "." + std::to_string(time.microsecond) +
           (time.has_offset ? "+" + std::to_string(time.offset_s) : "");
  }

  Canonical canonical_;
  int alive_ = 0;
  int made_ = 0;
  bool ran_out_ = false;
  std::string excuse_;
  std::string said_;
};

}  // namespace lanner::schema
