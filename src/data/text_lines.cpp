#include "data/text_lines.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

}  // namespace

// Reads more behind what is buffered; false at the end of the file.
bool LineSource::fill(std::size_t at_least) {
  const std::size_t before = buffer_.size();
  buffer_.resize(before + at_least);
  std::size_t got = 0;
  while (got < at_least) {
    const std::size_t more = in_.read(buffer_.data() + before + got, at_least - got);
    if (more == 0) break;
    got += more;
  }
  buffer_.resize(before + got);
  bytes_read_ += got;
  check_new_bytes(before);
  return got != 0;
}

void LineSource::check_new_bytes(std::size_t from) {
  if (!started_) {
    started_ = true;
    if (buffer_.starts_with("\xFF\xFE") || buffer_.starts_with("\xFE\xFF"))
      throw Error(Failure::Data, "this is UTF-16 text", {name_, 0, 0},
                  "save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8");
    if (buffer_.starts_with("\xEF\xBB\xBF")) position_ = 3;
  }
  const void* nul = std::memchr(buffer_.data() + from, '\0', buffer_.size() - from);
  if (nul == nullptr) return;
  const auto where = static_cast<std::size_t>(static_cast<const char*>(nul) - buffer_.data());
  const auto lines = std::count(buffer_.begin() + static_cast<std::ptrdiff_t>(position_),
                                buffer_.begin() + static_cast<std::ptrdiff_t>(where), '\n');
  throw Error(Failure::Data, "a NUL byte: this is not a text file",
              {name_, line_ + static_cast<std::size_t>(lines) + 1, 0},
              "check that the file is what its name says and was copied whole");
}

bool LineSource::next(std::string_view& line) {
  std::size_t searched = position_;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      std::string_view rest = std::string_view(buffer_).substr(position_);
      previous_ = position_;
      position_ = end + 1;
      line = cut_line(rest);
      ++line_;
      return true;
    }
    buffer_.erase(0, position_);
    position_ = 0;
    searched = buffer_.size();
    if (!fill(std::size_t{1} << 16)) break;
    searched = std::max(searched, position_);
  }
  if (position_ == buffer_.size()) return false;
  std::string_view rest = std::string_view(buffer_).substr(position_);
  previous_ = position_;
  position_ = buffer_.size();
  line = cut_line(rest);
  ++line_;
  return true;
}

void LineSource::put_back() {
  position_ = previous_;
  --line_;
}

bool LineSource::next_block(std::string& storage, TextBlock& block, bool quotes) {
  std::size_t wanted = kBlockBytes;
  std::size_t end = 0;
  while (true) {
    const std::size_t have = buffer_.size() - position_;
    const bool more = have >= wanted || fill(wanted - have);
    const std::string_view text = std::string_view(buffer_).substr(position_);
    if (text.empty()) return false;
    end = text.size();
    if (!more || text.size() < wanted) break;  // the last lines of the file
    end = text.rfind('\n') + 1;
    // A line end with an odd number of quotes before it lies inside a quoted field.
    while (quotes && end != 0 &&
           std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '"') % 2 != 0)
      end = text.rfind('"', end - 1) == std::string_view::npos
                ? 0
                : text.rfind('\n', text.rfind('"', end - 1)) + 1;
    if (end != 0) break;
    wanted *= 2;
  }
  storage.assign(buffer_, position_ + end);
  buffer_.resize(position_ + end);
  std::swap(storage, buffer_);
  const std::string_view text = std::string_view(storage).substr(position_);
  position_ = previous_ = 0;
  block = {text, line_ + 1};
  line_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (text.back() != '\n') ++line_;
  return true;
}

std::string_view cut_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace sieve
