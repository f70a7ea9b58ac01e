// python/json/time.h: dates and times as RFC 3339 text in quotes.

#pragma once

#include "python/json/encoder.h"

namespace lanner::python {

// The error: null = none; otherwise its text, or kRaised when an exception is set.
using TimeProblem = const char*;
extern const char* const kTimeRaised;

inline constexpr std::size_t kTimeRoom = 40;

// Each writes up to kTimeRoom bytes at *to and moves it. REQUIRES: an object of that type.
TimeProblem write_datetime(char** to, PyObject* value, const PyDateTime_CAPI& api,
                           const JsonOptions& options) noexcept;
void write_date(char** to, PyObject* value) noexcept;
TimeProblem write_time(char** to, PyObject* value, const PyDateTime_CAPI& api,
                       const JsonOptions& options) noexcept;

}  // namespace lanner::python
