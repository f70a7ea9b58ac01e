// server/transport_faults_test.cpp: answers of every shape, in every way that handlers give them,
// over a network that takes a byte at a time, blocks, or breaks off after every byte: the bytes are
// the same up to there, nothing is left, and the next client is served.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/test_shapes.h"

namespace lanner::server {
namespace {

using test::Client;
using test::kShapes;
using test::ShapeRig;
using test::Way;

std::string get(std::string_view shape, std::string_view version = "1.1") {
  return "GET /" + std::string(shape) + " HTTP/" + std::string(version) + "\r\nHost: t\r\n\r\n";
}

std::string post(std::string_view shape, std::string_view body, std::string_view more = "") {
  return "POST /" + std::string(shape) +
         " HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more) + "\r\n" + std::string(body);
}

const std::vector<std::string>& streams() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made;
    for (const std::string_view shape : kShapes) {
      made.push_back(get(shape) + post(shape, "hello") + get("small"));
    }
    made.push_back(get("small") + get("small") + get("chunked"));
    made.push_back(post("small", std::string(700, 's')) + get("small"));  // spooled by Way::pulled
    made.push_back(
        "POST /small HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n4;x\r\ndefg\r\n0\r\nX: y\r\n\r\n" +
        get("small"));
    made.push_back("HEAD /large HTTP/1.1\r\nHost: t\r\n\r\n" + get("small"));
    made.push_back(get("chunked", "1.0") + get("small"));
    made.push_back(get("small") + "GET / HTTP/1.1\r\n\r\n");
    return made;
  }();
  return all;
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

// Every offset of something short; of something long those near its ends, and some between.
std::vector<std::size_t> offsets(std::size_t bytes) {
  constexpr std::size_t kNear = 150;
  constexpr std::size_t kStride = 1499;
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < bytes; ++at) {
    if (at < kNear || bytes - at < kNear || at % kStride == 0) found.push_back(at);
  }
  return found;
}

class TransportFaults : public ::testing::TestWithParam<Way> {
 protected:
  // For each stream, on a server of its own: `inject` may do what it wants to it.
  void run(void (*inject)(ShapeRig&, const std::string& stream, const std::string& whole)) {
    for (const std::string& stream : streams()) {
      SCOPED_TRACE(stream);
      ShapeRig rig(GetParam());
      const std::string whole = rig.answers(stream);
      ASSERT_NE(whole, "");
      const std::size_t descriptors = open_descriptors();
      inject(rig, stream, whole);
      EXPECT_EQ(rig.answers(stream), whole) << "the next client";
      EXPECT_EQ(open_descriptors(), descriptors);
      EXPECT_EQ(rig.rig.loop().blocks().in_use(), 0u);
      if (HasFailure()) return;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, TransportFaults, ::testing::ValuesIn(test::kWays),
                         [](const auto& instance) {
                           return instance.param == Way::pulled      ? "Pulled"
                                  : instance.param == Way::suspended ? "Suspended"
                                                                     : "Relayed";
                         });

// What comes to a client whose network is slow in one way.
std::string slowly(ShapeRig& rig, const std::string& stream, void (*slow)(net::FakeTransport&)) {
  Client& client = rig.rig.connect();
  slow(client.wire);
  client.send(stream);
  rig.settle();
  std::string got = client.take();
  client.send_reset();
  rig.bury();
  return got;
}

TEST_P(TransportFaults, ShortWritesChangeNoByte) {
  run([](ShapeRig& rig, const std::string& stream, const std::string& whole) {
    EXPECT_EQ(slowly(rig, stream, [](net::FakeTransport& wire) { wire.write_max = 1; }), whole);
    EXPECT_EQ(slowly(rig, stream, [](net::FakeTransport& wire) { wire.write_max = 7; }), whole);
  });
}

TEST_P(TransportFaults, ShortReadsChangeNoByte) {
  run([](ShapeRig& rig, const std::string& stream, const std::string& whole) {
    EXPECT_EQ(slowly(rig, stream, [](net::FakeTransport& wire) { wire.read_max = 1; }), whole);
  });
}

TEST_P(TransportFaults, ABlockAtEveryWriteChangesNoByte) {
  run([](ShapeRig& rig, const std::string& stream, const std::string& whole) {
    EXPECT_EQ(slowly(rig, stream, [](net::FakeTransport& wire) { wire.block_every = 2; }), whole);
    EXPECT_EQ(slowly(rig, stream,
                     [](net::FakeTransport& wire) {
                       wire.block_every = 2;
                       wire.write_max = 100;
                     }),
              whole);
  });
}

// Blocked after that byte, for as long as it likes.
TEST_P(TransportFaults, ABlockAfterEveryByteChangesNoByte) {
  run([](ShapeRig& rig, const std::string& stream, const std::string& whole) {
    for (const std::size_t room : offsets(whole.size())) {
      Client& client = rig.rig.connect();
      client.wire.write_room = room;
      client.send(stream);
      rig.pause();
      ASSERT_EQ(client.received(), whole.substr(0, client.received().size()));
      client.wire.write_room = net::FakeTransport::kUnlimited;
      rig.settle();
      ASSERT_EQ(client.received(), whole) << "blocked after " << room;
      client.send_reset();
      rig.bury();
    }
  });
}

TEST_P(TransportFaults, NothingIsLeftOfARequestThatBreaksOff) {
  run([](ShapeRig& rig, const std::string& stream, const std::string& whole) {
    for (const bool reset : {true, false}) {
      for (const std::size_t cut : offsets(stream.size())) {
        Client& client = rig.rig.connect();
        client.send(stream.substr(0, cut));
        rig.pause();
        if (reset) {
          client.send_reset();
        } else {
          client.send_end();
        }
        rig.bury();
        if (client.received() == whole.substr(0, client.received().size())) continue;
        // Half a request may be answered, too: by a refusal.
        ASSERT_NE(client.received().find("HTTP/1.1 400 "), std::string::npos) << "after " << cut;
      }
    }
  });
}

TEST_P(TransportFaults, NothingIsLeftOfAnAnswerThatBreaksOff) {
  run([](ShapeRig& rig, const std::string& stream, const std::string& whole) {
    for (const std::size_t end : offsets(whole.size())) {
      Client& client = rig.rig.connect();
      client.wire.break_after = end;
      client.send(stream);
      rig.bury();
      ASSERT_EQ(client.received(), whole.substr(0, end));
    }
  });
}

// The same, noticed by a read.
TEST_P(TransportFaults, NothingIsLeftOfAClientThatResetsWithinItsAnswer) {
  run([](ShapeRig& rig, const std::string& stream, const std::string& whole) {
    for (const std::size_t room : offsets(whole.size())) {
      Client& client = rig.rig.connect();
      client.wire.write_room = room;
      client.send(stream);
      rig.pause();
      client.send_reset();
      rig.bury();
      ASSERT_EQ(client.received(), whole.substr(0, client.received().size()));
    }
  });
}

// Whether it gets a 100 depends on how much of the body is here; that nothing is left does not.
TEST_P(TransportFaults, NothingIsLeftOfAClientThatWaitsForContinue) {
  const std::string stream = post("small", "hello", "Expect: 100-continue\r\n");
  ShapeRig rig(GetParam());
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    for (const std::size_t room : {net::FakeTransport::kUnlimited, std::size_t{10}}) {
      Client& client = rig.rig.connect();
      client.wire.write_room = room;
      client.send(stream.substr(0, cut));
      rig.pause();
      client.send_reset();
      rig.bury();
    }
  }
  EXPECT_EQ(rig.answers(get("small")), test::ok_answer("[]").insert(17, "X-Shape: small\r\n"));
}

}  // namespace
}  // namespace lanner::server
