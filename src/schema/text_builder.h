// schema/text_builder.h: a Builder without Python, for tests: values are texts, counted so that
// none is lost.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "json/reader.h"
#include "schema/errors.h"
#include "schema/plan.h"
#include "schema/temporal.h"
#include "schema/text_input.h"

namespace lanner::schema {

class TextBuilder final {
 public:
  using Value = std::string*;

  static constexpr std::int64_t kCollisions = -2;

  int alive() const noexcept { return alive_; }
  static Value failed() noexcept {
    static std::string mark;  // compared, never followed
    return &mark;
  }
  Value make(std::string text) noexcept {
    ++alive_;
    return new (std::nothrow) std::string(std::move(text));
  }
  void drop(Value value) noexcept {
    --alive_;
    delete value;
  }
  void release(void*) noexcept {}
  Value shared(void* text) noexcept { return make(*static_cast<std::string*>(text)); }

  Value null() noexcept { return make("null"); }
  Value boolean(bool value) noexcept { return make(value ? "true" : "false"); }
  Value integer(std::int64_t value) noexcept { return make(std::to_string(value)); }
  Value big_integer(std::string_view digits) noexcept { return make(std::string(digits)); }
  bool too_many_digits() noexcept { return false; }
  Value integer_from_floating(double value) noexcept {
    return integer(static_cast<std::int64_t>(value));
  }
  Value floating(double value) noexcept { return make("f" + std::to_string(value)); }
  Value number(const json::Number& number) noexcept { return make(std::string(number.text)); }
  Value string(const json::String& text) noexcept { return utf8(text.utf8); }
  Value key(const json::String& text) noexcept { return utf8(text.utf8); }
  Value new_ascii(std::size_t size, char** to) noexcept {
    Value made = make("'" + std::string(size, '?') + "'");
    *to = made->data() + 1;
    return made;
  }
  Value utf8(std::string_view text) noexcept { return make("'" + std::string(text) + "'"); }
  Value bytes(std::string_view text) noexcept { return make("b" + std::string(text)); }
  Value date(const Date& date) noexcept {
    return make("day" + std::to_string(days_from_civil(date)));
  }
  Value time(const Time&) noexcept { return make("time"); }
  Value datetime(const DateTime&) noexcept { return make("datetime"); }
  Value timedelta(const Duration&) noexcept { return make("timedelta"); }
  Value uuid(const std::uint8_t (&)[16]) noexcept { return make("uuid"); }
  Value decimal(std::string_view text) noexcept { return make("d" + std::string(text)); }
  const char* skip_unique(json::Reader& reader, const char* at, int depth) noexcept {
    return reader.skip_value(at, depth);
  }
  const char* any(json::Reader& reader, const char* at, int depth, bool, Value* value) noexcept {
    const char* end = reader.skip_value(at, depth);
    if (end) *value = make(std::string(at, end));
    return end;
  }
  Value pick(const Choices&, const json::Number&, bool*) noexcept { return nullptr; }

  Value container(const Node& node, Value* values, std::size_t count, bool unique,
                  std::int64_t* bad) noexcept {
    std::string out = node.kind == Kind::dict ? "{" : "[";
    for (std::size_t i = 0; i < count; ++i) {
      if (unique && node.kind == Kind::dict && i > 0 && i % 2 == 0 &&
          *values[i] == *values[i - 2]) {
        *bad = static_cast<std::int64_t>(i / 2);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      out += (i ? " " : "") + *values[i];
      drop(values[i]);
    }
    return *bad >= 0 ? nullptr : make(out + (node.kind == Kind::dict ? "}" : "]"));
  }
  Value record(const Record& record, Value* values) noexcept {
    std::string out = "(";
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      if (!values[i]) continue;
      out.append(record.fields[i].name).append("=").append(*values[i]).append(" ");
      drop(values[i]);
    }
    return make(out + ")");
  }
  bool default_of(const Field& field, Value* value) noexcept {
    if (field.default_value) *value = shared(field.default_value);
    return true;
  }
  Value call(const Node&, Value value) noexcept {
    const std::string text = *value;
    drop(value);
    excuse_ = text == "'bad'" ? "it is bad" : "";
    return excuse_.empty() ? make("called " + text) : nullptr;
  }
  bool surely_holds(const Node&, Value) const noexcept { return false; }
  // The rules of these tests are all about the length of the text.
  bool apply(const Node& node, Value* value, const Rule** broken, std::int64_t* number) noexcept {
    *number = static_cast<std::int64_t>((*value)->size());
    for (const Rule* rule : node.rules) {
      if (*number > rule->integer) *broken = rule;
    }
    return true;
  }
  bool excuse(Slug* slug, std::string_view* text) noexcept {
    *slug = Slug::value_error;
    *text = excuse_;
    return true;
  }
  template <class Machine, class Item>
  Value delegate(Machine& machine, const Node&, Item item) noexcept {
    return make("delegated " + std::string(machine.input().offender(item).json));
  }
  template <class Machine>
  Value delegate_text(Machine&, const Node&, std::string_view text) noexcept {
    return make("delegated " + std::string(text));
  }
  // The last value, as the text that a JSON document would have had.
  Offender text_offender(const TextValue* values, std::uint32_t count, bool) noexcept {
    return {nullptr, count ? values[count - 1].value : std::string_view()};
  }

 private:
  int alive_ = 0;
  std::string excuse_;
};

}  // namespace lanner::schema
