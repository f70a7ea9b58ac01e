#include <cstring>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "base/result.h"

namespace lanner {
namespace {

constexpr Errc kAll[] = {
#define LANNER_ERROR(name, text, status, python) Errc::name,
#include "base/errors.def"
#undef LANNER_ERROR
};

TEST(Errors, EachHasItsOwnRow) {
  EXPECT_EQ(error_name(Errc::ok), "ok");
  EXPECT_EQ(error_name(Errc::bare_lf), "bare_lf");
  EXPECT_EQ(error_text(Errc::bare_lf), "line ended by a bare LF");
  EXPECT_EQ(error_status(Errc::bare_lf), 400);
  EXPECT_STREQ(error_python_class(Errc::bare_lf), "ValueError");
  EXPECT_EQ(error_name(Errc::application_failed), "application_failed");
}

TEST(Errors, NamesAreUnique) {
  std::set<std::string_view> names;
  for (Errc code : kAll) EXPECT_TRUE(names.insert(error_name(code)).second) << error_name(code);
}

TEST(Errors, TextsReadAsPartsOfALine) {
  for (Errc code : kAll) {
    const std::string_view text = error_text(code);
    ASSERT_FALSE(text.empty()) << error_name(code);
    EXPECT_NE(text.back(), '.') << text;
    EXPECT_EQ(text.find('\n'), text.npos) << text;
  }
}

TEST(Errors, StatusesAreErrorsOrNone) {
  for (Errc code : kAll) {
    const int status = error_status(code);
    EXPECT_TRUE(status == 0 || (status >= 400 && status <= 599)) << error_name(code);
  }
}

TEST(Errors, OnlyOkHasNoPythonClass) {
  for (Errc code : kAll) {
    EXPECT_EQ(std::strlen(error_python_class(code)) == 0, code == Errc::ok) << error_name(code);
  }
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good(7);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 7);
  EXPECT_EQ(good.code(), Errc::ok);
  const Result<int> bad(Error{Errc::bare_cr, 12});
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error(), (Error{Errc::bare_cr, 12}));
}

TEST(Result, OfVoidIsGoodByDefault) {
  EXPECT_TRUE(Result<void>());
  const Result<void> bad(os_error(11));
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.code(), Errc::os_error);
  EXPECT_EQ(bad.error().detail, 11u);
}

}  // namespace
}  // namespace lanner
