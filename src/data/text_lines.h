#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/files.h"
#include "labelsieve/threads.h"

namespace sieve {

// A stretch of whole lines and the number of its first one.
struct TextBlock {
  std::string_view text;
  std::size_t first_line = 1;
};

// The lines of a text file: one at a time for a header, then in blocks that can be parsed in
// parallel. Skips a UTF-8 byte-order mark; refuses UTF-16 and NUL bytes with Error(Data).
class LineSource {
 public:
  LineSource(InputStream& in, std::string name) : in_(in), name_(std::move(name)) {}

  // The next line without its line end (LF or CRLF); false at the end. Valid until the next call.
  bool next(std::string_view& line);
  // Puts the line that next() gave last back, to be given again.
  void put_back();
  // Number of the line that next() gave last.
  std::size_t line_number() const { return line_; }
  // About a mebibyte of whole lines, moved into `storage`. With `quotes`, a line end between double
  // quotes does not end a line. False at the end.
  bool next_block(std::string& storage, TextBlock& block, bool quotes);

  const std::string& name() const { return name_; }
  std::size_t bytes_read() const { return bytes_read_; }

 private:
  bool fill(std::size_t at_least);
  void check_new_bytes(std::size_t from);

  InputStream& in_;
  std::string name_;
  std::string buffer_;
  std::size_t position_ = 0, previous_ = 0;
  std::size_t line_ = 0;
  std::size_t bytes_read_ = 0;
  bool started_ = false;
};

// Parses all that is left of `source`, block by block: parse(block, part) runs on the pool (or here
// if it is null) and fills a Part; merge(part) is called in the order of the file. What comes out
// does not depend on the number of threads. Errors come out in the order of the file too.
template <class Part>
void parse_blocks(LineSource& source, ThreadPool* pool, bool quotes,
                  const std::function<void(const TextBlock&, Part&)>& parse,
                  const std::function<void(Part&&)>& merge) {
  const std::size_t width = pool != nullptr ? pool->size() : 1;
  std::vector<std::string> storage(width);
  std::vector<TextBlock> blocks(width);
  while (true) {
    std::size_t count = 0;
    while (count < width && source.next_block(storage[count], blocks[count], quotes)) ++count;
    if (count == 0) return;
    std::vector<Part> parts(count);
    const auto one = [&](std::size_t i) { parse(blocks[i], parts[i]); };
    if (pool != nullptr)
      pool->for_each(count, one);
    else
      one(0);
    for (Part& part : parts) merge(std::move(part));
  }
}

// Cuts the next line (without its end, LF or CRLF) off the front of `text`.
std::string_view cut_line(std::string_view& text);

// `text` without blanks (space, tab) at either end.
std::string_view trimmed(std::string_view text);

// Equal but for the case of ASCII letters.
bool same_word(std::string_view a, std::string_view b);

}  // namespace sieve
