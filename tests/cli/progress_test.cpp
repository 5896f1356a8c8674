#include "terminal_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "support/places.h"
#include "support/support.h"
#include "support/terminal.h"

namespace sieve {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A progress that writes to a string, on a clock that the test moves.
struct Watch {
  std::string text;
  ProgressOutput::Clock::time_point time{};

  ProgressOutput output(std::size_t width, bool redraw) {
    ProgressOutput out;
    out.write = [this](const std::string& more) { text += more; };
    out.now = [this] { return time; };
    out.width = [width] { return width; };
    out.redraw = redraw;
    return out;
  }
};

// What stands on the screen of a terminal after every second of a cleaning. There is one line and
// never a second, whatever the width.
std::string recording(std::size_t width) {
  Watch watch;
  test::Screen screen(width);
  std::string frames;
  const auto frame = [&] {
    screen.put(std::exchange(watch.text, {}));
    const std::string line = screen.text();
    EXPECT_LE(std::count(line.begin(), line.end(), '\n'), 1) << line;
    frames += line.empty() ? "\n" : line;
  };
  {
    TerminalProgress bar(watch.output(width, true));
    StageProgress whole(bar);
    whole.until(0.05);
    StageProgress(whole, "Read").begin("", 0);
    frame();
    whole.until(1);
    StageProgress learning(whole, "Learn");
    double until = 0;
    for (const char* part : {"forest (extra)", "forest (best)", "networks"}) {
      learning.until(until += until < 0.5 ? 0.25 : 0.5);
      StageProgress stage(learning, part);
      stage.begin("growing", 3);
      for (std::size_t done = 1; done <= 3; ++done) {
        watch.time += seconds(1);
        stage.update(done, "L_c 2.9009");
        frame();
      }
      stage.end();
    }
  }
  frame();
  return frames;
}

TEST(TerminalProgress, shows_one_bar_with_its_stages_from_the_first_moment) {
  const std::string folder = test::tests_folder() + "/cli/recordings/";
  for (const std::size_t width : {40U, 60U, 120U})
    EXPECT_EQ(recording(width),
              test::read_file(folder + "progress-" + std::to_string(width) + ".txt"))
        << width;
}

TEST(TerminalProgress, leaves_nothing_behind_and_says_nothing_about_short_work_elsewhere) {
  for (const bool redraw : {true, false}) {
    Watch watch;
    {
      TerminalProgress progress(watch.output(80, redraw));
      progress.begin("Read", 10);
      watch.time += milliseconds(1900);
      progress.update(10);
      progress.end();
    }
    test::Screen screen(80);
    screen.put(watch.text);
    EXPECT_EQ(screen.text(), "");
  }
}

TEST(TerminalProgress, redraws_one_line_on_a_terminal_and_clears_it) {
  Watch watch;
  {
    TerminalProgress progress(watch.output(80, true));
    progress.begin("Write", 4);
    watch.time += seconds(10);
    progress.update(1, "fold1");
    EXPECT_THAT(watch.text, HasSubstr("Write"));
    EXPECT_THAT(watch.text, HasSubstr(" 25 %"));
    EXPECT_THAT(watch.text, HasSubstr("30 s left"));
    EXPECT_THAT(watch.text, Not(HasSubstr("fold1")));
    EXPECT_THAT(watch.text, Not(HasSubstr("\n")));
    const std::string before = watch.text;
    watch.time += milliseconds(50);
    progress.update(2);
    EXPECT_EQ(watch.text, before);  // not more than ten times a second
    progress.end();
  }
  EXPECT_THAT(watch.text, EndsWith("\r\x1b[K"));
}

TEST(TerminalProgress, shows_notes_where_they_are_asked_for) {
  Watch watch;
  ProgressOutput output = watch.output(100, true);
  output.notes = true;
  TerminalProgress progress(std::move(output));
  progress.begin("Learn, networks", 4);
  watch.time += seconds(1);
  progress.update(1, "L_c 2.9009");
  EXPECT_THAT(watch.text, HasSubstr("networks  L_c 2.9009"));
}

TEST(TerminalProgress, never_goes_backwards) {
  Watch watch;
  TerminalProgress progress(watch.output(80, true));
  for (const char* stage : {"Learn, first", "Learn, second"}) {
    progress.begin(stage, 100);
    watch.time += seconds(1);
    progress.update(std::string(stage).ends_with("first") ? 60 : 20);
  }
  test::Screen screen(80);
  screen.put(watch.text);
  EXPECT_THAT(screen.text(), HasSubstr(" 60 %"));
}

TEST(TerminalProgress, writes_plain_lines_elsewhere_and_not_too_many) {
  Watch watch;
  TerminalProgress progress(watch.output(80, false));
  progress.begin("Learn, networks", 1000);
  for (std::size_t i = 1; i <= 300; ++i) {
    watch.time += milliseconds(100);
    progress.update(i);
  }
  progress.end();
  EXPECT_EQ(std::count(watch.text.begin(), watch.text.end(), '\n'), 3);
  EXPECT_THAT(watch.text, HasSubstr("Learn, networks  2 %  1:38 min left\n"));
  EXPECT_THAT(watch.text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(watch.text, Not(HasSubstr("\r")));
}

TEST(TerminalProgress, survives_any_width_and_an_unknown_total) {
  for (const std::size_t total : {0U, 200'000U})
    for (std::size_t width = 0; width < 45; ++width) {
      Watch watch;
      TerminalProgress progress(watch.output(width, true));
      progress.begin("Read, a file of \u4e2d\u6587", total);
      watch.time += seconds(3);
      progress.update(123456);
      test::Screen screen(width);
      screen.put(watch.text);
      const std::string text = screen.text();
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 1) << width << "\n" << text;
    }
}

TEST(TerminalProgress, is_drawn_in_colours_and_plain_signs_as_the_terminal_has_them) {
  Watch watch;
  ProgressOutput output = watch.output(40, true);
  output.colours = output.ascii = true;
  TerminalProgress progress(std::move(output));
  progress.begin("Write", 2);
  watch.time += seconds(1);
  progress.update(1);
  EXPECT_THAT(watch.text, HasSubstr("\x1b[1;34m===="));
  EXPECT_THAT(watch.text, HasSubstr("\x1b[0;2m----"));
}

TEST(TerminalProgress, turns_an_interrupt_into_a_request_to_stop) {
  void (*const before)(int) = std::signal(SIGINT, SIG_IGN);
  {
    Watch watch;
    const StopRequests noted;
    TerminalProgress progress(watch.output(80, false));
    EXPECT_FALSE(progress.stop_requested());
    std::raise(SIGINT);
    EXPECT_TRUE(progress.stop_requested());
  }
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);  // what was there is back
}

}  // namespace
}  // namespace sieve
