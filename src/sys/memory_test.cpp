#include "sys/memory.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace lanner::sys {
namespace {

// A small /proc and /sys of its own.
class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/lanner-memory-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::uint64_t bytes() const { return memory_bytes(root_.c_str()); }

  std::uint64_t machine_ = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));

 private:
  std::string root_;
};

TEST_F(Memory, IsTheMachinesWithoutAnyGroup) { EXPECT_EQ(bytes(), machine_); }

TEST_F(Memory, IsTheGroupsWhereThatIsLess) {
  write("/proc/self/cgroup", "0::/app\n");
  write("/sys/fs/cgroup/app/memory.max", "1048576\n");
  EXPECT_EQ(bytes(), 1'048'576u);
}

TEST_F(Memory, IsTheLeastOfAGroupAndThoseAboveIt) {
  write("/proc/self/cgroup", "0::/outer/inner\n");
  write("/sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("/sys/fs/cgroup/outer/memory.max", "2097152\n");
  EXPECT_EQ(bytes(), 2'097'152u);
}

TEST_F(Memory, IsFoundAtTheRootInsideAContainer) {
  write("/proc/self/cgroup", "0::/docker/0123456789\n");
  write("/sys/fs/cgroup/memory.max", "3145728\n");
  EXPECT_EQ(bytes(), 3'145'728u);
}

TEST_F(Memory, IsTheMachinesWhereTheGroupHasNoLimit) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(bytes(), machine_);
}

TEST_F(Memory, KnowsTheFirstVersionsHierarchy) {
  write("/proc/self/cgroup", "9:cpu,cpuacct:/x\n4:hugetlb,memory:/x\n0::/\n");
  write("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "4194304\n");
  EXPECT_EQ(bytes(), 4'194'304u);
  write("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(bytes(), machine_);
}

TEST_F(Memory, OverlooksWhatItCannotRead) {
  write("/proc/self/cgroup", "nonsense\n\n1:memory\n0::/app");
  write("/sys/fs/cgroup/app/memory.max", "");
  EXPECT_EQ(bytes(), machine_);
}

}  // namespace
}  // namespace lanner::sys
