#include "router/converter.h"

#include <string>

#include <gtest/gtest.h>

#include "router/limits.h"

namespace lanner::router {
namespace {

TEST(Converter, HasStarlettesNames) {
  for (const char* name : {"uuid", "int", "float", "str", "path"}) {
    Converter converter;
    ASSERT_TRUE(converter_from_name(name, &converter));
    EXPECT_EQ(converter_name(converter), name);
  }
  Converter converter;
  for (const char* name : {"", "Int", "integer", "string", "int "}) {
    EXPECT_FALSE(converter_from_name(name, &converter)) << name;
  }
}

TEST(Converter, TakesWhatItNames) {
  const struct {
    Converter converter;
    const char* raw;
    bool takes;
  } kCases[] = {
      {Converter::integer, "0", true},
      {Converter::integer, "007", true},
      {Converter::integer, "12345678901234567890", true},
      {Converter::integer, "%31%32", true},
      {Converter::integer, "1%32", true},
      {Converter::integer, "", false},
      {Converter::integer, "-1", false},
      {Converter::integer, "+1", false},
      {Converter::integer, "1.0", false},
      {Converter::integer, "1_0", false},
      {Converter::integer, "1a", false},
      {Converter::integer, "a1", false},
      {Converter::integer, "%2D1", false},
      {Converter::integer, "1%20", false},
      {Converter::floating, "1", true},
      {Converter::floating, "1.5", true},
      {Converter::floating, "001.500", true},
      {Converter::floating, "1%2E5", true},
      {Converter::floating, ".5", false},
      {Converter::floating, "5.", false},
      {Converter::floating, ".", false},
      {Converter::floating, "", false},
      {Converter::floating, "1.2.3", false},
      {Converter::floating, "1e5", false},
      {Converter::floating, "-1.5", false},
      {Converter::floating, "nan", false},
      {Converter::uuid, "01234567-89ab-cdef-0123-456789ABCDEF", true},
      {Converter::uuid, "0123456789abcdef0123456789abcdef", true},
      {Converter::uuid, "0123456789ab-cdef-0123456789abcdef", true},
      {Converter::uuid, "%301234567%2D89ab-cdef-0123-456789abcdef", true},
      {Converter::uuid, "0123456789abcdef0123456789abcde", false},
      {Converter::uuid, "0123456789abcdef0123456789abcdef0", false},
      {Converter::uuid, "-0123456789abcdef0123456789abcdef", false},
      {Converter::uuid, "0123456789abcdef0123456789abcdef-", false},
      {Converter::uuid, "0123456-789abcdef0123456789abcdef", false},
      {Converter::uuid, "0123456789abcdef0123456789abcdeg", false},
      {Converter::uuid, "{01234567-89ab-cdef-0123-456789abcdef}", false},
      {Converter::uuid, "", false},
      {Converter::str, "x", true},
      {Converter::str, "%2F", true},
      {Converter::str, "", false},
      {Converter::path, "", true},
      {Converter::path, "a/b", true},
  };
  for (const auto& one : kCases) {
    EXPECT_EQ(converts(one.converter, one.raw), one.takes)
        << converter_name(one.converter) << " " << one.raw;
  }
}

TEST(Converter, AnIntegerHasAsManyDigitsAsCanBeConverted) {
  const std::string digits(kIntegerDigitsMax, '7');
  EXPECT_TRUE(converts(Converter::integer, digits));
  EXPECT_FALSE(converts(Converter::integer, digits + "7"));
}

TEST(Converter, TakesTheLongestFromTheRight) {
  const struct {
    Converter converter;
    const char* text;
    int at;  // where it begins; -1: nowhere
  } kCases[] = {
      {Converter::integer, "x12", 1},
      {Converter::integer, "1-22", 2},
      {Converter::integer, "12x", -1},
      {Converter::floating, "x1.5", 1},
      {Converter::floating, "1.2.3", 2},
      {Converter::floating, "x.5", 2},
      {Converter::floating, "5.", -1},
      {Converter::uuid, "x0123456789abcdef0123456789abcdef", 1},
      {Converter::uuid, "a-0123456789abcdef0123456789abcdef", 2},
      {Converter::uuid, "0123", -1},
  };
  for (const auto& one : kCases) {
    const std::string text = one.text;
    const char* at = take_back(one.converter, text.data(), text.data() + text.size());
    EXPECT_EQ(at ? at - text.data() : -1, one.at) << text;
  }
}

}  // namespace
}  // namespace lanner::router
