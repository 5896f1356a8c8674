#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/numbers.h"
#include "labelsieve/files.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// A stretch of whole lines and the number of its first one.
struct TextBlock {
  std::string_view text;
  std::size_t first_line = 1;
  std::size_t lines = 0;
};

// Bytes that are read into it from behind; its memory is kept for the next use.
class TextBuffer {
 public:
  std::string_view text() const { return {static_cast<const char*>(bytes_.data()), size_}; }
  void append(std::string_view more);
  // Reads until `more` bytes are added or the stream ends; returns how many were.
  std::size_t append(InputStream& in, std::size_t more);
  void drop_front(std::size_t count);
  void cut_to(std::size_t size) { size_ = size; }

 private:
  char* make_room(std::size_t more);
  AlignedBytes bytes_;
  std::size_t size_ = 0;
};

// The lines of a text file: one at a time for a header, then in blocks that can be parsed in
// parallel. Skips a UTF-8 byte-order mark; refuses UTF-16 and NUL bytes with Error(Data).
// Time is linear in the bytes read, whatever the length of a line.
class LineSource {
 public:
  // Error(Data) for a line of more than `longest` bytes.
  LineSource(InputStream& in, std::string name,
             std::size_t longest = std::numeric_limits<std::size_t>::max())
      : in_(in), name_(std::move(name)), longest_(longest) {}

  // The next line without its line end (LF or CRLF); false at the end. Valid until the next call.
  // With `quotes`, a line end between double quotes does not end a line.
  bool next(std::string_view& line, bool quotes = false);
  // Puts the line that next() gave last back, to be given again.
  void put_back();
  // Number of the line that next() gave last (of its end, if it goes over several).
  std::size_t line_number() const { return line_; }
  // The text to come, without taking it: 64 KiB or all there is. Valid until the next call.
  std::string_view peek();
  // Some `bytes` of whole lines, read into `storage`; more if a line is longer. `quotes` as above.
  // False at the end.
  bool next_block(TextBuffer& storage, TextBlock& block, bool quotes,
                  std::size_t bytes = std::size_t{1} << 17);

  const std::string& name() const { return name_; }
  std::size_t bytes_read() const { return bytes_read_; }

 private:
  void start();
  std::size_t read_into(TextBuffer& to, std::size_t more);
  std::string_view rest() const { return buffer_.text().substr(position_); }

  void refuse_too_long(std::size_t size) const;

  InputStream& in_;
  std::string name_;
  std::size_t longest_;
  TextBuffer buffer_;
  std::size_t position_ = 0, previous_ = 0;
  std::size_t line_ = 0, previous_line_ = 0;
  std::size_t bytes_read_ = 0;
  bool started_ = false, ended_ = false;
};

// All that is left of a source in rounds of a few blocks. With a pool the next round is read while
// this one is parsed.
class BlockRounds {
 public:
  BlockRounds(LineSource& source, ThreadPool* pool, bool quotes);

  // False at the end. Throws what reading threw once all blocks before the failure are done.
  bool next();
  std::span<const TextBlock> blocks() const { return {now_.blocks.data(), now_.count}; }
  // Calls parse(i) for each block of this round, on the pool.
  void parse(const std::function<void(std::size_t)>& parse);

 private:
  struct Round {
    std::vector<TextBuffer> storage;
    std::vector<TextBlock> blocks;
    std::size_t count = 0;
    std::exception_ptr failure;
  };
  void read(Round& round);

  LineSource& source_;
  ThreadPool* pool_;
  bool quotes_;
  Round now_, ahead_;
  bool is_ahead_ = false;
};

// Parses all that is left of `source`, block by block: parse(block, part) runs on the pool (or here
// if it is null) and fills a Part; merge(part) is called in the order of the file. What comes out
// does not depend on the number of threads. Errors come out in the order of the file too.
template <class Part>
void parse_blocks(LineSource& source, ThreadPool* pool, bool quotes,
                  const std::function<void(const TextBlock&, Part&)>& parse,
                  const std::function<void(Part&&)>& merge) {
  BlockRounds rounds(source, pool, quotes);
  while (rounds.next()) {
    std::vector<Part> parts(rounds.blocks().size());
    rounds.parse([&](std::size_t i) { parse(rounds.blocks()[i], parts[i]); });
    for (Part& part : parts) merge(std::move(part));
  }
}

// Cuts the next line (without its end, LF or CRLF) off the front of `text`.
std::string_view cut_line(std::string_view& text);

// `text` without blanks (space, tab) at either end.
std::string_view trimmed(std::string_view text);

// The first line that says something: not blank, nor a comment. A byte-order mark is skipped.
std::string_view first_content(std::string_view front, char comment);

// Equal but for the case of ASCII letters.
bool same_word(std::string_view a, std::string_view b);

// Gathers text and hands it on in large pieces. Nothing is written by the destructor: call flush().
class TextWriter {
 public:
  explicit TextWriter(OutputStream& out) : out_(out) {}

  TextWriter& operator<<(std::string_view text) {
    buffer_ += text;
    return *this;
  }
  TextWriter& operator<<(char c) {
    buffer_ += c;
    return *this;
  }
  TextWriter& operator<<(std::size_t number) { return *this << std::to_string(number); }
  TextWriter& operator<<(float number) {
    append_float(buffer_, number);
    return *this;
  }
  void end_line() {
    buffer_ += '\n';
    if (buffer_.size() >= kPiece) flush();
  }
  void flush() {
    out_.write(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;
  OutputStream& out_;
  std::string buffer_;
};

}  // namespace sieve
