// schema/text_leaf.h: leaves from text, numbers and booleans: one set of rules for JSON, for path,
// query, header, cookie and form values, for keys of objects, and for str objects.
//
// Machine: see machine.h. All return the value, or null after machine.fail() or machine.abort().

#pragma once

#include <cmath>
#include <string_view>

#include "json/number.h"
#include "schema/match.h"
#include "schema/scalars.h"
#include "schema/temporal.h"

namespace lanner::schema {

template <class Machine>
typename Machine::Value made_or_stop(Machine& machine, typename Machine::Value value) noexcept {
  if (!value) machine.abort();
  return value;
}

template <class Machine, class Item>
typename Machine::Value finite(Machine& machine, const Node& node, Item item,
                               double value) noexcept {
  if (!std::isfinite(value) && !node.allow_inf_nan) return machine.fail(Slug::finite_number, item);
  return made_or_stop(machine, machine.builder().floating(value));
}

// An integer of more digits than 64 bits hold; Python may be told to read fewer than kMaxDigits.
template <class Machine, class Item>
typename Machine::Value big_integer(Machine& machine, Item item, std::string_view digits) noexcept {
  typename Machine::Value value = machine.builder().big_integer(digits);
  if (!value && machine.builder().too_many_digits())
    return machine.fail(Slug::int_parsing_size, item);
  return made_or_stop(machine, value);
}

template <class Machine, class Item>
typename Machine::Value integer_from_text(Machine& machine, Item item, std::string_view text,
                                          Profile profile) noexcept {
  IntegerText number;
  Slug slug = Slug::int_parsing;
  if (!parse_integer(text, profile, &number, &slug)) return machine.fail(slug, item);
  if (!number.fits) return big_integer(machine, item, number.digits);
  return made_or_stop(machine, machine.builder().integer(number.value));
}

template <class Machine, class Item>
typename Machine::Value floating_from_text(Machine& machine, const Node& node, Item item,
                                           std::string_view text, Profile profile) noexcept {
  Buffer clean;
  if (profile == Profile::compat) {
    text = trim(text);
    if (!has_single_underscores(text)) return machine.fail(Slug::float_parsing, item);
    if (!drop_underscores(&text, &clean)) return machine.no_memory();
  }
  double value = 0;
  if (!parse_floating(text, profile, &value)) return machine.fail(Slug::float_parsing, item);
  return finite(machine, node, item, value);
}

// Seconds as pydantic takes them in text: digits, a sign, a point.
inline bool parse_epoch(std::string_view text, double* seconds) noexcept {
  return text.find_first_not_of("+-.0123456789") == std::string_view::npos &&
         parse_floating(text, Profile::text, seconds);
}

template <class Machine, class Item>
typename Machine::Value date_from_text(Machine& machine, Item item, std::string_view text,
                                       Profile profile) noexcept {
  Date date;
  const char* why = parse_date(text, &date);
  if (!why) return made_or_stop(machine, machine.builder().date(date));
  if (profile != Profile::compat) return machine.fail(Slug::date_parsing, item, nullptr, why);
  machine.coerced(Exactness::lax);
  DateTime moment;
  double epoch = 0;
  if (parse_epoch(text, &epoch)) {
    why = datetime_from_seconds(epoch, &moment);
  } else {
    why = parse_datetime(text, &moment);
  }
  if (why) return machine.fail(Slug::date_from_datetime_parsing, item, nullptr, why);
  const Time& time = moment.time;
  if (time.hour || time.minute || time.second || time.microsecond) {
    return machine.fail(Slug::date_from_datetime_inexact, item);
  }
  return made_or_stop(machine, machine.builder().date(moment.date));
}

template <class Machine, class Item>
typename Machine::Value datetime_from_text(Machine& machine, Item item, std::string_view text,
                                           Profile profile) noexcept {
  DateTime moment;
  const char* why = parse_datetime(text, &moment);
  if (why && profile == Profile::compat) {
    double epoch = 0;
    if (parse_epoch(text, &epoch)) {
      why = datetime_from_seconds(epoch, &moment);
    } else {
      machine.coerced(Exactness::lax);
      why = parse_date(text, &moment.date);
      if (why) return machine.fail(Slug::datetime_from_date_parsing, item, nullptr, why);
    }
  }
  if (why) return machine.fail(Slug::datetime_parsing, item, nullptr, why);
  return made_or_stop(machine, machine.builder().datetime(moment));
}

template <class Machine, class Item>
typename Machine::Value decimal_from_text(Machine& machine, const Node& node, Item item,
                                          std::string_view text, Profile profile) noexcept {
  Buffer clean;
  if (profile == Profile::compat) {
    text = trim(text);
    if (!drop_underscores(&text, &clean)) return machine.no_memory();
  }
  if (is_decimal(text)) return made_or_stop(machine, machine.builder().decimal(text));
  double value = 0;
  const bool not_finite = parse_floating(text, Profile::compat, &value) && !std::isfinite(value) &&
                          text.find_first_of("0123456789") == std::string_view::npos;
  if (not_finite && node.allow_inf_nan)
    return made_or_stop(machine, machine.builder().decimal(text));
  return machine.fail(not_finite ? Slug::finite_number : Slug::decimal_parsing, item);
}

template <class Machine, class Item>
typename Machine::Value choice_from_text(Machine& machine, const Node& node, Item item,
                                         std::string_view text, Profile profile,
                                         bool is_key) noexcept {
  const Choices& choices = *node.choices;
  if (choices.type) machine.coerced(Exactness::lax);
  const int position = choices.text_index.find(text);
  if (position >= 0)
    return machine.builder().shared(choices.texts[static_cast<std::size_t>(position)].value);
  IntegerText number;
  Slug slug = Slug::enum_;
  // In compat only where the choices are ints themselves, members of an IntEnum.
  const bool coerce = profile == Profile::text || is_key;
  const bool lax = coerce || (profile == Profile::compat && choices.of_integers);
  if (lax && !choices.numbers.empty() && parse_integer(text, profile, &number, &slug) &&
      number.fits) {
    for (const Choices::Number& choice : choices.numbers) {
      if (choice.number == number.value) return machine.builder().shared(choice.value);
    }
  }
  bool truth = false;
  if (coerce && (choices.true_value || choices.false_value) &&
      parse_boolean(text, profile, &truth)) {
    void* value = truth ? choices.true_value : choices.false_value;
    if (value) return machine.builder().shared(value);
  }
  return machine.fail(choices.rule->slug, item, choices.rule);
}

template <class Machine, class Item>
typename Machine::Value uuid_from_text(Machine& machine, Item item,
                                       std::string_view text) noexcept {
  std::uint8_t bytes[16];
  UuidProblem why;
  if (!parse_uuid(text, bytes, &why))
    return machine.fail(Slug::uuid_parsing, item, nullptr, why.view());
  return made_or_stop(machine, machine.builder().uuid(bytes));
}

template <class Machine, class Item>
typename Machine::Value span_from_text(Machine& machine, Item item,
                                       std::string_view text) noexcept {
  Duration span;
  if (const char* why = parse_duration(text, &span)) {
    return machine.fail(Slug::time_delta_parsing, item, nullptr, why);
  }
  return made_or_stop(machine, machine.builder().timedelta(span));
}

template <class Machine, class Item>
typename Machine::Value time_from_text(Machine& machine, Item item,
                                       std::string_view text) noexcept {
  Time time;
  if (const char* why = parse_time(text, &time))
    return machine.fail(Slug::time_parsing, item, nullptr, why);
  return made_or_stop(machine, machine.builder().time(time));
}

// `text` is UTF-8. is_key: a key of a JSON object, which can only be text, so that numbers are read
// out of it.
template <class Machine, class Item>
typename Machine::Value leaf_from_text(Machine& machine, const Node& node, Item item,
                                       std::string_view text, Profile profile,
                                       bool is_key) noexcept {
  auto& builder = machine.builder();
  const Profile lax = profile == Profile::json ? Profile::text : profile;
  if (node.kind == Kind::boolean || node.kind == Kind::integer || node.kind == Kind::floating)
    machine.coerced(Exactness::lax);
  switch (node.kind) {
    case Kind::any:
    case Kind::string:
      return made_or_stop(machine, builder.utf8(text));
    case Kind::boolean: {
      bool value = false;
      if (!parse_boolean(text, lax, &value)) return machine.fail(Slug::bool_parsing, item);
      return builder.boolean(value);
    }
    case Kind::integer:
      return integer_from_text(machine, item, text, lax);
    case Kind::floating:
      return floating_from_text(machine, node, item, text, lax);
    case Kind::bytes:
      return made_or_stop(machine, builder.bytes(text));
    case Kind::datetime:
      return datetime_from_text(machine, item, text, profile);
    case Kind::date:
      return date_from_text(machine, item, text, profile);
    case Kind::time:
      return time_from_text(machine, item, text);
    case Kind::timedelta:
      return span_from_text(machine, item, text);
    case Kind::uuid:
      return uuid_from_text(machine, item, text);
    case Kind::decimal:
      return decimal_from_text(machine, node, item, text, profile);
    case Kind::choice:
      return choice_from_text(machine, node, item, text, profile, is_key);
    case Kind::delegate:
      return builder.delegate(machine, node, item);
    default:
      return machine.fail(node.wrong_type, item, node.wrong);
  }
}

template <class Machine, class Item>
typename Machine::Value integer_from_number(Machine& machine, const Node& node, Item item,
                                            const json::Number& number) noexcept {
  auto& builder = machine.builder();
  if (number.kind != json::NumberKind::real) return big_integer(machine, item, number.text);
  if (profile_of(machine.plan(), node) != Profile::compat)
    return machine.fail(node.wrong_type, item);
  if (number.real != std::floor(number.real)) return machine.fail(Slug::int_from_float, item);
  machine.coerced(Exactness::lax);
  return made_or_stop(machine, builder.integer_from_floating(number.real));
}

template <class Machine, class Item>
typename Machine::Value floating_from_number(Machine& machine, const Node& node, Item item,
                                             const json::Number& number) noexcept {
  double value = 0;
  if (number.kind != json::NumberKind::real) machine.coerced(Exactness::strict);
  switch (number.kind) {
    case json::NumberKind::int64:
      value = static_cast<double>(number.int64);
      break;
    case json::NumberKind::uint64:
      value = static_cast<double>(number.uint64);
      break;
    case json::NumberKind::real:
      value = number.real;
      break;
    case json::NumberKind::big:
      (void)parse_floating(number.text, Profile::text, &value);
      break;
  }
  return finite(machine, node, item, value);
}

template <class Machine, class Item>
typename Machine::Value choice_from_number(Machine& machine, const Node& node, Item item,
                                           const json::Number& number) noexcept {
  const Choices& choices = *node.choices;
  if (choices.type) machine.coerced(Exactness::lax);
  if (number.kind == json::NumberKind::int64) {
    for (const Choices::Number& choice : choices.numbers) {
      if (choice.number == number.int64) return machine.builder().shared(choice.value);
    }
  }
  bool failed = false;
  typename Machine::Value value = machine.builder().pick(choices, number, &failed);
  if (failed) machine.abort();
  return value || failed ? value : machine.fail(choices.rule->slug, item, choices.rule);
}

inline bool is_whole(const json::Number& number) noexcept {
  return number.kind == json::NumberKind::int64 ||
         (number.kind == json::NumberKind::real && std::fabs(number.real) < 0x1p63 &&
          number.real == std::floor(number.real));
}

// The compat profile's reading of numbers as moments: seconds.
template <class Machine, class Item>
typename Machine::Value moment_from_number(Machine& machine, const Node& node, Item item,
                                           const json::Number& number) noexcept {
  auto& builder = machine.builder();
  const double seconds = number.kind == json::NumberKind::real ? number.real
                         : number.kind == json::NumberKind::int64
                             ? static_cast<double>(number.int64)
                         : number.text.starts_with('-') ? -1e300  // beyond all of them
                                                        : 1e300;
  DateTime moment;
  Duration span;
  switch (node.kind) {
    case Kind::timedelta:
      if (const char* why = duration_from_seconds(seconds, &span))
        return machine.fail(Slug::time_delta_parsing, item, nullptr, why);
      return made_or_stop(machine, builder.timedelta(span));
    case Kind::time:
      if (const char* why = time_from_seconds(seconds, &moment.time))
        return machine.fail(Slug::time_parsing, item, nullptr, why);
      return made_or_stop(machine, builder.time(moment.time));
    case Kind::datetime:
      if (const char* why = datetime_from_seconds(seconds, &moment))
        return machine.fail(Slug::datetime_parsing, item, nullptr, why);
      return made_or_stop(machine, builder.datetime(moment));
    default:
      break;
  }
  if (const char* why = datetime_from_seconds(seconds, &moment))
    return machine.fail(Slug::date_from_datetime_parsing, item, nullptr, why);
  const Time& time = moment.time;
  if (time.hour || time.minute || time.second || time.microsecond) {
    return machine.fail(Slug::date_from_datetime_inexact, item);
  }
  return made_or_stop(machine, builder.date(moment.date));
}

template <class Machine, class Item>
typename Machine::Value leaf_from_number(Machine& machine, const Node& node, Item item,
                                         const json::Number& number) noexcept {
  auto& builder = machine.builder();
  const bool compat = profile_of(machine.plan(), node) == Profile::compat;
  if (node.kind == Kind::any) machine.took_anything();
  if (node.kind == Kind::decimal) machine.coerced(Exactness::strict);
  if (node.kind == Kind::boolean || (node.kind >= Kind::datetime && node.kind <= Kind::timedelta))
    machine.coerced(Exactness::lax);
  switch (node.kind) {
    case Kind::any:
      if (number.kind == json::NumberKind::big) return big_integer(machine, item, number.text);
      return made_or_stop(machine, builder.number(number));
    case Kind::integer:
      return integer_from_number(machine, node, item, number);
    case Kind::floating:
      return floating_from_number(machine, node, item, number);
    case Kind::boolean:
      if (compat && number.kind == json::NumberKind::int64 &&
          (number.int64 == 0 || number.int64 == 1)) {
        return builder.boolean(number.int64 == 1);
      }
      if (compat && number.kind == json::NumberKind::real &&
          (number.real == 0.0 || number.real == 1.0)) {
        return builder.boolean(number.real == 1.0);
      }
      return machine.fail(compat && is_whole(number) ? Slug::bool_parsing : Slug::bool_type, item);
    case Kind::decimal:
      if (!is_decimal(number.text)) return machine.fail(Slug::decimal_parsing, item);
      return made_or_stop(machine, builder.decimal(number.text));
    case Kind::choice:
      return choice_from_number(machine, node, item, number);
    case Kind::date:
    case Kind::datetime:
    case Kind::time:
    case Kind::timedelta:
      if (compat) return moment_from_number(machine, node, item, number);
      return machine.fail(node.wrong_type, item);
    case Kind::delegate:
      return builder.delegate(machine, node, item);
    default:
      return machine.fail(node.wrong_type, item, node.wrong);
  }
}

template <class Machine, class Item>
typename Machine::Value leaf_from_boolean(Machine& machine, const Node& node, Item item,
                                          bool value) noexcept {
  auto& builder = machine.builder();
  const bool compat = profile_of(machine.plan(), node) == Profile::compat;
  if (node.kind == Kind::any) machine.took_anything();
  if (node.kind == Kind::integer || node.kind == Kind::floating) machine.coerced(Exactness::lax);
  switch (node.kind) {
    case Kind::any:
    case Kind::boolean:
      return builder.boolean(value);
    case Kind::integer:
      return compat ? made_or_stop(machine, builder.integer(value))
                    : machine.fail(node.wrong_type, item);
    case Kind::floating:
      return compat ? made_or_stop(machine, builder.floating(value))
                    : machine.fail(node.wrong_type, item);
    case Kind::choice: {
      void* choice = value ? node.choices->true_value : node.choices->false_value;
      if (choice) return builder.shared(choice);
      return machine.fail(node.choices->rule->slug, item, node.choices->rule);
    }
    case Kind::delegate:
      return builder.delegate(machine, node, item);
    default:
      return machine.fail(node.wrong_type, item, node.wrong);
  }
}

}  // namespace lanner::schema
