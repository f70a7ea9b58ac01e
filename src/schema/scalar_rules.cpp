#include "schema/scalar_rules.h"

#include <algorithm>

#include "json/utf8.h"

namespace lanner::schema {

namespace {

bool is_bound(Demand demand) noexcept { return demand >= Demand::le && demand <= Demand::gt; }

template <class Number>
bool compares(Demand demand, Number value, Number bound) noexcept {
  switch (demand) {
    case Demand::ge:
      return value >= bound;
    case Demand::gt:
      return value > bound;
    case Demand::le:
      return value <= bound;
    default:
      return value < bound;
  }
}

// Negative divisors too: a remainder of zero is one whatever its sign would be.
bool is_multiple(std::int64_t value, std::int64_t of) noexcept {
  return of == 1 || of == -1 || value % of == 0;
}

bool is_scalar_rule(Kind kind, const Rule& rule) noexcept {
  switch (kind) {
    case Kind::integer:
      return rule.has_integer &&
             (is_bound(rule.demand) || (rule.demand == Demand::multiple_of && rule.integer != 0));
    case Kind::floating:
      return rule.has_floating && is_bound(rule.demand);
    case Kind::string:
      if (rule.demand == Demand::pattern) return rule.pattern != nullptr;
      return rule.demand == Demand::min_length || rule.demand == Demand::max_length;
    default:
      return false;
  }
}

}  // namespace

bool has_scalar_rules(const Node& node) noexcept {
  return std::all_of(node.rules.begin(), node.rules.end(), [&node](const Rule* rule) noexcept {
    return is_scalar_rule(node.kind, *rule);
  });
}

const Rule* broken_rule(const Node& node, std::int64_t value) noexcept {
  for (const Rule* rule : node.rules) {
    const bool holds = rule->demand == Demand::multiple_of
                           ? is_multiple(value, rule->integer)
                           : compares(rule->demand, value, rule->integer);
    if (!holds) return rule;
  }
  return nullptr;
}

const Rule* broken_rule(const Node& node, double value) noexcept {
  for (const Rule* rule : node.rules) {
    if (!compares(rule->demand, value, rule->floating)) return rule;
  }
  return nullptr;
}

const Rule* broken_rule(const Node& node, std::string_view text, bool* no_memory) noexcept {
  if (node.rules.empty()) return nullptr;
  const auto length = static_cast<std::int64_t>(json::shape_of(text).code_points);
  for (const Rule* rule : node.rules) {
    bool holds = true;
    if (rule->demand == Demand::pattern) {
      const Pattern::Found found = rule->pattern->found_in(text);
      *no_memory = *no_memory || found == Pattern::Found::no_memory;
      holds = found != Pattern::Found::no;
    } else {
      holds =
          rule->demand == Demand::min_length ? length >= rule->integer : length <= rule->integer;
    }
    if (!holds) return rule;
  }
  return nullptr;
}

}  // namespace lanner::schema
