#include "server/out_spool.h"

#include <cerrno>
#include <memory>
#include <string>

#include <dirent.h>
#include <gtest/gtest.h>

#include "base/block_pool.h"
#include "net/fake_transport.h"

namespace lanner::server {
namespace {

constexpr const char* kDirectory = "/tmp";

int open_descriptors() {
  DIR* directory = ::opendir("/proc/self/fd");
  int count = 0;
  while (::readdir(directory)) ++count;
  ::closedir(directory);
  return count;
}

struct Sink {
  BlockPool pool;
  net::OutBuffer out{pool};
  net::FakeTransport wire;
  std::string drain() {
    while (!out.empty() && out.flush(wire).kind == net::IoResult::Kind::bytes) {
    }
    return wire.sent;
  }
};

TEST(OutSpool, StartsEmptyAndMovesNothing) {
  Sink sink;
  OutSpool spool;
  EXPECT_TRUE(spool.empty());
  EXPECT_EQ(spool.size(), 0u);
  EXPECT_TRUE(spool.move_to(sink.out));
  EXPECT_TRUE(sink.out.empty());
}

TEST(OutSpool, MovesAllInOrder) {
  Sink sink;
  OutSpool spool;
  ASSERT_TRUE(spool.append("one ", kDirectory));
  ASSERT_TRUE(spool.append("two", kDirectory));
  EXPECT_EQ(spool.size(), 7u);
  ASSERT_TRUE(spool.move_to(sink.out));
  EXPECT_TRUE(spool.empty());
  EXPECT_EQ(sink.out.size(), 7u);
  EXPECT_EQ(sink.drain(), "one two");
}

TEST(OutSpool, TakesMoreWhileTheFirstPartIsOnItsWay) {
  Sink sink;
  sink.wire.write_max = 3;
  OutSpool spool;
  ASSERT_TRUE(spool.append("first part,", kDirectory));
  ASSERT_TRUE(spool.move_to(sink.out));
  ASSERT_EQ(sink.out.flush(sink.wire).bytes, 3u);
  ASSERT_TRUE(spool.append(" second part,", kDirectory));
  EXPECT_EQ(spool.size(), 13u);
  ASSERT_TRUE(spool.move_to(sink.out));
  ASSERT_TRUE(spool.append(" third", kDirectory));
  ASSERT_TRUE(spool.move_to(sink.out));
  EXPECT_EQ(sink.drain(), "first part, second part, third");
}

TEST(OutSpool, ClearForgets) {
  Sink sink;
  OutSpool spool;
  ASSERT_TRUE(spool.append("gone", kDirectory));
  spool.clear();
  EXPECT_TRUE(spool.empty());
  ASSERT_TRUE(spool.append("new", kDirectory));
  ASSERT_TRUE(spool.move_to(sink.out));
  EXPECT_EQ(sink.drain(), "new");
}

// The file belongs to the part of the answer that lies in it: a connection that lives for days must
// not keep the disk space of everything it ever spooled.
TEST(OutSpool, NothingIsKeptOpenOnceAllIsSent) {
  const int before = open_descriptors();
  Sink sink;
  OutSpool spool;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(spool.append("part", kDirectory));
    EXPECT_EQ(open_descriptors(), before + 1);
    ASSERT_TRUE(spool.move_to(sink.out));
    sink.drain();
    EXPECT_EQ(open_descriptors(), before);
  }
  EXPECT_EQ(sink.wire.sent, "partpartpart");
}

TEST(OutSpool, SaysWhenThereIsNoPlace) {
  OutSpool spool;
  const Result<void> failed = spool.append("x", "/nonexistent");
  EXPECT_EQ(failed.code(), Errc::spool_failed);
  EXPECT_EQ(failed.error().detail, static_cast<std::uint32_t>(ENOENT));
  EXPECT_TRUE(spool.empty());
}

TEST(OutSpool, DestructionClosesTheFile) {
  const int before = open_descriptors();
  {
    OutSpool spool;
    ASSERT_TRUE(spool.append("x", kDirectory));
  }
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace lanner::server
