#include "http/method.h"

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

TEST(Method, TextAndIdAgree) {
  for (const Method method : {Method::get, Method::head, Method::post, Method::put, Method::delete_,
                              Method::connect, Method::options, Method::trace, Method::patch}) {
    EXPECT_EQ(method_from_text(method_text(method)), method);
    EXPECT_FALSE(method_text(method).empty());
  }
  EXPECT_EQ(method_text(Method::delete_), "DELETE");
  EXPECT_EQ(method_text(Method::unknown), "");
}

TEST(Method, IsCaseSensitive) {
  EXPECT_EQ(method_from_text("get"), Method::unknown);
  EXPECT_EQ(method_from_text("Get"), Method::unknown);
}

TEST(Method, OthersAreUnknown) {
  EXPECT_EQ(method_from_text(""), Method::unknown);
  EXPECT_EQ(method_from_text("PROPFIND"), Method::unknown);
  EXPECT_EQ(method_from_text("GETS"), Method::unknown);
  EXPECT_EQ(method_from_text("GE"), Method::unknown);
}

}  // namespace
}  // namespace lanner::http
