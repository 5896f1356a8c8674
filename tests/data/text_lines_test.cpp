#include "data/text/text_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "labelsieve/error.h"
#include "support/support.h"

namespace sieve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Hands its text out in pieces of at most `piece` bytes and may fail at the end.
class TextStream final : public InputStream {
 public:
  explicit TextStream(std::string text, std::size_t piece = 1000, bool fails = false)
      : text_(std::move(text)), piece_(piece), fails_(fails) {}
  std::size_t read(char* into, std::size_t size) override {
    if (at_ == text_.size() && fails_) throw Error(Failure::Io, "the disk failed");
    const std::size_t part = std::min({size, piece_, text_.size() - at_});
    std::copy_n(text_.data() + at_, part, into);
    at_ += part;
    return part;
  }

 private:
  std::string text_;
  std::size_t piece_, at_ = 0;
  bool fails_;
};

std::vector<std::string> lines_of(const std::string& text, bool quotes = false) {
  TextStream in(text, 3);
  LineSource source(in, "t.txt");
  std::vector<std::string> lines;
  for (std::string_view line; source.next(line, quotes);) lines.emplace_back(line);
  return lines;
}

struct Piece {
  std::string text;
  std::size_t first_line, lines;
};

std::vector<Piece> blocks_of(const std::string& text, ThreadPool* pool, bool quotes) {
  TextStream in(text, 100000);
  LineSource source(in, "t.txt");
  std::vector<Piece> pieces;
  parse_blocks<Piece>(
      source, pool, quotes,
      [](const TextBlock& block, Piece& piece) {
        piece = {std::string(block.text), block.first_line, block.lines};
      },
      [&](Piece&& piece) { pieces.push_back(std::move(piece)); });
  return pieces;
}

std::string many_lines(std::size_t count, const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += line;
  return text;
}

TEST(Lines, end_with_lf_or_crlf_and_the_last_may_lack_it) {
  EXPECT_THAT(lines_of("a\nb\r\n\nc\r"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines_of(""), ElementsAre());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
}

TEST(Lines, that_end_in_cr_alone_are_refused_as_such) {
  int code = 0;
  EXPECT_THAT(test::refusal([] { lines_of("x,label:a\r1,0\r2,1\r"); }, &code),
              ::testing::HasSubstr("lines end in CR alone"));
  EXPECT_EQ(code, 3);
}

TEST(Lines, a_byte_order_mark_is_no_part_of_the_text) {
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"
                       "a\nb"),
              ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"), ElementsAre());
}

TEST(Lines, a_line_end_in_quotes_does_not_end_the_line) {
  EXPECT_THAT(lines_of("a\"x\ny\"b\nc\n", true), ElementsAre("a\"x\ny\"b", "c"));
}

TEST(Lines, a_line_put_back_is_given_again_with_its_number) {
  TextStream in(
      "\xEF\xBB\xBF"
      "\"a\nb\",1\nc\n");
  LineSource source(in, "t.txt");
  std::string_view line;
  ASSERT_TRUE(source.next(line, true));
  EXPECT_EQ(source.line_number(), 2U);
  source.put_back();
  EXPECT_EQ(source.line_number(), 0U);
  EXPECT_EQ(source.peek(), "\"a\nb\",1\nc\n");
  TextBuffer storage;
  TextBlock block;
  ASSERT_TRUE(source.next_block(storage, block, true));
  EXPECT_EQ(block.text, "\"a\nb\",1\nc\n");
  EXPECT_EQ(block.first_line, 1U);
  EXPECT_EQ(block.lines, 3U);
  EXPECT_FALSE(source.next_block(storage, block, true));
}

TEST(Lines, utf16_and_nul_bytes_are_refused) {
  EXPECT_THAT(test::refusal([] {
                lines_of(
                    std::string("\xFF\xFE"
                                "a\0b\0",
                                6));
              }),
              HasSubstr("t.txt: this is UTF-16 text"));
  EXPECT_THAT(test::refusal([] { lines_of(std::string("a\nb\nc\0d\n", 8)); }),
              HasSubstr("t.txt:3: a NUL byte: this is not a text file"));
  EXPECT_THAT(test::refusal([] { blocks_of(many_lines(400000, "ab\n") + '\0', nullptr, false); }),
              HasSubstr("t.txt:400001: a NUL byte"));
}

TEST(Blocks, put_together_give_the_text_and_the_line_numbers) {
  std::string text;
  for (int i = 0; i < 200000; ++i)
    text += std::to_string(i) + (i % 5 == 0 ? ",\"x\ny\"\r\n" : "\n");
  text += "end";
  ThreadPool pool(3);
  for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
    std::string all;
    std::size_t line = 1;
    const std::vector<Piece> pieces = blocks_of(text, threads, true);
    EXPECT_GT(pieces.size(), 3U);
    for (const Piece& piece : pieces) {
      EXPECT_EQ(piece.first_line, line);
      EXPECT_EQ(std::count(piece.text.begin(), piece.text.end(), '"') % 2, 0);
      line += piece.lines;
      all += piece.text;
    }
    EXPECT_EQ(all, text);
    EXPECT_EQ(line, 240002U);
  }
}

TEST(Blocks, one_giant_line_is_one_block) {
  const std::string giant(5000000, 'x');
  EXPECT_EQ(blocks_of(giant, nullptr, true).size(), 1U);
  const std::vector<Piece> pieces = blocks_of("\"" + many_lines(1000000, "ab\n"), nullptr, true);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].lines, 1000000U);
}

TEST(Blocks, what_comes_before_a_failure_is_parsed_first) {
  ThreadPool pool(2);
  for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
    TextStream in(many_lines(600000, "ab\n"), 100000, true);
    LineSource source(in, "t.txt");
    std::size_t parsed = 0;
    EXPECT_EQ(test::refusal([&] {
                parse_blocks<std::size_t>(
                    source, threads, false,
                    [](const TextBlock& block, std::size_t& lines) { lines = block.lines; },
                    [&](std::size_t&& lines) { parsed += lines; });
              }),
              "the disk failed");
    EXPECT_GT(parsed, 500000U);
  }
}

}  // namespace
}  // namespace sieve
