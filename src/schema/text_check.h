// schema/text_check.h: says what is wrong with the text of a scalar without making its value, which only Python could.
//
// What it says is what the machine would say of the same text (text_input.h): both read it by text_leaf.h. What it can
// not tell it leaves to the machine.

#pragma once

#include <cstdint>
#include <string_view>

#include "schema/errors.h"
#include "schema/plan.h"

namespace lanner::schema {

// A scalar whose rules are scalar_rules.h's, and whose errors can be written without Python.
bool is_text_checkable(const Plan& plan) noexcept;

enum class TextFit : std::uint8_t {
  fits,
  error,   // it has been added
  unsure,  // ask the machine
};

// One text, not necessarily UTF-8. REQUIRES: is_text_checkable(plan).
TextFit check_text(const Plan& plan, std::string_view text, ErrorList& errors) noexcept;

}  // namespace lanner::schema
