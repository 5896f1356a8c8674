#include "data/text/text_lines.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;

// Counting in bytes lets the compiler count sixteen or more at once.
std::size_t count_line_ends(std::string_view text) {
  std::size_t total = 0;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, 128);
    unsigned char count = 0;
    for (const char c : piece) count = static_cast<unsigned char>(count + (c == '\n'));
    total += count;
    text.remove_prefix(piece.size());
  }
  return total;
}

std::string_view without_line_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void refuse_utf16(std::string_view text, const std::string& name) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw Error(Failure::Data, "this is UTF-16 text", {name, 0, 0},
                "save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8");
}

// Lines that end in CR alone, as on a Mac of old, would all be one line.
void refuse_carriage_returns(std::string_view head, const std::string& name) {
  if (head.find('\n') != head.npos) return;
  bool inside = false;
  for (std::size_t i = 0; i + 1 < head.size(); ++i) {
    inside ^= head[i] == '"';
    if (head[i] == '\r' && !inside)
      throw Error(Failure::Data, "its lines end in CR alone, not in LF", {name, 1, 0},
                  "convert it, for example: tr '\\r' '\\n' < old > new");
  }
}

// Finds line ends in text that grows; each byte is looked at once.
class LineEnds {
 public:
  explicit LineEnds(bool quotes) : quotes_(quotes) {}

  // Behind the first (or the last) line end in the part of `text` not yet seen; 0 for none.
  std::size_t first(std::string_view text) { return find(text, false); }
  std::size_t last(std::string_view text) { return find(text, true); }

 private:
  std::size_t find(std::string_view text, bool last) {
    std::size_t found = 0;
    while (seen_ != text.size()) {
      const std::size_t quote = quotes_ ? text.find('"', seen_) : std::string_view::npos;
      const std::string_view part = text.substr(seen_, quote - seen_);
      const std::size_t end = inside_ ? part.npos : last ? part.rfind('\n') : part.find('\n');
      if (end != part.npos) found = seen_ + end + 1;
      if (found != 0 && !last) return found;
      if (quote != text.npos) inside_ = !inside_;
      seen_ = quote == text.npos ? text.size() : quote + 1;
    }
    return found;
  }

  bool quotes_;
  bool inside_ = false;
  std::size_t seen_ = 0;
};

}  // namespace

char* TextBuffer::make_room(std::size_t more) {
  if (bytes_.size() < size_ + more) bytes_.resize(size_ + more);
  return static_cast<char*>(bytes_.data()) + size_;
}

void TextBuffer::append(std::string_view more) {
  if (more.empty()) return;
  std::memcpy(make_room(more.size()), more.data(), more.size());
  size_ += more.size();
}

std::size_t TextBuffer::append(InputStream& in, std::size_t more) {
  char* into = make_room(more);
  std::size_t got = 0;
  while (got < more) {
    const std::size_t part = in.read(into + got, more - got);
    if (part == 0) break;
    got += part;
  }
  size_ += got;
  return got;
}

void TextBuffer::drop_front(std::size_t count) {
  char* first = static_cast<char*>(bytes_.data());
  if (count != 0) std::memmove(first, first + count, size_ - count);
  size_ -= count;
}

// Reads behind `to`, which begins with line line_ + 1; returns how many bytes there were.
std::size_t LineSource::read_into(TextBuffer& to, std::size_t more) {
  if (ended_) return 0;
  const std::size_t before = to.text().size();
  const std::size_t got = to.append(in_, more);
  ended_ = got < more;
  bytes_read_ += got;
  if (!std::exchange(started_, true)) refuse_utf16(to.text(), name_);
  const std::size_t nul = to.text().find('\0', before);
  if (nul != std::string_view::npos)
    throw Error(Failure::Data, "a NUL byte: this is not a text file",
                {name_, line_ + 1 + count_line_ends(to.text().substr(0, nul)), 0},
                "check that the file is what its name says and was copied whole");
  return got;
}

void LineSource::start() {
  if (started_) return;
  read_into(buffer_, kHeadBytes);
  refuse_carriage_returns(buffer_.text(), name_);
  if (buffer_.text().starts_with("\xEF\xBB\xBF")) position_ = 3;
}

bool LineSource::next(std::string_view& line, bool quotes) {
  start();
  LineEnds ends(quotes);
  std::size_t end = ends.first(rest());
  while (end == 0) {
    refuse_too_long(rest().size());
    buffer_.drop_front(std::exchange(position_, 0));
    const std::size_t more = std::max(kHeadBytes, rest().size());
    if (read_into(buffer_, more) == 0) break;
    end = ends.first(rest());
  }
  if (end == 0) end = rest().size();
  if (end == 0) return false;
  const std::string_view whole = rest().substr(0, end);
  previous_ = position_;
  previous_line_ = line_;
  position_ += end;
  line_ += quotes ? count_line_ends(whole) + (whole.back() != '\n') : 1;
  line = without_line_end(whole);
  return true;
}

void LineSource::refuse_too_long(std::size_t size) const {
  if (size > longest_)
    throw Error(Failure::Data, "a line of more than " + std::to_string(longest_ >> 20) + " MiB",
                {name_, line_ + 1, 0}, "check that the file has line ends");
}

void LineSource::put_back() {
  position_ = previous_;
  line_ = previous_line_;
}

std::string_view LineSource::peek() {
  start();
  if (rest().size() < kHeadBytes) {
    buffer_.drop_front(std::exchange(position_, 0));
    read_into(buffer_, kHeadBytes - rest().size());
  }
  return rest();
}

bool LineSource::next_block(TextBuffer& storage, TextBlock& block, bool quotes, std::size_t bytes) {
  start();
  storage.cut_to(0);
  storage.append(rest());
  buffer_.cut_to(0);
  position_ = previous_ = 0;
  LineEnds ends(quotes);
  std::size_t end = 0;
  for (std::size_t wanted = bytes; end == 0; wanted = 2 * storage.text().size()) {
    if (wanted > bytes) refuse_too_long(storage.text().size());
    const std::size_t more = wanted - std::min(wanted, storage.text().size());
    const bool at_end = read_into(storage, more) < more;
    end = at_end ? storage.text().size() : ends.last(storage.text());
    if (at_end && end == 0) return false;
  }
  buffer_.append(storage.text().substr(end));
  storage.cut_to(end);
  block = {storage.text(), line_ + 1, count_line_ends(storage.text())};
  if (block.text.back() != '\n') ++block.lines;
  line_ += block.lines;
  return true;
}

BlockRounds::BlockRounds(LineSource& source, ThreadPool* pool, bool quotes)
    : source_(source),
      pool_(pool != nullptr && pool->size() > 1 ? pool : nullptr),
      quotes_(quotes) {
  for (Round* round : {&now_, &ahead_}) {
    round->storage.resize(pool_ != nullptr ? 2 * pool_->size() : 1);
    round->blocks.resize(round->storage.size());
  }
}

void BlockRounds::read(Round& round) {
  round.count = 0;
  try {
    while (round.count < round.storage.size() &&
           source_.next_block(round.storage[round.count], round.blocks[round.count], quotes_))
      ++round.count;
  } catch (...) {
    round.failure = std::current_exception();
  }
}

bool BlockRounds::next() {
  if (now_.failure) std::rethrow_exception(now_.failure);
  if (std::exchange(is_ahead_, false))
    std::swap(now_, ahead_);
  else
    read(now_);
  if (now_.count == 0 && now_.failure) std::rethrow_exception(now_.failure);
  return now_.count != 0;
}

void BlockRounds::parse(const std::function<void(std::size_t)>& parse) {
  if (pool_ == nullptr) {
    for (std::size_t i = 0; i < now_.count; ++i) parse(i);
    return;
  }
  is_ahead_ = true;
  pool_->for_each(now_.count + 1, [&](std::size_t i) {
    if (i != 0)
      parse(i - 1);
    else if (!now_.failure)
      read(ahead_);
  });
}

std::string_view cut_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(line.size());
  return without_line_end(line);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view first_content(std::string_view front, char comment) {
  if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
  while (!front.empty()) {
    const std::string_view line = trimmed(cut_line(front));
    if (!line.empty() && line.front() != comment) return line;
  }
  return {};
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace sieve
