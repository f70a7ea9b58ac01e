// sys/process_test.cpp: this process.

#include "sys/process.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace lanner::sys {
namespace {

TEST(Process, KnowsItsId) { EXPECT_EQ(process_id(), static_cast<std::uint32_t>(::getpid())); }

TEST(Process, KnowsHowManyDescriptorsItMayHave) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit now = before;
  now.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_EQ(descriptors_max(), 100u);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace lanner::sys
