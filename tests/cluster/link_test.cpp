#include "cluster/meeting.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "support/support.h"

namespace sieve::test {
namespace {

// Waits for what must come.
bool comes(const Link& link) {
  pollfd one{link.descriptor(), POLLIN, 0};
  return ::poll(&one, 1, 10'000) == 1;
}

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data());
    near = Link(ends[0]);
    far = ends[1];
  }
  Link near{-1};
  int far = -1;
};

TEST(Link, carries_messages_whole_and_in_order) {
  Pair pair;
  Link far(pair.far);
  const std::string large(100'000, 'x');
  for (const std::string& message : {std::string(), large, std::string("one\0two", 7)})
    far.send(message);
  std::vector<std::string> got;
  while (got.size() < 3) {
    ASSERT_TRUE(comes(pair.near));
    EXPECT_TRUE(pair.near.receive());
    while (const auto message = pair.near.next()) got.push_back(*message);
  }
  EXPECT_EQ(got, (std::vector<std::string>{"", large, std::string("one\0two", 7)}));
}

TEST(Link, half_a_message_is_none_yet) {
  Pair pair;
  const std::string bytes("\0\0\0\3ab", 6);
  ASSERT_EQ(::send(pair.far, bytes.data(), bytes.size(), 0), 6);
  EXPECT_TRUE(pair.near.receive());
  EXPECT_FALSE(pair.near.next());
  ASSERT_EQ(::send(pair.far, "c", 1, 0), 1);
  EXPECT_TRUE(pair.near.receive());
  EXPECT_EQ(pair.near.next(), "abc");
  const Link closes(pair.far);
}

TEST(Link, what_was_said_before_the_end_is_still_heard) {
  Pair pair;
  {
    Link far(pair.far);
    far.send("farewell");
  }
  EXPECT_FALSE(pair.near.receive());
  EXPECT_EQ(pair.near.next(), "farewell");
  pair.near.send("to nobody");
  EXPECT_FALSE(pair.near.receive());
}

TEST(Link, gives_up_a_peer_that_announces_an_endless_message) {
  Pair pair;
  ASSERT_EQ(::send(pair.far, "\xff\xff\xff\xff", 4, 0), 4);
  EXPECT_FALSE(pair.near.receive());
  EXPECT_FALSE(pair.near.next());
  const Link closes(pair.far);
}

TEST(MeetingPoint, knows_its_guests_by_the_invitation) {
  MeetingPoint point;
  Link guest = meet(point.invitation(), "it is me");
  std::optional<Link> arrived = point.accept();
  ASSERT_TRUE(arrived);
  ASSERT_TRUE(comes(*arrived));
  EXPECT_TRUE(arrived->receive());
  const std::string first = arrived->next().value_or("");
  std::string rest;
  EXPECT_TRUE(point.admits(first, rest));
  EXPECT_EQ(rest, "it is me");
  EXPECT_FALSE(MeetingPoint().admits(first, rest));
}

TEST(MeetingPoint, that_is_gone_is_an_error_with_its_addresses) {
  const std::string invitation = MeetingPoint().invitation();
  int code = 0;
  const std::string message = refusal([&] { meet(invitation, "hello"); }, &code);
  EXPECT_NE(message.find("rank 0 cannot be reached; tried "), std::string::npos) << message;
  EXPECT_EQ(code, 5);
}

}  // namespace
}  // namespace sieve::test
