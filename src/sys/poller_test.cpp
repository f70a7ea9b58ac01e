#include "sys/poller.h"

#include <cerrno>
#include <utility>

#include <gtest/gtest.h>

#include "sys/sockets.h"
#include "sys/test_sockets.h"

namespace lanner::sys {
namespace {

class PollerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Poller> made = Poller::create();
    ASSERT_TRUE(made);
    poller_ = std::move(*made);
    pair_ = test::unix_pair();
    ASSERT_GE(pair_.ours, 0);
  }
  void TearDown() override {
    close(pair_.ours);
    close(pair_.theirs);
  }
  std::uint32_t ready_now() {
    const Result<int> count = poller_.wait(0);
    EXPECT_TRUE(count);
    if (!count || *count != 1) return 0;
    EXPECT_EQ(poller_.tag(0), this);
    return poller_.ready(0);
  }

  Poller poller_;
  test::Pair pair_;
};

TEST_F(PollerTest, TellsWhatIsReady) {
  ASSERT_TRUE(poller_.add(pair_.ours, Ready::readable | Ready::writable, this));
  EXPECT_EQ(ready_now(), Ready::writable);
  ASSERT_TRUE(test::send_all(pair_.theirs, "x"));
  EXPECT_EQ(ready_now(), Ready::readable | Ready::writable);
  EXPECT_EQ(ready_now(), Ready::readable | Ready::writable) << "level-triggered";
}

TEST_F(PollerTest, ChangesInterest) {
  ASSERT_TRUE(poller_.add(pair_.ours, Ready::readable, this));
  EXPECT_EQ(ready_now(), 0u);
  ASSERT_TRUE(poller_.change(pair_.ours, Ready::writable, this));
  EXPECT_EQ(ready_now(), Ready::writable);
  ASSERT_TRUE(poller_.change(pair_.ours, 0, this));
  EXPECT_EQ(ready_now(), 0u);
}

TEST_F(PollerTest, ForgetsWhatWasRemoved) {
  ASSERT_TRUE(poller_.add(pair_.ours, Ready::writable, this));
  poller_.remove(pair_.ours);
  EXPECT_EQ(ready_now(), 0u);
}

TEST_F(PollerTest, TellsHalfClose) {
  ASSERT_TRUE(poller_.add(pair_.ours, Ready::readable | Ready::peer_closed, this));
  shutdown_write(pair_.theirs);
  EXPECT_EQ(ready_now(), Ready::readable | Ready::peer_closed);
}

TEST_F(PollerTest, TellsHangUpEvenWithoutInterest) {
  ASSERT_TRUE(poller_.add(pair_.ours, 0, this));
  close(pair_.theirs);
  EXPECT_EQ(ready_now(), Ready::broken);
  pair_.theirs = -1;
}

TEST_F(PollerTest, TellsResetOfATcpPeer) {
  const test::Pair tcp = test::tcp_pair();
  ASSERT_GE(tcp.ours, 0);
  ASSERT_TRUE(poller_.add(tcp.ours, Ready::readable, this));
  close_reset(tcp.theirs);
  const Result<int> count = poller_.wait(test::kHangMs);
  ASSERT_TRUE(count);
  ASSERT_EQ(*count, 1);
  EXPECT_TRUE(poller_.ready(0) & Ready::broken);
  close(tcp.ours);
}

TEST_F(PollerTest, ClearsAStaleTag) {
  ASSERT_TRUE(poller_.add(pair_.ours, Ready::writable, this));
  ASSERT_EQ(*poller_.wait(0), 1);
  poller_.clear_tag(0);
  EXPECT_EQ(poller_.tag(0), nullptr);
  EXPECT_EQ(ready_now(), Ready::writable) << "only this batch forgets it";
}

TEST_F(PollerTest, ExclusiveInterestIsForAddOnly) {
  ASSERT_TRUE(poller_.add(pair_.ours, Ready::readable | Ready::exclusive, this));
  ASSERT_TRUE(test::send_all(pair_.theirs, "x"));
  EXPECT_EQ(ready_now(), Ready::readable);
  EXPECT_EQ(poller_.change(pair_.ours, Ready::readable, this).error(), os_error(EINVAL));
}

TEST_F(PollerTest, MovesItsDescriptor) {
  ASSERT_TRUE(poller_.add(pair_.ours, Ready::writable, this));
  const int descriptor = poller_.descriptor();
  Poller moved(std::move(poller_));
  EXPECT_EQ(moved.descriptor(), descriptor);
  EXPECT_EQ(*moved.wait(0), 1);
  poller_ = std::move(moved);
  EXPECT_EQ(poller_.descriptor(), descriptor);
}

TEST_F(PollerTest, TellsErrno) {
  EXPECT_EQ(poller_.add(-1, Ready::readable, this).error(), os_error(EBADF));
  EXPECT_EQ(poller_.change(pair_.ours, Ready::readable, this).error(), os_error(ENOENT));
  Poller none;
  EXPECT_FALSE(none.wait(0));
}

}  // namespace
}  // namespace lanner::sys
