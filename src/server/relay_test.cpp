#include "server/relay.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "server/test_relay_rig.h"
#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::server {
namespace {

using http::WriteState;
using test::answer;
using test::Client;
using test::counted;
using test::make_head;
using test::ok_answer;
using test::read_all;
using test::RelayRig;
using test::Rig;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";

http::Payload text(std::string_view bytes) { return {bytes, nullptr, nullptr}; }

std::string post(std::string_view body, std::string_view more = "") {
  return "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more) + "\r\n" + std::string(body);
}

class RelayTest : public ::testing::Test {
 protected:
  // The relay of one request.
  Relay& relay_of(std::string_view request) {
    client = &all().send(request);
    Relay* relay = all().queue.try_take();
    EXPECT_NE(relay, nullptr);
    return *relay;
  }
  RelayRig& all() {
    if (!rig_) rig_ = std::make_unique<RelayRig>(options);
    return *rig_;
  }
  const std::string& settled() {
    all().rig.settle();
    return client->received();
  }
  // Turns until `thread` has done what it does.
  void join(std::thread& thread, std::atomic<bool>& done) {
    for (int turns = 0; !done && turns < 100'000; ++turns) all().rig.turn(5);
    EXPECT_TRUE(done);
    thread.join();
    all().rig.settle();
  }
  void TearDown() override {
    all().rig.cut();
    EXPECT_EQ(all().queue.relay_count(), 0u);
  }

  Options options = Rig::plain_options();
  Client* client = nullptr;
  int releases = 0;

 private:
  std::unique_ptr<RelayRig> rig_;
};

// ---- the answer

TEST_F(RelayTest, TheAnswerGoesOverInOneBatch) {
  Relay& relay = relay_of(kGet);
  EXPECT_TRUE(relay.blocking());
  EXPECT_EQ(relay.client().port, 4711);
  EXPECT_FALSE(relay.started());
  ASSERT_TRUE(relay.start(make_head(200), 6));
  EXPECT_TRUE(relay.started());
  EXPECT_EQ(relay.write(text("abc")), WriteState::ok);
  EXPECT_EQ(relay.write(text("")), WriteState::ok);
  EXPECT_EQ(settled(), "") << "nothing is handed over before it must";
  EXPECT_EQ(relay.write(text("def")), WriteState::ok);
  EXPECT_TRUE(relay.finish());
  EXPECT_EQ(settled(), ok_answer("abcdef"));
  EXPECT_EQ(client->wire.writes, 1);
}

TEST_F(RelayTest, WhatIsWrittenIsCopiedUnlessItIsKept) {
  Relay& relay = relay_of(kGet);
  std::string bytes = "abc";
  ASSERT_TRUE(relay.start(make_head(200), 3));
  (void)relay.write(text(bytes));
  bytes = "xyz";
  (void)relay.finish();
  EXPECT_EQ(settled(), ok_answer("abc"));
}

TEST_F(RelayTest, FlushSendsWhatThereIs) {
  Relay& relay = relay_of(kGet);
  ASSERT_TRUE(relay.start(make_head(200), 6));
  (void)relay.write(text("abc"));
  EXPECT_EQ(relay.flush(), WriteState::ok);
  EXPECT_EQ(settled(), "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc");
  EXPECT_EQ(relay.write_spooled("def"), WriteState::ok);
  (void)relay.finish();
  EXPECT_EQ(settled(), ok_answer("abcdef"));
}

// No descriptor is left for it: the answer must not end as if it were whole.
TEST_F(RelayTest, AnAnswerWhoseFileCouldNotBeKeptIsCut) {
  Relay& relay = relay_of(kGet);
  ASSERT_TRUE(relay.start(make_head(200), std::nullopt));
  (void)relay.write(text("abc"));
  EXPECT_EQ(relay.write_file({.fd = -1, .offset = 0, .count = 4}), WriteState::closed);
  EXPECT_EQ(relay.finish().code(), Errc::no_memory);
  EXPECT_EQ(settled(), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
}

TEST_F(RelayTest, EverythingOfAnAnswerKeepsItsOrder) {
  Result<int> file = sys::make_spool_file("/tmp");
  ASSERT_TRUE(file);
  ASSERT_TRUE(sys::write_all_at(*file, "..file..", 0));
  Relay& relay = relay_of(kGet);
  ASSERT_TRUE(relay.inform(make_head(103, {{"Link", "</a>"}})));
  ASSERT_TRUE(relay.start(make_head(200), std::nullopt));
  EXPECT_EQ(relay.inform(make_head(103)).code(), Errc::response_started);
  EXPECT_EQ(relay.start(make_head(200), 3).code(), Errc::response_started);
  (void)relay.write(text("abc"));
  EXPECT_EQ(relay.write_file({.fd = *file, .offset = 2, .count = 4}), WriteState::ok);
  sys::close(*file);
  (void)relay.write(text("def"));
  EXPECT_TRUE(relay.add_trailers(make_head(200, {{"X-T", "1"}})));
  EXPECT_TRUE(relay.finish());
  EXPECT_EQ(settled(),
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            "3\r\nabc\r\n4\r\nfile\r\n3\r\ndef\r\n0\r\nX-T: 1\r\n\r\n");
}

TEST_F(RelayTest, RefusesAStatusThatIsNotFinal) {
  Relay& relay = relay_of(kGet);
  EXPECT_EQ(relay.start(make_head(103), 0).code(), Errc::status_invalid);
  EXPECT_FALSE(relay.started());
  (void)answer(relay, "ok");
  EXPECT_EQ(settled(), ok_answer("ok"));
}

TEST_F(RelayTest, TellsWhoWroteTooMuchOrTooLittle) {
  for (const std::uint64_t length : {2u, 3u, 4u}) {
    Relay& relay = relay_of(kGet);
    ASSERT_TRUE(relay.start(make_head(200), length));
    (void)relay.write(text("abc"));
    EXPECT_EQ(relay.finish().code(), length == 2   ? Errc::response_too_long
                                     : length == 4 ? Errc::response_too_short
                                                   : Errc::ok);
    EXPECT_EQ(settled(), "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(length) +
                             "\r\n\r\n" + (length == 2 ? "ab" : "abc"));
    EXPECT_EQ(client->open(), length != 4);
  }
}

TEST_F(RelayTest, WithoutABodyOnTheWireNothingIsTooShort) {
  Relay& head = relay_of("HEAD / HTTP/1.1\r\nHost: t\r\n\r\n");
  ASSERT_TRUE(head.start(make_head(200), 5));
  EXPECT_TRUE(head.finish());
  EXPECT_EQ(settled(), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  Relay& empty = relay_of(kGet);
  ASSERT_TRUE(empty.start(make_head(204), std::nullopt));
  EXPECT_TRUE(empty.finish());
  EXPECT_EQ(settled(), "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST_F(RelayTest, AbortBeforeAndAfterTheStart) {
  Relay& before = relay_of(kGet);
  before.abort();
  EXPECT_EQ(settled().substr(0, 13), "HTTP/1.1 500 ");
  EXPECT_TRUE(client->open());
  Relay& after = relay_of(kGet);
  ASSERT_TRUE(after.start(make_head(200), std::nullopt));
  (void)after.write(text("abc"));
  after.abort();
  EXPECT_EQ(settled(), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  EXPECT_FALSE(client->open());
}

TEST_F(RelayTest, SaysFullWhenABatchGrowsLarge) {
  options.limits.out_high_bytes = 1'000;
  Relay& relay = relay_of(kGet);
  ASSERT_TRUE(relay.start(make_head(200), 2'000));
  EXPECT_EQ(relay.write(text(std::string(1'000, 'x'))), WriteState::ok);
  EXPECT_EQ(relay.write(text("y")), WriteState::full);
  EXPECT_EQ(relay.write(text(std::string(999, 'z'))), WriteState::full);
  (void)relay.finish();
  EXPECT_EQ(settled(), ok_answer(std::string(1'000, 'x') + "y" + std::string(999, 'z')));
}

// ---- the body

TEST_F(RelayTest, ReadsTheBody) {
  Relay& relay = relay_of(post("hello"));
  EXPECT_EQ(relay.body().bytes_left(), 5u);
  char part[2];
  EXPECT_EQ(*relay.read(part, 2), 2u);
  EXPECT_EQ(std::string(part, 2), "he");
  EXPECT_EQ(relay.bytes_left(), 3u);
  EXPECT_EQ(read_all(relay), "llo");
  EXPECT_EQ(relay.bytes_left(), 0u);
  (void)answer(relay, "ok");
}

TEST_F(RelayTest, WithoutABodyReadEndsAtOnce) {
  Relay& relay = relay_of(kGet);
  EXPECT_EQ(relay.bytes_left(), 0u);
  EXPECT_EQ(read_all(relay), "");
  (void)answer(relay, "ok");
}

TEST_F(RelayTest, OfAChunkedBodyNobodyKnowsTheSize) {
  Relay& relay = relay_of(
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  EXPECT_EQ(relay.bytes_left(), std::nullopt);
  EXPECT_EQ(read_all(relay), "abc");
  (void)answer(relay, "ok");
}

TEST_F(RelayTest, ABrokenBodyGivesWhatCameAndThenTheReason) {
  Relay& bad =
      relay_of("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client->send("zz\r\n");
  all().rig.settle();
  Errc why = Errc::ok;
  EXPECT_EQ(read_all(bad, 2, &why), "abc");
  EXPECT_EQ(why, Errc::chunk_size_invalid);
  EXPECT_EQ(answer(bad, "late").code(), Errc::ok) << "its own answer went nowhere";
  EXPECT_EQ(settled().substr(0, 13), "HTTP/1.1 400 ");
  EXPECT_EQ(settled().find("late"), std::string::npos);

  Relay& gone = relay_of(post("abcdef").substr(0, post("abcdef").size() - 3));
  client->send_reset();
  all().rig.settle();
  EXPECT_EQ(read_all(gone, 2, &why), "abc");
  EXPECT_EQ(why, Errc::disconnected);
  EXPECT_EQ(gone.flush(), WriteState::closed);
  EXPECT_EQ(answer(gone, "x").code(), Errc::disconnected);
  all().rig.settle();
}

TEST_F(RelayTest, ReadingPacesTheBody) {
  options.limits.body_memory_bytes = 1'000;
  const std::string body(500'000, 'x');
  Relay& relay = relay_of(post(body));
  const std::size_t waiting = client->wire.incoming.size();
  EXPECT_GT(waiting, 0u) << "left to the network";
  std::string got;
  char part[4096];
  while (got.size() < body.size()) {
    const Result<std::size_t> count = relay.read(part, sizeof(part));
    ASSERT_TRUE(count);
    got.append(part, *count);
    all().rig.settle();
  }
  EXPECT_TRUE(got == body);
  EXPECT_EQ(*relay.read(part, 1), 0u);
  (void)answer(relay, "ok");
  EXPECT_EQ(settled(), ok_answer("ok"));
}

// A reader that is always one byte behind: what it has read does not stay for the sake of that.
TEST_F(RelayTest, WhatWasReadOfABodyIsGivenUpBeforeAllIsRead) {
  options.limits.body_memory_bytes = 10'000;
  const std::string body(500'000, 'b');
  const std::string whole = post(body);
  const std::size_t head_bytes = whole.size() - body.size();
  Relay& relay = relay_of(whole.substr(0, head_bytes + 1000));
  std::uint64_t most = 0;
  std::size_t count = 0;
  std::string part(1000, '\0');
  for (std::size_t at = 1000; at <= body.size(); at += 1000) {
    const std::size_t room = at == 1000 ? 999 : 1000;
    const Result<std::size_t> got = relay.read(part.data(), room);
    ASSERT_TRUE(got);
    count += *got;
    client->send(body.substr(0, std::min<std::size_t>(1000, body.size() - at)));
    all().rig.settle();
    most = std::max(most, all().rig.server().budget().used());
  }
  EXPECT_LE(most, 100'000u);
  EXPECT_EQ(count + read_all(relay).size(), body.size());
  (void)answer(relay, "ok");
  settled();
}

TEST_F(RelayTest, NearTheBudgetABodyIsReadAsTheHandlerReadsIt) {
  options.limits.buffers_bytes = 4u << 20;
  const std::string body(100'000, 'b');
  Relay& relay = relay_of(post(body).substr(0, 100));
  Budget& budget = all().rig.server().budget();
  budget.charge(3u << 20);
  client->send(post(body).substr(100));
  settled();
  EXPECT_GE(client->wire.incoming.size(), 80'000u) << "not read yet";
  std::string got;
  std::string part(5000, '\0');
  while (got.size() < body.size()) {
    const Result<std::size_t> count = relay.read(part.data(), part.size());
    ASSERT_TRUE(count && *count > 0);
    got.append(part, 0, *count);
    settled();
  }
  EXPECT_EQ(got, body);
  budget.release(3u << 20);
  (void)answer(relay, "ok");
  settled();
}

TEST_F(RelayTest, BytesOnTheirWayToTheLoopAreCounted) {
  Relay& relay = relay_of(kGet);
  const std::uint64_t before = all().rig.server().budget().used();
  ASSERT_TRUE(relay.start(make_head(200), 100'000u));
  (void)relay.write(counted(std::string(100'000, 'x'), &releases));
  (void)relay.finish();
  EXPECT_EQ(all().rig.server().budget().used(), before + 100'000);
  settled();
  EXPECT_LE(all().rig.server().budget().used(), before + 2 * Block::kBytes);
}

TEST_F(RelayTest, ContinueIsSentOnceAndByTheFirstRead) {
  const std::string request = post("abc", "Expect: 100-continue\r\n");
  Relay& relay = relay_of(request.substr(0, request.size() - 3));
  EXPECT_EQ(settled(), "");
  relay.want_body();
  relay.want_body();
  EXPECT_EQ(settled(), "HTTP/1.1 100 Continue\r\n\r\n");
  client->take();
  client->send("abc");
  all().rig.settle();
  EXPECT_EQ(read_all(relay), "abc");
  (void)answer(relay, "ok");
  EXPECT_EQ(settled(), ok_answer("ok"));
}

// ---- payloads

TEST_F(RelayTest, PayloadsAreReleasedOnce) {
  for (const bool gone : {false, true}) {
    for (const bool finish : {false, true}) {
      releases = 0;
      Relay& relay = relay_of(kGet);
      ASSERT_TRUE(relay.start(make_head(200), 40'003));
      (void)relay.write(counted(std::string(20'000, 'x'), &releases));
      (void)relay.write(counted("", &releases));
      EXPECT_EQ(releases, 1) << "nothing to keep";
      EXPECT_EQ(relay.flush(), WriteState::ok);
      if (gone) {
        client->wire.write_room = 1'000;
        all().rig.settle();
        client->send_reset();
        all().rig.settle();
      }
      (void)relay.write(counted(std::string(20'000, 'y'), &releases));
      (void)relay.write(counted("abc", &releases));
      if (finish) {
        EXPECT_EQ(relay.finish().code(), gone ? Errc::disconnected : Errc::ok);
      } else {
        relay.abort();
      }
      all().rig.settle();
      EXPECT_EQ(releases, 4);
    }
  }
}

TEST_F(RelayTest, ARelayThatIsCutReleasesWhatItHolds) {
  Relay& relay = relay_of(kGet);
  ASSERT_TRUE(relay.start(make_head(200), 20'000));
  (void)relay.write(counted(std::string(20'000, 'x'), &releases));
  all().rig.cut();
  EXPECT_EQ(releases, 0) << "in the thread's hands";
  relay.abort();
  all().rig.settle();
  EXPECT_EQ(releases, 1);
}

// ---- two threads

TEST_F(RelayTest, FlushWaitsForTheClient) {
  options.limits.out_high_bytes = 10'000;
  options.limits.out_low_bytes = 1'000;
  Relay& relay = relay_of(kGet);
  client->wire.write_room = 0;
  std::atomic<bool> done{false};
  std::atomic<int> pieces{0};
  std::thread thread([&] {
    EXPECT_TRUE(relay.start(make_head(200), 1'000'000));
    for (int i = 0; i < 1'000; ++i) {
      (void)relay.write(text(std::string(1'000, 'x')));
      EXPECT_EQ(relay.flush(), WriteState::ok);
      ++pieces;
    }
    EXPECT_TRUE(relay.finish());
    done = true;
  });
  // The client takes nothing: at most the mark, and what was on the way to it, gets written.
  for (int turns = 0; turns < 1'000; ++turns) all().rig.turn();
  EXPECT_LE(pieces, 25);
  client->wire.write_room = net::FakeTransport::kUnlimited;
  join(thread, done);
  EXPECT_TRUE(settled() == ok_answer(std::string(1'000'000, 'x')));
}

// Four threads and four clients that do not read: a fifth client is not to wait for them.
TEST_F(RelayTest, AThreadThatOthersNeedDoesNotWaitForItsClient) {
  options.limits.out_high_bytes = 1000;
  options.limits.out_low_bytes = 100;
  Relay& relay = relay_of(kGet);
  client->wire.write_room = 0;
  std::atomic<bool> done{false};
  std::atomic<int> written{0};
  std::thread thread([&] {
    ASSERT_TRUE(relay.start(make_head(200), 50u * 1000));
    for (int i = 0; i < 50; ++i) {
      (void)relay.write(text(std::string(1000, static_cast<char>('a' + i % 26))));
      EXPECT_EQ(relay.flush(), WriteState::ok);
      ++written;
    }
    EXPECT_TRUE(relay.finish());
    done = true;
  });
  for (int turns = 0; written < 1 && turns < 100; ++turns) all().rig.turn(5);
  EXPECT_LT(written, 3) << "it waits for its client as long as nobody else does";
  Client& other = all().send(kGet);
  join(thread, done);
  EXPECT_EQ(written, 50);
  EXPECT_GE(all().rig.server().spool_file().size(), 45'000u);
  Relay* next = all().take();
  ASSERT_NE(next, nullptr);
  (void)answer(*next, "other");
  client->wire.write_room = net::FakeTransport::kUnlimited;
  settled();
  EXPECT_EQ(other.received(), ok_answer("other"));
  std::string want;
  for (int i = 0; i < 50; ++i) want += std::string(1000, static_cast<char>('a' + i % 26));
  EXPECT_EQ(client->received(), ok_answer(want));
}

TEST_F(RelayTest, FlushEndsWhenTheClientGoes) {
  options.limits.out_high_bytes = 10'000;
  Relay& relay = relay_of(kGet);
  client->wire.write_room = 0;
  std::atomic<bool> done{false};
  std::atomic<bool> full{false};
  std::thread thread([&] {
    EXPECT_TRUE(relay.start(make_head(200), std::nullopt));
    WriteState state = WriteState::ok;
    for (int i = 0; state != WriteState::closed && i < 1'000'000; ++i) {
      full = full || i > 5;
      (void)relay.write(text(std::string(1'000, 'x')));
      state = relay.flush();
    }
    EXPECT_EQ(state, WriteState::closed);
    EXPECT_EQ(relay.finish().code(), Errc::disconnected);
    done = true;
  });
  for (int turns = 0; !full && turns < 100'000; ++turns) all().rig.turn(5);
  client->send_reset();
  join(thread, done);
  EXPECT_EQ(client->connection, nullptr);
}

TEST_F(RelayTest, ReadWaitsForTheBody) {
  Relay& relay = relay_of("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 300\r\n\r\n");
  std::atomic<bool> done{false};
  std::thread thread([&] {
    EXPECT_EQ(read_all(relay, 7), std::string(300, 'x'));
    (void)answer(relay, "ok");
    done = true;
  });
  for (int i = 0; i < 300; ++i) {
    client->send("x");
    all().rig.turn();
  }
  join(thread, done);
  EXPECT_EQ(settled(), ok_answer("ok"));
}

TEST_F(RelayTest, ReadEndsWhenTheClientGoes) {
  Relay& relay = relay_of("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 300\r\n\r\nabc");
  std::atomic<bool> done{false};
  std::atomic<bool> reading{false};
  std::thread thread([&] {
    char part[3];
    EXPECT_TRUE(relay.read(part, 3));
    reading = true;
    EXPECT_EQ(relay.read(part, 3).code(), Errc::disconnected);
    relay.abort();
    done = true;
  });
  while (!reading) all().rig.turn(5);
  client->send_reset();
  join(thread, done);
  EXPECT_EQ(client->connection, nullptr);
}

// ---- a read on another thread than the one that answers

TEST_F(RelayTest, TheEndOfTheExchangeEndsAReadOfAnotherThread) {
  for (const bool aborts : {false, true}) {
    Relay& relay = relay_of("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nab");
    relay.begin_read();  // as with the GIL held
    std::string got;
    Errc end = Errc::ok;
    std::thread reader([&] {
      char room[8];
      Result<std::size_t> count = relay.read(room, sizeof room);
      if (count) got.assign(room, *count);
      count = relay.read(room, sizeof room);
      end = count.code();
      relay.end_read();
    });
    if (aborts) {
      relay.abort();  // waits for the reader
    } else {
      (void)relay.start(make_head(200), 0);
      (void)relay.finish();
    }
    reader.join();
    EXPECT_TRUE(got == "ab" || got.empty());
    EXPECT_EQ(end, Errc::disconnected);
    all().rig.settle();
  }
}

TEST_F(RelayTest, ReadingAndWritingThreadsTouchNothingOfOneAnother) {
  const std::string body(100'000, 'b');
  Relay& relay = relay_of(post(body));
  relay.begin_read();
  std::atomic<bool> read{false};
  std::string got;
  std::thread reader([&] {
    char room[1'000];
    for (;;) {
      const Result<std::size_t> count = relay.read(room, sizeof room);
      if (!count || *count == 0) break;
      got.append(room, *count);
    }
    relay.end_read();
    read = true;
  });
  ASSERT_TRUE(relay.start(make_head(200), 1'000));
  for (int i = 0; i < 1'000; ++i) (void)relay.write(text("x"));
  join(reader, read);
  EXPECT_EQ(got, body);
  EXPECT_TRUE(relay.finish());
  EXPECT_EQ(settled(), ok_answer(std::string(1'000, 'x')));
}

}  // namespace
}  // namespace lanner::server
