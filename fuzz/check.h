// fuzz/check.h: a claim that a fuzz target makes: false ends the run with a report of the input.

#pragma once

#include <cstdio>

#define LANNER_FUZZ_CHECK(claim)                                                     \
  do {                                                                               \
    if (!(claim)) {                                                                  \
      (void)std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim); \
      __builtin_trap();                                                              \
    }                                                                                \
  } while (false)
