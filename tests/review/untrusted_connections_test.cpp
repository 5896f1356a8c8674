#include "review/untrusted_connections.h"

#include <gmock/gmock.h>

namespace sieve::test {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class UntrustedConnectionsTest : public ::testing::Test {
 protected:
  std::vector<int> came(int socket, const std::string& address, int second = 0) {
    return untrusted_.came(&places_.at(static_cast<std::size_t>(socket)), socket, address,
                           UntrustedConnections::Clock::time_point(seconds(second)));
  }
  void left(int socket) { untrusted_.left(&places_.at(static_cast<std::size_t>(socket))); }

  std::vector<char> places_ = std::vector<char>(100);
  UntrustedConnections untrusted_{3, seconds(15)};
};

TEST_F(UntrustedConnectionsTest, the_oldest_goes_where_one_too_many_comes) {
  for (const int socket : {1, 2, 3}) EXPECT_THAT(came(socket, "a"), IsEmpty());
  EXPECT_THAT(came(4, "a"), ElementsAre(1));
  EXPECT_THAT(came(5, "a"), ElementsAre(2));
}

TEST_F(UntrustedConnectionsTest, whoever_has_shown_the_token_or_gone_leaves_room) {
  for (const int socket : {1, 2, 3}) came(socket, "a");
  left(1);
  EXPECT_THAT(came(4, "a"), IsEmpty());
  EXPECT_THAT(came(5, "a"), ElementsAre(2));
}

TEST_F(UntrustedConnectionsTest, the_address_with_most_connections_loses_one) {
  came(1, "lonely");
  for (const int socket : {2, 3}) came(socket, "busy");
  EXPECT_THAT(came(4, "busy"), ElementsAre(2));
  EXPECT_THAT(came(5, "other"), ElementsAre(3));
}

TEST_F(UntrustedConnectionsTest, whoever_takes_too_long_goes_when_the_next_one_comes) {
  came(1, "a", 0);
  came(2, "b", 10);
  EXPECT_THAT(came(3, "c", 15), IsEmpty());
  EXPECT_THAT(came(4, "d", 16), ElementsAre(1));
  EXPECT_EQ(untrusted_.size(), 3U);
}

}  // namespace
}  // namespace sieve::test
