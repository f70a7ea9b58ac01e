// sys/process_test.cpp: this process.

#include "sys/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace lanner::sys {
namespace {

TEST(Process, KnowsItsId) { EXPECT_EQ(process_id(), static_cast<std::uint32_t>(::getpid())); }

}  // namespace
}  // namespace lanner::sys
