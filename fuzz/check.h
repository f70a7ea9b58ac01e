// fuzz/check.h: a claim that a fuzz target makes: false ends the run with a report of the input.

#pragma once

#define LANNER_FUZZ_CHECK(claim)    \
  do {                              \
    if (!(claim)) __builtin_trap(); \
  } while (false)
