#include "schema/text_check.h"

#include "base/buffer.h"
#include "json/utf8.h"
#include "schema/error_text.h"
#include "schema/scalar_rules.h"
#include "schema/temporal.h"
#include "schema/text_leaf.h"

namespace lanner::schema {

namespace {

// What text_leaf.h makes of a text.
struct Made {
  enum class Is : std::uint8_t { other, integer, floating, text } is = Is::other;
  std::int64_t integer = 0;
  double floating = 0;
  std::string_view text;
};

// Builder and machine for text_leaf.h: the value is the only one, and errors are written down.
class Check final {
 public:
  using Value = const Made*;  // null: an error, or unsure

  Check(const Plan& plan, ErrorList& errors) noexcept : plan_(plan), errors_(errors) {}
  TextFit run(std::string_view text) noexcept;

  // As Machine.
  const Plan& plan() const noexcept { return plan_; }
  Check& builder() noexcept { return *this; }
  void coerced(Exactness) noexcept {}
  void abort() noexcept { unsure_ = true; }
  Value no_memory() noexcept { return leave(); }
  Value fail(Slug slug, std::string_view item, const Rule* rule = nullptr,
             std::string_view error = {}, std::int64_t number = -1) noexcept;

  // As SchemaBuilder.
  bool too_many_digits() noexcept { return false; }
  Value boolean(bool) noexcept { return other(); }
  Value integer(std::int64_t value) noexcept {
    made_ = {Made::Is::integer, value, 0, {}};
    return &made_;
  }
  Value floating(double value) noexcept {
    made_ = {Made::Is::floating, 0, value, {}};
    return &made_;
  }
  Value utf8(std::string_view text) noexcept {
    made_ = {Made::Is::text, 0, 0, text};
    return &made_;
  }
  Value big_integer(std::string_view) noexcept { return leave(); }
  Value bytes(std::string_view) noexcept { return other(); }
  Value date(const Date&) noexcept { return other(); }
  Value time(const Time&) noexcept { return other(); }
  Value datetime(const DateTime&) noexcept { return other(); }
  Value timedelta(const Duration&) noexcept { return other(); }
  Value uuid(const std::uint8_t (&)[16]) noexcept { return other(); }
  Value decimal(std::string_view) noexcept { return leave(); }
  Value shared(void*) noexcept { return other(); }
  template <class Machine, class Item>
  Value delegate(Machine&, const Node&, Item) noexcept {
    return leave();
  }

 private:
  Value other() noexcept {
    made_ = {};
    return &made_;
  }
  Value leave() noexcept {
    unsure_ = true;
    return nullptr;
  }
  const Rule* broken(const Node& node, const Made& value) noexcept;

  const Plan& plan_;
  ErrorList& errors_;
  Made made_;
  bool unsure_ = false;
};

Check::Value Check::fail(Slug slug, std::string_view item, const Rule* rule, std::string_view error,
                         std::int64_t number) noexcept {
  Buffer json;
  if (!append_json_string(item, &json) || json.size() > kInputTextMax) return leave();
  if (!errors_.add(slug, rule, {nullptr, json.view()}, number, error) && errors_.no_memory())
    return leave();
  return nullptr;
}

const Rule* Check::broken(const Node& node, const Made& value) noexcept {
  switch (value.is) {
    case Made::Is::integer:
      return broken_rule(node, value.integer);
    case Made::Is::floating:
      return broken_rule(node, value.floating);
    case Made::Is::text:
      return broken_rule(node, value.text, &unsure_);
    case Made::Is::other:
      break;
  }
  return nullptr;
}

// Most values are short ASCII.
bool is_utf8(std::string_view text) noexcept {
  constexpr std::size_t kShort = 32;
  unsigned char any = 0;
  for (const char c : text.substr(0, kShort)) any |= static_cast<unsigned char>(c);
  return (any < 0x80 && text.size() <= kShort) || json::is_utf8(text);
}

TextFit Check::run(std::string_view text) noexcept {
  if (!is_utf8(text)) return TextFit::unsure;
  const Node& node = *plan_.root;
  const Profile profile = plan_.profile == Profile::compat ? Profile::compat : Profile::text;
  const Value value = leaf_from_text(*this, node, text, text, profile, false);
  if (!value || unsure_) return unsure_ ? TextFit::unsure : TextFit::error;
  const Rule* rule = broken(node, *value);
  if (unsure_) return TextFit::unsure;
  if (!rule) return TextFit::fits;
  const bool length = rule->demand == Demand::min_length || rule->demand == Demand::max_length;
  const auto number =
      length ? static_cast<std::int64_t>(json::shape_of(value->text).code_points) : -1;
  (void)fail(rule->slug, text, rule, {}, number);
  return unsure_ ? TextFit::unsure : TextFit::error;
}

bool is_checkable_kind(Kind kind) noexcept {
  switch (kind) {
    case Kind::boolean:
    case Kind::integer:
    case Kind::floating:
    case Kind::string:
    case Kind::datetime:
    case Kind::date:
    case Kind::time:
    case Kind::timedelta:
    case Kind::uuid:
    case Kind::choice:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool is_text_checkable(const Plan& plan) noexcept {
  const Node& node = *plan.root;
  if (!is_checkable_kind(node.kind) || !has_scalar_rules(node)) return false;
  if (node.kind == Kind::choice &&
      (!node.choices->rule || !has_written_context(*node.choices->rule)))
    return false;
  for (const Rule* rule : node.rules) {
    if (!has_written_context(*rule)) return false;
  }
  return true;
}

TextFit check_text(const Plan& plan, std::string_view text, ErrorList& errors) noexcept {
  return Check(plan, errors).run(text);
}

}  // namespace lanner::schema
