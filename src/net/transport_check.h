// net/transport_check.h: what every Transport must do, as one suite for all of them:
// check_transport(factory).
//
// Only for tests. Each check gets a fresh rig: the transport under test with the peer at its other
// end.

#pragma once

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "net/transport.h"
#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::net {

class TransportRig {
 public:
  enum class End { open, ended, reset };

  virtual ~TransportRig() = default;
  virtual Transport& transport() = 0;
  virtual void peer_sends(std::string_view bytes) = 0;
  virtual void peer_ends() = 0;                          // no more from the peer
  virtual std::string peer_gets(std::size_t count) = 0;  // waits for that many; fewer at the end
  virtual End peer_sees() = 0;                           // after all that was sent
  virtual void peer_leaves() = 0;                        // reads and writes no more
  virtual void await_readable() = 0;
  virtual void await_writable() = 0;
  // Some peers cannot tell a reset from an end (unix sockets).
  virtual bool peer_knows_resets() const { return true; }
};

class TransportChecks final {
 public:
  using Factory = std::unique_ptr<TransportRig> (*)();
  using Kind = IoResult::Kind;

  explicit TransportChecks(Factory factory) : factory_(factory) {}

  void run() {
    const struct {
      const char* claim;
      void (TransportChecks::*check)();
    } checks[] = {
        {"a handshake stays done", &TransportChecks::a_handshake_stays_done},
        {"reading nothing waits", &TransportChecks::reading_nothing_waits},
        {"reads all in order", &TransportChecks::reads_all_in_order},
        {"tells the end after the data", &TransportChecks::tells_the_end_after_the_data},
        {"writes one piece", &TransportChecks::writes_one_piece},
        {"writes 64 pieces in order", &TransportChecks::writes_64_pieces_in_order},
        {"waits when full, then goes on", &TransportChecks::waits_when_full_then_goes_on},
        {"goes both ways", &TransportChecks::goes_both_ways},
        {"sends parts of files", &TransportChecks::sends_parts_of_files},
        {"cut file is an error", &TransportChecks::cut_file_is_an_error},
        {"files wait when full", &TransportChecks::files_wait_when_full},
        {"shutdown ends one way only", &TransportChecks::shutdown_ends_one_way_only},
        {"close is seen as the end", &TransportChecks::close_is_seen_as_the_end},
        {"reset is seen as a reset", &TransportChecks::reset_is_seen_as_a_reset},
        {"closed it refuses everything", &TransportChecks::closed_it_refuses_everything},
        {"writing to nobody fails", &TransportChecks::writing_to_nobody_fails},
    };
    for (const auto& each : checks) {
      SCOPED_TRACE(each.claim);
      rig_ = factory_();
      ASSERT_NE(rig_, nullptr);
      (this->*each.check)();
      rig_.reset();
    }
  }

 private:
  Transport& transport() { return rig_->transport(); }
  IoResult read(std::string* to, std::size_t room) {
    std::string got(room, '\0');
    const IoResult result = transport().read(got.data(), room);
    if (result.kind == Kind::done) to->append(got, 0, result.bytes);
    return result;
  }
  std::string read_count(std::size_t count, std::size_t room) {
    std::string got;
    while (got.size() < count) {
      rig_->await_readable();
      const IoResult result = read(&got, room);
      if (result.kind != Kind::done && !result.waits()) break;
    }
    return got;
  }
  IoResult write(std::string_view piece) { return transport().write({&piece, 1}); }
  static int make_file(std::string_view text) {
    const Result<int> file = sys::make_spool_file("/tmp");
    EXPECT_TRUE(file);
    EXPECT_TRUE(sys::write_all_at(*file, text, 0));
    return *file;
  }
  static std::string pattern(std::size_t bytes) {
    std::string text(bytes, ' ');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('!' + i * 7 % 89);
    return text;
  }

  void a_handshake_stays_done() {
    EXPECT_EQ(transport().handshake().kind, Kind::done);
    EXPECT_EQ(transport().handshake().kind, Kind::done);
    EXPECT_FALSE(transport().holds_input());
  }
  void reading_nothing_waits() {
    std::string got;
    EXPECT_EQ(read(&got, 10).kind, Kind::wait_readable);
    EXPECT_EQ(read(&got, 10).kind, Kind::wait_readable);
    EXPECT_FALSE(transport().holds_input());
  }
  void reads_all_in_order() {
    const std::string text = pattern(1000);
    rig_->peer_sends(text);
    EXPECT_EQ(read_count(text.size(), 7), text);
    std::string none;
    EXPECT_EQ(read(&none, 10).kind, Kind::wait_readable);
    EXPECT_FALSE(transport().holds_input());
    rig_->peer_sends("more");
    EXPECT_EQ(read_count(4, 100), "more");
  }
  void tells_the_end_after_the_data() {
    rig_->peer_sends("last");
    rig_->peer_ends();
    EXPECT_EQ(read_count(4, 2), "last");
    rig_->await_readable();
    std::string none;
    EXPECT_EQ(read(&none, 10).kind, Kind::end);
    EXPECT_EQ(read(&none, 10).kind, Kind::end);
    EXPECT_EQ(write("still heard").bytes, 11u);
    EXPECT_EQ(rig_->peer_gets(11), "still heard");
  }
  void writes_one_piece() {
    const IoResult result = write("one piece");
    EXPECT_EQ(result.kind, Kind::done);
    EXPECT_EQ(result.bytes, 9u);
    EXPECT_EQ(rig_->peer_gets(9), "one piece");
  }
  void writes_64_pieces_in_order() {
    const std::string text = pattern(64 * 65 / 2);
    std::array<std::string_view, 64> pieces;
    for (std::size_t i = 0, at = 0; i < pieces.size(); at += ++i) {
      pieces[i] = std::string_view(text).substr(at, i + 1);
    }
    EXPECT_EQ(transport().write(pieces).bytes, text.size());
    EXPECT_EQ(rig_->peer_gets(text.size()), text);
  }
  void waits_when_full_then_goes_on() {
    const std::string text = pattern(50'000);
    std::string sent;
    for (int i = 0; i < 10'000; ++i) {
      const IoResult result = write(text);
      if (result.kind != Kind::done) {
        ASSERT_EQ(result.kind, Kind::wait_writable);
        break;
      }
      ASSERT_GT(result.bytes, 0u);
      sent.append(text, 0, result.bytes);
    }
    ASSERT_EQ(write(text).kind, Kind::wait_writable);
    EXPECT_TRUE(rig_->peer_gets(sent.size()) == sent);
    rig_->await_writable();
    // What was offered comes first, now less of it.
    EXPECT_EQ(write(text.substr(0, 4)).bytes, 4u);
    EXPECT_EQ(rig_->peer_gets(4), text.substr(0, 4));
  }
  void goes_both_ways() {
    rig_->peer_sends("question");
    EXPECT_EQ(write("answer").bytes, 6u);
    EXPECT_EQ(read_count(8, 100), "question");
    EXPECT_EQ(rig_->peer_gets(6), "answer");
  }
  void sends_parts_of_files() {
    const int file = make_file("0123456789");
    EXPECT_EQ(transport().send_file(file, 3, 4).bytes, 4u);
    EXPECT_EQ(transport().send_file(file, 0, 10).bytes, 10u);
    EXPECT_EQ(rig_->peer_gets(14), "34560123456789");
    sys::close(file);
  }
  void cut_file_is_an_error() {
    const int file = make_file("0123456789");
    EXPECT_EQ(transport().send_file(file, 5, 100).bytes, 5u);
    for (std::uint64_t offset : {10u, 11u}) {
      const IoResult result = transport().send_file(file, offset, 95);
      EXPECT_EQ(result.kind, Kind::error);
      EXPECT_EQ(result.error, EIO);
    }
    EXPECT_EQ(rig_->peer_gets(5), "56789");
    sys::close(file);
  }
  void files_wait_when_full() {
    const std::string text = pattern(100'000);
    const int file = make_file(text);
    std::string sent;
    IoResult result;
    for (int i = 0; i < 10'000; ++i) {
      result = transport().send_file(file, 0, text.size());
      if (result.kind != Kind::done) break;
      sent.append(text, 0, result.bytes);
    }
    EXPECT_EQ(result.kind, Kind::wait_writable);
    EXPECT_TRUE(rig_->peer_gets(sent.size()) == sent);
    sys::close(file);
  }
  void shutdown_ends_one_way_only() {
    EXPECT_EQ(write("bye").bytes, 3u);
    transport().shutdown_write();
    EXPECT_EQ(rig_->peer_gets(3), "bye");
    EXPECT_EQ(rig_->peer_sees(), TransportRig::End::ended);
    const IoResult result = write("x");
    EXPECT_EQ(result.kind, Kind::error);
    EXPECT_EQ(result.error, EPIPE);
    rig_->peer_sends("still heard");
    EXPECT_EQ(read_count(11, 100), "still heard");
  }
  void close_is_seen_as_the_end() {
    EXPECT_EQ(write("bye").bytes, 3u);
    transport().close();
    EXPECT_EQ(rig_->peer_gets(3), "bye");
    EXPECT_EQ(rig_->peer_sees(), TransportRig::End::ended);
  }
  void reset_is_seen_as_a_reset() {
    transport().reset();
    const TransportRig::End end = rig_->peer_sees();
    EXPECT_EQ(end, rig_->peer_knows_resets() ? TransportRig::End::reset : TransportRig::End::ended);
  }
  void closed_it_refuses_everything() {
    const int file = make_file("text");
    transport().close();
    transport().close();
    transport().reset();
    EXPECT_EQ(transport().descriptor(), -1);
    std::string none;
    EXPECT_EQ(read(&none, 10).error, EBADF);
    EXPECT_EQ(write("x").error, EBADF);
    EXPECT_EQ(transport().send_file(file, 0, 4).error, EBADF);
    sys::close(file);
  }
  void writing_to_nobody_fails() {
    rig_->peer_leaves();
    IoResult result;
    for (int i = 0; i < 10'000; ++i) {
      result = write("x");
      if (result.kind != Kind::done) break;
      rig_->await_readable();  // a TCP peer's refusal comes as an event
    }
    EXPECT_EQ(result.kind, Kind::error);
    EXPECT_TRUE(result.error == EPIPE || result.error == ECONNRESET) << result.error;
  }

  Factory factory_;
  std::unique_ptr<TransportRig> rig_;
};

inline void check_transport(TransportChecks::Factory factory) { TransportChecks(factory).run(); }

}  // namespace lanner::net
