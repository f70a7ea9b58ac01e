// fuzz/canonical_builder.h: a Builder whose values are texts, the same for documents that say the
// same: objects in the order of their keys, white space gone. It counts what it made, and can run
// out of memory at any value.

#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "fuzz/json_tree.h"
#include "json/reader.h"
#include "schema/errors.h"
#include "schema/plan.h"
#include "schema/temporal.h"

namespace lanner::fuzz {

using schema::Date;
using schema::DateTime;
using schema::Duration;
using schema::Node;
using schema::Record;
using schema::Rule;
using schema::Slug;
using schema::Time;

class CanonicalBuilder final {
 public:
  using Value = std::string*;
  static constexpr std::int64_t kCollisions = -2;

  // fails_at: the value, counted from 0, for which there is no memory; -1: there is always some.
  explicit CanonicalBuilder(int fails_at) noexcept : left_(fails_at) {}

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
  Value shared(void* text) noexcept { return always(*static_cast<std::string*>(text)); }

  Value null() noexcept { return always("null"); }
  Value boolean(bool value) noexcept { return always(value ? "true" : "false"); }
  Value integer(std::int64_t value) noexcept { return make(std::to_string(value)); }
  Value big_integer(std::string_view digits) noexcept { return make(std::string(digits)); }
  bool too_many_digits() noexcept { return false; }
  Value integer_from_floating(double value) noexcept { return make("i" + shown(value)); }
  Value floating(double value) noexcept { return make("f" + shown(value)); }
  Value number(const json::Number& number) noexcept { return make(std::string(number.text)); }
  Value string(const json::String& text) noexcept { return utf8(text.utf8); }
  Value key(const json::String& text) noexcept { return utf8(text.utf8); }
  Value new_ascii(std::size_t size, char** to) noexcept {
    Value made = make(quoted(std::string(size, '?')));
    if (made) *to = made->data() + 1;
    return made;
  }
  Value utf8(std::string_view text) noexcept { return make(quoted(text)); }
  Value bytes(std::string_view text) noexcept { return make("b" + quoted(text)); }
  Value date(const Date& date) noexcept {
    return make("day " + std::to_string(schema::days_from_civil(date)));
  }
  Value time(const Time& time) noexcept { return make(shown(time)); }
  Value datetime(const DateTime& moment) noexcept {
    return make(std::to_string(schema::days_from_civil(moment.date)) + " " + shown(moment.time));
  }
  Value timedelta(const Duration& span) noexcept {
    if (span.seconds < 0 || span.seconds >= 86400 || span.microseconds < 0 ||
        span.microseconds > 1000000) {
      __builtin_trap();
    }
    return make("span " + std::to_string(span.days) + " " + std::to_string(span.seconds) + " " +
                std::to_string(span.microseconds));
  }
  Value uuid(const std::uint8_t (&bytes)[16]) noexcept {
    std::string text = "uuid ";
    for (const std::uint8_t byte : bytes) text += std::to_string(byte) + ".";
    return make(text);
  }
  Value decimal(std::string_view text) noexcept { return make("d" + std::string(text)); }
  const char* skip_unique(json::Reader& reader, const char* at, int depth) noexcept {
    return reader.skip_value(at, depth);
  }
  const char* any(json::Reader& reader, const char* at, int depth, bool, Value* value) noexcept {
    const char* end = reader.skip_value(at, depth);
    if (!end) return nullptr;
    *value = make(canonical({at, static_cast<std::size_t>(end - at)}));
    return *value ? end : nullptr;
  }
  Value pick(const schema::Choices&, const json::Number&, bool*) noexcept { return nullptr; }

  Value container(const Node& node, Value* values, std::size_t count, bool unique,
                  std::int64_t* bad) noexcept {
    std::map<std::string, std::string> sorted;  // the last of equal keys wins
    std::string out = "[";
    for (std::size_t i = 0; i < count; ++i) {
      if (node.kind != schema::Kind::dict) {
        out += *values[i] + ",";
      } else if (i % 2 == 0 && !sorted.insert_or_assign(*values[i], *values[i + 1]).second &&
                 unique && *bad < 0) {
        *bad = static_cast<std::int64_t>(i / 2);
      }
    }
    for (std::size_t i = 0; i < count; ++i) drop(values[i]);
    if (*bad >= 0) return nullptr;
    for (const auto& [key, value] : sorted) out += key + ":" + value + ",";
    return make(out + "]");
  }
  Value record(const Record& record, Value* values) noexcept {
    std::string out = "(";
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      if (!values[i]) continue;
      out.append(record.fields[i].name).append("=").append(*values[i]).append(" ");
      drop(values[i]);
    }
    if (record.post_init && out.find("bad") != std::string::npos) {
      excuse_ = "it is bad";
      return nullptr;
    }
    return make(out + ")");
  }
  bool default_of(const schema::Field& field, Value* value) noexcept {
    if (!field.default_value) return true;
    *value = make(*static_cast<std::string*>(field.default_value));
    return *value != nullptr;
  }
  Value call(const Node&, Value value) noexcept {
    const std::string text = *value;
    drop(value);
    if (text.find("bad") == std::string::npos) return make("called " + text);
    excuse_ = "it is bad";
    return nullptr;
  }
  bool surely_holds(const Node&, Value) const noexcept { return false; }
  // Bounds of integers and of texts' lengths; on others, of the length of the canonical text.
  bool apply(const Node& node, Value* value, const Rule** broken, std::int64_t* number) noexcept {
    *number = measure(node, **value);
    for (const Rule* rule : node.rules) {
      const bool least =
          rule->demand == schema::Demand::ge || rule->demand == schema::Demand::min_length;
      const bool holds = least ? *number >= rule->integer : *number <= rule->integer;
      if (!*broken && !holds) *broken = rule;
    }
    if (!spend()) {
      drop(*value);
      *value = nullptr;
      return false;
    }
    return true;
  }
  bool excuse(Slug* slug, std::string_view* text) noexcept {
    if (excuse_.empty()) return false;  // there was no memory
    *slug = Slug::value_error;
    said_ = std::exchange(excuse_, {});
    *text = said_;
    return true;
  }
  template <class Machine, class Item>
  Value delegate(Machine& machine, const Node& node, Item item) noexcept {
    const std::string text = canonical(machine.input().offender(item).json);
    if (text.find("bad") != std::string::npos)
      return machine.fail(node.wrong_type, item, node.wrong);
    Value value = make("delegated " + text);
    if (!value) machine.abort();
    return value;
  }

 private:
  bool spend() noexcept {
    if (left_ < 0 || left_-- > 0) return true;
    ran_out_ = true;
    left_ = 0;
    return false;
  }
  Value make(std::string text) noexcept { return spend() ? always(std::move(text)) : nullptr; }
  // What takes no memory in Python either.
  Value always(std::string text) noexcept {
    ++alive_;
    ++made_;
    return new (std::nothrow) std::string(std::move(text));
  }
  static std::string quoted(std::string_view text) noexcept { return write_string(text, false); }
  static std::int64_t measure(const Node& node, const std::string& text) noexcept {
    if (node.kind == schema::Kind::integer) {
      const long long number = std::strtoll(text.c_str() + (text[0] == 'i'), nullptr, 0);
      return text[0] == 'i' ? 0 : number;  // out of range: the nearest
    }
    if (node.kind != schema::Kind::string) return static_cast<std::int64_t>(text.size());
    std::int64_t points = -2;  // the quotes
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') i += 5;  // \u00XX
      points += (text[i] & 0xC0) != 0x80;
    }
    return points;
  }
  static std::string shown(double value) noexcept {
    char text[64];
    const int size = std::snprintf(text, sizeof text, "%a", value);
    return std::string(text, static_cast<std::size_t>(size));
  }
  static std::string shown(const Time& time) noexcept {
    if (time.microsecond < 0 || time.microsecond > 999999) __builtin_trap();
    return "at " + std::to_string(time.hour) + ":" + std::to_string(time.minute) + ":" +
           std::to_string(time.second) + "." + std::to_string(time.microsecond) +
           (time.has_offset ? "+" + std::to_string(time.offset_s) : "");
  }

  int left_;
  int alive_ = 0;
  int made_ = 0;
  bool ran_out_ = false;
  std::string excuse_;
  std::string said_;
};

}  // namespace lanner::fuzz
