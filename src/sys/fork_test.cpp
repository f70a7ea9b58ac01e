#include "sys/fork.h"

#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanner::sys {
namespace {

class Guest final : public ForkGuest {
 public:
  int told = 0;

 private:
  void on_forked() noexcept override { ++told; }
};

// What `check` returns in a child; -1 if it did not end by itself.
template <class Check>
int in_child(Check check) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(check());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fork, TellsGuestsInTheChildOnly) {
  Guest one, two;
  EXPECT_EQ(in_child([&] { return one.told * 10 + two.told; }), 11);
  EXPECT_EQ(one.told + two.told, 0);
}

TEST(Fork, TellsNobodyWhoIsGone) {
  Guest stays;
  { const Guest goes; }
  EXPECT_EQ(in_child([&] { return stays.told; }), 1);
}

TEST(Fork, CountsTheProcessesBetween) {
  const Guest guest;
  const std::uint32_t born = fork_count();
  const int grandchild = in_child([&] {
    return static_cast<int>(fork_count() - born) * 10 +
           in_child([&] { return static_cast<int>(fork_count() - born); });
  });
  EXPECT_EQ(grandchild, 12);
  EXPECT_EQ(fork_count(), born);
}

TEST(Fork, AGuestMayBeMadeInAChild) {
  const Guest guest;
  EXPECT_EQ(in_child([] {
              Guest made;
              return in_child([&] { return made.told; }) + made.told;
            }),
            1);
}

TEST(Replacer, KeepsTheNumberForDevNull) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    const Replacer replacer;
    replacer.replace(ends[1]);
    replacer.replace(-1);
  }
  EXPECT_EQ(::write(ends[1], "lost", 4), 4);
  struct stat found {};
  struct stat null {};
  ASSERT_EQ(::fstat(ends[1], &found), 0);
  ASSERT_EQ(::stat("/dev/null", &null), 0);
  EXPECT_EQ(found.st_rdev, null.st_rdev);
  EXPECT_NE(::fcntl(ends[1], F_GETFD) & FD_CLOEXEC, 0);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "the pipe has no writer any more";
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace lanner::sys
