// schema/scalar_rules.h: the rules of integers, floats and texts that need no object of any language: bounds, multiples,
// lengths, patterns.

#pragma once

#include <cstdint>
#include <string_view>

#include "schema/plan.h"

namespace lanner::schema {

// All rules of the node can be decided here.
bool has_scalar_rules(const Node& node) noexcept;

// The first rule that is broken; null: all hold. REQUIRES, in all below: has_scalar_rules().
const Rule* broken_rule(const Node& node, std::int64_t value) noexcept;
const Rule* broken_rule(const Node& node, double value) noexcept;
// `text` is UTF-8. *no_memory is set where a pattern could not be tried.
const Rule* broken_rule(const Node& node, std::string_view text, bool* no_memory) noexcept;

}  // namespace lanner::schema
