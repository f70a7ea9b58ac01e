#include "net/out_buffer.h"

#include <cerrno>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "net/fake_transport.h"
#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::net {
namespace {

using Kind = IoResult::Kind;

void count_release(void* owner) noexcept { ++*static_cast<int*>(owner); }

class OutBufferTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(pool_.in_use(), 0u) << "an empty buffer holds no memory"; }

  void flush_all() {
    for (int i = 0; i < 100'000 && !out_.empty(); ++i) {
      ASSERT_EQ(out_.flush(transport_).kind, Kind::done);
    }
    EXPECT_TRUE(out_.empty());
  }
  bool put(std::string_view text) {
    char* to = out_.reserve(text.size());
    if (!to) return false;
    std::memcpy(to, text.data(), text.size());
    out_.commit(text.size());
    return true;
  }
  static int make_file(std::string_view text) {
    const Result<int> file = sys::make_spool_file("/tmp");
    EXPECT_TRUE(file);
    EXPECT_TRUE(sys::write_all_at(*file, text, 0));
    return *file;
  }
  static bool is_open(int fd) { return static_cast<bool>(sys::file_size(fd)); }

  BlockPool pool_;
  OutBuffer out_{pool_};
  FakeTransport transport_;
};

TEST_F(OutBufferTest, SmallAnswerIsOneBlockAndOneWrite) {
  ASSERT_TRUE(put("HTTP/1.1 200 OK\r\n"));
  ASSERT_TRUE(out_.append("\r\n"));
  ASSERT_TRUE(out_.append("hello"));
  EXPECT_EQ(out_.size(), 24u);
  EXPECT_EQ(pool_.in_use(), 1u);
  const IoResult result = out_.flush(transport_);
  EXPECT_EQ(result.kind, Kind::done);
  EXPECT_EQ(result.bytes, 24u);
  EXPECT_EQ(transport_.writes, 1);
  EXPECT_EQ(transport_.sent, "HTTP/1.1 200 OK\r\n\r\nhello");
  EXPECT_EQ(pool_.in_use(), 0u);
  EXPECT_EQ(out_.bytes_sent(), 24u);
}

TEST_F(OutBufferTest, FlushingNothingWritesNothing) {
  const IoResult result = out_.flush(transport_);
  EXPECT_EQ(result.kind, Kind::done);
  EXPECT_EQ(result.bytes, 0u);
  EXPECT_EQ(transport_.writes, 0);
}

TEST_F(OutBufferTest, ReserveWithoutCommitLeavesNothing) {
  ASSERT_NE(out_.reserve(100), nullptr);
  out_.commit(0);
  EXPECT_EQ(pool_.in_use(), 0u);
  ASSERT_NE(out_.reserve(100), nullptr);
  EXPECT_TRUE(out_.empty());
  out_.flush(transport_);
  EXPECT_EQ(pool_.in_use(), 0u);
}

TEST_F(OutBufferTest, ReserveGivesAllThatItPromises) {
  EXPECT_EQ(out_.reserve(Block::capacity() + 1), nullptr);
  for (std::size_t before : {0u, 1u, 7u, 8u, 5000u, 16'000u}) {
    const std::string head(before, 'h');
    ASSERT_TRUE(out_.append(head));
    char* to = out_.reserve(Block::capacity());
    ASSERT_NE(to, nullptr);
    std::memset(to, 'b', Block::capacity());
    out_.commit(Block::capacity());
    transport_.sent.clear();
    flush_all();
    EXPECT_EQ(transport_.sent, head + std::string(Block::capacity(), 'b'));
  }
}

TEST_F(OutBufferTest, CommitMayBeLessThanReserved) {
  char* to = out_.reserve(1000);
  ASSERT_NE(to, nullptr);
  std::memcpy(to, "abc", 3);
  out_.commit(3);
  ASSERT_TRUE(out_.append("def"));
  flush_all();
  EXPECT_EQ(transport_.sent, "abcdef");
  EXPECT_EQ(transport_.writes, 1);
}

TEST_F(OutBufferTest, FillsBlocksToTheEndInOneSegment) {
  std::string want;
  for (int i = 0; i < 163; ++i) {
    const std::string piece(100, static_cast<char>('a' + i % 26));
    ASSERT_TRUE(out_.append(piece));
    want += piece;
  }
  EXPECT_EQ(pool_.in_use(), 1u);
  out_.flush(transport_);
  EXPECT_EQ(transport_.sent, want);
}

TEST_F(OutBufferTest, CopiesOverSeveralBlocks) {
  std::string large(5 * Block::kBytes + 123, ' ');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i % 23);
  ASSERT_TRUE(out_.append("head"));
  ASSERT_TRUE(out_.append(large));
  ASSERT_TRUE(out_.append("tail"));
  EXPECT_EQ(out_.size(), large.size() + 8);
  out_.flush(transport_);
  EXPECT_EQ(transport_.sent, "head" + large + "tail");
  EXPECT_EQ(transport_.writes, 1);
}

TEST_F(OutBufferTest, ReferencesAreNotCopiedAndLeaveInOrder) {
  int released = 0;
  const std::string body(100'000, 'b');
  ASSERT_TRUE(out_.append("head"));
  ASSERT_TRUE(out_.append_reference(body, &released, count_release));
  ASSERT_TRUE(out_.append("next head"));
  ASSERT_TRUE(put("!"));
  EXPECT_EQ(pool_.in_use(), 1u) << "head, reference and next head share a block";
  EXPECT_EQ(out_.size(), 4 + body.size() + 10);
  EXPECT_EQ(released, 0);
  out_.flush(transport_);
  EXPECT_EQ(transport_.sent, "head" + body + "next head!");
  EXPECT_EQ(transport_.writes, 1);
  EXPECT_EQ(released, 1);
}

TEST_F(OutBufferTest, ReleasesAReferenceAsSoonAsItIsSent) {
  int first = 0, second = 0;
  ASSERT_TRUE(out_.append_reference("12345", &first, count_release));
  ASSERT_TRUE(out_.append_reference("67890", &second, count_release));
  transport_.write_max = 4;
  out_.flush(transport_);
  EXPECT_EQ(first, 0);
  out_.flush(transport_);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0);
  EXPECT_EQ(out_.size(), 2u);
  flush_all();
  EXPECT_EQ(second, 1);
  EXPECT_EQ(transport_.sent, "1234567890");
}

TEST_F(OutBufferTest, ClearReleasesEverythingOnce) {
  int released = 0;
  const int file = make_file("text");
  ASSERT_TRUE(out_.append("head"));
  ASSERT_TRUE(out_.append_reference("body", &released, count_release));
  ASSERT_TRUE(out_.append_file(file, 0, 4));
  out_.clear();
  EXPECT_EQ(released, 1);
  EXPECT_FALSE(is_open(file));
  EXPECT_TRUE(out_.empty());
  EXPECT_EQ(pool_.in_use(), 0u);
  ASSERT_TRUE(out_.append("works again"));
  flush_all();
  EXPECT_EQ(released, 1);
}

TEST_F(OutBufferTest, DestructorReleases) {
  int released = 0;
  {
    OutBuffer other(pool_);
    ASSERT_TRUE(other.append_reference("body", &released, count_release));
  }
  EXPECT_EQ(released, 1);
}

TEST_F(OutBufferTest, EmptyPiecesAreNoSegments) {
  int released = 0;
  const int file = make_file("text");
  EXPECT_TRUE(out_.append(""));
  EXPECT_TRUE(out_.append_reference("", &released, count_release));
  EXPECT_TRUE(out_.append_file(file, 0, 0));
  EXPECT_EQ(released, 1);
  EXPECT_FALSE(is_open(file));
  EXPECT_EQ(pool_.in_use(), 0u);
}

TEST_F(OutBufferTest, FileIsAStepOfItsOwn) {
  const int file = make_file("0123456789");
  ASSERT_TRUE(out_.append("head"));
  ASSERT_TRUE(out_.append_file(file, 2, 7));
  ASSERT_TRUE(out_.append("tail"));
  EXPECT_EQ(out_.size(), 15u);
  out_.flush(transport_);
  EXPECT_EQ(transport_.sent, "head");
  transport_.write_max = 3;
  out_.flush(transport_);
  EXPECT_EQ(transport_.sent, "head234");
  EXPECT_TRUE(is_open(file));
  transport_.write_max = 100;
  out_.flush(transport_);
  EXPECT_EQ(transport_.sent, "head2345678");
  EXPECT_FALSE(is_open(file));
  out_.flush(transport_);
  EXPECT_EQ(transport_.sent, "head2345678tail");
}

TEST_F(OutBufferTest, CutFileIsAnError) {
  const int file = make_file("0123");
  ASSERT_TRUE(out_.append_file(file, 0, 10));
  EXPECT_EQ(out_.flush(transport_).bytes, 4u);
  const IoResult result = out_.flush(transport_);
  EXPECT_EQ(result.kind, Kind::error);
  EXPECT_EQ(result.error, EIO);
  out_.clear();
  EXPECT_FALSE(is_open(file));
}

TEST_F(OutBufferTest, WritesAtMost64PiecesAtOnce) {
  int released = 0;
  std::string want;
  for (int i = 0; i < 150; ++i) {
    ASSERT_TRUE(out_.append_reference("ref", &released, count_release));
    want += "ref";
  }
  EXPECT_EQ(out_.flush(transport_).bytes, 64u * 3);
  EXPECT_EQ(released, 64);
  EXPECT_EQ(out_.flush(transport_).bytes, 64u * 3);
  EXPECT_EQ(out_.flush(transport_).bytes, 22u * 3);
  EXPECT_EQ(transport_.sent, want);
}

TEST_F(OutBufferTest, NeverLoopsOverWouldBlock) {
  ASSERT_TRUE(out_.append("0123456789"));
  transport_.write_room = 4;
  EXPECT_EQ(out_.flush(transport_).bytes, 4u);
  EXPECT_EQ(transport_.writes, 1);
  EXPECT_EQ(out_.flush(transport_).kind, Kind::wait_writable);
  EXPECT_EQ(transport_.writes, 2);
  EXPECT_EQ(out_.size(), 6u);
  EXPECT_EQ(out_.bytes_sent(), 4u);
  ASSERT_TRUE(out_.append("abc"));
  transport_.write_room = 100;
  flush_all();
  EXPECT_EQ(transport_.sent, "0123456789abc");
}

TEST_F(OutBufferTest, ErrorKeepsTheBytesForClear) {
  ASSERT_TRUE(out_.append("text"));
  transport_.write_error = ECONNRESET;
  const IoResult result = out_.flush(transport_);
  EXPECT_EQ(result.kind, Kind::error);
  EXPECT_EQ(result.error, ECONNRESET);
  EXPECT_EQ(out_.size(), 4u);
  out_.clear();
}

TEST_F(OutBufferTest, GivesBlocksBackWhileOthersStillWait) {
  ASSERT_TRUE(out_.append(std::string(4 * Block::capacity(), 'x')));
  EXPECT_EQ(pool_.in_use(), 4u);
  transport_.write_max = 2 * Block::capacity() + 1;
  out_.flush(transport_);
  EXPECT_EQ(pool_.in_use(), 2u);
  transport_.write_max = FakeTransport::kUnlimited;
  flush_all();
}

TEST(OutBuffer, AddsNothingWhenMemoryIsOut) {
  BlockPool pool(4, 2);
  OutBuffer out(pool);
  FakeTransport transport;
  int released = 0;
  ASSERT_TRUE(out.append(std::string(10'000, 'a')));
  EXPECT_FALSE(out.append(std::string(3 * Block::kBytes, 'b')));
  EXPECT_EQ(out.size(), 10'000u);
  EXPECT_EQ(pool.in_use(), 1u);
  ASSERT_TRUE(out.append(std::string(Block::capacity() + 6'000, 'c')));
  EXPECT_EQ(out.reserve(1'000), nullptr);
  EXPECT_FALSE(out.append(std::string(1'000, 'd')));
  int taken = 0;
  while (out.append_reference("r", &released, count_release)) ++taken;
  EXPECT_GT(taken, 0) << "what is left of the last block still serves";
  EXPECT_EQ(released, 1) << "the one that found no room";
  out.flush(transport);
  EXPECT_EQ(transport.sent.substr(0, 10'000), std::string(10'000, 'a'));
  EXPECT_EQ(transport.sent.substr(10'000, 22'320), std::string(22'320, 'c'));
  EXPECT_EQ(transport.sent.size(), 32'320u + static_cast<std::size_t>(taken));
  EXPECT_EQ(released, 1 + taken);
  EXPECT_TRUE(out.empty());
}

TEST(OutBuffer, ReleasesAReferenceThatItCannotTake) {
  BlockPool pool(0, 0);
  OutBuffer out(pool);
  int released = 0;
  EXPECT_FALSE(out.append_reference("body", &released, count_release));
  EXPECT_EQ(released, 1);
  const Result<int> file = sys::make_spool_file("/tmp");
  ASSERT_TRUE(file);
  EXPECT_FALSE(out.append_file(*file, 0, 5));
  EXPECT_FALSE(sys::file_size(*file));
  EXPECT_TRUE(out.empty());
}

// Against the obvious model, a string, with every kind of segment and a transport of moods.
TEST_F(OutBufferTest, AgreesWithAString) {
  std::mt19937 random(99);
  std::string text(40'000, ' ');
  for (char& letter : text) letter = static_cast<char>('a' + random() % 26);
  const int source = make_file(text);
  std::string want;
  int references = 0, released = 0;
  for (int step = 0; step < 6'000; ++step) {
    const std::size_t begin = random() % text.size();
    std::size_t count = random() % (random() % 8 ? 300u : 20'000u);
    count = std::min(count, text.size() - begin);
    const std::string_view piece = std::string_view(text).substr(begin, count);
    const std::size_t before = want.size();
    switch (random() % 8) {
      case 0:
      case 1:
        ASSERT_TRUE(out_.append(piece));
        want += piece;
        break;
      case 2:
        if (count > Block::capacity()) break;
        ASSERT_TRUE(put(piece));
        want += piece;
        break;
      case 3:
        ASSERT_TRUE(out_.append_reference(piece, &released, count_release));
        ++references;
        want += piece;
        break;
      case 4:
        ASSERT_TRUE(out_.append_file(*sys::duplicate(source), begin, count));
        want += piece;
        break;
      default:
        transport_.write_max = random() % 4 ? random() % 30'000 : FakeTransport::kUnlimited;
        out_.flush(transport_);
        break;
    }
    ASSERT_EQ(out_.size() + transport_.sent.size(), want.size()) << before;
    ASSERT_EQ(out_.bytes_sent(), transport_.sent.size());
  }
  transport_.write_max = FakeTransport::kUnlimited;
  flush_all();
  EXPECT_TRUE(transport_.sent == want);
  EXPECT_EQ(released, references);
  sys::close(source);
}

}  // namespace
}  // namespace lanner::net
