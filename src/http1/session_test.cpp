#include "http1/session.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace lanner::http1 {
namespace {

using Event = Session::Event;
using Phase = Session::Phase;

struct Driver {
  Session session;
  http::Limits limits;
  std::array<http::Field, 100> fields;
  http::RequestHead head;
  std::string_view piece;

  Result<Event> next(std::string_view& in) {
    return session.next(in, limits, fields, &head, &piece);
  }
};

TEST(Session, ARequestWithoutBodyIsTwoEvents) {
  Driver driver;
  std::string_view in = "GET / HTTP/1.1\r\nHost: t\r\n\r\nGET";
  EXPECT_EQ(*driver.next(in), Event::head);
  EXPECT_EQ(in, "GET");
  EXPECT_EQ(driver.head.path, "/");
  EXPECT_EQ(driver.session.phase(), Phase::body);
  EXPECT_EQ(*driver.next(in), Event::body_end);
  EXPECT_EQ(driver.session.phase(), Phase::done);
  EXPECT_EQ(in, "GET");
}

TEST(Session, DoesNotTouchTheNextRequestBeforeItIsAsked) {
  Driver driver;
  std::string_view in = "GET / HTTP/1.1\r\nHost: t\r\n\r\n\x01";
  EXPECT_EQ(*driver.next(in), Event::head);
  EXPECT_EQ(*driver.next(in), Event::body_end);
  EXPECT_EQ(*driver.next(in), Event::need_more);
  EXPECT_EQ(in, "\x01");
  driver.session.begin_next();
  EXPECT_EQ(driver.next(in).code(), Errc::method_invalid);
  EXPECT_EQ(driver.session.phase(), Phase::failed);
  EXPECT_EQ(driver.next(in).code(), Errc::internal);
}

TEST(Session, KeepsAnIncompleteHeadWithTheCaller) {
  Driver driver;
  std::string_view in = "GET / HTTP/1.1\r\nHo";
  EXPECT_FALSE(driver.session.head_begun());
  EXPECT_EQ(*driver.next(in), Event::need_more);
  EXPECT_EQ(in.size(), 18u);
  EXPECT_TRUE(driver.session.head_begun());
  in = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";
  EXPECT_EQ(*driver.next(in), Event::head);
  EXPECT_FALSE(driver.session.head_begun());
}

TEST(Session, NothingIsNoHead) {
  Driver driver;
  std::string_view in;
  EXPECT_EQ(*driver.next(in), Event::need_more);
  EXPECT_FALSE(driver.session.head_begun());
}

TEST(Session, HandsOutABodyOfKnownLength) {
  Driver driver;
  std::string_view in = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhe";
  EXPECT_EQ(*driver.next(in), Event::head);
  EXPECT_EQ(*driver.next(in), Event::body);
  EXPECT_EQ(driver.piece, "he");
  EXPECT_EQ(*driver.next(in), Event::need_more);
  in = "lloGET / ";
  EXPECT_EQ(*driver.next(in), Event::body);
  EXPECT_EQ(driver.piece, "llo");
  EXPECT_EQ(driver.session.body_bytes(), 5u);
  EXPECT_EQ(*driver.next(in), Event::body_end);
  EXPECT_EQ(in, "GET / ");
  driver.session.begin_next();
  EXPECT_EQ(driver.session.body_bytes(), 0u);
}

TEST(Session, HandsOutChunkedBodiesOneAfterTheOther) {
  Driver driver;
  const std::string request =
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: "
      "chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
  const std::string wire = request + request;
  std::string_view in = wire;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(*driver.next(in), Event::head);
    EXPECT_EQ(*driver.next(in), Event::body);
    EXPECT_EQ(driver.piece, "ab");
    EXPECT_EQ(*driver.next(in), Event::body);
    EXPECT_EQ(driver.piece, "c");
    EXPECT_EQ(*driver.next(in), Event::body_end);
    EXPECT_EQ(driver.session.body_bytes(), 3u);
    driver.session.begin_next();
  }
  EXPECT_TRUE(in.empty());
}

TEST(Session, ReportsBadFraming) {
  Driver driver;
  std::string_view in = "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n";
  EXPECT_EQ(*driver.next(in), Event::head);
  EXPECT_EQ(driver.next(in).code(), Errc::chunk_size_invalid);
  EXPECT_EQ(driver.session.phase(), Phase::failed);
}

TEST(Session, IsSmall) { EXPECT_LE(sizeof(Session), 96u); }

}  // namespace
}  // namespace lanner::http1
