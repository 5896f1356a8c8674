#include "terminal_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace sieve {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A progress that writes to a string, on a clock that the test moves.
struct Stage {
  std::string text;
  ProgressOutput::Clock::time_point time{};

  ProgressOutput output(std::size_t width, bool redraw) {
    ProgressOutput out;
    out.write = [this](const std::string& more) { text += more; };
    out.now = [this] { return time; };
    out.width = width;
    out.redraw = redraw;
    return out;
  }
};

TEST(TerminalProgress, says_nothing_about_short_work) {
  for (const bool redraw : {true, false}) {
    Stage stage;
    {
      TerminalProgress progress(stage.output(80, redraw));
      progress.begin("reading", 10);
      stage.time += milliseconds(1900);
      progress.update(10);
      progress.end();
    }
    EXPECT_EQ(stage.text, "");
  }
}

TEST(TerminalProgress, redraws_one_line_on_a_terminal_and_clears_it) {
  Stage stage;
  TerminalProgress progress(stage.output(80, true));
  progress.begin("writing", 4);
  stage.time += seconds(10);
  progress.update(1, "fold1");
  EXPECT_THAT(stage.text, HasSubstr("writing"));
  EXPECT_THAT(stage.text, HasSubstr(" 25 %"));
  EXPECT_THAT(stage.text, HasSubstr("30 s left"));
  EXPECT_THAT(stage.text, HasSubstr("fold1"));
  EXPECT_THAT(stage.text, Not(HasSubstr("\n")));
  const std::string before = stage.text;
  stage.time += milliseconds(50);
  progress.update(2);
  EXPECT_EQ(stage.text, before);  // not more than ten times a second
  progress.end();
  EXPECT_THAT(stage.text, EndsWith("\r\x1b[K"));
}

TEST(TerminalProgress, writes_plain_lines_elsewhere_and_not_too_many) {
  Stage stage;
  TerminalProgress progress(stage.output(80, false));
  progress.begin("training", 1000);
  for (std::size_t i = 1; i <= 300; ++i) {
    stage.time += milliseconds(100);
    progress.update(i);
  }
  progress.end();
  EXPECT_EQ(std::count(stage.text.begin(), stage.text.end(), '\n'), 3);
  EXPECT_THAT(stage.text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(stage.text, Not(HasSubstr("\r")));
}

TEST(TerminalProgress, survives_a_width_of_zero_and_an_unknown_total) {
  for (const std::size_t width : {0U, 1U, 5U}) {
    Stage stage;
    TerminalProgress progress(stage.output(width, true));
    progress.begin("reading", 0);
    stage.time += seconds(3);
    progress.update(123456);
    EXPECT_LE(stage.text.size(), width + 8);  // the code that clears the line, an ellipsis
  }
}

TEST(TerminalProgress, turns_an_interrupt_into_a_request_to_stop) {
  void (*const before)(int) = std::signal(SIGINT, SIG_IGN);
  {
    Stage stage;
    const StopRequests noted;
    TerminalProgress progress(stage.output(80, false));
    EXPECT_FALSE(progress.stop_requested());
    std::raise(SIGINT);
    EXPECT_TRUE(progress.stop_requested());
  }
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);  // what was there is back
}

}  // namespace
}  // namespace sieve
